package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/store"
)

// rareData has columns with rare groups: a ward with few rows, one that is pooled, a number with few missing
// values, and numbers with few 1s, few 0s, and few values other than 0. sex and dose have no rare group.
func rareData(n, few int) *table.Table {
	rng := rand.New(rand.NewPCG(5, uint64(few)))
	age, dose, flag, most := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	visits := make([]float64, n)
	ward, sex, sick := make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		age[i], dose[i], flag[i], most[i] = math.Round(40+40*rng.Float64()), float64(rng.IntN(2)), 0, 1
		ward[i], sex[i] = []string{"north", "south", "east"}[rng.IntN(3)], []string{"f", "m"}[rng.IntN(2)]
		switch {
		case i < few:
			ward[i] = "west"
		case i < 2*few:
			age[i] = math.NaN()
		case i < 3*few:
			flag[i] = 1
		case i < 4*few:
			most[i] = 0
		case i < 5*few:
			visits[i] = float64(1 + i%3)
		}
		sick[i] = []string{"no", "yes"}[min(1, int(2*rng.Float64()*(0.5+float64(dose[i])/2)+0.2))]
	}
	return tabletest.ByHand(tabletest.Numbers("age", age...), tabletest.Numbers("dose", dose...),
		tabletest.Numbers("flag", flag...), tabletest.Numbers("most", most...), tabletest.Numbers("visits", visits...),
		tabletest.Texts("ward", ward...),
		tabletest.Texts("sex", sex...), tabletest.Texts("sick", sick...))
}

