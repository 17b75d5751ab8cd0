// Structure prints the size and the structure of the hand-written Go: lines, long lines, comments inside functions,
// the largest package, and the upward dependencies inside each package. Tests and generated files are left out.
//
//	go run ./bench/structure
//	go run ./bench/structure -arrows internal/engine/stat
//
// The second prints the files of one package in the best order found, users
// first, and below each the arrows that run upwards from it, with the names used.
//
// An arrow is a file that uses a declaration of another file of its package. A package can be read from top to
// bottom if its files have an order in which all arrows point one way; the program counts the remaining upward
// arrows in the best order found. The order is found by the heuristic of Eades, Lin and Smyth (1993), then by
// moving single files, so the count is an upper bound.
package main

import (
	"bufio"
	"bytes"
	"cmp"
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
	"slices"
	"strings"
)

// column is the longest allowed line.
const column = 120

// pkg is the description of a package by go list.
type pkg struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// room is the measurement of one package.
type room struct {
	name                   string
	files, lines           int
	long, inside, comments int // long lines; comment lines inside functions, and all
	upward                 int
	order                  []string // the files, users first
	arrows                 arrows
}

// arrows are the names that a file uses of another: by user, by owner.
type arrows map[string]map[string][]string

func main() {
	log.SetFlags(0)
	one := flag.String("arrows", "", "print the order of this `package` and the arrows that run upwards in it")
	flag.Parse()
	pkgs := list()
	exports := map[string]string{}
	for _, p := range pkgs {
		exports[p.ImportPath] = p.Export
	}
	if *one != "" {
		i := slices.IndexFunc(pkgs, func(p pkg) bool { return p.ImportPath == "taper/"+*one })
		if i < 0 {
			log.Fatalf("no package taper/%s", *one)
		}
		measure(pkgs[i], exports).print()
		return
	}
	var rooms []room
	for _, p := range pkgs {
		if strings.HasPrefix(p.ImportPath, "taper/") && !strings.HasPrefix(p.ImportPath, "taper/bench/") {
			rooms = append(rooms, measure(p, exports))
		}
	}
	slices.SortFunc(rooms, func(a, b room) int { return b.lines - a.lines })
	var sum room
	fmt.Printf("%-36s %5s %6s %5s %7s %7s\n", "package", "files", "lines", "long", "inside", "upward")
	for _, r := range rooms {
		fmt.Printf("%-36s %5d %6d %5d %7d %7d\n", r.name, r.files, r.lines, r.long, r.inside, r.upward)
		sum.files, sum.lines, sum.long = sum.files+r.files, sum.lines+r.lines, sum.long+r.long
		sum.inside, sum.comments, sum.upward = sum.inside+r.inside, sum.comments+r.comments, sum.upward+r.upward
	}
	fmt.Printf("%-36s %5d %6d %5d %7d %7d\n", "all", sum.files, sum.lines, sum.long, sum.inside, sum.upward)
	fmt.Printf("comments: %.1f %% of lines, %d lines of them inside functions\n",
		100*float64(sum.comments)/float64(sum.lines), sum.inside)
}

