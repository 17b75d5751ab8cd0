package main

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memory limits the address space of a test in KiB: a loop that lost its end must not exhaust the machine.
const memory = 12 << 20

// program is the test program of a package, with all mutants side by side.
type program struct {
	pkg
	file    string
	took    time.Duration
	reached map[int]bool // numbers of the mutants that its tests reach
}

// The results of a mutant.
const (
	killed     = "killed"
	survived   = "SURVIVED"
	equivalent = "equivalent"
)

// prepare builds the test programs and runs them without a change; they must pass.
func (t *tree) prepare(drawn []mutant, own bool) {
	flag := t.together(drawn)
	for _, p := range t.pkgs {
		if !p.tested() || !slices.ContainsFunc(drawn, func(m mutant) bool { return t.concerns(p, m, own) }) {
			continue
		}
		file, err := t.build(p, strings.ReplaceAll(p.name(), "/", "_"), flag)
		if err != nil {
			log.Fatal(err)
		}
		tests := &program{pkg: p, file: file, reached: map[int]bool{}}
		reached, start := file+".reached", time.Now()
		if out, err := tests.run(-1, time.Hour, reached, "-test.short"); err != nil {
			log.Fatalf("%s fails without a change: %v\n%s", p.ImportPath, err, out)
		}
		tests.took = time.Since(start)
		text, err := os.ReadFile(reached)
		if err != nil && !os.IsNotExist(err) {
			log.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			n, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				log.Fatal(err)
			}
			tests.reached[n] = true
		}
		t.tests[p.ImportPath] = tests
		log.Printf("%s passes in %s and comes to %d mutants", p.ImportPath, tests.took.Round(time.Millisecond),
			len(tests.reached))
	}
}

// concerns reports whether the tests of the package are run against the mutant.
func (t *tree) concerns(p pkg, m mutant, own bool) bool {
	return p.ImportPath == m.pkg || !own && slices.Contains(slices.Concat(p.Deps, p.TestImports, p.XTestImports), m.pkg)
}

// run runs the tests that reach the mutant, first its own package's and then the fast ones, with -short. Survivors
// are then run against the long tests of their own package and of packages that import it.
func (t *tree) run(m mutant, number int) string {
	var tests []*program
	for _, p := range t.tests {
		if p.reached[number] || !m.together && (p.ImportPath == m.pkg || slices.Contains(p.Imports, m.pkg)) {
			tests = append(tests, p)
		}
	}
	first := func(p *program) time.Duration {
		if p.ImportPath == m.pkg {
			return 0
		}
		return p.took
	}
	slices.SortFunc(tests, func(a, b *program) int { return cmp.Compare(first(a), first(b)) })
	for _, p := range tests {
		limit := 10*p.took + 15*time.Second
		if !m.together {
			alone, err := t.alone(m, number, p)
			if err != nil {
				log.Fatal(err)
			}
			p = alone
		}
		_, err := p.run(number, limit, "", "-test.short")
		if err == nil && (p.ImportPath == m.pkg || slices.Contains(p.Imports, m.pkg)) && p.long() {
			_, err = p.run(number, time.Hour, "", "-test.short=false")
		}
		if !m.together {
			os.Remove(p.file)
		}
		if err != nil {
			return killed
		}
	}
	return survived
}

// long reports whether -short skips some tests of the package.
func (p *program) long() bool {
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			log.Fatal(err)
		}
		if strings.Contains(string(text), "testing.Short()") {
			return true
		}
	}
	return false
}

// alone builds the test program with this single mutant.
func (t *tree) alone(m mutant, number int, p *program) (*program, error) {
	file := filepath.Join(t.temp, fmt.Sprint("alone", number, ".go"))
	if err := os.WriteFile(file, t.mutated(m), 0o600); err != nil {
		return nil, err
	}
	replace := map[string]string{filepath.Join(t.root, m.file): file}
	flag := "-overlay=" + t.overlay(fmt.Sprint("alone", number, ".json"), replace)
	built, err := t.build(p.pkg, fmt.Sprint("alone", number), flag)
	return &program{pkg: p.pkg, file: built}, err
}

// run runs the tests with one active change.
func (p *program) run(number int, limit time.Duration, reached, form string) ([]byte, error) {
	args := []string{"-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, memory), p.file,
		form, "-test.failfast", "-test.timeout=" + limit.String()}
	c := exec.Command("sh", args...)
	c.Dir = p.Dir
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%d", chosenVariable, number), reachedVariable+"="+reached)
	return c.CombinedOutput()
}

// pastVerdicts are the results of an interrupted run, which this run continues.
type pastVerdicts struct {
	mu    sync.Mutex
	file  *os.File // nil: results are not stored
	known map[string]string
}

func openVerdicts(name string) *pastVerdicts {
	v := &pastVerdicts{known: map[string]string{}}
	if name == "" {
		return v
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if verdict, key, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			v.known[key] = verdict
		}
	}
	v.file = f
	return v
}

func (v *pastVerdicts) add(key, verdict string) {
	if v.file == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := fmt.Fprintf(v.file, "%s\t%s\n", verdict, key); err != nil {
		log.Fatal(err)
	}
}
