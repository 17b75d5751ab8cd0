package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"taper/internal/engine/audit"
	"taper/internal/engine/method"
	"taper/internal/engine/metric"
	"taper/internal/engine/table"
)

// mislabelled is k classes along two numbers, one of them with missing cells,
// beside two categories, and the rows whose label was flipped: one in ten.
func mislabelled(n, k int, seed uint64) (*table.Table, []bool) {
	rng := source(seed, 41, n, k)
	records, flipped := clinic(n, seed), make([]bool, n)
	for i := range n {
		class, r := rng.IntN(k), records[i+1]
		at := 3.5 * (float64(class) - float64(k-1)/2)
		r[0] = strconv.FormatFloat(60+8*(at+rng.NormFloat64()), 'f', 1, 64)
		if r[1] != "" {
			r[1] = strconv.FormatFloat(at+rng.NormFloat64(), 'f', 3, 64)
		}
		if flipped[i] = rng.Float64() < .1; flipped[i] {
			class = (class + 1 + rng.IntN(k-1)) % k
		}
		r[5] = "c" + strconv.Itoa(class)
	}
	return tableOf(records), flipped
}

// auditable is a method with what its audit goes by.
type auditable struct {
	task    string
	model   ModelSpec
	basis   string
	splines map[string]int
}

// auditableMethods lists all losses of all tasks on every kind of score.
func auditableMethods() (all []auditable) {
	bare := map[string]bool{"interval": true, "hinge": true, "ramp": true, "probit": true}
	add := func(task, basis string, m ModelSpec) {
		m.L2 = L2{Mode: "cv"}
		all = append(all, auditable{task, m, basis, nil})
	}
	basis := func(is bool) string {
		if is {
			return audit.ByProbability
		}
		return audit.ByMargin
	}
	infinite := map[string]any{"alpha": math.Inf(1)}
	for _, id := range method.MarginLosses() {
		add("binary", basis(!bare[id]), ModelSpec{Loss: id})
		if id != "t-logistic" {
			add("binary", basis(!bare[id]), ModelSpec{Kind: "kernel", Loss: id, Kernel: &Kernel{Name: "rbf", Gamma: .2}})
		}
	}
	curved := func(task, loss string) {
		add(task, audit.ByProbability, ModelSpec{Loss: loss})
		all[len(all)-1].splines = map[string]int{"age": 3, "marker": 4}
	}
	curved("binary", "alpha")
	curved("multiclass", "softmax")
	off := false
	add("binary", audit.ByProbability, ModelSpec{Loss: "alpha", Standardize: &off})
	add("binary", audit.ByProbability, ModelSpec{Loss: "alpha", Params: map[string]any{"alpha": .5}})
	add("binary", audit.ByProbability, ModelSpec{Loss: "tempered", Params: map[string]any{"t1": .6, "t2": 1.6}})
	add("binary", audit.ByMargin, ModelSpec{Loss: "alpha", Params: infinite})
	add("binary", audit.ByProbability, ModelSpec{Kind: "kernel", Loss: "logistic", Kernel: &Kernel{Name: "poly", Gamma: .2, Degree: 2}})
	for _, depth := range []int{1, 3} {
		add("binary", audit.ByProbability, ModelSpec{Kind: "boost", Params: map[string]any{"alpha": 4.}, Rounds: 12, Depth: depth})
	}
	add("binary", audit.ByMargin, ModelSpec{Kind: "boost", Params: infinite, Rounds: 12, Depth: 2})
	probable := map[string]bool{"softmax": true, "tempered-multiclass": true}
	for _, task := range []string{"multiclass", "ordinal", "abstain"} {
		for _, id := range LossesOf(task) {
			m := ModelSpec{Loss: id}
			if id == "al-cost" {
				m.Params = map[string]any{"matrix": [][]float64{{0, 1, 2}, {1, 0, 1}, {2, 1, 0}}}
				if task == "abstain" {
					m.Params = map[string]any{"matrix": [][]float64{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {.3, .3, .3}}}
				}
			}
			add(task, basis(probable[id]), m)
		}
	}
	rbf := &Kernel{Name: "rbf", Gamma: .2}
	add("multiclass", audit.ByMargin, ModelSpec{Kind: "kernel", Loss: "al-zero-one", Kernel: rbf})
	add("multiclass", audit.ByProbability, ModelSpec{Kind: "kernel", Loss: "softmax", Kernel: rbf})
	add("ordinal", audit.ByMargin, ModelSpec{Kind: "kernel", Loss: "al-ordinal", Kernel: rbf})
	add("abstain", audit.ByMargin, ModelSpec{Kind: "kernel", Loss: "al-abstain", Kernel: rbf})
	return all
}

