package resultview

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
)

// TestHeadlineWeight: a title with w comes with what w is, and one without w does not.
func TestHeadlineWeight(t *testing.T) {
	for _, m := range []fit.Spec{
		{Kind: "linear", Loss: "al-zero-one", Params: map[string]any{"weight": 1.}},
		{Kind: "linear", Loss: "al-zero-one"},
		{Kind: "linear", Loss: "softmax"},
	} {
		h := modelHeadline(&engine.Result{}, runspec.Spec{Model: m}, nil)
		if named := strings.Contains(h.Strong, "w = 1"); named != strings.Contains(h.Rest, "w is the cost of one unit of error") ||
			named != (m.Loss == "al-zero-one") {
			t.Errorf("%s: %q %q", m.Loss, h.Strong, h.Rest)
		}
	}
}

// TestHeadlineTerms: the terms of an ordinal score are all counted, since thresholds replace its intercept, and
// those of several scores are counted per class.
func TestHeadlineTerms(t *testing.T) {
	term := func(name, class string, sd float64) engine.Coefficient {
		return engine.Coefficient{Name: name, Class: class, Standardized: &sd}
	}
	intercept := func(class string) engine.Coefficient { return term(model.InterceptName, class, 9) }
	for want, all := range map[string][]engine.Coefficient{
		"A linear score of 2 terms. Largest effects per SD: age and sex.": {
			intercept(""), term("sex", "", 1), term("age", "", -2)},
		"A linear score of 2 terms. Largest effects per SD: age and marker.": {term("age", "", 20), term("marker", "", 10)},
		"A linear score of 1 term. Largest effects per SD: stage.":           {term("stage", "", 1)},
		"": {intercept("")},
		"2 linear scores, one per class, of 2 terms each.": {intercept("a"), term("age", "a", 1), term("sex", "a", 1),
			intercept("b"), term("age", "b", 1), term("sex", "b", 1)},
	} {
		if h := modelHeadline(&engine.Result{Coefficients: all}, runspec.Spec{}, nil); h.Rest != want {
			t.Errorf("%q, want %q", h.Rest, want)
		}
	}
}
