package paper

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/study"
	"taper/testdata"
)

// paperData writes the papers' sets to a folder; it skips where their packages are not.
func paperData(t *testing.T) string {
	t.Helper()
	script, dir := filepath.Join("..", "..", "..", "..", "bench", "paperdata", "main.sh"), t.TempDir()
	if out, err := exec.CommandContext(t.Context(), script, "-check").CombinedOutput(); err != nil {
		t.Skipf("the papers’ sets cannot be written here: %s", out)
	}
	if out, err := exec.CommandContext(t.Context(), script, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// TestPaperData: make paper-data writes the sets that presets are run on, as the presets
// describe them, and a line of SOURCES for each file; a reference on a set has a cell.
func TestPaperData(t *testing.T) {
	dir := paperData(t)
	sources, err := os.ReadFile(filepath.Join(dir, "SOURCES"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(sources)), "\n")
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil || len(files) != len(lines)-1 {
		t.Errorf("%d files, %d lines of SOURCES: %v", len(files), len(lines)-1, err)
	}
	for _, line := range lines[1:] {
		f := strings.Split(line, "\t")
		raw, err := os.ReadFile(filepath.Join(dir, f[0]))
		if err != nil || len(f) != 8 || slices.Contains(f, "") {
			t.Fatalf("%q: %v", line, err)
		}
		head, body, _ := strings.Cut(string(raw), "\n")
		rows, columns, sum := strings.Count(body, "\n"), strings.Count(head, ",")+1, sha256.Sum256(raw)
		if f[5] != fmt.Sprint(rows) || f[6] != fmt.Sprint(columns) || f[7] != fmt.Sprintf("%x", sum) {
			t.Errorf("%s has %d rows and %d columns, SOURCES has %s and %s, or another sum", f[0], rows, columns, f[5], f[6])
		}
	}
	for _, p := range Presets {
		for _, s := range p.Data.Sets {
			t.Run(p.ResultID(s), func(t *testing.T) {
				raw, err := os.ReadFile(filepath.Join(dir, s.File()))
				if err != nil {
					t.Fatal(err)
				}
				plan, err := p.BuildOn(t.Context(), s, raw, study.Full, 1)
				if err != nil {
					t.Fatal(err)
				}
				distinct(t, plan)
				for _, r := range s.References {
					if !slices.ContainsFunc(plan.Units, func(u study.Unit) bool { return slices.Contains(u.Keys, r.Key) }) {
						t.Errorf("nothing to hold %+v against", r)
					}
				}
				if s.Test == 0 {
					return
				}
				data, err := s.Data(t.Context(), raw)
				if err != nil {
					t.Fatal(err)
				}
				task, err := study.NewTask(*data)
				if err != nil {
					t.Fatal(err)
				}
				share := fathonyTest
				if p.ID == fig6.ID {
					share = cancerTest
				}
				_, judges := study.Split(1, 0, task.Y, share)
				if len(judges) != s.Test || len(task.Levels) != s.Classes || len(task.Predictors) < s.Features-3 {
					t.Errorf("%d rows judge, %d classes, %d predictors", len(judges), len(task.Levels), len(task.Predictors))
				}
			})
		}
	}
}

// TestBuildOn: a preset on its own data as a set has the numbers of the preset, and what is left
// out is not there; a file of another shape is refused.
func TestBuildOn(t *testing.T) {
	p, _ := Presets.ByID("fathony-table2")
	raw, set := testdata.Read("iris.csv"), linearOn(p.Data.Own[0])
	on, err := p.BuildOn(t.Context(), set, raw, study.Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	own, err := p.Build(study.Input{Size: study.Smoke, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	own.Units = slices.DeleteFunc(own.Units, func(u study.Unit) bool { return u.Kind != "linear" })
	got, want := mustRun(t, on, nil), mustRun(t, own, nil)
	if len(got) != 4 || len(want) != 4 {
		t.Fatalf("%d and %d units, want four methods each", len(got), len(want))
	}
	for id, v := range want {
		if len(got[id]) != 1 || !(math.Abs(got[id][0]-v[0]) <= 1./45+1e-12) { // scaled sums may differ in the last digit
			t.Errorf("%s: %v, own data %v", id, got[id], v)
		}
	}
	set.Rows--
	if _, err := p.BuildOn(t.Context(), set, raw, study.Smoke, 1); err == nil {
		t.Error("a file of another shape is taken")
	}
}
