package study

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/testtime"
	"taper/testdata"
)

// TestPresets: every preset and check runs in its smoke size, has keys that
// differ and values that exist, and can say what it is.
func TestPresets(t *testing.T) {
	if testing.Short() {
		t.Skip("every preset once takes some seconds")
	}
	seen := map[string]bool{}
	for _, p := range slices.Concat(Presets, Checks) {
		t.Run(p.ID, func(t *testing.T) {
			if seen[p.ID] || p.Title == "" || p.Source == "" || p.Figure == "" || !strings.HasSuffix(strings.TrimSpace(p.Protocol), ".") || len(p.Drawing.Metrics) == 0 {
				t.Errorf("described badly: %+v", p)
			}
			seen[p.ID] = true
			begin := time.Now()
			plan, err := p.Build(Input{Size: Smoke, Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			distinct(t, plan)
			cells := Summarise(plan, mustRun(t, plan, nil))
			exists(t, p, cells)
			for _, n := range p.NotesOn(cells) {
				if strings.Contains(n, "%!") {
					t.Errorf("note %q", n)
				}
			}
			t.Logf("%d units, %d cells, %.1f s", len(plan.Units), len(cells), time.Since(begin).Seconds())
		})
	}
}

// TestOnUpload: of a preset that takes an upload nothing is left of its own
// data, and every clause to replace is there.
func TestOnUpload(t *testing.T) {
	if got := grouped(1002000); got != "1,002,000" {
		t.Error(got)
	}
	for _, p := range Presets {
		for i := 0; i < len(p.OwnData); i += 2 {
			if !p.Uploads || !strings.Contains(p.Protocol+p.Title, p.OwnData[i]) {
				t.Errorf("%s: no clause %q", p.ID, p.OwnData[i])
			}
		}
		if !p.Uploads {
			continue
		}
		title, protocol := p.On()
		for _, own := range []string{"Wisconsin", "breast cancer", "blobs", "stripes", "Iris", "Servedio", "Mease", "2,000 rows", "uploaded", "upload"} {
			if strings.Contains(title+protocol, own) {
				t.Errorf("%s on an upload: %q in %s", p.ID, own, protocol)
			}
		}
		if strings.ToUpper(protocol[:1]) != protocol[:1] || len(protocol) < 100 {
			t.Errorf("%s: %s", p.ID, protocol)
		}
	}
}

// distinct holds units apart by id and, within a replicate, values by key.
func distinct(t *testing.T, p Plan) {
	t.Helper()
	ids, keys := map[string]bool{}, map[int]map[Key]bool{}
	for _, u := range p.Units {
		if ids[u.ID] || u.Kind == "" {
			t.Errorf("unit %q is there twice or has no kind", u.ID)
		}
		ids[u.ID] = true
		if keys[u.Replicate] == nil {
			keys[u.Replicate] = map[Key]bool{}
		}
		for _, k := range u.Keys {
			if keys[u.Replicate][k] {
				t.Errorf("%+v is there twice in replicate %d", k, u.Replicate)
			}
			keys[u.Replicate][k] = true
		}
	}
}

func exists(t *testing.T, p Preset, cells []Cell) {
	t.Helper()
	values := map[string]int{}
	for _, c := range cells {
		values[c.Metric] += c.N
	}
	for _, m := range p.Drawing.Metrics {
		if values[m.ID] == 0 {
			t.Errorf("no value of %s", m.ID)
		}
	}
}

// TestReferencesHaveCells: what a reference is held against exists in the sizes
// it is judged in.
func TestReferencesHaveCells(t *testing.T) {
	for _, p := range slices.Concat(Presets, Checks) {
		for _, size := range []Size{Quick, Full} {
			plan, err := p.Build(Input{Size: size, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			known := map[Key]bool{}
			for _, u := range plan.Units {
				for _, k := range u.Keys {
					known[k] = true
				}
			}
			for _, r := range p.References {
				if !known[r.Key] || r.Where == "" {
					t.Errorf("%s, %s: nothing to hold %+v against", p.ID, size, r)
				}
			}
			if size == Full {
				distinct(t, plan)
			}
		}
	}
}

// TestPresetRepeats: a preset's numbers are those of its seed, whatever ran
// before; another size has the same numbers where it has the same units.
func TestPresetRepeats(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds, and TestRunRepeats shows it in small")
	}
	p, _ := PresetByID("sypherd-fig6")
	small, _ := p.Build(Input{Size: Smoke, Seed: 3})
	large, _ := p.Build(Input{Size: Quick, Seed: 3})
	want := mustRun(t, small, nil)
	large.Units = slices.DeleteFunc(large.Units, func(u Unit) bool { return u.Replicate > 1 })
	got := mustRun(t, large, nil)
	for id := range got {
		if want[id] == nil {
			delete(got, id)
		}
	}
	same(t, "quick", got, want)
}

// cancerTable is the shipped file as an upload.
func cancerTable(t *testing.T) *table.Table {
	t.Helper()
	c, err := table.Read(t.Context(), testdata.Read("wdbc.csv"), table.Options{}, table.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestUpload: the preset's own data as an upload give the same numbers, since
// the preprocessing is one; where it may not take its place, it says so.
func TestUpload(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds: the preset twice")
	}
	data := &Data{Name: "my file", Table: cancerTable(t), Outcome: "diagnosis", Positive: table.Levels{"malignant"}}
	s := Spec{Preset: "sypherd-fig6", Size: Smoke, Seed: 3, Dataset: Source{ID: "ab12"}, Outcome: "diagnosis"}
	p, err := NewPlan(s, data)
	if err != nil {
		t.Fatal(err)
	}
	own, err := NewPlan(Spec{Preset: "sypherd-fig6", Size: Smoke, Seed: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, want := mustRun(t, p, nil), mustRun(t, own, nil)
	for id, v := range want {
		for i := range v {
			if math.Abs(got[id][i]-v[i]) > 0.03 { // scaled sums may differ in the last digit
				t.Errorf("%s: %v, own data %v", id, got[id][i], v[i])
			}
		}
	}
	if p.Units[0].Keys[0].Data != "my file" {
		t.Errorf("data are called %q", p.Units[0].Keys[0].Data)
	}
	data.Outcome = "mean_radius"
	if _, err := NewPlan(s, data); !usererr.Is(err, usererr.Invalid) {
		t.Errorf("an outcome of many values: %v", err)
	}
	fig5, _ := PresetByID("sypherd-fig5")
	if _, err := fig5.build(Input{Size: Smoke, Data: data}); !usererr.Is(err, usererr.Invalid) {
		t.Errorf("an upload in place of generated rows: %v", err)
	}
}

// TestPresetCancels: the longest unit there is ends soon.
func TestPresetCancels(t *testing.T) {
	p, _ := PresetByID("sypherd-fig7")
	plan, err := p.Build(Input{Size: Full, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	begin := testtime.Spent()
	_, err = Run(ctx, plan)
	if took := testtime.Spent() - begin; err == nil || took > 2*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}
