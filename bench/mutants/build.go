package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Environment variables of the test programs: the number of the active change (−1: none, and the changes reached
// are recorded), and the file for this record.
const (
	chosenVariable  = "TAPER_MUTANT"
	reachedVariable = "TAPER_MUTANTS_REACHED"
)

// helper is added to every package with mutants.
const helper = `package %s

import (
	mutantOS "os"
	mutantText "strconv"
	mutantAtomic "sync/atomic"
)

var mutantNumber, _ = mutantText.Atoi(mutantOS.Getenv("` + chosenVariable + `"))

var mutantSeen [%d]mutantAtomic.Bool

func mutantIs(n int) bool {
	if mutantNumber == n {
		return true
	}
	if mutantNumber < 0 && !mutantSeen[n].Swap(true) {
		name := mutantOS.Getenv("` + reachedVariable + `")
		f, err := mutantOS.OpenFile(name, mutantOS.O_APPEND|mutantOS.O_CREATE|mutantOS.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		if _, err := f.WriteString(mutantText.Itoa(n) + "\n"); err != nil {
			panic(err)
		}
	}
	return false
}

func mutantValue[T any](n int, changed func() T, original T) T {
	if mutantIs(n) {
		return changed()
	}
	return original
}

func mutantAny[T any](n int, changed func() any, original T) T {
	if mutantIs(n) {
		return changed().(T)
	}
	return original
}
`

// together writes the packages with all mutants side by side: a function with mutants gets a copy for each of them,
// and a function in its place selects one. So every test program is built once and not once per mutant. Mutants
// that cannot be selected at run time (constants) are built alone. It returns the flag for the build.
func (t *tree) together(drawn []mutant) string {
	replace := map[string]string{}
	for _, p := range t.pkgs {
		var here []int
		for i, m := range drawn {
			if m.pkg == p.ImportPath {
				here = append(here, i)
			}
		}
		if len(here) == 0 {
			continue
		}
		fset, files, _, err := t.check(p, nil)
		if err != nil {
			log.Fatal(err)
		}
		overlay := map[string][]byte{}
		for k, f := range files {
			path := filepath.Join(p.Dir, p.GoFiles[k])
			src, err := os.ReadFile(path)
			if err != nil {
				log.Fatal(err)
			}
			w := writer{collector: collector{fset: fset, src: src}}
			for _, i := range here {
				if filepath.Join(t.root, drawn[i].file) == path {
					w.numbers, w.mutants = append(w.numbers, i+1), append(w.mutants, drawn[i])
				}
			}
			if len(w.mutants) == 0 {
				continue
			}
			w.file(f)
			overlay[path] = w.text()
			for _, n := range w.held {
				drawn[n-1].together = true
			}
		}
		name := files[0].Name.Name
		overlay[filepath.Join(p.Dir, "mutants_helper.go")] = fmt.Appendf(nil, helper, name, len(drawn)+1)
		for path, text := range overlay {
			file := filepath.Join(t.temp, fmt.Sprintf("%d-%s", len(replace), filepath.Base(path)))
			if err := os.WriteFile(file, text, 0o600); err != nil {
				log.Fatal(err)
			}
			replace[path] = file
		}
	}
	return "-overlay=" + t.overlay("together.json", replace)
}

// overlay writes the list of replaced files.
func (t *tree) overlay(name string, replace map[string]string) string {
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(t.temp, name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		log.Fatal(err)
	}
	return file
}

// build makes the test program of a package.
func (t *tree) build(p pkg, name string, flags ...string) (string, error) {
	file := filepath.Join(t.temp, name)
	args := slices.Concat([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", file}, flags,
		[]string{p.ImportPath})
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", p.ImportPath, err, out)
	}
	return file, nil
}

// edit is a change of the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// writer writes one file with its mutants.
type writer struct {
	collector
	numbers []int
	mutants []mutant
	held    []int // numbers of the mutants written
	edits   []edit
	copies  []string
}

func (w *writer) text() []byte {
	slices.SortFunc(w.edits, func(a, b edit) int { return a.start - b.start })
	var text []byte
	from := 0
	for _, e := range w.edits {
		text = append(append(text, w.src[from:e.start]...), e.text...)
		from = e.end
	}
	text = append(text, w.src[from:]...)
	return append(text, strings.Join(w.copies, "")...)
}

// within are the numbers of a node's mutants, with the text of the node under each.
func (w *writer) within(n ast.Node) (numbers []int, texts []string) {
	start, end := w.offset(n.Pos()), w.offset(n.End())
	for i, m := range w.mutants {
		if start <= m.start && m.end <= end {
			numbers = append(numbers, w.numbers[i])
			texts = append(texts, string(w.src[start:m.start])+m.text+string(w.src[m.end:end]))
		}
	}
	w.held = append(w.held, numbers...)
	return numbers, texts
}

func (w *writer) file(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				w.function(d)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && d.Tok.String() == "var" {
					for _, value := range v.Values {
						w.value(v, value)
					}
				}
			}
		}
	}
}

