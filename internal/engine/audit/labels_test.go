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
	"taper/internal/engine/table/tabletest"
)

func audited(t testing.TB, tab *table.Table, spec runspec.Spec, o Options) (*engine.Result, *LabelAudit) {
	t.Helper()
	r, err := engine.Fit(context.Background(), tab, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Labels(context.Background(), tab, spec, r, r.Rows, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, a
}

// The audit of a run with five folds ranks by the run's own scores, and the terms of each
// fold's model add up to them.
func TestAuditReusesTheRun(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(240, 4))
	spec := clinicSpec()
	spec.Model = fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 4.}, L2: fit.L2{Mode: "cv"}, Tuning: runspec.TuningSame}
	r, a := audited(t, tab, spec, Options{})
	if !a.Reused || a.Basis != ByProbability || a.Rows != 240 || a.Estimate == nil || a.Median == nil {
		t.Fatalf("%+v", a)
	}
	of := map[int]engine.RowScore{}
	for _, row := range r.Rows {
		of[row.Row] = row
	}
	last := 2.0
	for _, row := range a.Ranking {
		stored := of[row.Row]
		y := -1.0
		if stored.Outcome == "died" {
			y = 1
		}
		p := 1 / (1 + math.Exp(-y*stored.Score/4)) // the link for α = 4
		if row.Score != stored.Score || row.Margin != y*stored.Score || !closeTo(row.Probability, p, 1e-12) || !closeTo(row.Weight, *stored.Weight, 1e-12) {
			t.Fatalf("row %d: %+v, stored %+v", row.Row, row, stored)
		}
		if row.Suspicion() > last+1e-15 {
			t.Fatal("not in order of suspicion")
		}
		last = row.Suspicion()
	}
}

// Without flipped labels, no more of them disagree than overlap explains.
func TestAuditExpectsOverlap(t *testing.T) {
	cancer, spec := cancerTrial(t)
	for _, model := range []fit.Spec{spec.Model, {Loss: "logistic"}} {
		spec.Model = model
		_, a := audited(t, cancer, spec, Options{})
		clinical := clinicSpec()
		clinical.Task, clinical.Model = "binary", model
		_, b := audited(t, tabletest.FromRecords(tabletest.Clinic(400, 4)), clinical, Options{})
		for _, e := range []*Estimate{a.Estimate, b.Estimate} {
			if e.Expected == nil || e.Expected.Rates != nil || e.Against() > 0 {
				t.Errorf("%s: %v, expected %+v", model.Loss, e.Wrong, e.Expected)
			}
		}
		if b.Estimate.Wrong < 40 {
			t.Errorf("%s: the clinic's classes overlap; only %v", model.Loss, b.Estimate.Wrong)
		}
	}
}

// However the run was evaluated, each row of an audit is scored by a model that was not trained
// on it.
func TestAuditRefits(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(200, 4))
	for name, change := range map[string]func(*runspec.Spec){
		"split":   func(s *runspec.Spec) { s.Validation = runspec.Validation{Kind: "split", Test: .3} },
		"none":    func(s *runspec.Spec) { s.Validation.Kind = "none" },
		"λ given": func(s *runspec.Spec) { s.Model.L2 = fit.L2{Value: .1} },
		"noise":   func(s *runspec.Spec) { s.Noise = runspec.Noise{Kind: "symmetric", Rate: .2} },
		"3 folds": func(s *runspec.Spec) { s.Validation = runspec.Validation{Kind: "cv", Folds: 3} },
		"interval": func(s *runspec.Spec) {
			s.Task, s.Model = "interval", fit.Spec{Loss: "interval", L2: fit.L2{Mode: "cv"}}
		},
		"hinge": func(s *runspec.Spec) {
			s.Model = fit.Spec{Loss: "hinge", L2: fit.L2{Mode: "cv"}, Tuning: ""}
			s.Boundaries = []float64{.5}
		},
		"trees": func(s *runspec.Spec) {
			s.Model = fit.Spec{Kind: "boost", Loss: "alpha", Params: map[string]any{"alpha": 2.}, Rounds: 10}
		},
	} {
		spec := clinicSpec()
		spec.Task, spec.Model = "binary", fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 2.}, L2: fit.L2{Mode: "cv"}, Tuning: ""}
		change(&spec)
		_, a := audited(t, tab, spec, Options{})
		seen := map[int]bool{}
		for _, r := range a.Ranking {
			seen[r.Row] = true
		}
		if len(seen) != 200 || len(a.Notes) == 0 {
			t.Errorf("%s: %d rows, notes %q", name, len(seen), a.Notes)
		}
		reuse := name == "trees" || name == "interval" || name == "hinge"
		if a.Reused != reuse {
			t.Errorf("%s: reused %v", name, a.Reused)
		}
		bare := name == "interval" || name == "hinge"
		if (a.Basis == ByMargin) != bare || (a.Estimate == nil) != bare {
			t.Errorf("%s: ranked by %s", name, a.Basis)
		}
		if bare && !slices.IsSortedFunc(a.Ranking, func(x, y Row) int { return int(math.Copysign(1, x.Margin-y.Margin)) }) {
			t.Errorf("%s: not by margin", name)
		}
		if len(a.Models) != 5 || (a.Models[0].Trees != nil) != (name == "trees") {
			t.Errorf("%s: %d models", name, len(a.Models))
		}
	}
}

