package multiclass

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
)

var errReached = errors.New("gradient reached")

// watcher reports each iteration and stops L-BFGS once the gradient is small.
type watcher struct {
	s      *smoother
	tol    float64
	limit  int
	report func(linear.Progress)
	trace  func(linear.Step)
}

func (*watcher) Init() error { return nil }

func (w *watcher) Record(l *optimize.Location, op optimize.Operation, stats *optimize.Stats) error {
	if op != optimize.MajorIteration {
		return nil
	}
	if w.report != nil || w.trace != nil {
		w.s.at(l.X)
	}
	if w.trace != nil {
		norm := linear.MaxNorm(w.s.grad)
		w.trace(linear.Step{Iteration: stats.MajorIterations, Objective: w.s.value, GradientNorm: &norm})
	}
	if w.report != nil {
		w.report(linear.Progress{Fraction: float64(stats.MajorIterations) / float64(w.limit), Message: "L-BFGS",
			Iteration: stats.MajorIterations,
			Objective: w.s.value, GradientNorm: linear.MaxNorm(w.s.grad)})
	}
	if linear.MaxNorm(l.Gradient) <= w.tol {
		return errReached
	}
	return nil
}

// fit runs L-BFGS from theta and returns the fit and its parameters.
func (s *smoother) fit(theta []float64, o Options) (*Fitted, []float64, error) {
	s.fresh, s.evals = false, 0
	point := make([]float64, len(theta))
	s.to(point, theta)
	problem := optimize.Problem{
		Func:   func(p []float64) float64 { s.at(p); return s.value },
		Grad:   func(dst, p []float64) { s.at(p); s.slope(dst) },
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, parallel.Yield(s.ctx) },
	}
	w := &watcher{s: s, tol: cmp.Or(o.GradTol, defaultGradTol), limit: cmp.Or(o.MaxIter, maxLBFGS), report: o.Report,
		trace: o.Trace}
	settings := &optimize.Settings{Recorder: w, Converger: optimize.NeverTerminate{}, MajorIterations: w.limit}
	result, err := optimize.Minimize(problem, point, settings, &optimize.LBFGS{Store: 10, GradStopThreshold: math.NaN()})
	if cause := s.ctx.Err(); cause != nil {
		return nil, nil, cause
	}
	if result == nil {
		return nil, nil, fmt.Errorf("fit potentials: %w", err)
	}
	s.at(result.X)
	s.slope(point)
	fit := s.fitted(result.MajorIterations, err, linear.MaxNorm(point), w.tol)
	return fit, slices.Clone(s.theta), nil
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
		if err != nil && !errors.Is(err, errReached) {
			fit.Stopped = "stalled"
		}
		fit.Warnings = append(fit.Warnings, fmt.Sprintf("The fit stopped at a gradient of %.1e, above the %.1e asked for.",
			grad, tol))
	}
	return fit
}
