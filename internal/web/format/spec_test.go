package format

import (
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
)

// TestSpec: texts about the choice of the penalty and the rows of the evaluation.
func TestSpec(t *testing.T) {
	penalty := func(l2 fit.L2, tuning string) string {
		return Penalty(runspec.Spec{Model: fit.Spec{Kind: "linear", Loss: "logistic", L2: l2, Tuning: tuning}})
	}
	for _, c := range []struct{ name, got, want string }{
		{"a penalty given", penalty(fit.L2{Value: .0125}, ""), "0.0125, given"},
		{"a penalty chosen", penalty(fit.L2{Mode: "cv"}, ""), "by cross-validation inside each fold"},
		{"the largest within one standard error", penalty(fit.L2{Mode: "cv-1se"}, ""), "largest within one standard error, chosen inside each fold"},
		{"folds that choose and judge", penalty(fit.L2{Mode: "cv-1se"}, "same-folds"), "by cross-validation on the evaluation folds"},
		{"trees", Penalty(runspec.Spec{Model: fit.Spec{Kind: "boost", Loss: "alpha"}}), "none"},
		{"a split", Validation(runspec.Validation{Kind: "split", Test: .3}), "hold-out of 30" + Pc},
		{"folds", Validation(runspec.Validation{Kind: "cv", Folds: 5, Repeats: 1}), "5 folds"},
		{"folds drawn again", Validation(runspec.Validation{Kind: "cv", Folds: 5, Repeats: 10}), "5 folds, 10 times"},
		{"no rows held out", Validation(runspec.Validation{Kind: "none"}), "no rows held out"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
