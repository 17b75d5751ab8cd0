package paper

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/golden"
	"taper/internal/testtime"
	"taper/testdata"
)

// TestPresets: every preset and check runs in its smoke size, has keys that
// differ and values that exist, and can say what it is.
func TestPresets(t *testing.T) {
	const slow = " amid-table1 ding-fig3 fathony-table2 fathony-table6 kimes-fig7 label-audit label-audit-rules sypherd-fig12 " +
		"sypherd-fig16 sypherd-fig17 sypherd-fig18 sypherd-fig19 sypherd-fig23 sypherd-fig24 sypherd-fig25 sypherd-fig4 sypherd-fig7 "
	seen := map[string]bool{}
	for _, p := range slices.Concat(Presets, Checks) {
		t.Run(p.ID, func(t *testing.T) {
			if seen[p.ID] || p.Title == "" || p.Source == "" || p.Figure == "" || !strings.HasSuffix(strings.TrimSpace(p.Protocol), ".") || len(p.Drawing.Metrics) == 0 {
				t.Errorf("described badly: %+v", p)
			}
			seen[p.ID] = true
			if testing.Short() && strings.Contains(slow, " "+p.ID+" ") {
				t.Skip("takes a second")
			}
			begin := time.Now()
			plan, err := p.Build(study.Input{Size: study.Smoke, Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			distinct(t, plan)
			cells := study.Summarise(plan, mustRun(t, plan, nil))
			exists(t, p, cells)
			for _, n := range p.NotesOn(cells) {
				if strings.Contains(n, "%!") {
					t.Errorf("note %q", n)
				}
			}
			t.Logf("%d units, %d cells, %.1f s", len(plan.Units), len(cells), time.Since(begin).Seconds())
			// Numbers of what is still under way are not held.
			if golden.Exists("presets/" + p.ID) {
				golden.Equal(t, "presets/"+p.ID, held(plan, cells))
			}
		})
	}
}

// TestGroups: a preset stands in one group at most, beside others of its paper, each with a
// label of its own.
func TestGroups(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range groups {
		labels := map[string]bool{}
		for _, v := range g.Variants {
			_, known := Presets.ByID(v.ID)
			if !known || seen[v.ID] || labels[v.Label] || v.Label == "" || PaperOf(v.ID) != PaperOf(g.Variants[0].ID) {
				t.Errorf("%q: %+v is no preset, stands twice, or is of another paper", g.Title, v)
			}
			seen[v.ID], labels[v.Label] = true, true
		}
	}
	for _, p := range Presets {
		if g := GroupOf(p); PaperOf(p.ID).Name == "" || !slices.ContainsFunc(g.Variants, func(v Variant) bool { return v.ID == p.ID }) {
			t.Errorf("%s is not in its group %+v", p.ID, g)
		}
	}
}

// held are the means of the cells, but for what the machine decides.
func held(plan study.Plan, cells []study.Cell) (means []*float64) {
	for _, c := range cells {
		if !slices.Contains(plan.MachineMetrics, c.Metric) {
			means = append(means, c.Mean)
		}
	}
	return means
}

// TestOnUpload: of a preset that takes an upload nothing is left of its own
// data, and every clause to replace is there.
func TestOnUpload(t *testing.T) {
	for _, p := range Presets {
		for i := 0; i < len(p.UploadTexts); i += 2 {
			if !p.Uploads || !strings.Contains(p.Protocol+p.Title, p.UploadTexts[i]) {
				t.Errorf("%s: no clause %q", p.ID, p.UploadTexts[i])
			}
		}
		if !p.Uploads {
			continue
		}
		title, protocol := p.ForUpload()
		for _, own := range []string{"Wisconsin", "breast cancer", "blobs", "stripes", "Iris", "Servedio", "Mease", "2000 rows", "uploaded", "upload"} {
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
func distinct(t *testing.T, p study.Plan) {
	t.Helper()
	ids, keys := map[string]bool{}, map[int]map[study.Key]bool{}
	for _, u := range p.Units {
		if ids[u.ID] || u.Kind == "" {
			t.Errorf("unit %q is there twice or has no kind", u.ID)
		}
		ids[u.ID] = true
		if keys[u.Replicate] == nil {
			keys[u.Replicate] = map[study.Key]bool{}
		}
		for _, k := range u.Keys {
			if keys[u.Replicate][k] {
				t.Errorf("%+v is there twice in replicate %d", k, u.Replicate)
			}
			keys[u.Replicate][k] = true
		}
	}
}

func exists(t *testing.T, p study.Preset, cells []study.Cell) {
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
// it is evaluated in.
func TestReferencesHaveCells(t *testing.T) {
	for _, p := range slices.Concat(Presets, Checks) {
		for _, size := range []study.Size{study.Quick, study.Full} {
			plan, err := p.Build(study.Input{Size: size, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			known := map[study.Key]bool{}
			for _, u := range plan.Units {
				for _, k := range u.Keys {
					known[k] = true
				}
			}
			for _, r := range p.References {
				if !known[r.Key] || r.Against != nil && !known[*r.Against] || r.Where == "" {
					t.Errorf("%s, %s: nothing to hold %+v against", p.ID, size, r)
				}
			}
			if size == study.Full {
				distinct(t, plan)
			}
		}
	}
}

// TestSizes: the units of a whole study are its replicates times its settings, and a paper's
// numbers and the differences of them are as many as the table or figure prints. A difference
// whose numbers have other keys would be left out without a word.
func TestSizes(t *testing.T) {
	for id, want := range map[string][3]int{ // units, numbers, differences
		"amid-fig2": {20 * 4, 0, 0}, "amid-table1": {20 * 4, 0, 2}, "amid-table2": {20, 0, 0}, "amid-sweeps": {20 * 60, 0, 0},
		"fathony-table2": {20 * 8, 5, 4}, "fathony-table4": {20 * 5, 0, 0}, "fathony-table5": {20 * 3, 0, 0},
		"fathony-table6": {20 * 6, 4, 2}, "fathony-thresholds": {20, 0, 0},
		"ding-fig3": {20 * 4, 24, 9}, "ding-fig4": {20 * 2, 6, 3}, "ding-fig5": {20 * 10, 0, 0}, "ding-table4": {20 * 2, 0, 0},
		"sypherd-fig3": {7, 13, 0}, "sypherd-fig10": {20, 0, 0}, "sypherd-fig4": {20 * 16, 2, 1},
		"sypherd-fig5": {20 * 28, 5, 3}, "sypherd-fig20": {20 * 28, 4, 3}, "sypherd-fig16": {20 * 16, 8, 7},
		"sypherd-fig6":  {20 * 4, 3 * 4, 2*4 + 2}, // three α at four rates; α = 2 and 8 against ½, and what noise costs two of them
		"sypherd-fig23": {20 * 5, 3, 2}, "sypherd-fig26": {20 * 5, 3, 2}, "sypherd-fig28": {20 * 5, 4, 3},
		"sypherd-fig7": {155, 12, 2}, "sypherd-fig8": {20, 0, 1}, "sypherd-fig8-forest": {5, 0, 0}, "sypherd-fig30": {20, 0, 0},
		"kimes-fig6": {100 * 9, 9 * 2, 9}, "kimes-fig6a": {100 * 10, 0, 0}, "kimes-fig7": {100 * 9, 9 * 2, 9}, "kimes-fig7a": {100 * 10, 0, 0},
		"long-servedio-linear": {20 * 24, 24, 20}, "long-servedio-rounds": {20, 5, 0}, "breast-cancer-linear": {20 * 8, 2 * 4, 4},
		"label-audit": {10 * 4, 4, 0}, "label-audit-rules": {10 * 4 * 3, 0, 0}, // seeds, data, kinds of flips
	} {
		all := slices.Concat(Presets, Checks)
		p := all[slices.IndexFunc(all, func(p study.Preset) bool { return p.ID == id })]
		plan, err := p.Build(study.Input{Size: study.Full, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		got := [3]int{len(plan.Units), len(p.References)}
		for _, r := range p.References {
			if r.Against != nil {
				got[1], got[2] = got[1]-1, got[2]+1
			}
		}
		if got != want {
			t.Errorf("%s has %d units, %d numbers and %d differences, want %d", id, got[0], got[1], got[2], want)
		}
	}
}

// TestVerdictOrNone: each preset has numbers to land at or says what stands in the
// paper in their place. What they were made of is stated, and of a contrast the
// replicates can be paired.
func TestVerdictOrNone(t *testing.T) {
	for _, p := range Presets {
		if (len(p.References) == 0) != strings.HasSuffix(p.NoNumbers, ".") {
			t.Errorf("%s has %d references and says %q", p.ID, len(p.References), p.NoNumbers)
		}
	}
	for _, p := range slices.Concat(Presets, Checks) {
		names := map[string]bool{}
		for _, r := range p.References {
			if names[r.Name()] {
				t.Errorf("%s: two references of %s", p.ID, r.Name())
			}
			names[r.Name()] = true
			if r.Sign != 0 && (r.Against == nil || r.Value != 0) || r.N > 0 && r.Digit == 0 || r.Median && r.SD > 0 {
				t.Errorf("%s: %+v", p.ID, r)
			}
			if r.Differs != "" && !strings.HasSuffix(r.Differs, ".") {
				t.Errorf("%s differs: %q", r.Name(), r.Differs)
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
	p, _ := Presets.ByID("sypherd-fig6")
	small, _ := p.Build(study.Input{Size: study.Smoke, Seed: 3})
	large, _ := p.Build(study.Input{Size: study.Quick, Seed: 3})
	want := mustRun(t, small, nil)
	large.Units = slices.DeleteFunc(large.Units, func(u study.Unit) bool { return u.Replicate > 1 })
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

// TestPresetGrids: a preset that can be changed is a valid grid, once a dataset is
// named.
func TestPresetGrids(t *testing.T) {
	for _, p := range Presets {
		if p.Grid == nil {
			continue
		}
		s := *p.Grid
		if s.Dataset.IsZero() {
			s.Dataset.ID, s.Outcome = "ab12", "y"
		}
		if err := s.WithDefaults().Validate(nil); err != nil {
			t.Errorf("%s: %v", p.ID, err)
		}
	}
}

// TestUpload: the preset's own data as an upload give the same numbers, since
// the preprocessing is one; where it may not take its place, it says so.
func TestUpload(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds: the preset twice")
	}
	data := &study.Data{Name: "my file", Table: cancerTable(t), Outcome: "diagnosis", Positive: table.Levels{"malignant"}}
	s := study.Spec{Preset: "sypherd-fig6", Size: study.Smoke, Seed: 3, Dataset: study.Source{ID: "ab12"}, Outcome: "diagnosis"}
	p, err := study.NewPlan(Presets, s, data)
	if err != nil {
		t.Fatal(err)
	}
	own, err := study.NewPlan(Presets, study.Spec{Preset: "sypherd-fig6", Size: study.Smoke, Seed: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, want := mustRun(t, p, nil), mustRun(t, own, nil)
	for id, v := range want {
		for i := range v {
			if !(math.Abs(got[id][i]-v[i]) <= 0.03) { // scaled sums may differ in the last digit
				t.Errorf("%s: %v, own data %v", id, got[id][i], v[i])
			}
		}
	}
	if p.Units[0].Keys[0].Data != "my file" {
		t.Errorf("data are called %q", p.Units[0].Keys[0].Data)
	}
	data.Outcome = "mean_radius"
	if _, err := study.NewPlan(Presets, s, data); !usererr.Is(err, usererr.Invalid) {
		t.Errorf("an outcome of many values: %v", err)
	}
	fig5, _ := Presets.ByID("sypherd-fig5")
	if _, err := study.NewPlan(Presets, study.Spec{Preset: fig5.ID, Size: study.Smoke}, data); !usererr.Is(err, usererr.Invalid) {
		t.Errorf("an upload in place of generated rows: %v", err)
	}
}

// TestPresetCancels: the longest unit there is ends soon.
func TestPresetCancels(t *testing.T) {
	testtime.TwoCores(t)
	p, _ := Presets.ByID("sypherd-fig7")
	plan, err := p.Build(study.Input{Size: study.Full, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	begin := testtime.Spent()
	_, err = study.Run(ctx, plan)
	if took := testtime.Spent() - begin; err == nil || took > 2*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}

func mustRun(t *testing.T, p study.Plan, done study.Values) (values study.Values) {
	t.Helper()
	s := study.Session{Plan: p, Done: done, Finish: func(_ context.Context, all study.Values) error {
		values = all
		return nil
	}}
	if err := job.Do(t.Context(), &s, nil); err != nil {
		t.Fatal(err)
	}
	return values
}

func same(t *testing.T, what string, got, want study.Values) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d units, want %d", what, len(got), len(want))
	}
	for id, v := range want {
		for i := range v {
			if len(got[id]) != len(v) || math.Float64bits(got[id][i]) != math.Float64bits(v[i]) && !(math.IsNaN(v[i]) && math.IsNaN(got[id][i])) {
				t.Errorf("%s: unit %s is %v, want %v", what, id, got[id], v)
				break
			}
		}
	}
}

// TestRoundsReferences: the accuracies that we were given, each at its number of stumps.
func TestRoundsReferences(t *testing.T) {
	want := [][2]float64{{100, .771}, {200, .834}, {400, .961}, {600, .997}, {800, 1}}
	refs := roundsReferences()
	for i, w := range want {
		if len(refs) != len(want) || refs[i].Key.At != w[0] || refs[i].Value != w[1] || (refs[i].HalfWidth > 0) != (w[0] == 100 || w[0] == 400) {
			t.Fatalf("%+v", refs)
		}
	}
}
