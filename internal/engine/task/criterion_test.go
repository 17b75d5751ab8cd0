package task

import (
	"math"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
)

// TestCriterion holds what tuning charges a score to values computed by hand.
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
		// Without a probability the bands are those of the canonical cut-offs logit .2
		// and logit .6, and an event in band j costs the sum over the boundaries above.
		{"an event in the highest band", hinge, 3, 1, 0},
		{"an event in the lowest band", hinge, -3, 1, .8 + .4},
		{"a non-event in the highest band", hinge, 3, 0, .2 + .6},
		{"a non-event in the lowest band", hinge, -3, 0, 0},
	} {
		if got := c.of(nil)([]float64{c.score}, c.class); math.Abs(got-c.want) > 1e-12 {
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
