package task

import (
	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
)

// Criterion is the quantity whose mean over held-out rows tuning minimises, as a function of a
// model's outputs for a row and the row's class. It is separate from the log-loss statistic:
// softplus of the margin and −log P are equal up to the last bits, and stored runs were tuned
// by the former.
type Criterion func(*fit.Model) func(raw []float64, class int) float64

// Means stores the mean criterion of each model of one trainer on rows with these classes.
func (c Criterion) Means(dst []float64, fits []*fit.Model, x linear.Matrix, class []int) {
	for m, raw := range fit.Scores(fits, x) {
		of, k, sum := c(fits[m]), fits[m].Outputs(), 0.0
		for i, own := range class {
			sum += of(raw[i*k:(i+1)*k], own)
		}
		dst[m] = sum / float64(len(class))
	}
}

// sign converts class 0 or 1 to ±1.
func sign(class int) float64 { return float64(2*class - 1) }

// ofEvent is −log P of the class if the loss has a probability, otherwise the interval loss of
// the band under the canonical cut-offs.
func ofEvent(how fit.Method, iv loss.Interval) Criterion {
	if how.Family.Kind != loss.KindInterval && how.Link.Has() {
		return byScore(func(f float64, class int) float64 { return how.Link.Surprise(sign(class) * f) })
	}
	cost := Bands(iv)
	return byScore(func(f float64, class int) float64 { return cost[iv.Band(f)][class] })
}

// LossCriterion is the loss that the model is fitted by. Audits tune losses that down-weight
// labels by it: −log P grows without bound for a wrong label, and therefore prefers a λ at
// which wrong labels keep their influence. On the Long and Servedio data with 10 % flips the
// average precision of the audit is 1.00 instead of 0.82.
func LossCriterion(l loss.Margin) Criterion {
	return byScore(func(f float64, class int) float64 { return l.Value(sign(class), sign(class)*f) })
}

func byScore(of func(f float64, class int) float64) Criterion {
	return func(*fit.Model) func([]float64, int) float64 {
		return func(raw []float64, class int) float64 { return of(raw[0], class) }
	}
}

// ofCall is the cost of the predicted class.
func ofCall(rule string, c Cost) Criterion {
	return func(m *fit.Model) func([]float64, int) float64 {
		r := NewReader(m.Potential.Model, rule, c)
		score, prob := make([]float64, c.Classes()), make([]float64, c.Classes())
		return func(raw []float64, class int) float64 {
			call, _ := r.Outputs(score, prob, raw)
			return c.Of(call, class)
		}
	}
}
