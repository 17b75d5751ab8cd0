package store

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"taper/internal/engine/usererr"
	"taper/internal/testtime"
)

// faultRoot in the environment turns the test binary into a program on a failing disk. Its data
// folder is data below faultRoot, and faultCase is its use case.
const (
	faultRoot = "TAPER_STORE_FAULT_ROOT"
	faultCase = "TAPER_STORE_FAULT_CASE"
)

const (
	faultParts = 5                 // of an uploaded file: three writes
	copyFile   = "copies/copy.tar" // the backup, in its own folder
)

// place is where a use case runs.
type place struct {
	root string
	ids  fixtureIDs
	say  func(word, id string)
}

func (p place) data() string { return filepath.Join(p.root, "data") }

// fixtureIDs are the initial datasets: one each to stay as uploaded, to be confirmed, deleted,
// and deleted with a model kept, each with runs; and the ids of new ones.
type fixtureIDs struct {
	Stays, Raw, Old, Model string
	ModelRun               string
}

// useCases are actions of a user on a folder with a history. Every attempt uses new ids for
// what it creates. Those that start with a closed folder get no database.
var useCases = map[string]func(p place, db *DB) error{
	"upload":  func(p place, db *DB) error { return p.promises(db).upload(db.NewID("d")) },
	"confirm": func(p place, db *DB) error { return p.promises(db).confirm(p.ids.Raw) },
	"run":     func(p place, db *DB) error { return p.promises(db).run(db.NewID("r"), p.ids.Stays) },
	"delete":  func(p place, db *DB) error { return p.promises(db).drop(p.ids.Old) },
	"keep models": func(p place, db *DB) error {
		return p.promises(db).keep(p.ids.Model, p.ids.ModelRun)
	},
	"backup": func(p place, db *DB) error { return Backup(ctx, p.data(), filepath.Join(p.root, copyFile)) },
	"restore": func(p place, _ *DB) error {
		return Restore(ctx, filepath.Join(p.root, "restored"), filepath.Join(p.root, "given.tar"))
	},
	"start and stop": func(p place, _ *DB) error {
		db, err := Open(ctx, p.data(), time.Now)
		if err != nil {
			return err
		}
		return db.Close()
	},
}

// closedFirst are the use cases that start with a closed folder.
var closedFirst = map[string]bool{"restore": true, "start and stop": true}

func (p place) promises(db *DB) promises { return promises{db, p.say, faultParts} }

// faultWork runs a use case on the disk that the parent simulates. It prints promises, and
// "ended" with the error. The line "again" on its standard input makes it try again.
func faultWork(root string) {
	name := os.Getenv(faultCase)
	p := place{root: root, say: func(word, id string) { fmt.Println(word, id) }}
	text, err := os.ReadFile(filepath.Join(root, "ids.json"))
	must(err)
	must(json.Unmarshal(text, &p.ids))
	var db *DB
	if !closedFirst[name] {
		db, err = Open(ctx, p.data(), time.Now)
		must(err)
	}
	must(handOver(3))
	for in := bufio.NewReader(os.Stdin); ; {
		err := useCases[name](p, db)
		fmt.Println("ended", quoted(err))
		if word, _ := in.ReadString('\n'); word != "again\n" {
			return
		}
	}
}

func quoted(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%q", err)
}

// fixture is a folder with a history, copied for each fault.
type fixture struct {
	root string
	ids  fixtureIDs
	said [][2]string // the promises so far
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{root: scratch(t)}
	p := place{root: f.root, say: func(word, id string) { f.said = append(f.said, [2]string{word, id}) }}
	db, err := Open(ctx, p.data(), time.Now)
	noError(t, err)
	w := p.promises(db)
	data := func() string { id := db.NewID("d"); noError(t, w.upload(id)); return id }
	run := func(data string) string { id := db.NewID("r"); noError(t, w.run(id, data)); return id }
	f.ids.Stays, f.ids.Raw, f.ids.Old, f.ids.Model = data(), data(), data(), data()
	run(f.ids.Stays)
	run(f.ids.Old)
	f.ids.ModelRun = run(f.ids.Model)
	run(f.ids.Model)
	gone := data()
	noError(t, w.drop(gone))
	scrubbed(t, db)
	noError(t, db.Close())
	noError(t, Backup(ctx, p.data(), filepath.Join(f.root, "given.tar")))
	noError(t, os.Mkdir(filepath.Join(f.root, filepath.Dir(copyFile)), 0o700))
	text, err := json.Marshal(f.ids)
	noError(t, err)
	noError(t, os.WriteFile(filepath.Join(f.root, "ids.json"), text, 0o600))
	return f
}

