package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/viz"
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
	if plan, why := of(map[string]int{"age": 4, "height": 4}).points(); plan != nil || !strings.Contains(why, "‘height’ goes up and down") {
		t.Errorf("a curve that turns is drawn as a line of points, or without the reason: %q", why)
	}
	c := of(map[string]int{"age": 4})
	plan, _ := c.points()
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

// TestPointsOfMissing: a missing number has its own place on the scale: the points of the median and of the term for
// missing values, beside the axis of the values.
func TestPointsOfMissing(t *testing.T) {
	c := Clinical{Result: &engine.Result{Flow: engine.Flow{Trained: 400}, Boundaries: []float64{.5}, Delta: []float64{0}, Coefficients: []engine.Coefficient{
		{Name: "(intercept)", Value: -1}, {Name: "chol", Value: .01}, {Name: "chol missing", Value: -3}}},
		Model: &model.Model{Kind: "linear", Columns: []prep.Column{{Name: "chol", Kind: prep.Number, Min: 100, Max: 300, Median: 200}},
			Terms: []prep.Term{{Name: "chol", Column: "chol", Kind: prep.Value}, {Name: "chol missing", Column: "chol", Kind: prep.MissingLevel, Mean: .1}}}}
	plan, _ := c.points()
	s := plan.Scales[0]
	if s.Missing == nil || math.Abs(*s.Missing) > 1e-9 { // the lowest contribution, .01·200 − 3, has no points
		t.Fatalf("%+v", s)
	}
	if got, want := s.Points[0]*plan.unit, .01*100-(.01*200-3); math.Abs(got-want) > 1e-9 {
		t.Errorf("the lowest value has %v, want %v", got, want)
	}
	if svg := viz.PointsSVG(plan.PointsChart, 680); !strings.Contains(svg, ">missing<") {
		t.Error("the drawing does not name the place of missing values")
	}
	c.Model.Terms[1].Mean = 9. / 400
	plan, _ = c.points()
	if s := plan.Scales[0]; s.Missing != nil {
		t.Errorf("nine rows have a place of their own: %v", *s.Missing)
	}
	c.Model.Terms, c.Result.Coefficients = c.Model.Terms[:1], c.Result.Coefficients[:2]
	plan, _ = c.points()
	if s := plan.Scales[0]; s.Missing != nil {
		t.Errorf("a place of missing values without a term: %v", *s.Missing)
	}
}
