package potential

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"taper/internal/engine/loss"
	"taper/internal/engine/train"
)

// smoother is the objective of a smooth loss and its gradient over blocks of
// rows. theta holds W, then η. The solver sees u = √(λ + ¼ var)·w for each
// column, centred where free offsets can take up the means, so that columns of
// any unit cost L-BFGS about the same.
type smoother struct {
	p      *problem
	ctx    context.Context
	loss   loss.Potential
	blocks blocks
	mean   []float64 // of the columns; 0 where offsets are penalised
	root   []float64 // √(λ + ¼ var)
	theta  []float64
	point  []float64 // of the solver, where value and grad were taken
	grad   []float64 // in theta
	value  float64
	fresh  bool
	evals  int
	part   []float64
}

func newSmoother(ctx context.Context, p *problem) *smoother {
	d, size := p.x.Cols, p.head.m*p.x.Cols+p.head.r
	s := &smoother{p: p, ctx: ctx, loss: p.loss, blocks: newBlocks(p.x.Rows), mean: make([]float64, d), root: make([]float64, d),
		theta: make([]float64, size), point: make([]float64, size), grad: make([]float64, size)}
	s.part = make([]float64, s.blocks.count*(size+1))
	moment := make([]float64, d)
	for i, v := range p.v {
		axpy(v, p.x.Row(i), moment)
	}
	for i, v := range p.v {
		for j, c := range p.x.Row(i) {
			s.root[j] += v * (c - moment[j]) * (c - moment[j])
		}
	}
	for j, q := range s.root {
		s.root[j] = math.Sqrt(p.l2 + q/4)
	}
	if p.head.free && p.head.r > 0 {
		copy(s.mean, moment)
	}
	return s
}

// from stores theta for a point of the solver: offsets give back what centring
// took, B·η = B·η' − S·W·mean with B = ±1.
func (s *smoother) from(theta, point []float64) {
	s.turn(theta, point, -1, func(j int) float64 { return 1 / s.root[j] })
}

// to stores the solver's point for theta.
func (s *smoother) to(point, theta []float64) {
	s.turn(point, theta, 1, func(j int) float64 { return s.root[j] })
}

func (s *smoother) turn(dst, src []float64, sign float64, scale func(int) float64) {
	d, m := s.p.x.Cols, s.p.head.m
	shift := make([]float64, m) // W·mean
	for l := range m {
		for j := range d {
			dst[l*d+j] = src[l*d+j] * scale(j)
			w := dst[l*d+j]
			if sign > 0 {
				w = src[l*d+j]
			}
			shift[l] += w * s.mean[j]
		}
	}
	f := make([]float64, s.p.head.k)
	s.p.head.addTo(f, s.p.head.s, shift)
	copy(dst[m*d:], src[m*d:])
	if s.p.head.free {
		for l := range dst[m*d:] {
			dst[m*d+l] += sign * s.p.head.b[l*s.p.head.r+l] * f[l]
		}
	}
}

// slope turns the gradient in theta into the solver's.
func (s *smoother) slope(dst []float64) {
	d, m, r := s.p.x.Cols, s.p.head.m, s.p.head.r
	copy(dst, s.grad)
	shift, none := make([]float64, m), make([]float64, r)
	if s.p.head.free && r > 0 {
		u := make([]float64, s.p.head.k)
		for l := range u {
			u[l] = s.p.head.b[l*r+l] * s.grad[m*d+l]
		}
		s.p.head.back(shift, none, u, 1)
	}
	for l := range m {
		for j := range d {
			dst[l*d+j] = (s.grad[l*d+j] - s.mean[j]*shift[l]) / s.root[j]
		}
	}
}

// at evaluates at a point of the solver unless it is there already.
func (s *smoother) at(point []float64) {
	if s.fresh && slices.Equal(point, s.point) {
		return
	}
	copy(s.point, point)
	s.from(s.theta, point)
	s.pass()
	s.fresh = true
}

