package audit

import (
	"context"
	"math"
	"slices"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// The audit of a run with five folds and nested tuning recomputes the run's models: the
// contributions add up to the scores that the run stored.
func TestExplainIsOfTheRunsOwnModels(t *testing.T) {
	for _, c := range []auditable{
		{"binary", fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 4.}}, "", map[string]int{"age": 5}},
		{"binary", fit.Spec{Kind: "boost", Rounds: 8, Depth: 2}, "", nil},
		{"multiclass", fit.Spec{Loss: "softmax"}, "", nil},
		{"ordinal", fit.Spec{Loss: "all-threshold"}, "", nil},
		{"multiclass", fit.Spec{Loss: "al-zero-one"}, "", nil},
	} {
		tab, _ := mislabelled(120, 3, 6)
		spec := runspec.Spec{Task: c.task, Outcome: "outcome", Predictors: []string{"age", "marker", "sex", "site"}, Splines: c.splines, Model: c.model, Seed: 5}
		if !spec.Multiclass() {
			tab, _ = mislabelled(120, 2, 6)
			spec.Positive = table.Levels{"c1"}
		}
		if spec.Model.L2 = (fit.L2{Mode: "cv"}); c.model.Kind == "boost" {
			spec.Model.L2 = fit.L2{}
		}
		_, a := audited(t, tab, spec, Options{})
		if !a.Reused {
			t.Fatalf("%s: not the run's scores", c.model.Loss)
		}
		for _, r := range a.Ranking {
			divided(t, c.task+" "+c.model.Loss, tab, a, r)
		}
	}
}

// Hand calculation: α-loss with one number and one category, centred at the means of the fold's
// training rows.
func TestExplainByHand(t *testing.T) {
	tab, _ := mislabelled(90, 2, 8)
	spec := runspec.Spec{Task: "binary", Outcome: "outcome", Positive: table.Levels{"c1"}, Predictors: []string{"age", "site"}, Seed: 5, Model: fit.Spec{Loss: "alpha", L2: fit.L2{Mode: "cv"}, Tuning: runspec.TuningSame}}
	_, a := audited(t, tab, spec, Options{})
	r := a.Ranking[4]
	e, err := a.Explain(context.Background(), tab, r)
	if err != nil {
		t.Fatal(err)
	}
	m := a.Models[r.Fold]
	fold := map[int]bool{}
	for _, other := range a.Ranking {
		fold[other.Row] = other.Fold == r.Fold
	}
	toward := map[string]float64{}
	for j, term := range m.Terms {
		value := func(row int) float64 {
			if term.Column == "age" {
				return tab.Column("age").Num[row]
			}
			if site := tab.Column("site"); site.Levels[site.Code[row]] == term.Level {
				return 1
			}
			return 0
		}
		mean, n := 0.0, 0.0
		for row := range tab.Rows {
			if !fold[row] {
				mean, n = mean+value(row), n+1
			}
		}
		toward[term.Column] -= float64(2*r.Label-1) * m.Weights[j] / term.SD * (value(r.Row) - mean/n)
	}
	for _, s := range e.Spoken {
		if !closeTo(s.Toward, toward[s.Column], 1e-9) {
			t.Errorf("%s: %v, want %v", s.Column, s.Toward, toward[s.Column])
		}
	}
	if len(e.Spoken) != 2 || len(toward) != 2 {
		t.Errorf("%+v", e)
	}
}

