package comparison

import (
	"context"
	"errors"
	"math"
	"testing"

	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/viz"
)

// flat is a model with score 3u + 2v + 4w − 5·[g = b] − ½. By default w is at its median ¼ and g at its
// reference.
func flat() *model.Model {
	return &model.Model{Format: model.Format, Columns: []prep.Column{
		{Name: "u", Kind: "number", Min: -1, Max: 1, Decimal: ","}, {Name: "w", Kind: "number", Min: 0, Max: 1, Median: .25, Indicator: true},
		{Name: "g", Kind: "category", Reference: "a", Levels: []string{"b"}}, {Name: "v", Kind: "number", Min: -2, Max: 2}},
		Terms: []prep.Term{{Name: "u", Column: "u", Kind: "value", SD: 1}, {Name: "w", Column: "w", Kind: "value", SD: 1}, {Name: "w missing", Column: "w", Kind: "missing", SD: 1},
			{Name: "g = b", Column: "g", Kind: "level", Level: "b", SD: 1}, {Name: "v", Column: "v", Kind: "value", SD: 1}},
		Weights: []float64{3, 4, 9, -5, 2}, Intercept: -.5, Loss: "logistic", Link: "logistic", Boundaries: []float64{.5}, Delta: []float64{0}, Cut: .5}
}

// TestPlane: every node has the probability given by the formula with the other predictors at median and reference,
// and the boundary is where it is ½.
func TestPlane(t *testing.T) {
	across, up := predictor{"u", -1, 1}, predictor{"v", -2, 2}
	f := scoredPlane(t.Context(), flat(), across, up)
	if len(f.nodes) != planeSide*planeSide {
		t.Fatalf("%d nodes", len(f.nodes))
	}
	score := func(u, v float64) float64 { return 3*u + 2*v + 4*.25 - .5 }
	above := 0
	for n, p := range f.nodes {
		u, v := -1+2*float64(n%planeSide)/(planeSide-1), -2+4*float64(n/planeSide)/(planeSide-1)
		if want := 1 / (1 + math.Exp(-score(u, v))); math.Abs(*p.Probability-want) > 1e-9 {
			t.Fatalf("P(%v, %v) = %v, want %v", u, v, *p.Probability, want)
		}
		if levelsOf(flat(), true, nil).at(p) == 9 {
			above++
		}
	}
	line, n := f.trace(), 0
	for k := range line.X {
		if !math.IsNaN(line.X[k]) {
			n++
			if f := score(line.X[k], line.Y[k]); math.Abs(f) > 1e-9 {
				t.Fatalf("(%v, %v) has the score %v", line.X[k], line.Y[k], f)
			}
		}
	}
	if got := crossings(line, .5); n < 2 || got != viz.Short(-1, 3) {
		t.Errorf("%d points; at 0.5 the border lies at %s, want −1", n, got)
	}
	// P > 0.9 means 3u + 2v > log 9 − ½: a triangle at the corner (1, 2) of a plane of area 8.
	if side := 3 + 4 + .5 - math.Log(9); math.Abs(float64(above)/planeSide/planeSide-side/3*side/2/2/8) > .01 {
		t.Errorf("%d nodes above 90 per cent", above)
	}
	gone, leave := context.WithCancel(t.Context())
	if leave(); len(scoredPlane(gone, flat(), across, up).nodes) != 0 || !errors.Is(gone.Err(), context.Canceled) {
		t.Error("who asked has left, and the plane is scored")
	}
}

// TestEdgeOfAbstention: the edge of an abstention is drawn without the steps of the grid.
func TestEdgeOfAbstention(t *testing.T) {
	const side = 40
	edge := func(i float64) float64 { return 10.2 + .31*i } // class 0 below it, none above
	f := planeField{side: side}
	for n := range side * side {
		p := &model.ClassPrediction{Scores: []float64{1, 0}, Class: 0}
		if float64(n/side) > edge(float64(n%side)) {
			p.Class = stat.Abstained
		}
		f.nodes = append(f.nodes, model.Prediction{Classes: p})
	}
	frame := predictor{Min: 0, Max: side - 1}
	f.borders = f.contours(&model.Model{Levels: []string{"a", "b"}, Task: "abstain"}, frame, frame)
	line, n, worst := f.trace(), 0, 0.0
	for k := range line.X {
		if !math.IsNaN(line.X[k]) && line.X[k] >= 2 && line.X[k] <= side-3 {
			n++
			worst = max(worst, math.Abs(line.Y[k]-edge(line.X[k])))
		}
	}
	if n < 4 || worst > .5 {
		t.Errorf("%d points, at most %.2f steps from the edge", n, worst)
	}
}
