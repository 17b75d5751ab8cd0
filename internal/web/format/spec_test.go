package format

import (
	"testing"

	"taper/internal/engine"
)

// TestSpec words where a penalty comes from, and which rows judge.
func TestSpec(t *testing.T) {
	penalty := func(l2 engine.L2, tuning string) string {
		return Penalty(engine.Spec{Model: engine.ModelSpec{Kind: "linear", Loss: "logistic", L2: l2, Tuning: tuning}})
	}
	for _, c := range []struct{ name, got, want string }{
		{"a penalty given", penalty(engine.L2{Value: .0125}, ""), "0.0125, given"},
		{"a penalty chosen", penalty(engine.L2{Mode: "cv"}, ""), "by cross-validation inside each fold"},
		{"the largest within one standard error", penalty(engine.L2{Mode: "cv-1se"}, ""), "largest within one standard error, chosen inside each fold"},
		{"folds that choose and judge", penalty(engine.L2{Mode: "cv-1se"}, "same-folds"), "by cross-validation on the folds that judge"},
		{"trees", Penalty(engine.Spec{Model: engine.ModelSpec{Kind: "boost", Loss: "alpha"}}), "none"},
		{"a split", Validation(engine.Validation{Kind: "split", Test: .3}), "30" + Pc + " held out"},
		{"folds", Validation(engine.Validation{Kind: "cv", Folds: 5, Repeats: 1}), "5 folds"},
		{"folds drawn again", Validation(engine.Validation{Kind: "cv", Folds: 5, Repeats: 10}), "5 folds, 10 times"},
		{"no rows held out", Validation(engine.Validation{Kind: "none"}), "no rows held out"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