// value selects the initial value of a package variable.
func (w *writer) value(v *ast.ValueSpec, value ast.Expr) {
	numbers, texts := w.within(value)
	text := w.source(value.Pos(), value.End())
	for i, n := range numbers {
		if v.Type == nil {
			text = fmt.Sprintf("mutantAny(%d, func() any { return %s }, %s)", n, texts[i], text)
		} else {
			typ := w.source(v.Type.Pos(), v.Type.End())
			text = fmt.Sprintf("mutantValue[%[1]s](%[2]d, func() %[1]s { return %[3]s }, %[4]s)", typ, n, texts[i], text)
		}
	}
	if len(numbers) > 0 {
		w.edits = append(w.edits, edit{w.offset(value.Pos()), w.offset(value.End()), text})
	}
}

// function renames a function, writes a copy for each mutant, and adds a function under its name that selects one.
func (w *writer) function(d *ast.FuncDecl) {
	numbers, bodies := w.within(d.Body)
	if len(numbers) == 0 {
		return
	}
	name := d.Name.Name
	original := fmt.Sprintf("mutants%d_%s", numbers[0], name)
	w.edits = append(w.edits, edit{w.offset(d.Name.Pos()), w.offset(d.Name.End()), original})
	before, after := w.source(d.Type.Func, d.Name.Pos()), w.source(d.Name.End(), d.Body.Pos())
	receiver, on := "", ""
	if d.Recv != nil {
		of := d.Recv.List[0].Type
		receiver, on = "(mutantOn "+w.source(of.Pos(), of.End())+") ", "mutantOn."
	}
	typeParams, typeArgs := "", ""
	if list := d.Type.TypeParams; list != nil {
		typeParams = w.source(list.Pos(), list.End())
		var names []string
		for _, f := range list.List {
			for _, n := range f.Names {
				names = append(names, n.Name)
			}
		}
		typeArgs = "[" + strings.Join(names, ", ") + "]"
	}
	var params, args []string
	for _, f := range d.Type.Params.List {
		for range max(1, len(f.Names)) {
			arg := fmt.Sprint("mutantArg", len(args))
			params = append(params, arg+" "+w.source(f.Type.Pos(), f.Type.End()))
			if _, rest := f.Type.(*ast.Ellipsis); rest {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	results, give := "", ""
	if list := d.Type.Results; list != nil {
		var all []string
		for _, f := range list.List {
			for range max(1, len(f.Names)) {
				all = append(all, w.source(f.Type.Pos(), f.Type.End()))
			}
		}
		results, give = "("+strings.Join(all, ", ")+") ", "return "
	}
	call := func(name string) string {
		return give + on + name + typeArgs + "(" + strings.Join(args, ", ") + ")"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nfunc %s%s%s(%s) %s{\n\tif mutantNumber != 0 {\n\t\tswitch {\n", receiver, name, typeParams,
		strings.Join(params, ", "), results)
	for i, n := range numbers {
		changed := fmt.Sprintf("mutant%d_%s", n, name)
		fmt.Fprintf(&b, "\t\tcase mutantIs(%d):\n\t\t\t%s\n", n, call(changed))
		if give == "" {
			b.WriteString("\t\t\treturn\n")
		}
		w.copies = append(w.copies, "\n"+before+changed+after+bodies[i]+"\n")
	}
	fmt.Fprintf(&b, "\t\t}\n\t}\n\t%s\n}\n", call(original))
	w.copies = append(w.copies, b.String())
}
