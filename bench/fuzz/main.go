// Fuzz runs every fuzz test for some time, keeps useful inputs and counts executions.
//
//	go run ./bench/fuzz -seconds 600
//	go run ./bench/fuzz -seconds 30 -match 'table|FuzzSpec'
//
// The go command stores inputs that reach new code in its cache, which is not committed. The smallest of them are
// run one by one. If one reaches a block of the package that neither the seeds nor the kept inputs reach, it is
// added to testdata/fuzz, where every `go test` runs it; files and bytes per test are limited. The table in
// docs/fuzz.md counts the executions of all runs.
//
// If an input makes its test fail, the exit status is 1; the go command has added it to testdata/fuzz.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of the inputs kept per test, and of the found inputs that are tried.
const (
	mostFiles = 16
	mostBytes = 16 << 10
	mostTried = 120
	largest   = 2 << 10
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("fuzz: ")
	seconds := flag.Int("seconds", 600, "time of each test")
	match := flag.String("match", "", "only tests whose package and name this `regexp` matches")
	file := flag.String("table", "docs/fuzz.md", "`file` with the table of executions")
	flag.Parse()
	only, err := regexp.Compile(*match)
	check(err)
	all, err := targets(".")
	check(err)
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	check(err)
	for _, t := range all {
		if !only.MatchString(t.String()) {
			continue
		}
		executions, err := t.fuzz(*seconds)
		check(err)
		kept, err := t.keep(filepath.Join(strings.TrimSpace(string(cache)), "fuzz", "taper", t.dir, t.name))
		check(err)
		fmt.Printf("%s: %d executions, %d inputs kept\n", t, executions, kept)
		check(t.note(*file, executions, kept, time.Now()))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// target is a fuzz test.
type target struct{ dir, name string }

func (t target) String() string { return t.dir + " " + t.name }

func (t target) pkg() string { return "./" + t.dir }

func (t target) corpus() string { return filepath.Join(t.dir, "testdata", "fuzz", t.name) }

var declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// targets lists the fuzz tests below a folder.
func targets(root string) (all []target, err error) {
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && e.Name() == "node_modules" {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			all = append(all, target{filepath.Dir(path), string(m[1])})
		}
		return err
	})
	slices.SortFunc(all, func(a, b target) int { return strings.Compare(a.String(), b.String()) })
	return all, err
}

var counted = regexp.MustCompile(`execs: (\d+)`)

// fuzz runs the test on new inputs and returns the number of executions.
func (t target) fuzz(seconds int) (int, error) {
	// Minimising inputs that reach new code would take most of a short run, so it is limited.
	out, err := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", fmt.Sprint(seconds, "s"),
		"-fuzzminimizetime", "10x", t.pkg()).CombinedOutput()
	// The fuzzer sometimes reports the end of its time as a failure; only an input that it stored is a real one.
	late := bytes.Contains(out, []byte("context deadline exceeded")) &&
		!bytes.Contains(out, []byte("Failing input written"))
	if err != nil && !late {
		return 0, fmt.Errorf("%s:\n%s", t, out)
	}
	n := 0
	if all := counted.FindAllSubmatch(out, -1); len(all) > 0 {
		n, err = strconv.Atoi(string(all[len(all)-1][1]))
	}
	return n, err
}

// keep adds inputs from a folder to the kept ones of a test if they reach new code, and returns the number of kept
// inputs.
func (t target) keep(found string) (kept int, err error) {
	have, size, err := smallest(t.corpus())
	if err != nil {
		return 0, err
	}
	news, _, err := smallest(found)
	if err != nil || len(news) == 0 {
		return len(have), err
	}
	temp, err := os.MkdirTemp("", "taper-fuzz")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(temp)
	program := filepath.Join(temp, "program")
	build := exec.Command("go", "test", "-c", "-covermode", "set", "-o", program,
		"-coverpkg", t.pkg()+",taper/internal/web/form", t.pkg())
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build %s: %s", t, out)
	}
	reached, err := t.reach(program, "")
	if err != nil || os.MkdirAll(t.corpus(), 0o755) != nil {
		return 0, err
	}
	defer os.Remove(t.corpus()) // removes the folder if it is empty
	kept = len(have)
	for _, input := range news[:min(len(news), mostTried)] {
		to := filepath.Join(t.corpus(), filepath.Base(input.path))
		if _, err := os.Stat(to); err == nil || input.size > largest || kept == mostFiles || size+input.size > mostBytes {
			continue
		}
		text, err := os.ReadFile(input.path)
		if err == nil {
			err = os.WriteFile(to, text, 0o644)
		}
		if err != nil {
			return kept, err
		}
		blocks, err := t.reach(program, filepath.Base(to))
		if err != nil {
			return kept, err
		}
		if reached.add(blocks) == 0 {
			check(os.Remove(to))
			continue
		}
		kept, size = kept+1, size+input.size
	}
	return kept, nil
}

type input struct {
	path string
	size int64
}

// smallest lists the files of a folder by size, with their total size; none if the folder does not exist.
func smallest(dir string) (all []input, sum int64, err error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, 0, nil
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, 0, err
		}
		all, sum = append(all, input{filepath.Join(dir, e.Name()), info.Size()}), sum+info.Size()
	}
	slices.SortFunc(all, func(a, b input) int {
		return cmp.Or(cmp.Compare(a.size, b.size), strings.Compare(a.path, b.path))
	})
	return all, sum, err
}

// blocks are the blocks of code reached by a run.
type blocks map[string]bool

// add adds other blocks and returns the number of new ones.
func (b blocks) add(others blocks) (fresh int) {
	for at := range others {
		if !b[at] {
			b[at] = true
			fresh++
		}
	}
	return fresh
}

// reach runs the seeds and every input, or a single one.
func (t target) reach(program, one string) (blocks, error) {
	profile := program + ".profile"
	run := "^" + t.name + "$"
	if one != "" {
		run += "/^" + regexp.QuoteMeta(one) + "$"
	}
	command := exec.Command(program, "-test.run", run, "-test.coverprofile", profile)
	command.Dir = t.dir
	if out, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s on %q: %s", t, one, out)
	}
	text, err := os.ReadFile(profile)
	all := blocks{}
	for line := range strings.Lines(string(text)) { // file:line.column,line.column statements reached
		if block, yes := strings.CutSuffix(strings.TrimSpace(line), " 1"); yes {
			all[block] = true
		}
	}
	return all, err
}

// note adds a run to the table.
func (t target) note(file string, executions, kept int, now time.Time) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(noted(string(text), t, executions, kept, now.Format("2006-01-02"))), 0o644)
}

// head is the start of the row of a test.
func (t target) head() string { return fmt.Sprintf("| `%s` | %s |", t.dir, t.name) }

// noted is the text with an updated row for the test: its executions are added to the previous ones.
func noted(text string, t target, executions, kept int, day string) string {
	head := t.head()
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, head) })
	if at < 0 {
		at = slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "| `") && l > head })
		if at < 0 {
			at = len(lines)
		}
		lines = slices.Insert(lines, at, "")
	} else {
		before, _ := strconv.Atoi(strings.TrimSpace(strings.Split(lines[at], "|")[3]))
		executions += before
	}
	lines[at] = fmt.Sprintf("%s %d | %d | %s |", head, executions, kept, day)
	return strings.Join(lines, "\n") + "\n"
}
