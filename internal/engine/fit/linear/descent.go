package linear

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/parallel"
	"taper/internal/engine/usererr"
)

// LogisticOptions are the settings of a logistic fit; the zero value has the defaults.
type LogisticOptions struct {
	Start *Linear // starting point; nil = zero weights and the intercept of the event rate
	// ‖∇‖∞ to reach, for columns of unit curvature; 0 = 1e-7, or 1e-12 where a Hessian is cheap
	GradTol float64
	MaxIter int            // L-BFGS iterations; 0 = 1,000
	Trace   func(Step)     // called at the start and after each iteration; nil = none
	Report  func(Progress) // called once per iteration; nil = none
}

const (
	defaultGradTol = 1e-7
	lbfgsSteps     = 1000
)

// descent is the state of a fit: L-BFGS, followed by Newton's method where a Hessian is cheap.
type descent struct {
	e          *entropy
	scale      *scaling
	o          LogisticOptions
	tol        float64   // ‖∇‖∞ to reach
	most       int       // largest number of iterations
	point      []float64 // in the scaled coordinates
	norm       float64   // ‖∇‖∞ at point, in the scaled coordinates
	iterations int
	err        error // why L-BFGS made no further step
}

// fit minimises from theta, in the scaled coordinates.
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

// sound returns an error for a fit that overflowed: model.json must contain finite numbers.
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

// run stops L-BFGS early for a convex loss and continues with Newton's method. For other losses L-BFGS
// must converge first: far from a minimum Newton's steps can lead to another one.
func (f *descent) run() error {
	f.norm = math.Inf(1)
	newton := f.e.polishes()
	if !newton {
		if done, err := f.sketched(f.tol); done || err != nil {
			return err
		}
	}
	if early := max(f.tol, polishFrom); newton && early > f.tol && (f.e.other == nil || f.e.other.convex) {
		if err := f.lbfgs(early); err != nil {
			return err
		}
		f.newton()
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

// lbfgs continues until the gradient is below tol.
func (f *descent) lbfgs(tol float64) error {
	e, scale, before := f.e, f.scale, f.iterations
	run := LBFGS{
		Value: func(p []float64) float64 {
			e.at(p, scale)
			return e.value
		},
		Gradient: func(dst, p []float64) {
			e.at(p, scale)
			scale.gradient(dst, e.grad)
		},
		Yield: func() error { return parallel.Yield(e.ctx) },
		Reached: func(p, grad []float64, iteration int) bool {
			e.at(p, scale)
			f.note(before + iteration)
			return MaxNorm(grad) <= tol
		},
		Most: f.most - f.iterations,
	}
	iterations, stalled, err := run.Run(f.point)
	if cause := cmp.Or(e.ctx.Err(), err); cause != nil {
		return cause
	}
	f.iterations += iterations
	f.err = stalled
	f.stand(f.point)
	return nil
}

// stand sets the current point to p.
func (f *descent) stand(p []float64) {
	copy(f.point, p)
	f.e.at(f.point, f.scale)
	grad := make([]float64, len(p))
	f.scale.gradient(grad, f.e.grad)
	f.norm = MaxNorm(grad)
}

// newton continues with Newton's method as long as it improves the point.
func (f *descent) newton() {
	n := len(f.point)
	p := &polisher{e: f.e, scale: f.scale, most: f.most - f.iterations, slow: quick,
		hessian: newCurvature(f.e, f.scale),
		point:   slices.Clone(f.point),
		grad:    make([]float64, n), step: make([]float64, n), next: make([]float64, n), slope: make([]float64, n)}
	p.accepted = func() { f.note(f.iterations + p.steps) }
	p.polish(min(cmp.Or(f.o.GradTol, polished), f.tol))
	f.iterations += p.steps
	f.stand(p.point)
}

// note reports the entropy's current point to Trace and Report.
func (f *descent) note(iteration int) {
	if f.o.Trace != nil {
		f.o.Trace(f.e.step(iteration))
	}
	if f.o.Report != nil {
		inside := float64(iteration) / float64(iteration+usualIterations)
		f.o.Report(Progress{Fraction: inside, Iteration: iteration, Objective: f.e.value, GradientNorm: MaxNorm(f.e.grad)})
	}
}

// linear returns the current point as a fit, with its gradient and the reason why it stopped.
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

// nearZero avoids a pass: zero weights are only tried where the largest weight is below this multiple of
// the gradient, for columns of unit curvature.
const nearZero = 1e3

// simplify sets the weights to 0 where the gradient at 0 is no larger than the one reached (or than
// Newton's tolerance) and the objective is no worse up to rounding. path.simplest says why.
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