// pass evaluates at theta.
func (s *smoother) pass() {
	s.evals++
	size := len(s.theta)
	spread(s.blocks.count, 4*s.p.x.Rows*s.p.x.Cols*s.p.head.m, s.block)
	sums := s.part[:size+1]
	for b := 1; b < s.blocks.count; b++ {
		axpy(1, s.part[b*(size+1):(b+1)*(size+1)], sums)
	}
	copy(s.grad, sums)
	penalised := size
	if s.p.head.free {
		penalised -= s.p.head.r
	}
	axpy(s.p.l2, s.theta[:penalised], s.grad[:penalised])
	s.value = sums[size] + s.p.l2/2*inner(s.theta[:penalised], s.theta[:penalised])
	if s.value != s.value || math.IsInf(s.value, 0) {
		s.value = math.Inf(1) // beyond the doubles: a line search turns back
	}
}

func (s *smoother) block(b int) {
	h, d, size := s.p.head, s.p.x.Cols, len(s.theta)
	to := s.part[b*(size+1) : (b+1)*(size+1)]
	clear(to)
	f, g, z := make([]float64, h.k), make([]float64, h.k), make([]float64, h.m)
	eta := s.theta[h.m*d:]
	lo, hi := s.blocks.span(b)
	for i := lo; i < hi && s.ctx.Err() == nil; i++ {
		v, x := s.p.v[i], s.p.x.Row(i)
		if v == 0 {
			continue
		}
		for l := range z {
			z[l] = inner(s.theta[l*d:(l+1)*d], x)
		}
		h.apply(f, z, eta)
		to[size] += v * s.loss.Grad(g, s.p.y[i], f)
		clear(z)
		h.back(z, to[h.m*d:size], g, v)
		for l, c := range z {
			axpy(c, x, to[l*d:(l+1)*d])
		}
	}
}

// smooth fits by L-BFGS, a loss that is not convex from several starts: zero,
// the convex loss next to it, its own losses on the way there, N(0, 0.001²).
func (p *problem) smooth(ctx context.Context, o Options) (*Fitted, error) {
	s := newSmoother(ctx, p)
	if convex(p.spec, p.loss) {
		fit, _, err := s.fit(make([]float64, len(s.theta)), o)
		return fit, err
	}
	var best *Fitted
	var reports []train.StartReport
	kept, evals := 0, 0
	for _, start := range s.starts(o) {
		theta, err := start.from()
		if err != nil {
			return nil, err
		}
		fit, _, err := s.fit(theta, o)
		if err != nil {
			return nil, err
		}
		reports = append(reports, train.StartReport{Start: start.name, Objective: fit.Objective, GradientNorm: *fit.GradientNorm,
			Iterations: fit.Iterations, Evaluations: fit.Evaluations, Stopped: fit.Stopped})
		evals += fit.Evaluations
		if best == nil || fit.Objective < best.Objective {
			best, kept = fit, len(reports)-1
		}
	}
	reports[kept].Kept = true
	best.Starts, best.Evaluations = reports, evals
	if first := reports[0].Objective; best.Objective < first-1e-6*max(1, first) {
		best.Warnings = append(best.Warnings, fmt.Sprintf("The loss has several minima: from zero the fit ends at %.6g, the start %q reached %.6g.", first, reports[kept].Start, best.Objective))
	}
	return best, nil
}

// convex reports whether every minimum is the minimum (math.md §3).
func convex(s Spec, l loss.Potential) bool {
	switch l := l.(type) {
	case loss.TemperedClasses:
		return l.T1 >= l.T2 && l.T1 >= 1
	case loss.Binary:
		r, ok := l.Margin.(loss.Regimer)
		return ok && r.Regime().Convex
	case margins:
		r, ok := l.base.(loss.Regimer)
		return ok && r.Regime().Convex
	}
	return false
}

