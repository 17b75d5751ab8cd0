package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"taper/internal/app"
	"taper/internal/store"
	"taper/internal/testtime"
)

// With asProgram in the environment the test binary runs the program on that data folder, so that it can be killed.
const asProgram = "TAPER_TEST_AS_PROGRAM"

// victim is the program in its own process.
type victim struct {
	t    *testing.T
	cmd  *exec.Cmd
	base string
	log  bytes.Buffer
}

func startVictim(t *testing.T, dir string) *victim {
	t.Helper()
	v := &victim{t: t, cmd: exec.Command(os.Args[0])}
	v.cmd.Env = append(os.Environ(), asProgram+"="+dir, "GOMAXPROCS=2") // on many cores too, work lasts until it is killed
	v.cmd.Stderr = &v.log
	out, err := v.cmd.StdoutPipe()
	if err == nil {
		err = v.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.kill)
	line, _ := bufio.NewReader(out).ReadString('\n')
	if v.base = regexp.MustCompile(`http://[0-9.:]+`).FindString(line); v.base == "" {
		t.Fatalf("the program does not start: %s%s", line, &v.log)
	}
	return v
}

// kill is kill −9.
func (v *victim) kill() {
	_ = v.cmd.Process.Kill()
	_ = v.cmd.Wait()
}

// do sends a request; it fails if the program was killed.
func (v *victim) do(method, path, kind string, body io.Reader) (status int, answer []byte, err error) {
	req, err := http.NewRequest(method, v.base+path, body)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", kind)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(res.Body)
	return res.StatusCode, answer, err
}

// get reads a path that must exist.
func (v *victim) get(path string) []byte {
	v.t.Helper()
	status, body, err := v.do("GET", path, "", nil)
	if err != nil || status != http.StatusOK {
		v.t.Errorf("GET %s: %d %.200s, %v", path, status, body, err)
	}
	return body
}

// crashes records what the killed programs confirmed, and what may be half done.
type crashes struct {
	*testing.T
	dir   string
	rng   *rand.Rand
	n     int               // files started
	file  map[string][]byte // by dataset: the bytes uploaded
	mark  map[string]string // by dataset: a text that occurs only in its file
	data  map[string]string // by run: its dataset
	done  map[string]string // by run: its rows, model and result when first read
	begun []string          // marks of uploads without an answer
	going map[string]bool   // datasets and runs with a requested deletion
	bare  map[string]string // by dataset that is deleted, or being deleted, with its models kept: its mark
	did   map[string]int    // number of kills by activity
	start int               // how often the program was started
	begin map[string]int    // by run: the start in which it began
}

// rowMark marks the cells of single rows, which no model contains.
func rowMark(mark string) string { return mark + "-row" }

// crashFile is a table that takes a while to fit; the mark is one of its levels.
func crashFile(mark string, rows int) []byte {
	var b bytes.Buffer
	b.WriteString("who,ward,a,b,c,d,e,outcome\n")
	rng := rand.New(rand.NewPCG(uint64(rows), 1))
	for i := range rows {
		x := [5]float64{}
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		outcome := "no"
		if x[0]+x[1]/2+rng.NormFloat64() > 0.5 {
			outcome = "yes"
		}
		fmt.Fprintf(&b, "%s%d,%s-%d,%.3f,%.3f,%.3f,%.3f,%.3f,%s\n", rowMark(mark), i, mark, i%3, x[0], x[1], x[2], x[3], x[4], outcome)
	}
	return b.Bytes()
}

// upload sends a file in pieces, so that a kill can interrupt it.
func (c *crashes) upload(v *victim) error {
	c.n++
	mark := fmt.Sprintf("canary%04dx", c.n)
	text := crashFile(mark, 1000+c.rng.IntN(3000))
	r, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() {
		part, err := form.CreateFormFile("file", mark+".csv")
		for piece := range slices.Chunk(text, 8<<10) {
			if err == nil {
				_, err = part.Write(piece)
			}
			time.Sleep(300 * time.Microsecond)
		}
		form.Close()
		w.CloseWithError(err)
	}()
	c.begun = append(c.begun, mark)
	status, body, err := v.do("POST", "/api/v1/datasets", form.FormDataContentType(), r)
	r.Close()
	if err != nil {
		return err
	}
	var made struct{ ID string }
	if json.Unmarshal(body, &made); status != http.StatusCreated || made.ID == "" {
		c.Errorf("upload: %d %.300s", status, body)
		return nil
	}
	c.begun = c.begun[:len(c.begun)-1]
	c.file[made.ID], c.mark[made.ID] = text, mark
	return nil
}

