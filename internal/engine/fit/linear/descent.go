package linear

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"taper/internal/engine/parallel"
	"taper/internal/engine/usererr"
)

// LogisticOptions sets a logistic fit; the zero value is the default.
type LogisticOptions struct {
	Start   *Linear        // where to start; nil = zero weights at the prevalence
	GradTol float64        // ‖∇‖∞ to reach, for columns of unit curvature; 0 = 1e-7, 1e-12 where a Hessian is cheap
	MaxIter int            // L-BFGS iterations; 0 = 1,000
	Trace   func(Step)     // called at the start and after each iteration; nil = none
	Report  func(Progress) // called once an iteration; nil = silent
}

const (
	defaultGradTol = 1e-7
	lbfgsSteps     = 1000
	lbfgsStore     = 10 // pairs kept
)

// descent is a fit under way: L-BFGS, ended by Newton's method where a Hessian
// is cheap.
type descent struct {
	e          *entropy
	scale      *scaling
	o          LogisticOptions
	tol        float64   // gradient to reach
	most       int       // iterations at most
	point      []float64 // in the coordinates of the scaling
	norm       float64   // ‖∇‖∞ there, in them
	iterations int
	err        error // why L-BFGS stopped
}

// fit descends from theta in the coordinates of the scaling.
func (e *entropy) fit(theta []float64, l2 float64, scale *scaling, o LogisticOptions) (*Linear, error) {
	e.l2, e.evals, e.fresh = l2, 0, false
	scale.prepare(l2)
	f := &descent{e: e, scale: scale, o: o, tol: cmp.Or(o.GradTol, defaultGradTol), most: cmp.Or(o.MaxIter, lbfgsSteps),
		point: make([]float64, len(theta))}
	scale.to(f.point, theta)
	if o.Trace != nil {
		e.at(f.point, scale)
		o.Trace(e.step(0))
	}
	if err := f.run(); err != nil {
		return nil, err
	}
	f.simplify()
	fit := e.linear(f.iterations, f.err, f.norm, f.tol)
	return fit, fit.sound()
}

// sound says when a fit left the doubles: an answer is made of numbers.
func (l *Linear) sound() error {
	total := l.B + l.Objective + *l.GradientNorm
	for _, w := range l.W {
		total += math.Abs(w)
	}
	if total-total != 0 {
		return usererr.New(usererr.Invalid, "The fit left the range of numbers. Bring the columns to a common scale, or "+
			"take a "+
			"λ nearer to 1.")
	}
	return nil
}

// run leaves a convex loss to Newton's method early. Any other is first brought
// down by L-BFGS: far from a minimum Newton's steps may lead to another one.
func (f *descent) run() error {
	newton := f.e.polishes()
	if early := max(f.tol, polishFrom); newton && early > f.tol && (f.e.other == nil || f.e.other.convex) {
		if err := f.lbfgs(early); err != nil {
			return err
		}
		f.newton()
	} else {
		f.norm = math.Inf(1)
	}
	if f.norm > f.tol && f.iterations < f.most {
		if err := f.lbfgs(f.tol); err != nil {
			return err
		}
		if newton && f.iterations < f.most {
			f.newton()
		}
	}
	return f.e.ctx.Err()
}

// lbfgs goes on to a gradient of tol.
func (f *descent) lbfgs(tol float64) error {
	e, scale := f.e, f.scale
	problem := optimize.Problem{
		Func: func(p []float64) float64 {
			e.at(p, scale)
			return e.value
		},
		Grad: func(dst, p []float64) {
			e.at(p, scale)
			scale.gradient(dst, e.grad)
		},
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, parallel.Yield(e.ctx) },
	}
	watch := &watcher{descent: f, tol: tol, before: f.iterations}
	settings := &optimize.Settings{Recorder: watch, Converger: optimize.NeverTerminate{},
		MajorIterations: f.most - f.iterations}
	method := &optimize.LBFGS{Store: lbfgsStore, GradStopThreshold: math.NaN()}
	result, err := optimize.Minimize(problem, f.point, settings, method)
	if cause := e.ctx.Err(); cause != nil {
		return cause
	}
	if result == nil {
		return fmt.Errorf("fit linear model: %w", err)
	}
	f.iterations += result.MajorIterations
	f.err = err
	f.stand(result.X)
	return nil
}

// stand makes p the point.
func (f *descent) stand(p []float64) {
	copy(f.point, p)
	f.e.at(f.point, f.scale)
	grad := make([]float64, len(p))
	f.scale.gradient(grad, f.e.grad)
	f.norm = MaxNorm(grad)
}

// newton goes on by Newton's method as far as it leads.
func (f *descent) newton() {
	n := len(f.point)
	p := &polisher{e: f.e, scale: f.scale, most: f.most - f.iterations, hessian: newCurvature(f.e, f.scale),
		point: slices.Clone(f.point),
		grad:  make([]float64, n), step: make([]float64, n), next: make([]float64, n), slope: make([]float64, n)}
	p.accepted = func() { f.note(f.iterations + p.steps) }
	p.polish(min(cmp.Or(f.o.GradTol, polished), f.tol))
	f.iterations += p.steps
	f.stand(p.point)
}

// note traces and reports the entropy's point.
func (f *descent) note(iteration int) {
	if f.o.Trace != nil {
		f.o.Trace(f.e.step(iteration))
	}
	if f.o.Report != nil {
		inside := float64(iteration) / float64(iteration+usualIterations)
		f.o.Report(Progress{Fraction: inside, Iteration: iteration, Objective: f.e.value, GradientNorm: MaxNorm(f.e.grad)})
	}
}

// linear describes the present point, reached with the given gradient.
func (e *entropy) linear(iterations int, err error, grad, tol float64) *Linear {
	d := len(e.theta) - 1
	norm := MaxNorm(e.grad)
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
		fit.Warnings = append(fit.Warnings, fmt.Sprintf("The fit stopped at a gradient of %.1e, above the %.1e asked for.",
			grad, tol))
	}
	if e.margin > 0 {
		fit.Warnings = append(fit.Warnings, separated)
	}
	return fit
}

var errReached = errors.New("gradient reached")

// watcher notes each iteration and stops L-BFGS once the gradient is small.
type watcher struct {
	*descent
	tol    float64
	before int // iterations
}

func (*watcher) Init() error { return nil }

func (w *watcher) Record(l *optimize.Location, op optimize.Operation, s *optimize.Stats) error {
	if op != optimize.MajorIteration {
		return nil
	}
	w.e.at(l.X, w.scale)
	w.note(w.before + s.MajorIterations)
	if MaxNorm(l.Gradient) <= w.tol {
		return errReached
	}
	return nil
}

// nearZero is the multiple of the gradient reached, for columns of unit
// curvature, beyond which weights are not tried at 0: it saves a pass.
const nearZero = 1e3

// simplify takes the weights to 0 where the gradient there is no larger than the
// one reached, or than what Newton's method asks for, and the objective no worse
// but for rounding (path.simplest says why).
func (f *descent) simplify() {
	d := len(f.point) - 1
	enough, top := math.Max(f.norm, polished), MaxNorm(f.point[:d])
	if top == 0 || f.norm > f.tol || top > nearZero*enough {
		return
	}
	was, objective, norm := append([]float64(nil), f.point...), f.e.value, f.norm
	none := make([]float64, d+1)
	none[d] = f.point[d]
	f.stand(none)
	if f.norm > enough || f.e.value > objective+roundingLoss*math.Abs(objective) {
		f.stand(was)
		f.norm = norm
	}
}
