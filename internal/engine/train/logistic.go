package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// LogisticOptions sets a logistic fit; the zero value is the default.
type LogisticOptions struct {
	Start   *Linear        // where to start; nil = zero weights at the prevalence
	GradTol float64        // ‖∇‖∞ to reach, for columns scaled to unit curvature; 0 = 1e-7
	MaxIter int            // L-BFGS iterations; 0 = 1,000
	Trace   func(Step)     // called at the start and after each iteration; nil = none
	Report  func(Progress) // called once an iteration; nil = silent
}

const (
	defaultGradTol = 1e-7
	lbfgsSteps     = 1000
	lbfgsStore     = 10 // pairs kept
)

// Logistic minimises (1/Σv) Σ v_i log(1+e^{−y_i f_i}) + (λ/2)‖w‖² with a free
// intercept by L-BFGS. y is ±1; nil weights are 1.
func Logistic(ctx context.Context, x Matrix, y, weights []float64, l2 float64, o LogisticOptions) (*Linear, error) {
	fits, err := LogisticPath(ctx, x, y, weights, []float64{l2}, o)
	if err != nil {
		return nil, err
	}
	return fits[0], nil
}

// LogisticPath fits every λ from the largest down, each from the one before.
// Result i belongs to l2s[i] whatever their order.
func LogisticPath(ctx context.Context, x Matrix, y, weights, l2s []float64, o LogisticOptions) ([]*Linear, error) {
	set, err := newSample(x, y, weights)
	if err != nil {
		return nil, err
	}
	for _, l2 := range l2s {
		if err := checkL2(l2); err != nil {
			return nil, err
		}
	}
	t := newTeam(len(x.Data))
	defer t.close()
	e := newEntropy(ctx, set, newRows(x, t))
	theta := make([]float64, x.Cols+1)
	theta[x.Cols] = math.Log(set.mass[1] / set.mass[0])
	if o.Start != nil {
		if len(o.Start.W) != x.Cols {
			panic("train: shape mismatch")
		}
		copy(theta, o.Start.W)
		theta[x.Cols] = o.Start.B
	}
	scale, err := newScaling(e)
	if err != nil {
		return nil, err
	}
	fits := make([]*Linear, len(l2s))
	for done, i := range descending(l2s) {
		if fits[i], err = e.fit(theta, l2s[i], scale, o.part(done, len(l2s))); err != nil {
			return nil, err
		}
		copy(theta, fits[i].W)
		theta[x.Cols] = fits[i].B
	}
	return fits, nil
}

// part is o for one λ of a path: its reports say how far the path is.
func (o LogisticOptions) part(done, total int) LogisticOptions {
	if report := o.Report; report != nil {
		o.Report = func(p Progress) {
			p.Fraction = (float64(done) + p.Fraction) / float64(total)
			p.Message = fmt.Sprintf("λ %d of %d", done+1, total)
			report(p)
		}
	}
	return o
}

// usualIterations are those of a λ along a path.
const usualIterations = 20

// fit runs L-BFGS from theta in the coordinates of the scaling.
func (e *entropy) fit(theta []float64, l2 float64, scale *scaling, o LogisticOptions) (*Linear, error) {
	e.l2, e.evals, e.fresh = l2, 0, false
	scale.prepare(l2)
	point := make([]float64, len(theta))
	scale.to(point, theta)
	problem := optimize.Problem{
		Func: func(p []float64) float64 {
			e.at(p, scale)
			return e.value
		},
		Grad: func(dst, p []float64) {
			e.at(p, scale)
			scale.gradient(dst, e.grad)
		},
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, e.ctx.Err() },
	}
	watch := &watcher{e: e, scale: scale, tol: cmp.Or(o.GradTol, defaultGradTol), trace: o.Trace, report: o.Report}
	if o.Trace != nil {
		e.at(point, scale)
		o.Trace(e.step(0))
	}
	settings := &optimize.Settings{Recorder: watch, Converger: optimize.NeverTerminate{}, MajorIterations: cmp.Or(o.MaxIter, lbfgsSteps)}
	method := &optimize.LBFGS{Store: lbfgsStore, GradStopThreshold: math.NaN()}
	result, err := optimize.Minimize(problem, point, settings, method)
	if cause := e.ctx.Err(); cause != nil {
		return nil, cause
	}
	if result == nil {
		return nil, fmt.Errorf("fit linear model: %w", err)
	}
	e.at(result.X, scale)
	scale.gradient(point, e.grad)
	return e.linear(result.MajorIterations, err, largest(point), watch.tol), nil
}

// linear describes the present point, reached with the given gradient.
func (e *entropy) linear(iterations int, err error, grad, tol float64) *Linear {
	d := len(e.theta) - 1
	norm := largest(e.grad)
	fit := &Linear{W: slices.Clone(e.theta[:d]), B: e.theta[d], Objective: e.value, GradientNorm: &norm,
		Iterations: iterations, Evaluations: e.evals}
	switch {
	case grad <= tol:
		fit.Stopped = "gradient"
	case err != nil:
		fit.Stopped = "stalled"
	default:
		fit.Stopped = "iterations"
	}
	if grad > tol {
		fit.Warnings = append(fit.Warnings, fmt.Sprintf("The fit stopped at a gradient of %.1e, above the %.1e asked for.", grad, tol))
	}
	if e.margin > 0 {
		fit.Warnings = append(fit.Warnings, separated)
	}
	return fit
}

const separated = "The features separate the two outcomes without error in the training rows, so only λ limits the weights; read them and the probabilities with care."

var errReached = errors.New("gradient reached")

// watcher reports each iteration and stops L-BFGS once the gradient is small.
type watcher struct {
	e      *entropy
	scale  *scaling
	tol    float64
	trace  func(Step)
	report func(Progress)
}

func (*watcher) Init() error { return nil }

func (w *watcher) Record(l *optimize.Location, op optimize.Operation, s *optimize.Stats) error {
	if op != optimize.MajorIteration {
		return nil
	}
	w.e.at(l.X, w.scale)
	if w.trace != nil {
		w.trace(w.e.step(s.MajorIterations))
	}
	if w.report != nil {
		inside := float64(s.MajorIterations) / float64(s.MajorIterations+usualIterations)
		w.report(Progress{Fraction: inside, Iteration: s.MajorIterations, Objective: w.e.value, GradientNorm: largest(w.e.grad)})
	}
	if largest(l.Gradient) <= w.tol {
		return errReached
	}
	return nil
}
