package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite"
)

// scene is an attacked program with data and a run, and the notes about one attack.
type scene struct {
	*program
	ctx        context.Context
	taper, dir string // the program's file, and a temporary folder
	data       string // the program's data folder, on a small disk where one could be mounted
	disk       string // why it is not a small disk; "" = it is one
	unmount    func()
	args       []string
	short      bool
	client     *http.Client
	dataset    string // with a binary outcome y
	run        string // finished, on that dataset
	// The folder copied for attacks on data folders.
	copiedDataset string
	peak          int // MB, over all programs so far
	came          []string
	missed        []string
	attackPeak    int
	loggedSoFar   int
}

// diskMB is enough for everything the attacks store, and for an upload of the largest size.
const diskMB = 1024

func newScene(ctx context.Context, taper, dir, memory string, short bool) (s *scene, err error) {
	if err := os.Chmod(dir, 0o755); err != nil { // one attack runs the program as another user
		return nil, err
	}
	s = &scene{ctx: ctx, taper: taper, dir: dir, short: short, unmount: func() {},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, CheckRedirect: noRedirect}}
	s.data = filepath.Join(dir, "disk", "data")
	if unmount, err := smallDisk(filepath.Join(dir, "disk"), diskMB); err != nil {
		s.disk = err.Error()
	} else {
		s.unmount = unmount
	}
	defer func() {
		if err != nil {
			s.end()
		}
	}()
	s.args = []string{"-memory", memory}
	if s.program, err = start(ctx, taper, s.data, nil, nil, s.args...); err == nil {
		err = s.furnish()
	}
	return s, err
}

// noRedirect returns redirects instead of following them.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// furnish creates a dataset and a finished run.
func (s *scene) furnish() error {
	var made struct{ ID string }
	a := s.post("/api/v1/datasets/generate", `{"generator":"long-servedio","rows":400,"seed":1}`)
	if json.Unmarshal(a.body, &made); a.status != http.StatusCreated {
		return fmt.Errorf("no dataset: %v", a)
	}
	s.dataset = made.ID
	a = s.post("/api/v1/runs", s.spec(nil))
	if json.Unmarshal(a.body, &made); a.status != http.StatusAccepted {
		return fmt.Errorf("no run: %v", a)
	}
	s.run = made.ID
	if !until(func() bool { return s.status(s.run) == "done" }) {
		return errors.New("the run never ends")
	}
	return nil
}

// end stops the program and unmounts the disk.
func (s *scene) end() {
	if s.program != nil {
		_ = s.stop()
	}
	s.unmount()
}

// try runs one attack and prints its line of the table.
func (s *scene) try(a attack) (line string, held bool) {
	s.came, s.missed, s.attackPeak = nil, nil, 0
	s.loggedSoFar = len(s.log.String())
	from := time.Now()
	s.resetPeak()
	a.do(s)
	s.look(s.program)
	s.survives()
	verdict := "yes"
	switch {
	case len(s.missed) == 0:
	case a.open != "":
		verdict = "open: " + a.open + ": " + strings.Join(s.missed, "; ")
	default:
		verdict = "**no**: " + strings.Join(s.missed, "; ")
	}
	if s.attackPeak >= mostResident {
		verdict = "**no**: more than the machine may give; " + verdict
	}
	held = !strings.HasPrefix(verdict, "**no**")
	cells := []string{a.group + ": " + a.name, a.sent, a.want, strings.Join(slices.Compact(s.came), "; "),
		fmt.Sprint(s.attackPeak), fmt.Sprintf("%.1f", time.Since(from).Seconds()), verdict}
	for i, c := range cells {
		cells[i] = strings.NewReplacer("|", "/", "\n", " ").Replace(c)
	}
	return "| " + strings.Join(cells, " | ") + " |", held
}

// note records the answer; missf records an unexpected one.
func (s *scene) note(format string, args ...any) {
	s.came = append(s.came, fmt.Sprintf(format, args...))
}

func (s *scene) missf(format string, args ...any) {
	if len(s.missed) < 5 {
		s.missed = append(s.missed, fmt.Sprintf(format, args...))
	}
}

// look includes the peak of a program in those of the attack and of the sequence.
func (s *scene) look(p *program) {
	s.attackPeak = max(s.attackPeak, p.peakMB())
	s.peak = max(s.peak, s.attackPeak)
}

// survives is checked after every attack: the program answers, its log has no internal error, and its folder has
// the expected files.
func (s *scene) survives() {
	if !s.alive() {
		s.missf("the program ended: %v", s.err)
		var err error
		if s.program, err = start(s.ctx, s.taper, s.data, nil, nil, s.args...); err != nil {
			s.missf("and does not start again: %v", err)
		}
		return
	}
	for _, path := range []string{"/healthz", "/"} {
		if a := s.get(path); a.status != http.StatusOK {
			s.missf("afterwards GET %s: %v", path, a)
		}
	}
	for line := range strings.Lines(s.log.String()[s.loggedSoFar:]) {
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "panic") {
			s.missf("logged: %.300s", strings.TrimSpace(line))
		}
	}
	if err := intact(s.data); err != nil {
		s.missf("%v", err)
	}
}

// intact checks a data folder: the database is sound, no upload is in progress, and raw/ contains only the files of
// datasets.
func intact(data string) (err error) {
	// After a client disconnects, its upload is deleted when the request ends, possibly a moment later.
	if !until(func() bool { err = whole(data); return err == nil || !errors.Is(err, errLeftover) }) {
		return err
	}
	return err
}

var errLeftover = errors.New("left in the folder")

