package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"taper/internal/testtime"
)

// crashDir in the environment turns the test binary into the program that is killed; crashSeed
// determines what that program does.
const (
	crashDir  = "TAPER_STORE_CRASH_DIR"
	crashSeed = "TAPER_STORE_CRASH_SEED"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		crashWork(dir)
		return
	}
	if root := os.Getenv(faultRoot); root != "" {
		faultWork(root)
		return
	}
	os.Exit(m.Run())
}

// crashWork uploads, confirms, runs and deletes until it is killed. It prints "begin ID" before
// a dataset exists, and "have", "done", "drop", "gone", "keep", "kept" with ids: these are
// promises, which the parent checks after the kill.
func crashWork(dir string) {
	db, err := Open(ctx, dir, time.Now)
	must(err)
	seed, err := strconv.ParseUint(os.Getenv(crashSeed), 10, 64)
	must(err)
	rng := rand.New(rand.NewPCG(seed, 3))
	say := func(word, id string) { fmt.Println(word, id) } // one write each, without a buffer
	say("ready", "")
	w := promises{db, say, 64}
	for {
		id := db.NewID("d")
		must(w.upload(id))
		if rng.IntN(2) == 0 {
			must(w.confirm(id))
		}
		for range rng.IntN(3) {
			must(w.run(db.NewID("r"), id))
		}
		for { // keep five datasets, so that checks do not become slower with every kill
			list, _, err := db.Datasets(ctx, 100, 0)
			must(err)
			if len(list) <= 5 {
				break
			}
			old := list[rng.IntN(len(list))].ID
			ids, err := db.FinishedRuns(ctx, old)
			must(err)
			if len(ids) > 0 {
				must(w.keep(old, ids[0]))
			} else {
				must(w.drop(old))
			}
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Println("failed", err)
		os.Exit(1)
	}
}

func crashMark(id string) string { return "canary-" + id + "-" }

// crashText is a file of parts times 16 kB, each starting with both marks.
func crashText(id string, parts int) []byte {
	part := append([]byte(crashMark(id)+fileMark(id)), bytes.Repeat([]byte("1,2,3\n"), 2700)...)
	return bytes.Repeat(part, parts)
}

// fileMark is in an uploaded file, and in nothing derived from it.
func fileMark(id string) string { return "upload-" + id + "-" }

// promises are use cases that print what they begin and what they have finished.
type promises struct {
	db    *DB
	say   func(word, id string)
	parts int // size of a file
}

func (w promises) upload(id string) error {
	w.say("begin", id)
	u, err := w.db.NewUpload(0)
	if err != nil {
		return err
	}
	defer u.Abort()
	for part := range slices.Chunk(crashText(id, w.parts), 32<<10) {
		if _, err := u.Write(part); err != nil {
			return err
		}
	}
	err = w.db.CreateDataset(ctx, Dataset{ID: id, Name: "data " + id, State: Raw, Rows: 3}, u)
	if err != nil {
		w.say("refused", id)
		return err
	}
	w.say("have", id)
	return nil
}

func (w promises) confirm(id string) error {
	err := keepColumns(ctx, w.db, id, crashMark(id))
	if err == nil {
		w.say("confirmed", id)
	}
	return err
}

func (w promises) run(id, data string) error {
	r := Run{ID: id, Dataset: data, Name: "run of " + data} // names outlive the data of a kept model
	if err := w.db.CreateRun(ctx, r); err != nil {
		return err
	}
	err := w.db.StartRun(ctx, id)
	if err == nil {
		err = w.db.FinishRun(ctx, id, result(crashMark(data), 200))
	}
	if err != nil {
		return errors.Join(err, w.db.EndRun(ctx, id, Failed, "why"))
	}
	w.say("done", id+" "+data)
	return nil
}

func (w promises) drop(id string) error {
	w.say("drop", id)
	err := w.db.DeleteDataset(ctx, id)
	if err == nil {
		w.say("gone", id)
	}
	return err
}

// keep deletes the data and keeps the model of one run.
func (w promises) keep(id, run string) error {
	w.say("keep", id+" "+run)
	err := w.db.KeepModels(ctx, id, []KeptRun{bareRun(run, "bare")})
	if err == nil {
		w.say("kept", id+" "+run)
	}
	return err
}

// TestCrash kills the program at random moments and checks the folder each time: ten times with
// a fixed seed, or TAPER_CRASH times with a new one.
func TestCrash(t *testing.T) {
	times, seed := 10, uint64(1)
	if s := os.Getenv("TAPER_CRASH"); s != "" {
		n, err := strconv.Atoi(s)
		noError(t, err)
		times, seed = n, uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	dir := filepath.Join(t.TempDir(), "data")
	c := newCrash(64)
	c.rng = rand.New(rand.NewPCG(seed, 2))
	for i := range times {
		during, promised := c.kill(t, dir)
		said := c.inspect(t, dir)
		if t.Failed() {
			t.Fatalf("after kill %d", i+1)
		}
		t.Logf("store, kill %d: %s, %d operations confirmed; %d datasets, %d runs%s", i+1, during, promised, len(c.have), len(c.done),
			strings.Join(append([]string{""}, said...), "; cleared: "))
	}
	t.Logf("store: %d kills, %d datasets begun, %d runs confirmed; none lost, none that was never begun",
		times, len(c.began), len(c.done))
}

// crash holds the promises of the killed programs so far.
type crash struct {
	rng         *rand.Rand
	parts       int               // size of a file
	began, have map[string]bool   // datasets
	confirmed   map[string]bool   // those of which only the columns are kept
	refused     map[string]bool   // those reported as not stored
	strict      bool              // a single fault of the disk: what was refused must not exist
	done        map[string]string // run → its dataset
	doubt       string            // dataset whose deletion was begun and not confirmed
	bare        map[string]string // dataset → its run whose model was to be kept; the uncertain one too
}

func newCrash(parts int) *crash {
	return &crash{parts: parts, began: map[string]bool{}, have: map[string]bool{}, confirmed: map[string]bool{},
		refused: map[string]bool{}, done: map[string]string{}, bare: map[string]string{}}
}

// hear records a promise.
func (c *crash) hear(word, id string) {
	switch word {
	case "begin":
		c.began[id] = true
	case "have":
		c.have[id] = true
	case "refused":
		c.refused[id] = true
	case "confirmed":
		c.confirmed[id] = true
	case "done":
		run, data, _ := strings.Cut(id, " ")
		c.done[run] = data
	case "drop":
		c.doubt = id
	case "gone":
		delete(c.have, id)
		c.doubt = ""
	case "keep", "kept":
		data, run, _ := strings.Cut(id, " ")
		c.bare[data], c.doubt = run, data
		if word == "kept" {
			delete(c.have, data)
			c.doubt = ""
		}
	}
}

// steps describe what is in progress after a word.
var steps = map[string]string{"begin": "an upload", "drop": "a deletion", "keep": "a deletion that keeps a model",
	"have": "the step after an upload", "confirmed": "the step after the columns were confirmed",
	"done": "the step after a run", "gone": "the step after a deletion", "kept": "the step after a model was kept"}

// kill runs the program and kills it at a random moment after a random number of promises. It
// returns their number and what was in progress. Counting promises makes it independent of the
// machine's speed.
func (c *crash) kill(t *testing.T, dir string) (during string, promised int) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashDir+"="+dir, crashSeed+"="+strconv.FormatUint(c.rng.Uint64(), 10))
	out, err := cmd.StdoutPipe()
	noError(t, err)
	noError(t, cmd.Start())
	lines := bufio.NewReader(out)
	var said strings.Builder
	for range 3 + c.rng.IntN(20) {
		line, err := lines.ReadString('\n')
		noError(t, err)
		said.WriteString(line)
	}
	wait := []int{3_000, 30_000}[c.rng.IntN(2)] // the first is within the step just begun
	time.AfterFunc(time.Duration(c.rng.IntN(wait))*time.Microsecond, func() { cmd.Process.Kill() })
	io.Copy(&said, lines)
	cmd.Wait()
	c.doubt = ""
	for line := range strings.Lines(said.String()) {
		word, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if word == "failed" {
			t.Fatal(line)
		}
		c.hear(word, id)
		if during = steps[word]; during == "" {
			during = "the step after " + word
		}
		promised++
	}
	return during, promised
}

