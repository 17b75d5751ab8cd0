package resultview

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
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

// TestWithoutRounding: a coefficient that is 0 but for rounding reads 0; a small one per natural unit of a predictor
// with large values stays.
func TestWithoutRounding(t *testing.T) {
	all := []engine.Coefficient{
		{Name: model.InterceptName, Class: "a", Value: -1.344e-16, Standardized: new(0.4)},
		{Name: "income", Class: "a", Value: 3e-14, Standardized: new(0.5)},
		{Name: "age", Class: "a", Value: 2e-15, Standardized: new(1e-14)},
	}
	r := &engine.Result{Coefficients: all, Classes: &engine.ClassResult{Levels: []string{"a"}}}
	want := []string{"0", "3 × 10⁻¹⁴", "0"}
	for k, row := range (Classes{Result: r}).Coefficients().Rows {
		if got := strings.ReplaceAll(row.Cells[1].Text(), "\u202f", " "); got != want[k] {
			t.Errorf("%s: %q, want %q", all[k].Name, got, want[k])
		}
	}
}

// TestReferenceBesideTerm: a level is shown with the one that it is compared with.
func TestReferenceBesideTerm(t *testing.T) {
	s := Bands{Columns: []prep.Column{{Name: "age", Kind: prep.Number}, {Name: "hepato", Kind: prep.Category, Levels: []string{"0"}, Reference: "1"}},
		Result: &engine.Result{Coefficients: []engine.Coefficient{{Name: "(intercept)"}, {Name: "age", Value: 1}, {Name: "hepato = 0", Value: 2}, {Name: "hepato missing"}}}}
	for k, want := range []string{"", "", "against 1", "against 1"} {
		if got := s.coefficients().Rows[k].Cells[0].Note; got != want {
			t.Errorf("line %d: %q, want %q", k, got, want)
		}
	}
}
