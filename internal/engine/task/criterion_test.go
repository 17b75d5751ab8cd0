package task

import (
	"math"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
)

// TestCriterion compares the tuning criterion with hand calculation.
func TestCriterion(t *testing.T) {
	iv, err := loss.NewInterval([]float64{.2, .6})
	if err != nil {
		t.Fatal(err)
	}
	binary := func(m fit.Spec) Criterion {
		how, err := fit.Parse(m)
		if err != nil {
			t.Fatal(err)
		}
		return Binary{}.Criterion(how, nil, iv)
	}
	logistic, hinge := binary(fit.Spec{Loss: "logistic"}), binary(fit.Spec{Loss: "hinge"})
	for _, c := range []struct {
		name  string
		of    Criterion
		score float64
		class int
		want  float64
	}{
		{"−log P of an event at its side", logistic, 2, 1, math.Log1p(math.Exp(-2))},
		{"−log P of an event at the other side", logistic, -2, 1, math.Log1p(math.Exp(2))},
		{"−log P of a non-event at its side", logistic, -2, 0, math.Log1p(math.Exp(-2))},
		{"−log P of a non-event at the other side", logistic, 2, 0, math.Log1p(math.Exp(2))},
		// P of the exponential loss is σ(2f).
		{"twice the score of the exponential loss", binary(fit.Spec{Loss: "exponential"}), 1, 1, math.Log1p(math.Exp(-2))},
		{"and of its non-events", binary(fit.Spec{Loss: "exponential"}), 1, 0, math.Log1p(math.Exp(2))},
		// Without a probability, bands are cut at logit .2 and logit .6, and an event in band j
		// costs the sum over the boundaries above.
		{"an event in the highest band", hinge, 3, 1, 0},
		{"an event in the lowest band", hinge, -3, 1, .8 + .4},
		{"a non-event in the highest band", hinge, 3, 0, .2 + .6},
		{"a non-event in the lowest band", hinge, -3, 0, 0},
	} {
		if got := c.of(nil)([]float64{c.score}, c.class); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		name  string
		score float64
		class int
		want  float64
	}{{"an event", .25, 1, .75}, {"a non-event", .25, 0, 1.25}, {"far enough", -3, 0, 0}} {
		if got := LossCriterion(loss.Hinge{})(nil)([]float64{c.score}, c.class); got != c.want {
			t.Errorf("hinge loss of %s at %v: %v, want %v", c.name, c.score, got, c.want)
		}
	}
}

// TestMeansOfCalls: the criterion of a three-class model is the cost of its predictions, row by
// row; every model here makes errors.
func TestMeansOfCalls(t *testing.T) {
	x := linear.Matrix{Rows: 9, Cols: 1, Data: []float64{-3, -2, .1, -1, 0, 1, 2, 3, -.5}}
	class := []int{0, 0, 0, 1, 1, 1, 2, 2, 2}
	how, err := fit.Parse(fit.Spec{Kind: "linear", Loss: "softmax"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := how.Trainer(fit.Task{Classes: 3}, 0)
	if err != nil {
		t.Fatal(err)
	}
	fits, err := l.Path(t.Context(), fit.Data{X: x, Label: class}, []float64{.01, 1}, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cost := Cost{{0, 1, 4}, {2, 0, 1}, {8, 3, 0}}
	got := make([]float64, 2)
	ofCall(RuleExpected, cost).Means(got, fits, x, class)
	for m, f := range fits {
		r, sum := NewReader(f.Potential.Model, RuleExpected, cost), 0.0
		for i, own := range class {
			p := make([]float64, 3)
			r.Row(make([]float64, 3), p, x.Row(i))
			dear := func(call int) float64 { return p[0]*cost[call][0] + p[1]*cost[call][1] + p[2]*cost[call][2] }
			call := 0
			for c := range 3 {
				if dear(c) < dear(call) {
					call = c
				}
			}
			sum += cost[call][own]
		}
		if want := sum / 9; sum == 0 || !(math.Abs(got[m]-want) <= 1e-12) {
			t.Errorf("model %d: mean cost %v, want %v", m, got[m], want)
		}
	}
}
