// Mutants measures what the tests notice: it changes one place of the engine or of the store at a time (an
// operator, a constant, a sign, an assignment, a call, a returned error, the order of two arguments) and runs the
// tests against it.
//
//	go run ./bench/mutants -n 150 -seed 1
//	go run ./bench/mutants -n 5 -pkg internal/engine/tune
//
// The places are drawn from all syntax trees, one package after the other. The draw uses a hash of the seed and of
// the code at the place, so that changes elsewhere do not affect it. A mutant that does not type-check is drawn
// again.
//
// No file of the tree is changed: go test -overlay reads others from a temporary folder. They contain all mutants
// side by side, and an environment variable selects one, so that every test program is built once. A first run
// without a change records which functions each test reaches. Only tests that reach a mutant are run, those of its
// own package first and then the fast ones. A test that takes ten times as long as without the change, plus 15
// seconds, counts as a failure.
//
// equivalent.txt lists changes without an observable effect, each with the reason. If less than 90 % of the others
// are noticed, the exit status is 1.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// target is the share of mutants that the tests must notice.
const target = .9

//go:embed equivalent.txt
var equivalentText string

// pkg is the description of a package by go list.
type pkg struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	TestGoFiles             []string
	XTestGoFiles            []string
	Imports                 []string
	Deps                    []string
	TestImports             []string
	XTestImports            []string
}

func (p pkg) name() string { return strings.TrimPrefix(p.ImportPath, "taper/") }

func (p pkg) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// inside reports whether mutants are drawn from here. Tables for tests are not part of the program.
func (p pkg) inside() bool {
	name := p.name() + "/"
	return name != "internal/engine/table/tabletest/" &&
		(strings.HasPrefix(name, "internal/engine/") || strings.HasPrefix(name, "internal/store/"))
}

// tree is the program that mutants are drawn from and run against.
type tree struct {
	root    string
	pkgs    []pkg // those inside
	exports map[string]string
	temp    string
	tests   map[string]*program // by import path
}

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 150, "`mutants` to draw")
	seed := flag.Int("seed", 1, "seed of the draw")
	only := flag.String("pkg", "", "draw from this `package` alone")
	match := flag.String("match", "", "draw only from the mutants whose file, function and change "+
		"match this `expression`")
	workers := flag.Int("j", 2, "`mutants` at a time")
	list := flag.Bool("list", false, "print the draw and run nothing")
	own := flag.Bool("own", false, "ask the tests of the mutant's own package alone")
	state := flag.String("state", "", "`file` that keeps the verdicts, so that a run that was stopped goes on")
	flag.Parse()
	t := load()
	defer os.RemoveAll(t.temp)
	reasons := equivalents(equivalentText)
	drawn := t.draw(*n, *seed, *only, regexp.MustCompile(*match))
	if *list {
		for _, m := range drawn {
			fmt.Printf("%s:%d\t%s\t%s\n", m.file, m.line, m.fn, m.change)
		}
		return
	}
	past := openVerdicts(*state)
	verdicts := make([]string, len(drawn))
	for i, m := range drawn {
		if verdicts[i] = past.known[m.key()]; reasons[m.key()] != "" {
			verdicts[i] = equivalent
		}
	}
	if slices.Contains(verdicts, "") {
		t.prepare(drawn, *own)
	}
	var wait sync.WaitGroup
	free := make(chan struct{}, *workers)
	for i, m := range drawn {
		if verdicts[i] != "" {
			continue
		}
		free <- struct{}{}
		wait.Go(func() {
			defer func() { <-free }()
			verdicts[i] = t.run(m, i+1)
			log.Printf("%d/%d %s: %s:%d %s: %s", i+1, len(drawn), verdicts[i], m.file, m.line, m.fn, m.change)
			past.add(m.key(), verdicts[i])
		})
	}
	wait.Wait()
	if !report(drawn, verdicts, reasons) {
		os.RemoveAll(t.temp)
		os.Exit(1)
	}
}

// load reads the packages of the program and builds what type-checking needs.
func load() *tree {
	fields := "-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles,Imports,Deps,TestImports,XTestImports"
	out, err := exec.Command("go", "list", "-export", "-deps", fields, "taper/internal/engine/...",
		"taper/internal/store").Output()
	if err != nil {
		log.Fatalf("go list: %v", err)
	}
	root, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	temp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		log.Fatal(err)
	}
	t := &tree{root: root, exports: map[string]string{}, temp: temp, tests: map[string]*program{}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return t
		} else if err != nil {
			log.Fatal(err)
		}
		t.exports[p.ImportPath] = p.Export
		if p.inside() {
			t.pkgs = append(t.pkgs, p)
		}
	}
}