// scratch is a new folder, in memory if possible: a busy disk would take most of the time, and
// no power failure is simulated.
func scratch(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "taper-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// clone copies the folder and its promises.
func (f *fixture) clone(t *testing.T) (root string, c *crash) {
	root = scratch(t)
	copyFolder(t, f.root, root)
	c = newCrash(faultParts)
	for _, s := range f.said {
		c.hear(s[0], s[1])
	}
	return root, c
}

// copyFolder copies a folder of data. Of the reserve it copies the size alone: hundreds of copies fill a disk.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	noError(t, filepath.WalkDir(from, func(path string, e os.DirEntry, err error) error {
		rel, _ := filepath.Rel(from, path)
		to := filepath.Join(to, rel)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return errors.Join(os.MkdirAll(to, 0o700), os.Chmod(to, 0o700))
		case e.Name() == ballastName:
			return errors.Join(os.WriteFile(to, nil, 0o600), os.Truncate(to, ballastBytes))
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o600)
	}))
}

// leaveUnended adds what a killed program leaves: a running run, a committed deletion whose
// file and traces remain, and an upload in progress.
func (f *fixture) leaveUnended(t *testing.T) {
	dir := filepath.Join(f.root, "data")
	db, err := Open(ctx, dir, time.Now)
	noError(t, err)
	id := db.NewID("r")
	noError(t, db.CreateRun(ctx, Run{ID: id, Dataset: f.ids.Stays, Name: "unended"}))
	noError(t, db.StartRun(ctx, id))
	noError(t, db.tx(ctx, func(tx *sql.Tx) error {
		err := eraseRow(ctx, tx, `DELETE FROM datasets WHERE id = ?`, f.ids.Old, errors.New("not there"))
		return errors.Join(err, markWipe(ctx, tx, f.ids.Old))
	}))
	begun := db.NewID("d")
	noError(t, os.WriteFile(filepath.Join(dir, uploadDir, "1"+partExt), crashText(begun, 1), 0o600))
	noError(t, db.Close())
	f.said = append(f.said, [2]string{"gone", f.ids.Old}, [2]string{"begin", begun})
}

// outcome is the behaviour under one fault.
type outcome struct {
	seen   []string // the operations
	failed string   // the operation that failed; "" = none
	err    string   // of the use case; "killed"
}

// meet runs a use case in a child process with one fault and checks its promises. With again
// the child repeats the use case without a restart.
func (f *fixture) meet(t *testing.T, name string, kind faultKind, at int, again bool) (o outcome) {
	root, c := f.clone(t)
	defer os.RemoveAll(root)
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	noError(t, err)
	theirs, ours := os.NewFile(uintptr(pair[0]), ""), os.NewFile(uintptr(pair[1]), "")
	defer ours.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), faultRoot+"="+root, faultCase+"="+name, "GODEBUG=asyncpreemptoff=1")
	cmd.ExtraFiles = []*os.File{theirs}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	noError(t, err)
	in, err := cmd.StdinPipe()
	noError(t, err)
	noError(t, cmd.Start())
	theirs.Close()
	socket, err := net.FileConn(ours)
	noError(t, err)
	defer socket.Close()
	d, err := newDisk(socket.(*net.UnixConn), cmd.Process, root, kind, at)
	if err != nil {
		cmd.Process.Kill()
		said, _ := io.ReadAll(out)
		t.Fatalf("%v\n%s%s", err, said, &stderr)
	}
	served := make(chan error, 1)
	go func() { served <- d.serve() }()
	lines := bufio.NewScanner(out)
	attempt := func() (string, bool) {
		for lines.Scan() {
			word, rest, _ := strings.Cut(lines.Text(), " ")
			if word == "ended" {
				return rest, true
			}
			c.hear(word, rest)
		}
		return "killed", false
	}
	var ended bool
	o.err, ended = attempt()
	d.pass()
	if ended && o.err == "" && kind != diskFull { // on a full disk traces may stay until there is space
		f.vanished(t, name, root)
	}
	repeated, repeats := "", ended && again && o.err != ""
	if repeats {
		fmt.Fprintln(in, "again")
		repeated, _ = attempt()
	}
	cmd.Process.Kill()
	cmd.Wait()
	noError(t, <-served)
	o.seen, o.failed = d.seen, d.failed
	where := fmt.Sprintf("%s, operation %d (%s), %s, told %s", name, at, o.failed, kind, o.err)
	if stderr.Len() > 0 {
		t.Errorf("%s: %s", where, &stderr)
	}
	if repeated != "" && !f.tolerated(repeated) && !(kind == dead && strings.Contains(repeated, "exists already")) {
		t.Errorf("%s: again without a restart: %s", where, repeated)
	}
	if repeats {
		o.err = repeated
	}
	c.strict = kind == onceEIO || kind == onceFull
	t.Run(where, func(t *testing.T) { f.restart(t, name, o.err, root, c) })
	return o
}

