package multiclass

import (
	"cmp"
	"fmt"
	"slices"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
)

// fit runs L-BFGS from theta and returns the fit and its parameters.
func (s *smoother) fit(theta []float64, o Options) (*Fitted, []float64, error) {
	s.fresh, s.evals = false, 0
	point := make([]float64, len(theta))
	s.to(point, theta)
	tol, limit := cmp.Or(o.GradTol, defaultGradTol), cmp.Or(o.MaxIter, maxLBFGS)
	run := linear.LBFGS{
		Value:    func(p []float64) float64 { s.at(p); return s.value },
		Gradient: func(dst, p []float64) { s.at(p); s.slope(dst) },
		Yield:    func() error { return parallel.Yield(s.ctx) },
		Reached: func(p, grad []float64, iteration int) bool {
			s.note(p, iteration, limit, o)
			return linear.MaxNorm(grad) <= tol
		},
		Most: limit,
	}
	iterations, stalled, err := run.Run(point)
	if cause := cmp.Or(s.ctx.Err(), err); cause != nil {
		return nil, nil, cause
	}
	s.at(point)
	s.slope(point)
	fit := s.fitted(iterations, stalled, linear.MaxNorm(point), tol)
	return fit, slices.Clone(s.theta), nil
}

// note reports an iteration to Trace and Report.
func (s *smoother) note(p []float64, iteration, limit int, o Options) {
	if o.Report == nil && o.Trace == nil {
		return
	}
	s.at(p)
	norm := linear.MaxNorm(s.grad)
	if o.Trace != nil {
		o.Trace(linear.Step{Iteration: iteration, Objective: s.value, GradientNorm: &norm})
	}
	if o.Report != nil {
		o.Report(linear.Progress{Fraction: float64(iteration) / float64(limit), Message: "L-BFGS", Iteration: iteration,
			Objective: s.value, GradientNorm: norm})
	}
}

// fitted returns the current point as a fit.
func (s *smoother) fitted(iterations int, err error, grad, tol float64) *Fitted {
	norm := linear.MaxNorm(s.grad)
	at := s.p.head.m * s.p.x.Cols
	fit := &Fitted{Objective: s.value, GradientNorm: &norm, Iterations: iterations, Evaluations: s.evals,
		Stopped: "gradient",
		Model:   s.p.linearModel(s.theta[:at], s.theta[at:])}
	if grad > tol {
		fit.Stopped = "iterations"
		if err != nil {
			fit.Stopped = "stalled"
		}
		fit.Warnings = append(fit.Warnings, fmt.Sprintf("The fit stopped at a gradient of %.1e, above the %.1e asked for.",
			grad, tol))
	}
	return fit
}