// start is a named place to begin.
type start struct {
	name string
	from func() ([]float64, error)
}

// randomSpread is the standard deviation of random starts (paper 000, §6).
const randomSpread = 1e-3

func (s *smoother) starts(o Options) []start {
	zero := func() ([]float64, error) { return make([]float64, len(s.theta)), nil }
	list := []start{{"zero", zero}}
	if t, ok := s.loss.(loss.TemperedClasses); ok {
		list = append(list,
			start{"softmax", func() ([]float64, error) { return s.through(o, t, 1) }},
			start{"graduated", func() ([]float64, error) { return s.through(o, t, graduation) }})
	}
	for k := range max(0, cmp.Or(o.Random, 1)) {
		list = append(list, start{fmt.Sprintf("random %d", k+1), func() ([]float64, error) {
			r := rand.New(rand.NewPCG(o.Seed, uint64(k)+3))
			theta := make([]float64, len(s.theta))
			for j := range theta {
				theta[j] = randomSpread * r.NormFloat64()
			}
			return theta, nil
		}})
	}
	return list
}

// graduation is the number of losses between softmax and the one asked for.
const graduation = 4

// through fits the losses on the straight way of the temperatures from softmax,
// each from the one before, but not the last.
func (s *smoother) through(o Options, t loss.TemperedClasses, steps int) ([]float64, error) {
	theta := make([]float64, len(s.theta))
	o.Report = nil
	defer func() { s.loss = t }()
	for k := range steps {
		a := float64(k) / float64(steps)
		s.loss = loss.TemperedClasses{T1: 1 + a*(t.T1-1), T2: 1 + a*(t.T2-1), K: t.K}
		_, next, err := s.fit(theta, o)
		if err != nil {
			return nil, err
		}
		theta = next
	}
	return theta, nil
}

var errReached = errors.New("gradient reached")

// watcher reports each iteration and stops L-BFGS once the gradient is small.
type watcher struct {
	s      *smoother
	tol    float64
	limit  int
	report func(train.Progress)
}

func (*watcher) Init() error { return nil }

func (w *watcher) Record(l *optimize.Location, op optimize.Operation, stats *optimize.Stats) error {
	if op != optimize.MajorIteration {
		return nil
	}
	if w.report != nil {
		w.s.at(l.X)
		w.report(train.Progress{Fraction: float64(stats.MajorIterations) / float64(w.limit), Message: "L-BFGS", Iteration: stats.MajorIterations,
			Objective: w.s.value, GradientNorm: largest(w.s.grad)})
	}
	if largest(l.Gradient) <= w.tol {
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
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, s.ctx.Err() },
	}
	w := &watcher{s: s, tol: cmp.Or(o.GradTol, defaultGradTol), limit: cmp.Or(o.MaxIter, maxLBFGS), report: o.Report}
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
	fit := s.fitted(result.MajorIterations, err, largest(point), w.tol)
	return fit, slices.Clone(s.theta), nil
}

// fitted describes the present point.
func (s *smoother) fitted(iterations int, err error, grad, tol float64) *Fitted {
	norm := largest(s.grad)
	at := s.p.head.m * s.p.x.Cols
	fit := &Fitted{Objective: s.value, GradientNorm: &norm, Iterations: iterations, Evaluations: s.evals, Stopped: "gradient",
		Model: s.p.linearModel(s.theta[:at], s.theta[at:])}
	if grad > tol {
		fit.Stopped = "iterations"
		if err != nil && !errors.Is(err, errReached) {
			fit.Stopped = "stalled"
		}
		fit.Warnings = append(fit.Warnings, fmt.Sprintf("The fit stopped at a gradient of %.1e, above the %.1e asked for.", grad, tol))
	}
	return fit
}

// largest returns ‖g‖∞.
func largest(g []float64) float64 {
	m := 0.0
	for _, v := range g {
		m = max(m, math.Abs(v))
	}
	return m
}