// vanished waits, with the program running, until everything reported as deleted is gone.
func (f *fixture) vanished(t *testing.T, name, root string) {
	mark, id := dataMark, ""
	switch name {
	case "delete":
		id = f.ids.Old
	case "keep models":
		id = f.ids.Model
	case "confirm":
		mark, id = uploadMark, f.ids.Raw
	}
	testtime.Until(t, "the end of what was deleted", func() bool {
		return marks(t, filepath.Join(root, "data"), mark)[id] == ""
	})
}

// tolerated reports the error of something already done.
func (f *fixture) tolerated(refusal string) bool {
	return strings.Contains(refusal, "There is no dataset") || strings.Contains(refusal, "not yet confirmed") ||
		strings.Contains(refusal, "is not empty")
}

// restart opens the folder again, checks it, repeats the use case and checks again.
func (f *fixture) restart(t *testing.T, name, told, root string, c *crash) {
	p := place{root, f.ids, c.hear}
	again := func(db *DB) {
		err := useCases[name](p, db)
		if _, ok := usererr.As(err); err != nil && !(ok && f.tolerated(err.Error())) {
			t.Fatalf("repeated: %v", err)
		}
	}
	if name == "start and stop" {
		again(nil)
	}
	db, err := Open(ctx, p.data(), time.Now)
	noError(t, err)
	defer db.Close()
	c.check(t, db)
	switch copied := filepath.Join(root, copyFile); {
	case exists(copied): // complete, and known to the user unless the program was killed
		if told != "" && c.strict { // a dead disk removes nothing
			t.Errorf("a backup that failed left %s", copied)
		}
	case name != "start and stop":
		again(db)
	}
	restored := filepath.Join(root, "restored")
	if name == "backup" {
		noError(t, Restore(ctx, restored, filepath.Join(root, copyFile)))
	}
	if name == "backup" || name == "restore" {
		c.inspect(t, restored)
		noError(t, os.RemoveAll(restored))
	}
	c.check(t, db)
}

// TestDiskFaults makes an operation of the disk fail, in every way, in every use case: a seeded
// sample of all combinations, or all of them with TAPER_FAULTS=all. After each fault the
// program restarts: nothing finished is lost, nothing deleted remains, and the use case can be
// repeated.
func TestDiskFaults(t *testing.T) {
	if why := canInterpose(); why != "" {
		t.Skip(why)
	}
	f := newFixture(t)
	for _, name := range slices.Sorted(maps.Keys(useCases)) {
		t.Run(name, func(t *testing.T) {
			f := f
			if name == "start and stop" {
				f = newFixture(t)
				f.leaveUnended(t)
			}
			f.sweep(t, name)
		})
	}
}

// aFault is one fault of the sweep.
type aFault struct {
	kind  faultKind
	at    int
	again bool
}

func (f *fixture) sweep(t *testing.T, name string) {
	whole := f.meet(t, name, noFault, 0, false)
	if whole.err != "" || len(whole.seen) == 0 {
		t.Fatalf("without a fault: %d operations, %s", len(whole.seen), whole.err)
	}
	var all []aFault
	for i, operation := range whole.seen {
		at, odd := i+1, i%2 == 1
		all = append(all, aFault{onceEIO, at, false}, aFault{onceEIO, at, true}, aFault{onceFull, at, false},
			aFault{onceFull, at, true}, aFault{dead, at, odd}, aFault{diskFull, at, !odd}, aFault{killed, at, false})
		if strings.HasPrefix(operation, "write") {
			all = append(all, aFault{torn, at, odd}, aFault{tornKill, at, false})
		}
	}
	if os.Getenv("TAPER_FAULTS") != "all" {
		all = sample(all, whole.seen)
	}
	met := 0
	for _, a := range all {
		if f.meet(t, name, a.kind, a.at, a.again).failed != "" {
			met++
		}
	}
	t.Logf("%d operations, %d faults, %d met", len(whole.seen), len(all), met)
}

// sample draws a kill and another fault for each kind of operation, by what it does and to
// which file.
func sample(all []aFault, operations []string) (some []aFault) {
	rng := rand.New(rand.NewPCG(14, uint64(len(operations))))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	drawn := map[string]bool{}
	for _, a := range all {
		kind := named.ReplaceAllString(operations[a.at-1], "#")
		if a.kind == killed {
			kind += " killed"
		}
		if !drawn[kind] {
			drawn[kind] = true
			some = append(some, a)
		}
	}
	return some
}

// named matches what distinguishes files of one kind.
var named = regexp.MustCompile(`d[0-9a-z]{18}|[0-9]+`)