// inspect opens the folder and checks every promise. It returns the notices of the start.
func (c *crash) inspect(t *testing.T, dir string) (said []string) {
	db, err := Open(ctx, dir, time.Now)
	noError(t, err)
	defer db.Close()
	db.Notify(func(sentence string) {
		what, _, _ := strings.Cut(sentence, " lay in ")
		said = append(said, strings.TrimSuffix(what, ","))
	})
	c.check(t, db)
	return said
}

// check compares an open folder with every promise.
func (c *crash) check(t *testing.T, db *DB) {
	c.pragmas(t, db)
	there := c.datasets(t, db)
	c.runs(t, db, there)
	if left, err := os.ReadDir(filepath.Join(db.Dir(), uploadDir)); err != nil || len(left) != 0 {
		t.Errorf("left-over uploads: %v, %v", left, err)
	}
	scrubbed(t, db)
	for id, file := range marks(t, db.Dir(), dataMark) {
		if there[id] == "" {
			t.Errorf("%s is not there (begun: %v), its data are in %s", id, c.began[id], file)
		}
	}
	for id, file := range marks(t, db.Dir(), uploadMark) {
		if there[id] != Raw {
			t.Errorf("%s is %q, and its file, or a part of it, is in %s", id, there[id], file)
		}
	}
}

// scrubbed waits until the rewriting of the database, requested by a deletion, has finished.
func scrubbed(t *testing.T, db *DB) {
	t.Helper()
	testtime.Until(t, "the end of a deletion", func() bool {
		left := 0
		noError(t, db.r.QueryRow(`SELECT count(*) FROM scrub_pending`).Scan(&left))
		return left == 0
	})
	noError(t, db.truncateLog(ctx)) // a pass removes its mark before it empties the log
}