// run starts a run and waits until it has ended.
func (c *crashes) run(v *victim) error {
	data, ok := c.pick(c.file)
	if !ok {
		return c.upload(v)
	}
	spec := fmt.Sprintf(`{"dataset":%q,"outcome":"outcome","positive":"yes","task":"interval","boundaries":[0.3,0.6],
		"model":{"kind":"linear","loss":"interval","l2":"cv"},"validation":{"kind":"cv","folds":3},"seed":3}`, data)
	status, body, err := v.do("POST", "/api/v1/runs", "application/json", strings.NewReader(spec))
	if err != nil {
		return err
	}
	var made struct{ ID, Status string }
	if json.Unmarshal(body, &made); status != http.StatusAccepted {
		c.Errorf("run: %d %.300s", status, body)
		return nil
	}
	c.data[made.ID], c.begin[made.ID] = data, c.start
	for {
		_, body, err := v.do("GET", "/api/v1/runs/"+made.ID, "", nil)
		if err != nil {
			return err
		}
		if json.Unmarshal(body, &made); made.Status == store.Done {
			break
		}
		if app.HasEnded(made.Status) {
			c.Errorf("run %s is %s", made.ID, made.Status)
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	whole, err := c.whole(v, made.ID)
	if err == nil {
		c.done[made.ID] = whole
	}
	return err
}

// whole reads everything that is stored of a finished run.
func (c *crashes) whole(v *victim, id string) (string, error) {
	var all strings.Builder
	for _, part := range []string{"", "/rows?format=csv", "/model.json", "/report"} {
		status, body, err := v.do("GET", "/api/v1/runs/"+id+part, "", nil)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&all, part, status, len(body))
		if part != "/report" { // the page names files of the build
			all.Write(body)
		}
	}
	return all.String(), nil
}

// remove deletes a run or a dataset with its runs.
func (c *crashes) remove(v *victim) error {
	if id, ok := c.pick(c.data); ok && c.rng.IntN(3) > 0 {
		return c.removed(v, "/api/v1/runs/", id, c.dropRun)
	}
	id, ok := c.pick(c.file)
	if !ok {
		return c.upload(v)
	}
	return c.removed(v, "/api/v1/datasets/", id, c.dropData)
}

func (c *crashes) removed(v *victim, path, id string, drop func(string)) error {
	c.going[id] = true
	status, body, err := v.do("DELETE", path+id, "", nil)
	if err != nil {
		return err
	}
	if status != http.StatusNoContent {
		c.Errorf("delete %s: %d %.300s", id, status, body)
	}
	delete(c.going, id)
	drop(id)
	return nil
}

// The number of records kept over many kills: every start checks all of them.
const (
	keptFiles = 8
	keptRuns  = 16
)

// thin deletes records above these numbers.
func (c *crashes) thin(v *victim) (err error) {
	for len(c.file) > keptFiles && err == nil {
		id, _ := c.pick(c.file)
		err = c.removed(v, "/api/v1/datasets/", id, c.dropData)
	}
	for len(c.done) > keptRuns && err == nil {
		id, _ := c.pick(c.done)
		err = c.removed(v, "/api/v1/runs/", id, c.dropRun)
	}
	return err
}

// keep deletes a dataset and keeps the models of its finished runs.
func (c *crashes) keep(v *victim) error {
	done := map[string]string{}
	for run := range c.done {
		if c.file[c.data[run]] != nil {
			done[run] = ""
		}
	}
	run, ok := c.pick(done)
	if !ok {
		return c.run(v)
	}
	data := c.data[run]
	c.bare[data] = c.mark[data]
	status, body, err := v.do("DELETE", "/api/v1/datasets/"+data+"?models=keep", "", nil)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		c.Errorf("keep the models of %s: %d %.300s", data, status, body)
	}
	c.wiped(data)
	return nil
}

// wiped records that the data were deleted, and which runs keep only their models.
func (c *crashes) wiped(data string) {
	c.begun = append(c.begun, rowMark(c.mark[data])) // the mark itself is a level in the models
	delete(c.file, data)
	delete(c.mark, data)
	for run, of := range c.data {
		if of == data && c.done[run] == "" {
			c.dropRun(run)
		}
	}
}

// score sends a file that must not be stored.
func (c *crashes) score(v *victim) error {
	id, ok := c.pick(c.done)
	if !ok {
		return c.run(v)
	}
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, _ := form.CreateFormFile("file", "new.csv")
	part.Write(crashFile("canaryscored", 4000))
	form.Close()
	status, body, err := v.do("POST", "/runs/"+id+"/score", form.FormDataContentType(), &b)
	if err == nil && status != http.StatusOK {
		c.Errorf("score: %d %.300s", status, body)
	}
	return err
}

func (c *crashes) dropRun(id string) { delete(c.data, id); delete(c.done, id) }