// rareRun is a run on rareData.
func rareRun(t *testing.T, few int, change func(*runspec.Spec)) store.Run {
	spec := smallSpec("interval")
	spec.Predictors = []string{"age", "dose", "flag", "most", "visits", "ward", "sex"}
	spec.Model.L2 = fit.L2{Value: 1e-3}
	if change != nil {
		change(&spec)
	}
	r, err := engine.Fit(t.Context(), rareData(160, few), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return store.Run{ID: "r1", DatasetName: "rare.csv", Spec: spec, Result: r, Version: "0.1"}
}

// coefficientTable is the table of coefficients of a document.
func coefficientTable(t *testing.T, d doc.Document) doc.Table {
	for _, s := range d.Sections {
		for _, n := range s.Body {
			if one, ok := n.(doc.Table); ok && one.Label == "Coefficients" {
				return one
			}
		}
	}
	t.Fatal("no coefficients")
	return doc.Table{}
}

// TestRareTerms: the weight per SD is masked for every level, missing indicator or two-valued number that 1 to 9
// rows have or lack, and for no other term.
func TestRareTerms(t *testing.T) {
	half := func(s *runspec.Spec) { s.Validation = runspec.Validation{Kind: "split", Test: 0.5} }
	for name, tt := range map[string]struct {
		few            int
		change         func(*runspec.Spec)
		masked, stands []string
	}{
		"four rows": {4, nil, []string{model.InterceptName, "flag", "most", "visits", "ward = (other)"},
			[]string{"age", "dose", "sex = m"}},
		"nine rows": {9, nil, []string{model.InterceptName, "flag", "most", "visits", "ward = (other)"},
			[]string{"age", "dose", "sex = m"}},
		"twenty rows": {20, nil, nil, []string{model.InterceptName, "age", "age missing", "flag", "most", "visits", "ward = west"}},
		"held out, which Table 1 would leave": {20, half, []string{model.InterceptName, "sex = m", "age missing"},
			[]string{"age", "dose"}},
	} {
		t.Run(name, func(t *testing.T) {
			run := rareRun(t, tt.few, tt.change)
			p := New(run, store.Dataset{}, Clinical{Model: run.Result.Model})
			masked := map[string]bool{}
			for i, row := range coefficientTable(t, p.Report()).Rows {
				c := run.Result.Coefficients[i]
				if masked[c.Name] = row.Cells[2].Text() == maskedText; masked[c.Name] || c.Name == model.InterceptName {
					continue
				}
				// Both weights give the SD, and the SD of a two-valued column gives its count.
				sd, n := *c.Standardized/c.Value, float64(run.Result.Flow.Trained)
				if rows := n * (1 - math.Sqrt(max(0, 1-4*sd*sd))) / 2; rows > 0.5 && rows < 9.5 {
					t.Errorf("%s: %.3f rows are told", c.Name, rows)
				}
			}
			for _, name := range tt.masked {
				if !masked[name] && name != "sex = m" || name == "sex = m" && !masked[name] && !masked["sex = f"] {
					t.Errorf("%s stands", name)
				}
			}
			for _, name := range tt.stands {
				if masked[name] {
					t.Errorf("%s is masked", name)
				}
			}
		})
	}
}

// TestRareKinds checks rareTerms term by term: by the rows of a group, by the remaining rows, and by the levels of
// a category together.
func TestRareKinds(t *testing.T) {
	level := func(column, name string, rows float64) prep.Term {
		q := rows / 200
		return prep.Term{Name: name, Column: column, Kind: prep.Level, Mean: q, SD: math.Sqrt(q * (1 - q))}
	}
	m := &model.Model{
		Columns: []prep.Column{{Name: "a", Kind: prep.Category}, {Name: "b", Kind: prep.Category},
			{Name: "c", Kind: prep.Number, Min: 1, Max: 2}, {Name: "d", Kind: prep.Number, Min: 0, Max: 9},
			{Name: "e", Kind: prep.Number, Min: -2, Max: 2, Sparse: true}},
		Terms: []prep.Term{level("a", "one", 40), level("a", "two", 9), level("b", "one", 40), level("b", "two", 100),
			{Column: "c", Kind: prep.Value, Mean: 1 + 0.02, SD: math.Sqrt(0.02 * 0.98)},
			{Column: "d", Kind: prep.Value, Mean: 0.18, SD: 1.2}, {Column: "e", Kind: prep.Value, Mean: 0, SD: 0.2}},
	}
	if got, want := m.Rare(200), []bool{true, true, false, false, true, false, true}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := m.Rare(0); slices.Contains(got[:5], false) || got[5] {
		t.Errorf("of an unknown number of rows: %v", got)
	}
	m.Terms[3] = level("b", "two", 155) // leaves 5 rows
	if got := m.Rare(200); !got[2] || !got[3] {
		t.Errorf("the rest of five rows: %v", got)
	}
}

// figureOf finds a figure of a document by its title; nil where there is none.
func figureOf(d doc.Document, title string) *doc.Figure {
	for _, s := range d.Sections {
		for _, n := range s.Body {
			all, _ := n.(doc.Figures)
			for i, f := range all {
				if f.Title == title {
					return &all[i]
				}
			}
		}
	}
	return nil
}

// TestFewInPlane: the plane of the components shows no row of a level, indicator or two-valued number that 1 to 9
// rows have, so moving such rows does not change the picture.
func TestFewInPlane(t *testing.T) {
	run := rareRun(t, 4, nil)
	pca := run.Result.PCA
	var rows []int
	for _, i := range pca.Few {
		rows = append(rows, pca.Row[i])
	}
	// Four rows each: ward west, the indicator set, the other indicator unset, visits other than 0. The four without an
	// age (4 to 7) are at its median, and no term tells them.
	if want := []int{0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}; !slices.Equal(rows, want) {
		t.Fatalf("rows %v", rows)
	}
	const title = "Rows by band"
	drawn := func() string {
		f := figureOf(New(run, store.Dataset{}, Clinical{Model: run.Result.Model}).Report(), title)
		if f == nil {
			return ""
		}
		return f.SVG
	}
	before := drawn()
	for _, i := range pca.Few {
		pca.X[i], pca.Y[i] = 100*pca.X[i], 3-pca.Y[i]
	}
	if before == "" || drawn() != before {
		t.Error("rows of small levels are drawn")
	}
	pca.X[20], pca.Y[20] = 9, 9
	if drawn() == before {
		t.Error("other rows are not")
	}
	if pca.Few = nil; drawn() != "" {
		t.Error("a picture stands of a run that does not say which rows are few")
	}
	if common := rareRun(t, 20, nil).Result.PCA; common.Few != nil {
		t.Errorf("levels of twenty rows: %v", common.Few)
	}
}

// TestKeptModelTellsNoGroup: what is kept of a run (model, numbers and report) contains no mean, SD or weight per
// SD that determines a group of 1 to 9 rows.
func TestKeptModelTellsNoGroup(t *testing.T) {
	split := func(s *runspec.Spec) { s.Validation = runspec.Validation{Kind: "split", Test: 0.5} }
	classes := func(s *runspec.Spec) {
		s.Task, s.Mode, s.Positive, s.Boundaries = "multiclass", "", nil, nil
		s.Model = fit.Spec{Kind: "linear", Loss: "softmax", L2: fit.L2{Value: 1e-3}}
	}
	trees := func(s *runspec.Spec) { s.Model = fit.Spec{Kind: "boost", Loss: "alpha"} }
	for name, change := range map[string]func(*runspec.Spec){"bands": nil, "split": split, "classes": classes, "trees": trees} {
		t.Run(name, func(t *testing.T) {
			live := rareRun(t, 4, change)
			run, m := WithoutRows(live, live.Result.Model)
			c := Clinical{Model: m}
			if run.Result.Classes == nil {
				c.Known, c.Statistics = true, live.Result.Statistics(live.Spec, live.Result.Rows, nil)
			}
			p := New(run, store.Dataset{}, c)
			p.Kept = true
			result := p.Numbers()
			n := float64(live.Result.Flow.Trained)
			few := func(rows float64) bool { return rows > 0.5 && rows < 9.5 || n-rows > 0.5 && n-rows < 9.5 }
			folded := map[string]bool{"age missing": true} // no term in folds that hold out all rows with missing age
			for _, term := range m.Terms {
				folded[term.Name] = term.Mean == 0 && term.SD == 1
				if term.Kind != prep.Value && few(term.Mean*n) || term.SD < 0.5 && few(n*(1-math.Sqrt(1-4*term.SD*term.SD))/2) {
					t.Errorf("%s: mean %v, SD %v", term.Name, term.Mean, term.SD)
				}
			}
			if !folded["age missing"] || !folded["flag"] || !folded["most"] || !folded["visits"] || folded["age"] {
				t.Errorf("folded: %v", folded)
			}
			for _, k := range result.Coefficients {
				if (folded[k.Name] || k.Name == model.InterceptName) != (k.Standardized == nil) {
					t.Errorf("%s %s: %v per SD", k.Class, k.Name, k.Standardized)
				}
			}
			for _, tree := range m.Trees {
				if tree.Error != 0 || tree.Loss != 0 {
					t.Errorf("a tree of the error %v, with the loss %v", tree.Error, tree.Loss)
				}
				for _, node := range tree.Nodes {
					if v := node.Threshold; node.Below != 0 && folded[m.Terms[node.Feature].Name] &&
						m.Terms[node.Feature].Kind != prep.Value && v != -1 && v != 0.5 && v != 1 {
						t.Errorf("a split at %v of %s", v, m.Terms[node.Feature].Name)
					}
				}
			}
			if name == "bands" {
				for _, row := range coefficientTable(t, p.Report()).Rows {
					if name := row.Cells[0].Text(); folded[name] && row.Cells[2].Text() != maskedText {
						t.Errorf("the kept report says %s per SD of %s", row.Cells[2].Text(), name)
					}
				}
			}
		})
	}
}

// TestDensityBesideMaskedBands: where bands are masked the density depends only on the printed counts and on its
// shape within unmasked bands. Changes within a masked band, and of the total in any band, leave the picture as it
// is.
func TestDensityBesideMaskedBands(t *testing.T) {
	const title = "Score distribution by class, with the cut-offs"
	masked, shown := 0, 0
	for seed := range uint64(12) {
		data, spec := smallData(rand.New(rand.NewPCG(seed, 7))), smallSpec("logistic")
		r, err := engine.Fit(t.Context(), data, spec, nil)
		if err != nil || len(r.Density) == 0 {
			continue
		}
		p := New(store.Run{ID: "r1", Spec: spec, Result: r}, store.Dataset{}, Clinical{Model: r.Model})
		f := figureOf(p.Report(), title)
		if f == nil {
			continue
		}
		bands := p.printed().strata
		before := f.SVG
		change := r.Density
		r.Density = slices.Clone(change)
		for k, d := range r.Density {
			r.Density[k].Y, r.Density[k].Median = slices.Clone(d.Y), d.Median+1
			for i, x := range d.X {
				j := 0
				for j < len(r.Delta) && x > r.Delta[j] {
					j++
				}
				if m := bands.Rows[j]; !m.N.Shown() || !m.Events.Shown() {
					r.Density[k].Y[i] = float64(i % 7) // an arbitrary shape
				} else {
					r.Density[k].Y[i] *= float64(2 + j + k)
				}
			}
		}
		same := figureOf(p.Report(), title).SVG == before
		if bands.Hidden() {
			masked++
			if !same {
				t.Errorf("seed %d: the density tells what lies in a masked band", seed)
			}
		} else if shown++; same {
			t.Errorf("seed %d: the density of shown bands is not drawn", seed)
		}
	}
	if masked < 3 {
		t.Errorf("%d masked reports, %d others", masked, shown)
	}
}

// TestBandedArea compares areas with counts computed by hand: 30 shown in the lower half of three bands, 1 to 9 and
// 21 to 29 above.
func TestBandedArea(t *testing.T) {
	span := func(low, high int) mask.Row {
		return mask.Row{N: mask.Span{Low: 30, High: 30}, Events: mask.Span{Low: low, High: high}}
	}
	rows := []mask.Row{span(30, 30), span(1, 9), span(21, 29)}
	x, y := banded([]float64{0, 1, 2, 3, 4, 6, 8}, []float64{1, 2, 3, 2, 1, 1, 9}, []float64{4, 6}, rows,
		func(r mask.Row) mask.Span { return r.Events })
	area := map[int]float64{}
	for i := range x[1:] {
		area[[]int{0, 0, 0, 0, 1, 1, 2, 2, 2}[int(x[i])]] += (x[i+1] - x[i]) * (y[i] + y[i+1]) / 2
	}
	for j, want := range []float64{30. / 60, 5. / 60, 25. / 60} {
		if math.Abs(area[j]-want) > 1e-12 {
			t.Errorf("band %d: area %v, want %v", j, area[j], want)
		}
	}
}

// TestDecisionsBesideMaskedBands: where a band is masked the decision curve shows only the ranges that the printed
// counts allow. Other net benefits, and other counts that print alike, give the same picture.
func TestDecisionsBesideMaskedBands(t *testing.T) {
	masked := 0
	for seed := range uint64(16) {
		data, spec := smallData(rand.New(rand.NewPCG(seed, 7))), smallSpec("logistic")
		r, err := engine.Fit(t.Context(), data, spec, nil)
		if err != nil {
			continue
		}
		c := Clinical{Known: true, Statistics: r.Statistics(spec, r.Rows, nil), Model: r.Model}
		drawn := func() string {
			f := figureOf(New(store.Run{ID: "r1", Spec: spec, Result: r}, store.Dataset{}, c).Report(), "Decision curve")
			if f == nil {
				return ""
			}
			if f.Lines != nil {
				t.Error("the curve is printed with its numbers")
			}
			return f.SVG
		}
		before := drawn()
		if before == "" {
			continue
		}
		c.Statistics.Decisions = slices.Clone(c.Statistics.Decisions)
		for i := range c.Statistics.Decisions {
			v := *c.Statistics.Decisions[i].Model.Value / 2
			c.Statistics.Decisions[i].Model.Value = &v
		}
		c.Statistics.Boundaries = slices.Clone(c.Statistics.Boundaries)
		for k := range c.Statistics.Boundaries {
			b := &c.Statistics.Boundaries[k]
			b.TP, b.FN = b.FN, b.TP
		}
		hidden := mask.Hide(New(store.Run{Spec: spec, Result: r}, store.Dataset{}, c).c.counts()[bands]).Hidden()
		if same := drawn() == before; same != hidden {
			t.Errorf("seed %d: masked %v, the picture stays %v", seed, hidden, same)
		}
		if hidden {
			masked++
		}
	}
	if masked < 3 {
		t.Errorf("%d masked reports", masked)
	}
}

// TestMaskedCorrelation: a masked report does not say how closely two terms correlate: a correlation of 1 between terms
// of missing values says that the same rows lack both, and a masked count follows.
func TestMaskedCorrelation(t *testing.T) {
	w := engine.Warning{Code: engine.WarnCollinear, Column: "trt",
		Message: "‘trt missing’ and ‘ascites missing’ correlate at 1.000: their coefficients share one effect."}
	r := &engine.Result{Warnings: []engine.Warning{w}}
	p := New(store.Run{Result: r}, store.Dataset{}, Clinical{Result: r}).printed()
	if got := p.warning(w); strings.Contains(got, "1.000") || strings.Contains(got, "ascites") || !strings.Contains(got, "trt") {
		t.Error(got)
	}
	p.Small = ShowSmall
	if got := p.warning(w); got != w.Message {
		t.Error(got)
	}
}