// Every method ranks flipped labels first, by a probability where its loss has
// one, and every score is divided among the columns: to the last digit where
// that adds up.
func TestAuditOfEveryMethod(t *testing.T) {
	two, flippedTwo := mislabelled(150, 2, 3)
	three, flippedThree := mislabelled(150, 3, 4)
	for _, c := range auditableMethods() {
		name := fmt.Sprintf("%s, %s %s %v", c.task, c.model.Kind, c.model.Loss, c.model.Params)
		tab, flipped, classes := two, flippedTwo, 2
		spec := Spec{Task: c.task, Outcome: "outcome", Predictors: []string{"age", "marker", "sex", "site"}, Splines: c.splines, Model: c.model, Seed: 5, Validation: Validation{Kind: "split", Test: .3}}
		if c.model.Loss == "interval" {
			spec.Task = "interval"
		}
		if spec.Several() {
			tab, flipped, classes = three, flippedThree, 3
		} else {
			spec.Positive, spec.Boundaries = "c1", []float64{.5}
		}
		a, err := AuditLabels(context.Background(), tab, spec, &Result{L2: .02}, nil, AuditOptions{}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if a.Basis != c.basis || a.Rows != 150 || (a.Estimate != nil) != (c.basis == audit.ByProbability) || len(a.Classes) != classes {
			t.Errorf("%s: %+v", name, a)
		}
		is := make([]bool, len(a.Ranking))
		for i, r := range a.Ranking {
			is[i] = flipped[r.Row]
			if (c.basis == audit.ByProbability) == math.IsNaN(r.Probability) || math.IsNaN(r.Margin) {
				t.Fatalf("%s: %+v", name, r)
			}
		}
		found := metric.RankFlips(audit.Suspicions(a.Ranking), is)
		if *found.AveragePrecision < .7 {
			t.Errorf("%s: average precision %.3f at a base rate of %.3f", name, *found.AveragePrecision, *found.BaseRate.Value)
		}
		for _, r := range []audit.Row{a.Ranking[0], a.Ranking[70], a.Ranking[149]} {
			divided(t, name, tab, a, r)
		}
	}
}

// divided checks how one score is divided.
func divided(t *testing.T, name string, tab *table.Table, a *LabelAudit, r audit.Row) {
	t.Helper()
	e, err := a.Explain(context.Background(), tab, r)
	if err != nil || e == nil {
		t.Errorf("%s: %+v, %v", name, e, err)
		return
	}
	if e.How == ByReference {
		if e.Start != nil || math.Abs(e.Spoken[0].Toward) == 0 {
			t.Errorf("%s: %+v", name, e)
		}
		return
	}
	sum := *e.Start
	for i, s := range e.Spoken {
		sum += s.Toward
		if i > 0 && math.Abs(s.Toward) > math.Abs(e.Spoken[i-1].Toward) {
			t.Errorf("%s: not the largest first: %+v", name, e.Spoken)
		}
	}
	if !within(sum, -r.Margin, 1e-9*(1+math.Abs(r.Margin))) {
		t.Errorf("%s: columns add up to %v, margin %v", name, sum, r.Margin)
	}
	if len(e.Spoken) != 4 {
		t.Errorf("%s: %d columns", name, len(e.Spoken))
	}
}

// The audit of a run of five folds, nested tuning, makes the run's own models
// again: what columns say adds up to the scores that the run stored.
func TestExplainIsOfTheRunsOwnModels(t *testing.T) {
	for _, c := range []auditable{
		{"binary", ModelSpec{Loss: "alpha", Params: map[string]any{"alpha": 4.}}, "", map[string]int{"age": 5}},
		{"binary", ModelSpec{Kind: "boost", Rounds: 8, Depth: 2}, "", nil},
		{"multiclass", ModelSpec{Loss: "softmax"}, "", nil},
		{"ordinal", ModelSpec{Loss: "all-threshold"}, "", nil},
		{"multiclass", ModelSpec{Loss: "al-zero-one"}, "", nil},
	} {
		tab, _ := mislabelled(120, 3, 6)
		spec := Spec{Task: c.task, Outcome: "outcome", Predictors: []string{"age", "marker", "sex", "site"}, Splines: c.splines, Model: c.model, Seed: 5}
		if !spec.Several() {
			tab, _ = mislabelled(120, 2, 6)
			spec.Positive = "c1"
		}
		if spec.Model.L2 = (L2{Mode: "cv"}); c.model.Kind == "boost" {
			spec.Model.L2 = L2{}
		}
		_, a := audited(t, tab, spec, AuditOptions{})
		if !a.Reused {
			t.Fatalf("%s: not the run's scores", c.model.Loss)
		}
		for _, r := range a.Ranking {
			divided(t, c.task+" "+c.model.Loss, tab, a, r)
		}
	}
}

// By hand: α-loss on one number and one category, around the mean of the rows
// that the fold trained on.
func TestExplainByHand(t *testing.T) {
	tab, _ := mislabelled(90, 2, 8)
	spec := Spec{Task: "binary", Outcome: "outcome", Positive: "c1", Predictors: []string{"age", "site"}, Seed: 5, Model: ModelSpec{Loss: "alpha", L2: L2{Mode: "cv"}, Tuning: TuningSame}}
	_, a := audited(t, tab, spec, AuditOptions{})
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
		if !within(s.Toward, toward[s.Column], 1e-9) {
			t.Errorf("%s: %v, want %v", s.Column, s.Toward, toward[s.Column])
		}
	}
	if len(e.Spoken) != 2 || len(toward) != 2 {
		t.Errorf("%+v", e)
	}
}