func (c *crashes) dropData(id string) {
	c.begun = append(c.begun, c.mark[id]) // it must not be found
	delete(c.file, id)
	delete(c.mark, id)
	for run, data := range c.data {
		if data == id {
			c.dropRun(run)
		}
	}
}

// pick takes a random key.
func (c *crashes) pick(m any) (string, bool) {
	var keys []string
	switch m := m.(type) {
	case map[string][]byte:
		for k := range m {
			keys = append(keys, k)
		}
	case map[string]string:
		for k := range m {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return "", false
	}
	slices.Sort(keys)
	return keys[c.rng.IntN(len(keys))], true
}

// TestCrash kills the program at random moments of an upload, a run, a deletion and a scoring, and checks the next
// start: ten times with fixed seeds, or TAPER_CRASH times with new ones.
func TestCrash(t *testing.T) {
	times, seed := 10, uint64(1)
	if testing.Short() {
		times = 3
	}
	if s := os.Getenv("TAPER_CRASH"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		times, seed = n, uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	c := &crashes{T: t, dir: filepath.Join(t.TempDir(), "data"), rng: rand.New(rand.NewPCG(seed, 1)), file: map[string][]byte{}, mark: map[string]string{},
		data: map[string]string{}, done: map[string]string{}, going: map[string]bool{}, bare: map[string]string{}, did: map[string]int{}, begin: map[string]int{}}
	for i := range times {
		v := c.starts()
		during, wait := c.work(v, i)
		c.restored()
		c.inspect()
		if t.Failed() {
			t.Fatalf("after kill %d", i+1)
		}
		t.Logf("program, kill %d: %s, %v; %d files, %d runs", i+1, during, wait, len(c.file), len(c.done))
	}
	var parts []string
	for _, activity := range slices.Sorted(maps.Keys(c.did)) {
		parts = append(parts, fmt.Sprintf("%s %d", activity, c.did[activity]))
	}
	t.Logf("program: %d kills during %s; no confirmed file or run was lost, and nothing is left of what was deleted", times,
		strings.Join(parts, ", "))
}

func (c *crashes) starts() *victim {
	c.start++
	return startVictim(c.T, c.dir)
}

// work does a few things and kills the program in the last of them; the kinds of the last one alternate.
func (c *crashes) work(v *victim, turn int) (last string, wait time.Duration) {
	ops := map[string]func(*victim) error{"upload": c.upload, "run": c.run, "delete": c.remove, "keep": c.keep, "score": c.score}
	names := []string{"run", "upload", "delete", "score", "keep"}
	if err := c.thin(v); err != nil {
		c.Fatalf("%v\n%s", err, &v.log)
	}
	for range c.rng.IntN(3) {
		if err := ops[[]string{"upload", "run", "run"}[c.rng.IntN(3)]](v); err != nil {
			c.Fatalf("%v\n%s", err, &v.log)
		}
	}
	last = names[turn%len(names)]
	wait = time.Duration(c.rng.IntN([]int{5, 50, 400}[c.rng.IntN(3)])) * time.Millisecond
	killed := make(chan struct{})
	go func() { time.Sleep(wait); v.kill(); close(killed) }()
	if ops[last](v) == nil {
		last = "idle after " + last
	}
	<-killed
	c.did[last]++
	return last, wait
}

// restored checks a backup of the killed program's folder by restoring it.
func (c *crashes) restored() {
	at := filepath.Join(c.dir, "..", "restored")
	defer os.RemoveAll(at)
	file, dir := filepath.Join(at, "backup.tar"), filepath.Join(at, "data")
	if err := os.Mkdir(at, 0o700); err != nil {
		c.Fatal(err)
	}
	if err := store.Backup(context.Background(), c.dir, file); err != nil {
		c.Errorf("backup after a kill: %v", err)
		return
	}
	if err := store.Restore(context.Background(), dir, file); err != nil {
		c.Errorf("restore: %v", err)
	}
}

// inspect starts the program again and checks everything that was confirmed.
func (c *crashes) inspect() {
	v := c.starts()
	defer v.kill()
	v.get("/healthz")
	there := map[string]bool{}
	for _, path := range []string{"/api/v1/datasets", "/api/v1/runs"} {
		var l struct {
			Items []struct {
				ID, Status, Name string
				Deleted          *time.Time `json:"data_deleted"`
			}
		}
		if err := json.Unmarshal(v.get(path+"?limit=1000"), &l); err != nil {
			c.Fatal(err)
		}
		for _, it := range l.Items {
			there[it.ID] = true
			if it.Deleted != nil {
				c.checkBare(v, it.ID)
			} else if it.Status != "" {
				c.checkRun(v, it.ID, it.Status)
			} else if mark, ok := strings.CutSuffix(it.Name, ".csv"); ok && strings.HasPrefix(mark, "canary") {
				c.checkData(v, it.ID, mark)
			}
		}
	}
	c.gone(there)
	c.swept()
}

// checkData records an upload that ended without an answer, and compares every file with what was sent.
func (c *crashes) checkData(v *victim, id, mark string) {
	body := v.get("/api/v1/datasets/" + id + "/download")
	if want, ok := c.file[id]; ok {
		if !bytes.Equal(body, want) {
			c.Errorf("dataset %s: %d bytes, %d were sent", id, len(body), len(want))
		}
		return
	}
	if at := slices.Index(c.begun, mark); at >= 0 {
		c.begun = slices.Delete(c.begun, at, at+1)
	}
	if n := bytes.Count(body, []byte("\n")); !bytes.Equal(body, crashFile(mark, n-1)) {
		c.Errorf("dataset %s is not the file that was sent: %d bytes", id, len(body))
	}
	c.file[id], c.mark[id] = body, mark
}

// givenUp reports whether a run failed because the program was killed three times in a row while it computed the run.
func (c *crashes) givenUp(v *victim, id, status string) bool {
	begin, known := c.begin[id]
	return status == store.Failed && (!known || c.start-begin >= 3) &&
		bytes.Contains(v.get("/api/v1/runs/"+id), []byte("Taper ended 3 times in a row while it worked on this run"))
}

// checkRun checks that a run is unchanged, or goes on if it was under way. One that was killed before it was queued stays
// interrupted.
func (c *crashes) checkRun(v *victim, id, status string) {
	switch was, promised := c.done[id]; {
	case status == store.Done:
		now, err := c.whole(v, id)
		if err != nil || promised && now != was || strings.Contains(now, " 404 ") || strings.Contains(now, " 409 ") {
			c.Errorf("run %s is not whole: %v\n%.300s", id, err, now)
		}
		c.done[id] = now
	case promised || status != store.Interrupted && status != store.Queued && status != store.Running && !c.givenUp(v, id, status):
		c.Errorf("run %s is %s; promised: %v\n%.600s", id, status, promised, v.get("/api/v1/runs/"+id))
	}
	if c.data[id] == "" { // its answer was lost
		var r struct{ Dataset string }
		_ = json.Unmarshal(v.get("/api/v1/runs/"+id), &r)
		c.data[id] = r.Dataset
	}
}

// checkBare checks that a run without data was finished, has its model and report, and can score.
func (c *crashes) checkBare(v *victim, id string) {
	model := string(v.get("/api/v1/runs/" + id + "/model.json"))
	v.get("/report/" + id)
	status, _, err := v.do("GET", "/api/v1/runs/"+id+"/rows?format=csv", "", nil)
	if mark := c.bare[c.data[id]]; mark == "" || c.done[id] == "" || err != nil || status != http.StatusConflict || !strings.Contains(model, mark) {
		c.Errorf("run %s of %s is not what was kept: rows %d, %v", id, c.data[id], status, err)
	}
	if status, body, err := v.do("POST", "/api/v1/runs/"+id+"/predict", "text/csv", strings.NewReader("ward,a,b,c,d,e\n,1,1,1,1,1\n")); err != nil || status != http.StatusOK {
		c.Errorf("run %s scores: %d %.300s, %v", id, status, body, err)
	}
}

// gone checks that only records with a requested deletion are missing.
func (c *crashes) gone(there map[string]bool) {
	for id := range c.bare {
		if there[id] { // killed before the deletion: nothing has changed
			delete(c.bare, id)
		} else if c.file[id] != nil {
			c.wiped(id)
		}
	}
	for id := range c.file {
		if !there[id] {
			if !c.going[id] {
				c.Errorf("dataset %s was promised", id)
			}
			c.dropData(id)
		}
	}
	for id := range c.data {
		if !there[id] {
			if !c.going[id] {
				c.Errorf("run %s was promised", id)
			}
			c.dropRun(id)
		}
	}
	clear(c.going)
}

// swept waits until no file contains anything of deleted records, and no upload remains. The clean-up after a kill
// runs while the program already answers, and so does the loading of the samples.
func (c *crashes) swept() {
	testtime.Until(c, "clearing up", func() bool {
		left, err := os.ReadDir(filepath.Join(c.dir, "uploads"))
		if err != nil {
			c.Fatal(err)
		}
		found := canaries(c.T, c.dir, append(c.begun, "canaryscored"))
		for _, e := range left {
			found = append(found, e.Name())
		}
		return len(found) == 0
	})
}

// canaries lists the files below dir that contain one of the texts.
func canaries(t *testing.T, dir string, texts []string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if os.IsNotExist(err) { // deleted in the meantime
			return nil
		}
		for _, text := range texts {
			if bytes.Contains(b, []byte(text)) || strings.Contains(path, text) {
				found = append(found, text+" in "+path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
