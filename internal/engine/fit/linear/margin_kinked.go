package linear

import (
	"context"
	"math"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// fitInterval returns the fit of the exact solver in the form of Margin.
func fitInterval(ctx context.Context, x Matrix, y, weights []float64, iv loss.Interval, l2 float64,
	o MarginOptions) (*Linear, []StartReport, error) {
	if o.NoIntercept {
		return nil, nil, usererr.New(usererr.Invalid, "The hinge loss and the interval surrogate are always fitted "+
			"with an intercept.")
	}
	options := IntervalOptions{MaxIter: o.MaxIter, Trace: o.Trace, Report: o.Report}
	if len(o.Given) > 0 {
		options.Start = o.Given[0]
	}
	fit, err := Interval(ctx, x, y, weights, iv, l2, options)
	if err != nil {
		return nil, nil, err
	}
	// The gradient is not unique at a kink, so the certificate is the gap.
	return fit, []StartReport{{Start: "zero", Objective: fit.Objective, Iterations: fit.Iterations,
		Evaluations: fit.Evaluations, Error: o.testError(fit), Stopped: fit.Stopped, Kept: true}}, nil
}

// fitHinge minimises the mean hinge loss + (λ/2)‖w‖². That is the interval surrogate with the single
// boundary ½ in other units (docs/math.md, Interval classification): with f = g/(2 log 2), log
// 2·hinge(y·f) = φ(y·g) and λ = 4 log 2·λ_φ.
func fitHinge(ctx context.Context, x Matrix, y, weights []float64, l2 float64,
	o MarginOptions) (*Linear, []StartReport, error) {
	half, err := loss.NewInterval([]float64{0.5})
	if err != nil {
		return nil, nil, err
	}
	const unit = 2 * math.Ln2
	given := make([]*Linear, len(o.Given))
	for i, g := range o.Given {
		given[i] = g.times(unit)
	}
	inner := o
	inner.Given, inner.TestError, inner.Trace = given, nil, scaled(o.Trace, 1/unit, 1/math.Ln2)
	fit, reports, err := fitInterval(ctx, x, y, weights, half, l2/(4*math.Ln2), inner)
	if err != nil {
		return nil, nil, err
	}
	scaled := fit.times(1 / unit)
	scaled.Objective /= math.Ln2
	reports[0].Objective, reports[0].Error = scaled.Objective, o.testError(scaled)
	return scaled, reports, nil
}

// times returns the fit with its score multiplied by c.
func (l *Linear) times(c float64) *Linear {
	scaled := *l
	scaled.W = make([]float64, len(l.W))
	for j, w := range l.W {
		scaled.W[j] = c * w
	}
	scaled.B *= c
	return &scaled
}
