// Power measures what the verdicts on the papers notice: it builds wrong implementations of the methods one at a
// time, runs the affected presets and prints which verdict fails. Where the paper's own interval is too wide to
// notice a change, a golden value must notice it. If nothing does, the exit status is 1.
//
//	go run ./bench/power [-only TEXT]
//
// No file of the tree is changed: go build -overlay reads a patched copy from a temporary folder. A patch replaces
// a text that must occur exactly once in its file.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
)

// change is a wrong implementation with the test that must notice it.
type change struct {
	name     string
	file     string // from the root of the tree
	old, new string
	runs     run
	golden   golden // zero: a verdict notices it
}

// run is the input for a change: the units of a preset whose ids have these prefixes.
type run struct {
	preset string
	size   study.Size
	units  []string // nil = all
}

func (r run) String() string {
	return fmt.Sprintf("%s, %s: %s", r.preset, r.size, cmp.Or(strings.Join(r.units, "; "), "all"))
}

// golden is a test that compares a stored value.
type golden struct{ pkg, test string }

// judged is a verdict as one program reports it to the other.
type judged struct {
	Name                 string
	Ours, Value, Allowed float64
	Sign                 int
	Holds                bool
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("power: ")
	only := flag.String("only", "", "the changes whose name holds this")
	inner := flag.String("judge", "", "print the verdicts of a preset as JSON, and no more")
	size := flag.String("size", string(study.Quick), "of -judge")
	units := flag.String("units", "", "of -judge: beginnings of ids, parted by semicolons")
	flag.Parse()
	if *inner != "" {
		all, err := judge(context.Background(), run{*inner, study.Size(*size), split(*units)})
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(all)
		}
		if err != nil {
			log.Fatal(err)
		}
		return
	}
	missed, err := try(*only)
	if err != nil {
		log.Fatal(err)
	}
	if len(missed) > 0 {
		log.Fatalf("noticed by nothing: %s", strings.Join(missed, "; "))
	}
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ";")
}

// judge runs the units of a preset and evaluates the published numbers whose cells they fill.
func judge(ctx context.Context, r run) (all []judged, err error) {
	i := slices.IndexFunc(presets(), func(p study.Preset) bool { return p.ID == r.preset })
	if i < 0 {
		return nil, fmt.Errorf("no preset %q", r.preset)
	}
	p := presets()[i]
	plan, err := p.Build(study.Input{Size: r.size, Seed: 1})
	if err != nil {
		return nil, err
	}
	plan.Units = slices.DeleteFunc(plan.Units, func(u study.Unit) bool { return !r.has(u.ID) })
	done, err := study.Run(ctx, plan)
	if err != nil {
		return nil, err
	}
	for _, v := range p.Verdicts(study.Summarise(plan, done)) {
		if v.Allowed != nil {
			all = append(all, judged{v.Name(), *v.Ours, v.Value, *v.Allowed, v.Sign, v.Holds})
		}
	}
	return all, nil
}

func presets() study.Presets { return slices.Concat(paper.Checks, paper.Presets) }

func (r run) has(unit string) bool {
	return len(r.units) == 0 ||
		slices.ContainsFunc(r.units, func(begin string) bool { return strings.HasPrefix(unit, begin) })
}

// try makes every change in turn and returns those that nothing noticed.
func try(only string) (missed []string, err error) {
	dir, err := os.MkdirTemp("", "power")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	right := map[string][]judged{} // by run
	fmt.Println("| wrong implementation | tested with | detected by |\n|---|---|---|")
	for _, c := range changes {
		if !strings.Contains(c.name, only) {
			continue
		}
		key := c.runs.String()
		if right[key] == nil {
			if right[key], err = judge(context.Background(), c.runs); err != nil {
				return nil, err
			}
		}
		by, err := c.noticed(dir, right[key])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		if by == "" {
			missed, by = append(missed, c.name), "NOTHING"
		}
		fmt.Printf("| %s | %s | %s |\n", c.name, c.runs.preset, by)
	}
	return missed, nil
}

// patched is the file with the change.
func (c change) patched(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, c.file))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(text, []byte(c.old)); n != 1 {
		return nil, fmt.Errorf("the patch no longer applies: its text stands %d times in %s", n, c.file)
	}
	return bytes.Replace(text, []byte(c.old), []byte(c.new), 1), nil
}

// overlay writes the patched file and the argument of -overlay, which it returns.
func (c change) overlay(dir string) (string, error) {
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	text, err := c.patched(root)
	if err != nil {
		return "", err
	}
	file, list := filepath.Join(dir, "patched.go"), filepath.Join(dir, "overlay.json")
	b, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, c.file): file}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", err
	}
	return list, os.WriteFile(list, b, 0o600)
}

// noticed names what noticed a change: the verdicts that hold only without it, or else the golden test that fails.
func (c change) noticed(dir string, right []judged) (string, error) {
	list, err := c.overlay(dir)
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "wrong")
	built, err := exec.Command("go", "build", "-overlay", list, "-o", program, "./bench/power").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, built)
	}
	do := exec.Command(program, "-judge", c.runs.preset, "-size", string(c.runs.size), "-units",
		strings.Join(c.runs.units, ";"))
	do.Stderr = os.Stderr
	out, err := do.Output()
	if err != nil {
		return "", fmt.Errorf("run: %w", err)
	}
	var wrong []judged
	if err := json.Unmarshal(out, &wrong); err != nil {
		return "", err
	}
	if by := told(right, wrong); by != "" {
		return by, nil
	}
	return c.byGolden(list)
}

// told names the verdict that fails by most, and the number of others.
func told(right, wrong []judged) string {
	held := map[string]bool{}
	for _, v := range right {
		held[v.Name] = v.Holds
	}
	lost := slices.DeleteFunc(slices.Clone(wrong), func(v judged) bool { return v.Holds || !held[v.Name] })
	if len(lost) == 0 {
		return ""
	}
	// For exact numbers the tolerance is tiny, so differences are compared relative to it.
	worst := slices.MaxFunc(lost, func(a, b judged) int { return cmp.Compare(a.beyond(), b.beyond()) })
	by := fmt.Sprintf("%s: %.4g where the reference is %.4g ± %.2g", worst.Name, worst.Ours, worst.Value, worst.Allowed)
	if worst.Sign != 0 {
		by = fmt.Sprintf("%s: %.4g ± %.2g, and not on the side that is claimed", worst.Name, worst.Ours, worst.Allowed)
	}
	if n := len(lost) - 1; n > 0 {
		by += fmt.Sprintf("; %d more of %d", n, len(wrong))
	}
	return by
}

// beyond is the excess of a difference, relative to the tolerance.
func (v judged) beyond() float64 { return max(v.Ours-v.Value, v.Value-v.Ours) / max(v.Allowed, 1e-12) }

// byGolden runs the test that must fail; a test that does not build counts as not noticing.
func (c change) byGolden(list string) (string, error) {
	if c.golden.test == "" {
		return "", nil
	}
	out, err := exec.Command("go", "test", "-overlay", list, "-count", "1", "-run", "^"+c.golden.test+"$",
		"./"+c.golden.pkg).CombinedOutput()
	switch {
	case err == nil:
		return "", nil
	case bytes.Contains(out, []byte("--- FAIL: "+c.golden.test)), bytes.Contains(out, []byte("panic: ")):
		return fmt.Sprintf("no verdict; `%s` of %s", c.golden.test, c.golden.pkg), nil
	}
	return "", fmt.Errorf("golden test: %w\n%s", err, out)
}
