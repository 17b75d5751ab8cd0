package task

import (
	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
)

// Criterion is what tuning minimises the mean of over held-out rows: of a model,
// by its outputs of a row and the row's class. It is no statistic: the softplus of
// a margin and −log P of it are one number with two last bits, and every kept run
// was tuned by the former.
type Criterion func(*fit.Model) func(raw []float64, class int) float64

// Means stores what each of the models of one trainer is charged on average for rows
// of these classes.
func (c Criterion) Means(dst []float64, fits []*fit.Model, x linear.Matrix, class []int) {
	for m, raw := range fit.Scores(fits, x) {
		of, k, sum := c(fits[m]), fits[m].Outputs(), 0.0
		for i, own := range class {
			sum += of(raw[i*k:(i+1)*k], own)
		}
		dst[m] = sum / float64(len(class))
	}
}

// sign is a class of two as ±1.
func sign(class int) float64 { return float64(2*class - 1) }

// ofEvent charges −log P of the class where the loss has a probability, and the
// theoretical loss of the band that the canonical cut-offs give where not.
func ofEvent(how fit.Method, iv loss.Interval) Criterion {
	if how.Family.Kind != loss.KindInterval && how.Link.Has() {
		return byScore(func(f float64, class int) float64 { return how.Link.Surprise(sign(class) * f) })
	}
	cost := Bands(iv)
	return byScore(func(f float64, class int) float64 { return cost[iv.Band(f)][class] })
}

// LossCriterion charges the loss that the model is fitted by. An audit tunes by it a loss
// that down-weights labels: −log P charges a wrong label without bound and so
// prefers a λ at which the model still listens to it. On Long and Servedio's set
// with 10 % flips that is an average precision of 1.00 in place of 0.82.
func LossCriterion(l loss.Margin) Criterion {
	return byScore(func(f float64, class int) float64 { return l.Value(sign(class), sign(class)*f) })
}

func byScore(of func(f float64, class int) float64) Criterion {
	return func(*fit.Model) func([]float64, int) float64 {
		return func(raw []float64, class int) float64 { return of(raw[0], class) }
	}
}

// ofCall charges the cost of the model's call.
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