// The marks of a dataset: in everything derived from it, and in its file only.
var (
	dataMark   = regexp.MustCompile(`canary-(d[0-9a-z]+)-`)
	uploadMark = regexp.MustCompile(`upload-(d[0-9a-z]+)-`)
)

// marks returns the datasets whose mark is in a file, with one such file. The index of the log
// is left out: if the log ends in half a frame, SQLite copies uncleared memory there, which
// belongs to this test.
func marks(t *testing.T, dir string, mark *regexp.Regexp) map[string]string {
	found := map[string]string{}
	noError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == ballastName || strings.HasSuffix(e.Name(), "-shm") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range mark.FindAllSubmatch(b, -1) {
			found[string(m[1])] = path
		}
		return err
	}))
	return found
}

func (c *crash) pragmas(t *testing.T, db *DB) {
	var verdict string
	var orphans int
	noError(t, db.r.QueryRow(`PRAGMA integrity_check`).Scan(&verdict))
	noError(t, db.r.QueryRow(`SELECT count(*) FROM pragma_foreign_key_check`).Scan(&orphans))
	if verdict != "ok" || orphans != 0 {
		t.Errorf("integrity %s, %d orphans", verdict, orphans)
	}
}

// datasets checks each dataset, and that files and rows match, and returns their states.
func (c *crash) datasets(t *testing.T, db *DB) map[string]string {
	list, _, err := db.Datasets(ctx, 1000, 0)
	noError(t, err)
	there, files := map[string]string{}, 0
	for _, d := range list {
		there[d.ID] = d.State
		if !c.began[d.ID] {
			t.Errorf("%s is there; it was never begun", d.ID)
		}
		if c.strict && c.refused[d.ID] {
			t.Errorf("%s is there; it was said not to be stored", d.ID)
		}
		if c.confirmed[d.ID] && d.State != Kept {
			t.Errorf("%s is %s; its columns were confirmed", d.ID, d.State)
		}
		if d.State == Kept {
			got, err := db.Columns(ctx, d.ID)
			noError(t, err)
			if diff := cmp.Diff(smallTable(crashMark(d.ID)).Columns, got.Columns, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("%s: %s", d.ID, diff)
			}
			continue
		}
		files++
		raw, err := db.RawFile(ctx, d.ID)
		noError(t, err)
		if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != d.SHA256 || !bytes.Equal(raw, crashText(d.ID, c.parts)) {
			t.Errorf("%s: %d bytes differ", d.ID, len(raw))
		}
	}
	if left, _ := os.ReadDir(filepath.Join(db.Dir(), rawDir)); len(left) != files {
		t.Errorf("%d files for %d datasets", len(left), files)
	}
	for id := range c.have {
		if there[id] == "" && id != c.doubt {
			t.Errorf("dataset %s was promised", id)
		}
		if there[id] == "" {
			delete(c.have, id)
		}
	}
	return there
}

// runs checks that ended runs are complete and that promised ones exist.
func (c *crash) runs(t *testing.T, db *DB, datasets map[string]string) {
	list, _, err := db.Runs(ctx, RunFilter{Limit: 10_000})
	noError(t, err)
	there := map[string]bool{}
	for _, line := range list {
		there[line.ID] = true
		if line.Status != Done {
			if line.Status != Interrupted && line.Status != Failed || c.done[line.ID] != "" {
				t.Errorf("run %s is %s; promised: %q", line.ID, line.Status, c.done[line.ID])
			}
			continue
		}
		r, err := db.Run(ctx, line.ID)
		noError(t, err)
		if !r.Wiped.IsZero() {
			c.kept(t, db, r, datasets)
			continue
		}
		want := result(crashMark(r.Dataset), 200)
		model, err := db.RunModel(ctx, r.ID)
		noError(t, err)
		rows, err := db.RunRows(ctx, r.ID)
		noError(t, err)
		got := *r.Result
		got.Model, got.Rows = model, rows
		if reflect.DeepEqual(want, &got) {
			continue // the usual case, a hundred times as fast
		}
		if diff := cmp.Diff(want, &got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("run %s: %s", r.ID, diff)
		}
	}
	for run, data := range c.done {
		if bare := c.bare[data] != "" && datasets[data] == ""; bare {
			if there[run] != (c.bare[data] == run) {
				t.Errorf("run %s of the wiped %s there: %v", run, data, there[run])
			}
			continue
		}
		if (datasets[data] != "") != there[run] {
			t.Errorf("run %s there: %v, its dataset %s: %q", run, there[run], data, datasets[data])
		}
	}
}

// kept checks that the data of a run were wiped completely and its model kept.
func (c *crash) kept(t *testing.T, db *DB, r Run, datasets map[string]string) {
	want := bareRun(r.ID, "bare")
	model, err := db.RunModel(ctx, r.ID)
	noError(t, err)
	report, err := db.KeptReport(ctx, r.ID)
	noError(t, err)
	if datasets[r.Dataset] != "" || c.bare[r.Dataset] != r.ID || !r.Spec.Positive.SameSet(want.Spec.Positive) || report != want.Report || cmp.Diff(want.Model, model) != "" {
		t.Errorf("run %s is not what was kept: %+v", r.ID, r)
	}
}