// list returns every package that the program is made of, dependencies with the
// files that hold their types.
func list() []pkg {
	out, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "taper/...").Output()
	if err != nil {
		log.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return pkgs
		} else if err != nil {
			log.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

func measure(p pkg, exports map[string]string) room {
	r := room{name: strings.TrimPrefix(p.ImportPath, "taper/")}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		if err != nil {
			log.Fatal(err)
		}
		files = append(files, f)
		if !ast.IsGenerated(f) {
			r.files++
			r.count(filepath.Join(p.Dir, name), fset, f)
		}
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", open)}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	self, err := conf.Check(p.ImportPath, fset, files, info)
	if err != nil {
		log.Fatal(err)
	}
	r.arrows = arrows{}
	for use, what := range info.Uses {
		if what.Pkg() != self || !what.Pos().IsValid() {
			continue
		}
		from := filepath.Base(fset.Position(use.Pos()).Filename)
		to := filepath.Base(fset.Position(what.Pos()).Filename)
		if from == to {
			continue
		}
		if r.arrows[from] == nil {
			r.arrows[from] = map[string][]string{}
		}
		if names := r.arrows[from][to]; !slices.Contains(names, what.Name()) {
			r.arrows[from][to] = append(names, what.Name())
		}
	}
	r.order = order(r.arrows)
	for i, file := range r.order {
		for _, above := range r.order[:i] {
			if r.arrows[file][above] != nil {
				r.upward++
			}
		}
	}
	return r
}

// print writes the files in order, each with the arrows that run upwards from it.
func (r room) print() {
	for i, file := range r.order {
		fmt.Println(file)
		for _, above := range r.order[:i] {
			if names := r.arrows[file][above]; names != nil {
				slices.Sort(names)
				fmt.Printf("    → %s: %s\n", above, strings.Join(names, ", "))
			}
		}
	}
	fmt.Printf("%d arrows run upwards\n", r.upward)
}

// count counts the lines and comments of a file.
func (r *room) count(path string, fset *token.FileSet, f *ast.File) {
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		r.lines++
		if len(s.Bytes()) > column {
			r.long++
		}
	}
	for _, group := range f.Comments {
		lines := fset.Position(group.End()).Line - fset.Position(group.Pos()).Line + 1
		r.comments += lines
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && fn.Body.Pos() < group.Pos() && group.End() < fn.Body.End() {
				r.inside += lines
			}
		}
	}
}

// order is the best order found, users first: sources are put first and sinks last; of the remaining files the one
// with the largest difference of outgoing and incoming arrows comes next.
func order(a arrows) []string {
	left := map[string]bool{}
	for from, tos := range a {
		left[from] = true
		for to := range tos {
			left[to] = true
		}
	}
	var first, last []string
	for len(left) > 0 {
		out, in := map[string]int{}, map[string]int{}
		for from := range left {
			for to := range a[from] {
				if left[to] {
					out[from]++
					in[to]++
				}
			}
		}
		names := make([]string, 0, len(left))
		for name := range left {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int {
			return cmp.Or(cmp.Compare(out[b]-in[b], out[a]-in[a]), cmp.Compare(a, b))
		})
		sink := slices.IndexFunc(names, func(n string) bool { return out[n] == 0 })
		if sink >= 0 {
			last = append(last, names[sink])
			delete(left, names[sink])
			continue
		}
		if source := slices.IndexFunc(names, func(n string) bool { return in[n] == 0 }); source > 0 {
			names[0] = names[source]
		}
		first = append(first, names[0])
		delete(left, names[0])
	}
	slices.Reverse(last)
	return settle(a, slices.Concat(first, last))
}

// settle moves single files to the position with the fewest upward arrows, until no move improves the order.
func settle(a arrows, files []string) []string {
	for moved := true; moved; {
		moved = false
		for _, file := range slices.Clone(files) {
			at := slices.Index(files, file)
			best, where, change := 0, at, 0
			// Move past each file in turn, upwards and then downwards: change is the number of additional upward
			// arrows relative to the present position.
			for i := at - 1; i >= 0; i-- {
				change += arrow(a, files[i], file) - arrow(a, file, files[i])
				if change < best {
					best, where = change, i
				}
			}
			change = 0
			for i := at + 1; i < len(files); i++ {
				change += arrow(a, file, files[i]) - arrow(a, files[i], file)
				if change < best {
					best, where = change, i
				}
			}
			if where != at {
				files = slices.Insert(slices.Delete(files, at, at+1), where, file)
				moved = true
			}
		}
	}
	return files
}

// arrow is 1 where a file uses another, and 0 where it does not.
func arrow(a arrows, from, to string) int {
	if a[from][to] != nil {
		return 1
	}
	return 0
}