// A column's part of a kernel score is the score less the one with the column's
// cell replaced in the table, by kernels summed here.
func TestExplainKernelByHand(t *testing.T) {
	tab, _ := mislabelled(90, 2, 8)
	spec := Spec{Task: "binary", Outcome: "outcome", Positive: "c1", Predictors: []string{"age", "marker", "site"}, Seed: 5,
		Model: ModelSpec{Kind: "kernel", Loss: "alpha", Kernel: &Kernel{Name: "rbf", Gamma: .3}, L2: L2{Mode: "cv"}, Tuning: TuningSame}}
	_, a := audited(t, tab, spec, AuditOptions{})
	gone := slices.IndexFunc(a.Ranking, func(r audit.Row) bool { return math.IsNaN(tab.Column("marker").Num[r.Row]) })
	for _, r := range []audit.Row{a.Ranking[2], a.Ranking[60], a.Ranking[gone]} {
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
		other := a.Ranking[slices.IndexFunc(a.Ranking, func(o audit.Row) bool { return o.Fold == r.Fold && o.Row != r.Row })]
		if got, want := score(design(tab, r.Row))-score(design(tab, other.Row)), r.Score-other.Score; !within(got, want, 1e-8) {
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
			if want := float64(1-2*r.Label) * (score(x) - score(without)); !within(s.Toward, want, 1e-9) {
				t.Errorf("row %d, %s: %v, want %v", r.Row, s.Column, s.Toward, want)
			}
		}
	}
}

// The give-up factor of several classes is p^(t2−t1), p the own class's share of
// the tempered softmax of the stored scores (math.md §3), normalised here by
// bisection.
func TestAuditWeighsSeveralClasses(t *testing.T) {
	tab, _ := mislabelled(120, 3, 9)
	spec := Spec{Task: "multiclass", Outcome: "outcome", Predictors: []string{"age", "marker"}, Seed: 5,
		Model: ModelSpec{Loss: "tempered-multiclass", Params: map[string]any{"t1": .7, "t2": 1.4}, L2: L2{Mode: "cv"}, Tuning: TuningSame}}
	run, a := audited(t, tab, spec, AuditOptions{})
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
		x := run.Rows[slices.IndexFunc(run.Rows, func(x RowScore) bool { return x.Row == r.Row })]
		if want := math.Pow(share(x.Scores)[r.Label], .7); !within(r.Weight, want, 1e-9) {
			t.Fatalf("row %d: weight %v, want %v", r.Row, r.Weight, want)
		}
	}
	if a.Median == nil || *a.Median < .5 {
		t.Errorf("median weight %v", a.Median)
	}
}
