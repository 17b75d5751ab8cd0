package engine

import (
	"context"
	"math"
	"slices"
	"testing"

	"taper/internal/engine/audit"
	"taper/internal/engine/table"
)

func audited(t testing.TB, tab *table.Table, spec Spec, o AuditOptions) (*Result, *LabelAudit) {
	t.Helper()
	r, err := Fit(context.Background(), tab, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := AuditLabels(context.Background(), tab, spec, r, r.Rows, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, a
}

// The audit of a run of five folds ranks by the run's own scores, and the terms
// of each fold's model add up to them.
func TestAuditReusesTheRun(t *testing.T) {
	tab := tableOf(clinic(240, 4))
	spec := clinicSpec()
	spec.Model = ModelSpec{Loss: "alpha", Params: map[string]any{"alpha": 4.}, L2: L2{Mode: "cv"}, Tuning: TuningSame}
	r, a := audited(t, tab, spec, AuditOptions{})
	if !a.Reused || a.Basis != audit.ByProbability || a.Rows != 240 || a.Estimate == nil || a.Median == nil {
		t.Fatalf("%+v", a)
	}
	of := map[int]RowScore{}
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
		p := 1 / (1 + math.Exp(-y*stored.Score/4)) // the link of α = 4
		if row.Score != stored.Score || row.Margin != y*stored.Score || !within(row.Probability, p, 1e-12) || !within(row.Weight, *stored.Weight, 1e-12) {
			t.Fatalf("row %d: %+v, stored %+v", row.Row, row, stored)
		}
		if row.Suspicion() > last+1e-15 {
			t.Fatal("not in order of suspicion")
		}
		last = row.Suspicion()
	}
}

// Whatever judged the run, each row of an audit is judged by a model that did
// not see it.
func TestAuditRefits(t *testing.T) {
	tab := tableOf(clinic(200, 4))
	for name, change := range map[string]func(*Spec){
		"split":    func(s *Spec) { s.Validation = Validation{Kind: "split", Test: .3} },
		"none":     func(s *Spec) { s.Validation.Kind = "none" },
		"λ given":  func(s *Spec) { s.Model.L2 = L2{Value: .1} },
		"noise":    func(s *Spec) { s.Noise = Noise{Kind: "symmetric", Rate: .2} },
		"3 folds":  func(s *Spec) { s.Validation = Validation{Kind: "cv", Folds: 3} },
		"interval": func(s *Spec) { s.Task, s.Model = "interval", ModelSpec{Loss: "interval", L2: L2{Mode: "cv"}} },
		"hinge": func(s *Spec) {
			s.Model = ModelSpec{Loss: "hinge", L2: L2{Mode: "cv"}, Tuning: ""}
			s.Boundaries = []float64{.5}
		},
		"trees": func(s *Spec) {
			s.Model = ModelSpec{Kind: "boost", Loss: "alpha", Params: map[string]any{"alpha": 2.}, Rounds: 10}
		},
	} {
		spec := clinicSpec()
		spec.Task, spec.Model = "binary", ModelSpec{Loss: "alpha", Params: map[string]any{"alpha": 2.}, L2: L2{Mode: "cv"}, Tuning: ""}
		change(&spec)
		_, a := audited(t, tab, spec, AuditOptions{})
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
		if (a.Basis == audit.ByMargin) != bare || (a.Estimate == nil) != bare {
			t.Errorf("%s: ranked by %s", name, a.Basis)
		}
		if bare && !slices.IsSortedFunc(a.Ranking, func(x, y audit.Row) int { return int(math.Copysign(1, x.Margin-y.Margin)) }) {
			t.Errorf("%s: not by margin", name)
		}
		if len(a.Models) != 5 || (a.Models[0].Trees != nil) != (name == "trees") {
			t.Errorf("%s: %d models", name, len(a.Models))
		}
	}
}

func TestAuditRetunes(t *testing.T) {
	tab := tableOf(clinic(200, 4))
	spec := clinicSpec()
	spec.Task, spec.Model = "binary", ModelSpec{Loss: "alpha", Params: map[string]any{"alpha": 4.}, L2: L2{Mode: "cv"}}
	_, a := audited(t, tab, spec, AuditOptions{Retune: true})
	if a.Reused || len(a.L2) != 5 || a.L2[0] != a.L2[4] {
		t.Errorf("reused %v, λ %v", a.Reused, a.L2)
	}
}

func TestAuditSeveralClasses(t *testing.T) {
	tab := clinicThree(t)
	for loss, basis := range map[string]string{"softmax": audit.ByProbability, "al-zero-one": audit.ByMargin} {
		spec := Spec{Outcome: "class", Task: "multiclass", Seed: 3, Model: ModelSpec{Loss: loss, L2: L2{Mode: "cv"}, Tuning: TuningSame}}
		r, a := audited(t, tab, spec, AuditOptions{})
		if a.Basis != basis || len(a.Ranking) != 300 || len(a.Classes) != 3 {
			t.Fatalf("%s: %+v", loss, a)
		}
		first := a.Ranking[0]
		i := slices.IndexFunc(r.Rows, func(x RowScore) bool { return x.Row == first.Row })
		x := r.Rows[i]
		own, best := x.Scores[first.Label], math.Inf(-1)
		for k, v := range x.Scores {
			if k != first.Label {
				best = max(best, v)
			}
		}
		if x.Outcome != a.Classes[first.Label] || !within(first.Margin, own-best, 1e-12) {
			t.Errorf("%s: %+v of %+v", loss, first, x)
		}
		if basis == audit.ByProbability && first.Probability != x.Probabilities[first.Label] {
			t.Errorf("%s: %+v of %+v", loss, first, x)
		}
	}
}

// A reviewed run is the run on a file whose labels were edited by hand, save
// that its rows keep the label as uploaded.
func TestReviewedRunIsTheRunOnEditedLabels(t *testing.T) {
	records := clinic(240, 6)
	spec := clinicSpec()
	review := &Review{Parent: "r1"}
	edited := make([][]string, len(records))
	for i, r := range records {
		edited[i] = slices.Clone(r)
	}
	for _, row := range []int{3, 17, 40, 41, 99} {
		to := "died"
		if records[row+1][5] == "died" {
			to = "alive"
		}
		if row == 99 {
			to = ""
		}
		edited[row+1][5] = to
		review.Changes = append(review.Changes, Relabel{row, to})
	}
	want, err := Fit(context.Background(), tableOf(edited), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Review = review
	got, err := Fit(context.Background(), tableOf(records), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if *got.Metrics.Test.AUC != *want.Metrics.Test.AUC || got.Coefficients[1] != want.Coefficients[1] || got.Flow.TrainedEvents != want.Flow.TrainedEvents {
		t.Errorf("AUC %v, want %v; %+v, want %+v", *got.Metrics.Test.AUC, *want.Metrics.Test.AUC, got.Coefficients[1], want.Coefficients[1])
	}
	if got.Flow.Relabelled != 4 || got.Flow.LeftOut != 1 || got.Flow.NoOutcome != 0 || got.Flow.Trained != 239 {
		t.Errorf("flow %+v", got.Flow)
	}
	for i, r := range got.Rows {
		if r.Outcome != records[r.Row+1][5] || r.Score != want.Rows[i].Score {
			t.Fatalf("row %+v, want outcome %s and score %v", r, records[r.Row+1][5], want.Rows[i].Score)
		}
	}
	if !slices.ContainsFunc(got.Warnings, func(w Warning) bool { return w.Code == WarnReviewed }) {
		t.Error("no word about the review")
	}
}

func TestReviewIsChecked(t *testing.T) {
	tab := tableOf(clinic(60, 6))
	for name, changes := range map[string][]Relabel{
		"row": {{Row: 60, To: "died"}}, "under": {{Row: -1, To: "died"}}, "order": {{Row: 5, To: "died"}, {Row: 5, To: "alive"}}, "class": {{Row: 5, To: "gone"}},
	} {
		spec := clinicSpec()
		spec.Review = &Review{Changes: changes}
		if err := spec.Validate(tab); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestVicinity(t *testing.T) {
	tab := tableOf(clinic(150, 5))
	spec := clinicSpec()
	v, err := NewVicinity(context.Background(), tab, spec)
	if err != nil {
		t.Fatal(err)
	}
	_, a := audited(t, tab, spec, AuditOptions{})
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

// Clinical bar: 50,000×50 in 20 s.
func BenchmarkAuditLabels(b *testing.B) {
	tab, spec := wide(50_000, 50)
	spec.Model = ModelSpec{Loss: "alpha", Params: map[string]any{"alpha": 4.}, L2: L2{Mode: "cv"}}
	spec.Validation = Validation{Kind: "split", Test: .3}
	parent := &Result{L2: 0.01}
	for b.Loop() {
		a, err := AuditLabels(context.Background(), tab, spec, parent, nil, AuditOptions{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if a.Rows != 50_000 {
			b.Fatal(a.Rows)
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	tab, spec := wide(100_000, 50)
	v, err := NewVicinity(context.Background(), tab, spec)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		v.Nearest(77, 3, 0, 1)
	}
}

// wide makes rows of normal columns, some of which matter, with 6 % wrong labels.
func wide(n, d int) (*table.Table, Spec) {
	rng := source(5, 99, n, d)
	t := &table.Table{Rows: n}
	f := make([]float64, n)
	for k := range d {
		c := &table.Column{Name: "x" + string(rune('a'+k/26)) + string(rune('a'+k%26)), Type: table.Number, Role: table.Predictor, Num: make([]float64, n), Distinct: n}
		for i := range n {
			c.Num[i] = rng.NormFloat64()
			if k < 10 {
				f[i] += c.Num[i]
			}
		}
		t.Columns = append(t.Columns, c)
	}
	y := &table.Column{Name: "y", Type: table.Category, Code: make([]int32, n), Levels: []string{"no", "yes"}, Count: make([]int, 2), Distinct: 2}
	for i := range n {
		if (f[i]+rng.NormFloat64() > 1) != (rng.Float64() < .06) {
			y.Code[i] = 1
		}
		y.Count[y.Code[i]]++
	}
	t.Columns = append(t.Columns, y)
	return t, Spec{Outcome: "y", Positive: "yes", Task: "binary", Seed: 1}
}

func within(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// Only rows that nobody touched judge: with the labels of all others turned,
// the answer stays.
func TestCompareReviewed(t *testing.T) {
	records := clinic(240, 6)
	spec := clinicSpec()
	spec.Task, spec.Boundaries, spec.Model = "binary", []float64{.5}, ModelSpec{Loss: "logistic", L2: L2{Value: .01}}
	parent, err := Fit(context.Background(), tableOf(records), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Review = &Review{Parent: "r1"}
	for _, row := range []int{2, 8, 30} {
		to := "died"
		if records[row+1][5] == "died" {
			to = "alive"
		}
		spec.Review.Changes = append(spec.Review.Changes, Relabel{row, to})
	}
	child, err := Fit(context.Background(), tableOf(records), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := CompareReviewed(parent, child, parent.Rows, child.Rows, spec.Review)
	if err != nil {
		t.Fatal(err)
	}
	if v.Changed != 3 || v.Untouched != 237 || len(v.Terms) != len(parent.Coefficients) || !v.OddsRatios {
		t.Fatalf("%+v", v)
	}
	wins, pairs := 0., 0. // AUC by its definition
	for _, x := range child.Rows {
		for _, y := range child.Rows {
			if x.Outcome == "died" && y.Outcome == "alive" && !slices.Contains([]int{2, 8, 30}, x.Row) && !slices.Contains([]int{2, 8, 30}, y.Row) {
				pairs++
				switch {
				case x.Score > y.Score:
					wins++
				case x.Score == y.Score:
					wins += .5
				}
			}
		}
	}
	if !within(*v.AUC.A.Value, wins/pairs, 1e-12) {
		t.Errorf("AUC of the child %v, want %v", *v.AUC.A.Value, wins/pairs)
	}
	if v.Moves.Events.N+v.Moves.Others.N != 237 {
		t.Errorf("%+v", v.Moves)
	}
}

// Several classes: the mean price of the answers on rows that nobody touched, by
// a count of its own.
func TestCompareReviewedSeveral(t *testing.T) {
	tab, flipped := mislabelled(150, 3, 4)
	spec := Spec{Task: "ordinal", Outcome: "outcome", Predictors: []string{"age", "marker"}, Seed: 5, Model: ModelSpec{Loss: "softmax", L2: L2{Value: .05}}}
	parent, err := Fit(context.Background(), tab, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Review = &Review{Parent: "r1"}
	for row, is := range flipped {
		if is && len(spec.Review.Changes) < 9 {
			spec.Review.Changes = append(spec.Review.Changes, Relabel{row, []string{"c1", "c2", ""}[row%3]})
		}
	}
	child, err := Fit(context.Background(), tab, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := CompareReviewed(parent, child, parent.Rows, child.Rows, spec.Review)
	if err != nil {
		t.Fatal(err)
	}
	var own, others, moved float64
	var d []float64
	for i, r := range child.Rows {
		if slices.ContainsFunc(spec.Review.Changes, func(c Relabel) bool { return c.Row == r.Row }) {
			continue
		}
		y := slices.Index(parent.Classes.Levels, r.Outcome)
		a, b := math.Abs(float64(parent.Rows[i].Predicted-y)), math.Abs(float64(r.Predicted-y))
		own, others, d = own+b/141, others+a/141, append(d, b-a)
		if parent.Rows[i].Predicted != r.Predicted {
			moved++
		}
	}
	c := v.Classes
	if v.Untouched != 141 || !within(c.Before, others, 1e-12) || !within(c.After, own, 1e-12) || !within(*c.Difference.Value, own-others, 1e-12) || c.Criterion != "mean absolute error" {
		t.Errorf("%+v, want %v and %v", c, others, own)
	}
	variance := 0.
	for _, x := range d {
		variance += math.Pow(x-(own-others), 2) / 140
	}
	if half := 1.959964 * math.Sqrt(variance/141); moved == 0 || !within(*c.Difference.High-*c.Difference.Low, 2*half, 1e-6) {
		t.Errorf("interval %v to %v, want ± %v; %v moved", *c.Difference.Low, *c.Difference.High, half, moved)
	}
	for a, row := range c.Moves {
		for b, n := range row {
			if a != b {
				moved -= float64(n)
			}
		}
	}
	if moved != 0 || len(v.Terms) != 3*len(child.Coefficients)/3 || v.Terms[0].Class == "" {
		t.Errorf("moves %v, terms %+v", c.Moves, v.Terms)
	}
}
