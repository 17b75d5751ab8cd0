package audit

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/task"
)

// mislabelled draws k classes along two numbers, one of them with missing cells, and two
// categories, and returns which labels were flipped, one in ten.
func mislabelled(n, k int, seed uint64) (*table.Table, []bool) {
	rng := resample.Source(seed, 41, n, k)
	records, flipped := tabletest.Clinic(n, seed), make([]bool, n)
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
	return tabletest.FromRecords(records), flipped
}

// auditable is a method with the expected basis of its audit.
type auditable struct {
	task    string
	model   fit.Spec
	basis   string
	splines map[string]int
}

// auditableMethods lists the losses of all tasks, with every kind of score.
func auditableMethods() (all []auditable) {
	bare := map[string]bool{"interval": true, "hinge": true, "ramp": true, "probit": true}
	add := func(task, basis string, m fit.Spec) {
		m.L2 = fit.L2{Mode: "cv"}
		all = append(all, auditable{task, m, basis, nil})
	}
	basis := func(is bool) string {
		if is {
			return ByProbability
		}
		return ByMargin
	}
	infinite := map[string]any{"alpha": math.Inf(1)}
	for _, id := range fit.MarginLosses() {
		add("binary", basis(!bare[id]), fit.Spec{Loss: id})
		if id != "t-logistic" {
			add("binary", basis(!bare[id]), fit.Spec{Kind: "kernel", Loss: id, Kernel: &fit.Kernel{Name: "rbf", Gamma: .2}})
		}
	}
	curved := func(task, loss string) {
		add(task, ByProbability, fit.Spec{Loss: loss})
		all[len(all)-1].splines = map[string]int{"age": 3, "marker": 4}
	}
	curved("binary", "alpha")
	curved("multiclass", "softmax")
	off := false
	add("binary", ByProbability, fit.Spec{Loss: "alpha", Standardize: &off})
	add("binary", ByProbability, fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": .5}})
	add("binary", ByProbability, fit.Spec{Loss: "tempered", Params: map[string]any{"t1": .6, "t2": 1.6}})
	add("binary", ByMargin, fit.Spec{Loss: "alpha", Params: infinite})
	add("binary", ByProbability, fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "poly", Gamma: .2, Degree: 2}})
	for _, depth := range []int{1, 3} {
		add("binary", ByProbability, fit.Spec{Kind: "boost", Params: map[string]any{"alpha": 4.}, Rounds: 12, Depth: depth})
	}
	add("binary", ByMargin, fit.Spec{Kind: "boost", Params: infinite, Rounds: 12, Depth: 2})
	for _, t := range task.ClassTasks() {
		for _, id := range t.Losses() {
			f, _ := loss.FamilyByID(id)
			add(t.ID(), basis(f.Link != nil), fit.Spec{Loss: id})
		}
	}
	rbf := &fit.Kernel{Name: "rbf", Gamma: .2}
	add("multiclass", ByMargin, fit.Spec{Kind: "kernel", Loss: "al-zero-one", Kernel: rbf})
	add("multiclass", ByProbability, fit.Spec{Kind: "kernel", Loss: "softmax", Kernel: rbf})
	add("ordinal", ByMargin, fit.Spec{Kind: "kernel", Loss: "al-ordinal", Kernel: rbf})
	add("abstain", ByMargin, fit.Spec{Kind: "kernel", Loss: "al-abstain", Kernel: rbf})
	return all
}

// Every method ranks flipped labels first, by a probability if its loss has one. Every score is
// divided among the columns, to the last digit where contributions add up.
func TestAuditOfEveryMethod(t *testing.T) {
	two, flippedTwo := mislabelled(150, 2, 3)
	three, flippedThree := mislabelled(150, 3, 4)
	for _, c := range auditableMethods() {
		name := fmt.Sprintf("%s, %s %s %v", c.task, c.model.Kind, c.model.Loss, c.model.Params)
		tab, flipped, classes := two, flippedTwo, 2
		spec := runspec.Spec{Task: c.task, Outcome: "outcome", Predictors: []string{"age", "marker", "sex", "site"}, Splines: c.splines, Model: c.model, Seed: 5, Validation: runspec.Validation{Kind: "split", Test: .3}}
		if c.model.Loss == "interval" {
			spec.Task = "interval"
		}
		if spec.Multiclass() {
			tab, flipped, classes = three, flippedThree, 3
		} else {
			spec.Positive, spec.Boundaries = table.Levels{"c1"}, []float64{.5}
		}
		a, err := Labels(context.Background(), tab, spec, &engine.Result{L2: .02}, nil, Options{}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if a.Basis != c.basis || a.Rows != 150 || (a.Estimate != nil) != (c.basis == ByProbability) || len(a.Classes) != classes {
			t.Errorf("%s: %+v", name, a)
		}
		is := make([]bool, len(a.Ranking))
		for i, r := range a.Ranking {
			is[i] = flipped[r.Row]
			if (c.basis == ByProbability) == math.IsNaN(r.Probability) || math.IsNaN(r.Margin) {
				t.Fatalf("%s: %+v", name, r)
			}
		}
		found := stat.RankFlips(Suspicions(a.Ranking), is)
		if *found.AveragePrecision < .7 {
			t.Errorf("%s: average precision %.3f at a base rate of %.3f", name, *found.AveragePrecision, *found.BaseRate.Value)
		}
		for _, r := range []Row{a.Ranking[0], a.Ranking[70], a.Ranking[149]} {
			divided(t, name, tab, a, r)
		}
	}
}

// divided checks the division of one score.
func divided(t *testing.T, name string, tab *table.Table, a *LabelAudit, r Row) {
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
		if i > 0 && !(math.Abs(s.Toward) <= math.Abs(e.Spoken[i-1].Toward)) {
			t.Errorf("%s: not the largest first: %+v", name, e.Spoken)
		}
	}
	if !closeTo(sum, -r.Margin, 1e-9*(1+math.Abs(r.Margin))) {
		t.Errorf("%s: columns add up to %v, margin %v", name, sum, r.Margin)
	}
	if len(e.Spoken) != 4 {
		t.Errorf("%s: %d columns", name, len(e.Spoken))
	}
}