// The contribution of a column to a kernel score is the change of the score when its cell is
// replaced in the table; the kernel sums are computed here.
func TestExplainKernelByHand(t *testing.T) {
	tab, _ := mislabelled(90, 2, 8)
	spec := runspec.Spec{Task: "binary", Outcome: "outcome", Positive: table.Levels{"c1"}, Predictors: []string{"age", "marker", "site"}, Seed: 5,
		Model: fit.Spec{Kind: "kernel", Loss: "alpha", Kernel: &fit.Kernel{Name: "rbf", Gamma: .3}, L2: fit.L2{Mode: "cv"}, Tuning: runspec.TuningSame}}
	_, a := audited(t, tab, spec, Options{})
	gone := slices.IndexFunc(a.Ranking, func(r Row) bool { return math.IsNaN(tab.Column("marker").Num[r.Row]) })
	for _, r := range []Row{a.Ranking[2], a.Ranking[60], a.Ranking[gone]} {
		m := a.Models[r.Fold]
		design := func(tab *table.Table, row int) []float64 {
			x := make([]float64, len(m.Terms))
			if err := m.pre().Transform(context.Background(), x, tab, []int{row}); err != nil {
				t.Fatal(err)
			}
			return x
		}
		score := func(x []float64) (f float64) {
			for i, row := range m.Support {
				d := 0.0
				for j, v := range design(tab, row) {
					d += (v - x[j]) * (v - x[j])
				}
				f += m.Coefficients[0][i] * math.Exp(-.3*d)
			}
			return f
		}
		other := a.Ranking[slices.IndexFunc(a.Ranking, func(o Row) bool { return o.Fold == r.Fold && o.Row != r.Row })]
		if got, want := score(design(tab, r.Row))-score(design(tab, other.Row)), r.Score-other.Score; !closeTo(got, want, 1e-8) {
			t.Fatalf("scores differ by %v, want %v", got, want)
		}
		typical := *tab
		typical.Columns = nil
		for _, c := range tab.Columns {
			copied := *c
			copied.Num, copied.Code = slices.Clone(c.Num), slices.Clone(c.Code)
			typical.Columns = append(typical.Columns, &copied)
		}
		typical.Column("age").Num[r.Row] = m.Columns[0].Median
		typical.Column("marker").Num[r.Row] = m.Columns[1].Median
		site := typical.Column("site")
		site.Code[r.Row] = int32(slices.Index(site.Levels, m.Columns[2].Reference))
		e, err := a.Explain(context.Background(), tab, r)
		if err != nil || e.How != ByReference {
			t.Fatal(e, err)
		}
		x, all := design(tab, r.Row), design(&typical, r.Row)
		for _, s := range e.Spoken {
			without := slices.Clone(x)
			for j, term := range m.Terms {
				if term.Column == s.Column {
					without[j] = all[j]
				}
			}
			if want := float64(1-2*r.Label) * (score(x) - score(without)); !closeTo(s.Toward, want, 1e-9) {
				t.Errorf("row %d, %s: %v, want %v", r.Row, s.Column, s.Toward, want)
			}
		}
	}
}

// With several classes the weight factor is p^(t2−t1), where p is the tempered softmax of the
// stored scores for the recorded class (docs/math.md, Two-temperature loss), normalised here by
// bisection.
func TestAuditWeighsSeveralClasses(t *testing.T) {
	tab, _ := mislabelled(120, 3, 9)
	spec := runspec.Spec{Task: "multiclass", Outcome: "outcome", Predictors: []string{"age", "marker"}, Seed: 5,
		Model: fit.Spec{Loss: "tempered-multiclass", Params: map[string]any{"t1": .7, "t2": 1.4}, L2: fit.L2{Mode: "cv"}, Tuning: runspec.TuningSame}}
	run, a := audited(t, tab, spec, Options{})
	share := func(f []float64) []float64 {
		p, low, high := make([]float64, len(f)), slices.Max(f), slices.Max(f)+50
		for range 200 {
			mid, sum := (low+high)/2, 0.0
			for k, v := range f {
				p[k] = math.Pow(1-.4*(v-mid), -1/.4)
				sum += p[k]
			}
			if sum > 1 {
				low = mid
			} else {
				high = mid
			}
		}
		return p
	}
	for _, r := range a.Ranking {
		x := run.Rows[slices.IndexFunc(run.Rows, func(x engine.RowScore) bool { return x.Row == r.Row })]
		if want := math.Pow(share(x.Scores)[r.Label], .7); !closeTo(r.Weight, want, 1e-9) {
			t.Fatalf("row %d: weight %v, want %v", r.Row, r.Weight, want)
		}
	}
	if a.Median == nil || *a.Median < .5 {
		t.Errorf("median weight %v", a.Median)
	}
}
