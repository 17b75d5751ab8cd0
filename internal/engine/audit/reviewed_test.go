package audit

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table/tabletest"
)

// A reviewed run equals the run on a file with edited labels, except that its rows keep the
// uploaded label. Folds are left out: those of a reviewed run are its parent's.
func TestReviewedRunIsTheRunOnEditedLabels(t *testing.T) {
	records := tabletest.Clinic(240, 6)
	spec := clinicSpec()
	spec.Validation, spec.Model.L2 = runspec.Validation{Kind: "none"}, fit.L2{Value: .01}
	review := &runspec.Review{Parent: "r1"}
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
		review.Changes = append(review.Changes, runspec.Relabel{Row: row, To: to})
	}
	want, err := engine.Fit(context.Background(), tabletest.FromRecords(edited), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Review = review
	got, err := engine.Fit(context.Background(), tabletest.FromRecords(records), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if *got.Metrics.Test.AUC != *want.Metrics.Test.AUC || !reflect.DeepEqual(got.Coefficients[1], want.Coefficients[1]) ||
		got.Flow.TrainedEvents != want.Flow.TrainedEvents {
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
	if !slices.ContainsFunc(got.Warnings, func(w engine.Warning) bool { return w.Code == engine.WarnReviewed }) {
		t.Error("no word about the review")
	}
}

// TestReviewKeepsFolds: a run on reviewed labels tests every row in the fold, or the part, in which its parent does.
func TestReviewKeepsFolds(t *testing.T) {
	records := tabletest.Clinic(240, 6)
	tab := tabletest.FromRecords(records)
	review := &runspec.Review{Parent: "r1"}
	for _, row := range []int{2, 8, 30, 31, 77} {
		to := "died"
		if records[row+1][5] == "died" {
			to = "alive"
		}
		if row == 31 {
			to = "" // leaves the row out
		}
		review.Changes = append(review.Changes, runspec.Relabel{Row: row, To: to})
	}
	for name, v := range map[string]runspec.Validation{"folds": {Kind: "cv", Folds: 5, Repeats: 2}, "split": {Kind: "split", Test: .3}} {
		for _, group := range []string{"", "site"} {
			spec := clinicSpec()
			if spec.Model, spec.Validation = (fit.Spec{Loss: "logistic", L2: fit.L2{Value: .01}}), v; group != "" {
				spec.Group, spec.Predictors = group, []string{"age", "marker"}
			}
			parent, err := engine.Fit(t.Context(), tab, spec, nil)
			if err != nil {
				if group == "" {
					t.Fatal(err)
				}
				continue
			}
			spec.Review = review
			child, err := engine.Fit(t.Context(), tab, spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			in := map[int]string{}
			for _, r := range parent.Rows {
				in[r.Row] = r.Split
			}
			other := 0
			for _, r := range child.Rows {
				if r.Row != 31 && in[r.Row] != r.Split {
					other++
				}
			}
			if other > 0 || len(child.Rows) < 239 {
				t.Errorf("%s, groups %q: %d of %d rows are tested elsewhere than in the parent", name, group, other, len(child.Rows))
			}
		}
	}
}

func TestReviewIsChecked(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(60, 6))
	for name, changes := range map[string][]runspec.Relabel{
		"row": {{Row: 60, To: "died"}}, "under": {{Row: -1, To: "died"}}, "order": {{Row: 5, To: "died"}, {Row: 5, To: "alive"}}, "class": {{Row: 5, To: "gone"}},
	} {
		spec := clinicSpec()
		spec.Review = &runspec.Review{Changes: changes}
		if err := spec.Validate(tab); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Only rows with unchanged labels are used: reversing all other labels changes nothing.
func TestCompareReviewed(t *testing.T) {
	records := tabletest.Clinic(240, 6)
	spec := clinicSpec()
	spec.Task, spec.Boundaries, spec.Model = "binary", []float64{.5}, fit.Spec{Loss: "logistic", L2: fit.L2{Value: .01}}
	parent, err := engine.Fit(context.Background(), tabletest.FromRecords(records), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Review = &runspec.Review{Parent: "r1"}
	for _, row := range []int{2, 8, 30} {
		to := "died"
		if records[row+1][5] == "died" {
			to = "alive"
		}
		spec.Review.Changes = append(spec.Review.Changes, runspec.Relabel{Row: row, To: to})
	}
	child, err := engine.Fit(context.Background(), tabletest.FromRecords(records), spec, nil)
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
	wins, pairs := 0., 0. // AUC from its definition
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
	if !closeTo(*v.AUC.A.Value, wins/pairs, 1e-12) {
		t.Errorf("AUC of the child %v, want %v", *v.AUC.A.Value, wins/pairs)
	}
	if v.Moves.Events.N+v.Moves.Others.N != 237 {
		t.Errorf("%+v", v.Moves)
	}
	child.Boundaries = []float64{.4}
	if v, err = CompareReviewed(parent, child, parent.Rows, child.Rows, spec.Review); err != nil || v.Moves != nil {
		t.Errorf("bands of other boundaries: %+v, %v", v.Moves, err)
	}
}

// Several classes: the mean cost on rows with unchanged labels, counted independently.
func TestCompareReviewedSeveral(t *testing.T) {
	tab, flipped := mislabelled(150, 3, 4)
	spec := runspec.Spec{Task: "ordinal", Outcome: "outcome", Predictors: []string{"age", "marker"}, Seed: 5, Model: fit.Spec{Loss: "softmax", L2: fit.L2{Value: .05}}}
	parent, err := engine.Fit(context.Background(), tab, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Review = &runspec.Review{Parent: "r1"}
	for row, is := range flipped {
		if is && len(spec.Review.Changes) < 9 {
			spec.Review.Changes = append(spec.Review.Changes, runspec.Relabel{Row: row, To: []string{"c1", "c2", ""}[row%3]})
		}
	}
	child, err := engine.Fit(context.Background(), tab, spec, nil)
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
		if slices.ContainsFunc(spec.Review.Changes, func(c runspec.Relabel) bool { return c.Row == r.Row }) {
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
	if v.Untouched != 141 || !closeTo(c.Before, others, 1e-12) || !closeTo(c.After, own, 1e-12) || !closeTo(*c.Difference.Value, own-others, 1e-12) || c.Criterion != "mean absolute error" {
		t.Errorf("%+v, want %v and %v", c, others, own)
	}
	variance := 0.
	for _, x := range d {
		variance += math.Pow(x-(own-others), 2) / 140
	}
	if half := 1.959964 * math.Sqrt(variance/141); moved == 0 || !closeTo(*c.Difference.High-*c.Difference.Low, 2*half, 1e-6) {
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