func TestAuditRetunes(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(200, 4))
	spec := clinicSpec()
	spec.Task, spec.Model = "binary", fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 4.}, L2: fit.L2{Mode: "cv"}}
	_, a := audited(t, tab, spec, Options{Retune: true})
	if a.Reused || len(a.L2) != 5 || a.L2[0] != a.L2[4] {
		t.Errorf("reused %v, λ %v", a.Reused, a.L2)
	}
}

func TestAuditSeveralClasses(t *testing.T) {
	tab := clinicThree(t)
	for loss, basis := range map[string]string{"softmax": ByProbability, "al-zero-one": ByMargin} {
		spec := runspec.Spec{Outcome: "class", Task: "multiclass", Seed: 3, Model: fit.Spec{Loss: loss, L2: fit.L2{Mode: "cv"}, Tuning: runspec.TuningSame}}
		r, a := audited(t, tab, spec, Options{})
		if a.Basis != basis || len(a.Ranking) != 300 || len(a.Classes) != 3 {
			t.Fatalf("%s: %+v", loss, a)
		}
		first := a.Ranking[0]
		i := slices.IndexFunc(r.Rows, func(x engine.RowScore) bool { return x.Row == first.Row })
		x := r.Rows[i]
		own, best := x.Scores[first.Label], math.Inf(-1)
		for k, v := range x.Scores {
			if k != first.Label {
				best = max(best, v)
			}
		}
		if x.Outcome != a.Classes[first.Label] || !closeTo(first.Margin, own-best, 1e-12) {
			t.Errorf("%s: %+v of %+v", loss, first, x)
		}
		if basis == ByProbability && first.Probability != x.Probabilities[first.Label] {
			t.Errorf("%s: %+v of %+v", loss, first, x)
		}
	}
}

func TestVicinity(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(150, 5))
	spec := clinicSpec()
	v, err := NewVicinity(context.Background(), tab, spec)
	if err != nil {
		t.Fatal(err)
	}
	_, a := audited(t, tab, spec, Options{})
	r := a.Ranking[0]
	near := v.Nearest(r.Row, 2, 0, 1)
	for label, got := range near {
		if len(got) != 2 || got[0].Distance > got[1].Distance || got[0].Row == r.Row {
			t.Fatalf("%+v", got)
		}
		for _, n := range got { // the label is that of the file
			if y := tab.Column("outcome"); (y.Levels[y.Code[n.Row]] == "died") != (label == 1) {
				t.Errorf("row %d has another label", n.Row)
			}
		}
	}
}

func closeTo(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// Classes cut from a number are audited like others.
func TestAuditOfBins(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(120, 5))
	for _, by := range []string{"length", "frequency"} {
		_, a := audited(t, tab, runspec.Spec{Outcome: "age", Task: "ordinal", Bins: &runspec.Bins{Count: 3, By: by}, Seed: 2}, Options{})
		if a.Rows != 120 || len(a.Classes) != 3 {
			t.Errorf("%s: %d rows of %q", by, a.Rows, a.Classes)
		}
	}
}