func whole(data string) error {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(data, "taper.db")+"?mode=ro&_pragma=busy_timeout(60000)")
	if err != nil {
		return err
	}
	defer db.Close()
	var sound string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&sound); err != nil || sound != "ok" {
		return fmt.Errorf("the database is damaged: %s, %v", sound, err)
	}
	rows, err := db.Query("SELECT id FROM datasets WHERE state IN ('draft', 'raw')")
	if err != nil {
		return err
	}
	defer rows.Close()
	want := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		want[id+".raw"] = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, e := range entries(filepath.Join(data, "raw")) {
		if !want[e] {
			return fmt.Errorf("%w: raw/%s", errLeftover, e)
		}
		delete(want, e)
	}
	if len(want) > 0 {
		return fmt.Errorf("%w: the files of %d datasets are missing", errLeftover, len(want))
	}
	for _, dir := range []string{"uploads", "set-aside"} {
		if in := entries(filepath.Join(data, dir)); len(in) > 0 {
			return fmt.Errorf("%w: %s/%s", errLeftover, dir, in[0])
		}
	}
	return nil
}

func entries(dir string) (names []string) {
	all, _ := os.ReadDir(dir)
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// answer is a response with status and body, or the error of the connection.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error
}

// detail is the message of a refusal.
func (a answer) detail() string {
	var p struct{ Detail string }
	_ = json.Unmarshal(a.body, &p)
	return p.Detail
}

func (a answer) String() string {
	switch {
	case a.err != nil:
		return "no answer: " + a.err.Error()
	case a.detail() != "":
		return fmt.Sprintf("%d ‘%.200s’", a.status, a.detail())
	case a.status >= 400:
		return fmt.Sprintf("%d %.80q", a.status, a.body)
	}
	return fmt.Sprint(a.status)
}

func (s *scene) do(method, path, kind string, body io.Reader) answer {
	return ask(s.ctx, s.client, s.base, method, path, kind, body)
}

// ask sends a request.
func ask(ctx context.Context, client *http.Client, base, method, path, kind string, body io.Reader) answer {
	req, err := http.NewRequestWithContext(ctx, method, base+path, body)
	if err != nil {
		return answer{err: err}
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	return answered(client.Do(req))
}

// answered reads at most 64 MB of a response.
func answered(res *http.Response, err error) answer {
	if err != nil {
		return answer{err: err}
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	a.body, a.err = io.ReadAll(io.LimitReader(res.Body, 64<<20))
	return a
}

func (s *scene) get(path string) answer { return s.do(http.MethodGet, path, "", nil) }

func (s *scene) post(path, body string) answer {
	return s.do(http.MethodPost, path, "application/json", strings.NewReader(body))
}

// upload uploads a file as a dataset, streamed from write.
func (s *scene) upload(name string, write func(io.Writer) error) answer {
	return s.form("/api/v1/datasets", func(f *multipart.Writer) error {
		part, err := f.CreateFormFile("file", name)
		if err != nil {
			return err
		}
		return write(part)
	})
}

// form sends a multipart form, streamed from write.
func (s *scene) form(path string, write func(*multipart.Writer) error) answer {
	r, w := io.Pipe()
	f := multipart.NewWriter(w)
	go func() {
		err := write(f)
		if err == nil {
			err = f.Close()
		}
		w.CloseWithError(err)
	}()
	a := s.do(http.MethodPost, path, f.FormDataContentType(), r)
	r.Close()
	return a
}

// refused expects one of the statuses with a message that contains every word. If the connection ends before
// everything was sent there is no answer, and this does not count as a refusal.
func (s *scene) refused(what string, a answer, statuses []int, words ...string) {
	s.note("%v", a)
	if a.status/100 == 2 && slices.Contains(statuses, a.status) {
		return
	}
	if !slices.Contains(statuses, a.status) {
		s.missf("%s: %v", what, a)
		return
	}
	d := a.detail()
	if !strings.HasSuffix(d, ".") && !strings.HasSuffix(d, "?") {
		s.missf("%s: no sentence: %v", what, a)
	}
	for _, w := range words {
		if !strings.Contains(d, w) {
			s.missf("%s: %v does not name ‘%s’", what, a, w)
		}
	}
}

// forget deletes the dataset, run or study created by a request.
func (s *scene) forget(list string, a answer) {
	var made struct{ ID string }
	if json.Unmarshal(a.body, &made); a.status/100 != 2 || made.ID == "" {
		return
	}
	if list != "datasets" {
		s.post("/api/v1/"+list+"/"+made.ID+"/cancel", "")
	}
	var d answer
	if !until(func() bool {
		d = s.do(http.MethodDelete, "/api/v1/"+list+"/"+made.ID, "", nil)
		return d.status != http.StatusConflict
	}) || d.status != http.StatusNoContent {
		s.missf("%s %s cannot be deleted: %v", list, made.ID, d)
	}
}

// status is the status of a run; "" where it cannot be read.
func (s *scene) status(run string) string {
	var r struct{ Status string }
	_ = json.Unmarshal(s.get("/api/v1/runs/"+run).body, &r)
	return r.Status
}

// spec is a small run, with some fields replaced.
func (s *scene) spec(changes map[string]any) string {
	spec := map[string]any{"dataset": s.dataset, "outcome": "y", "positive": "1", "task": "binary",
		"model":      map[string]any{"kind": "linear", "loss": "logistic", "l2": 0.01},
		"validation": map[string]any{"kind": "split", "test": 0.3}, "boundaries": []any{0.5}, "seed": 7}
	for k, v := range changes {
		spec[k] = v
	}
	return text(spec)
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // our values can be encoded
	}
	return string(b)
}

// size is the number for the long or the short form.
func (s *scene) size(long, short int) int {
	if s.short {
		return short
	}
	return long
}