// draw takes the packages in turn until there are n mutants or no places are left.
func (t *tree) draw(n, seed int, only string, match *regexp.Regexp) []mutant {
	var queues [][]mutant
	for _, p := range t.pkgs {
		if only == "" || p.name() == only {
			queues = append(queues, t.sites(p, seed))
		}
	}
	if len(queues) == 0 {
		log.Fatalf("no package %s below internal/engine and internal/store", only)
	}
	var drawn []mutant
	for left := true; left; {
		left = false
		for i := range queues {
			for len(queues[i]) > 0 && len(drawn) < n {
				m := queues[i][0]
				queues[i] = queues[i][1:]
				if match.MatchString(m.key()) && t.compiles(m) {
					drawn, left = append(drawn, m), true
					break
				}
			}
		}
	}
	return drawn
}

// sites are all mutants of a package in the order of the draw.
func (t *tree) sites(p pkg, seed int) []mutant {
	fset, files, info, err := t.check(p, nil)
	if err != nil {
		log.Fatal(err)
	}
	var all []mutant
	for i, f := range files {
		path := filepath.Join(p.Dir, p.GoFiles[i])
		src, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		rel, err := filepath.Rel(t.root, path)
		if err != nil {
			log.Fatal(err)
		}
		c := collector{pkg: p.ImportPath, path: rel, fset: fset, src: src, info: info, seen: map[string]int{}}
		if !ast.IsGenerated(f) {
			c.file(f)
		}
		all = append(all, c.found...)
	}
	rank := map[string]string{}
	for _, m := range all {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\t%s", seed, m.key()))
		rank[m.key()] = string(sum[:])
	}
	slices.SortFunc(all, func(a, b mutant) int { return cmp.Compare(rank[a.key()], rank[b.key()]) })
	return all
}

// check type-checks a package with the files of the overlay.
func (t *tree) check(p pkg, overlay map[string][]byte) (*token.FileSet, []*ast.File, *types.Info, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		var src any // nil: the file itself
		if text, ok := overlay[path]; ok {
			src = text
		}
		f, err := parser.ParseFile(fset, path, src, parser.ParseComments)
		if err != nil {
			return nil, nil, nil, err
		}
		files = append(files, f)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(t.exports[path]) }
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", open)}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Defs: map[*ast.Ident]types.Object{}}
	_, err := conf.Check(p.ImportPath, fset, files, info)
	return fset, files, info, err
}

// mutated is the text of the file with the change.
func (t *tree) mutated(m mutant) []byte {
	src, err := os.ReadFile(filepath.Join(t.root, m.file))
	if err != nil {
		log.Fatal(err)
	}
	return slices.Concat(src[:m.start], []byte(m.text), src[m.end:])
}

func (t *tree) compiles(m mutant) bool {
	i := slices.IndexFunc(t.pkgs, func(p pkg) bool { return p.ImportPath == m.pkg })
	_, _, _, err := t.check(t.pkgs[i], map[string][]byte{filepath.Join(t.root, m.file): t.mutated(m)})
	return err == nil
}

// equivalents reads the list: file, function, change and reason, separated by tabs.
func equivalents(text string) map[string]string {
	reasons := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		part := strings.Split(line, "\t")
		if len(part) != 4 || part[3] == "" {
			log.Fatalf("equivalent.txt: not file, function, change and reason: %s", line)
		}
		reasons[strings.Join(part[:3], "\t")] = part[3]
	}
	return reasons
}

// report prints the table and the survivors, and returns whether enough were noticed.
func report(drawn []mutant, verdicts []string, reasons map[string]string) bool {
	count := map[string]map[string]int{"all": {}}
	var names []string
	for i, m := range drawn {
		name := strings.TrimPrefix(m.pkg, "taper/")
		if count[name] == nil {
			count[name], names = map[string]int{}, append(names, name)
		}
		count[name][verdicts[i]]++
		count["all"][verdicts[i]]++
	}
	fmt.Printf("%-34s %7s %7s %9s %11s %6s\n", "package", "mutants", "killed", "survived", "equivalent", "rate")
	slices.Sort(names)
	for _, name := range append(names, "all") {
		c := count[name]
		rate := "–"
		if others := c[killed] + c[survived]; others > 0 {
			rate = fmt.Sprintf("%.0f %%", 100*float64(c[killed])/float64(others))
		}
		fmt.Printf("%-34s %7d %7d %9d %11d %6s\n", name, c[killed]+c[survived]+c[equivalent],
			c[killed], c[survived], c[equivalent], rate)
	}
	for i, m := range drawn {
		switch verdicts[i] {
		case survived:
			fmt.Printf("survived    %s:%d\t%s\t%s\n", m.file, m.line, m.fn, m.change)
		case equivalent:
			fmt.Printf("equivalent  %s:%d\t%s\t%s: %s\n", m.file, m.line, m.fn, m.change, reasons[m.key()])
		}
	}
	c := count["all"]
	return float64(c[killed]) >= target*float64(c[killed]+c[survived])
}
