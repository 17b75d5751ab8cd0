package report

import (
	"math"
	"strconv"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/testdata"
)

// TestPoints recomputes the points of a curve from the model, and checks that a non-monotone curve gives no
// nomogram.
func TestPoints(t *testing.T) {
	tab, err := table.Read(t.Context(), testdata.Read("heart-clinic.csv"), table.Options{}, table.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	of := func(splines map[string]int) Clinical {
		t.Helper()
		spec := runspec.Spec{Outcome: "disease", Positive: table.Levels{"yes"}, Task: "interval", Predictors: []string{"age", "height", "sex"}, Splines: splines,
			Boundaries: []float64{0.25, 0.5}, Validation: runspec.Validation{Kind: "cv", Folds: 3}, Seed: 1}
		spec.Model.Kind, spec.Model.Loss, spec.Model.L2 = "linear", "logistic", fit.L2{Value: 0.02}
		r, err := engine.Fit(t.Context(), tab, spec.WithDefaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return Clinical{Result: r, Model: r.Model}
	}
	if plan := of(map[string]int{"age": 4, "height": 4}).points(); plan != nil {
		t.Errorf("a curve that turns is drawn as a line of points: %+v", plan.Scales)
	}
	c := of(map[string]int{"age": 4})
	plan := c.points()
	if plan == nil || plan.Scales[0].Name != "age" || len(plan.Scales[0].Labels) < 3 {
		t.Fatalf("points %+v", plan)
	}
	pre, age := prep.Preprocessor{Columns: c.Model.Columns, Terms: c.Model.Terms}, plan.Scales[0]
	first, _ := strconv.ParseFloat(age.Labels[0], 64)
	for i, label := range age.Labels {
		v, err := strconv.ParseFloat(label, 64)
		if want := pre.Effect(c.Model.Weights, "age", v, first); err != nil || math.Abs((age.Points[i]-age.Points[0])*plan.unit-want) > 1e-9 {
			t.Errorf("age %s adds %v, want %v", label, (age.Points[i]-age.Points[0])*plan.unit, want)
		}
	}
}
