package linear

import (
	"context"
	"math"
	"slices"
	"sync"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// Solvers of t-logistic regression.
const (
	SolverDirect = "lbfgs" // L-BFGS on the log posterior, from several starts
	SolverCMP    = "cmp"   // convex multiplicative programming: the paper's
)

// TOptions sets a t-logistic fit; the zero value is the default.
type TOptions struct {
	Solver      string                // "" = SolverDirect
	NoIntercept bool                  // as in the paper
	Given       []*Linear             // more starts; the multiplicative form starts from the first
	Only        []string              // as for MarginOptions
	Random      int                   // as for MarginOptions; the multiplicative form tries them where Only names "random"
	Uniform     float64               // as for MarginOptions
	Seed        uint64                // of the random starts
	TestError   func(*Linear) float64 // as for MarginOptions
	GradTol     float64               // ‖∇‖∞ of the mean to reach, for scaled columns; 0 = as for MarginOptions
	MaxIter     int                   // L-BFGS iterations, or rounds of two steps; 0 = 1,000
	Tol         float64               // change of Σ log z that ends the multiplicative form; 0 = 1e-9 (the paper: 1e-4)
	Losses      *TLosses              // of this t, for many fits; nil = made for this one
	Rounds      func(Round)           // called after each ξ-step; nil = none
	Trace       func(Step)            // called at each start and after each iteration, or each ξ- and θ-step; nil = none
	Report      func(Progress)        // nil = silent
}

// Round is a state of convex multiplicative programming. Its slices are good
// until Rounds returns.
type Round struct {
	Iteration int
	Theta     []float64 // weights, then the intercept
	SumLogZ   float64   // Σ log z, without the constant Ψ
	Prior     []float64 // ξ of the prior's factors, one a column
	Rows      []float64 // ξ of the rows
}

// TFit is a fitted t-logistic regression.
type TFit struct {
	Linear
	Xi     []float64 // influence p_i^(t−1) of each row, the largest is 1
	Starts []StartReport
}

// TLosses are the losses of t-logistic fits, made ready.
type TLosses struct {
	own    loss.Margin          // −log exp_t
	convex func() loss.Margin   // tempered{t,t}, of the multiplicative form; made when asked for
	path   func() []loss.Margin // of the graduated start, likewise
}

// NewTLosses makes the losses of fits with this t ready.
func NewTLosses(t float64) *TLosses {
	return &TLosses{
		own:    Ready(loss.Tempered{T1: 1, T2: t}),
		convex: sync.OnceValue(func() loss.Margin { return Ready(loss.Tempered{T1: t, T2: t}) }),
		path: sync.OnceValue(func() (path []loss.Margin) {
			for _, soft := range Soften("t-logistic", loss.Values{"t": {Number: t}}) {
				path = append(path, Ready(soft))
			}
			return path
		}),
	}
}

// TLogistic maximises the posterior of Ding and Vishwanathan 2010 with Student-t priors and a
// free intercept: it minimises F = Σ v_i ℓ_t(y_i f_i) + Σ_j log(1 + λw_j²/(2v))/(t−1)
// with v = (3−t)/(t−1), a sum and not a mean (docs/math.md §4; at t = 1 the limit
// λw²/4). y is ±1; nil weights are 1. F is not convex for t > 1.
func TLogistic(ctx context.Context, x Matrix, y, weights []float64, t, lambda float64, o TOptions) (*TFit, error) {
	if !(t >= 1 && t <= 2) {
		return nil, usererr.BadField("t", "must be from 1 to 2 (got %v)", t)
	}
	if err := checkL2(lambda); err != nil {
		return nil, err
	}
	set, err := newSample(x, y, weights)
	if err != nil {
		return nil, err
	}
	team := newTeam(len(x.Data))
	defer team.close()
	e := newEntropy(ctx, set, newRows(x, team))
	scale, err := newScaling(e)
	if err != nil {
		return nil, err
	}
	if o.NoIntercept {
		e.pinned = true
		scale.fromZero()
	}
	if o.Losses == nil {
		o.Losses = NewTLosses(t)
	}
	s := &student{t: t, lambda: lambda, total: sum(weights, x.Rows), o: o, e: e, scale: scale}
	if r := s.ridge(); !(r >= smallestRidge && r <= 1/smallestRidge) {
		return nil, usererr.BadField("lambda", "is %v, too far from the rows’ total weight %v to compute with", lambda,
			s.total)
	}
	switch o.Solver {
	case "", SolverDirect:
		return s.direct()
	case SolverCMP:
		return s.multiplicative()
	}
	return nil, usererr.BadField("solver", "must be %q or %q (got %q)", SolverDirect, SolverCMP, o.Solver)
}

// smallestRidge is the least λ of a row whose squares stay in the doubles.
const smallestRidge = 1e-150

// sum returns Σv, the number of rows without weights.
func sum(v []float64, rows int) float64 {
	if v == nil {
		return float64(rows)
	}
	total := 0.0
	for _, w := range v {
		total += w
	}
	return total
}

// student is a t-logistic fit.
type student struct {
	t, lambda float64
	total     float64 // Σ v
	o         TOptions
	e         *entropy
	scale     *scaling
}

// prior returns the penalty of F, given 1/v = (t−1)/(3−t), and adds c times its
// gradient to grad: log(1+u)/(t−1) with u = λw²/(2v), written so that t = 1 is
// no exception.
func (s *student) prior(w, grad []float64, c float64) float64 {
	inverse := (s.t - 1) / (3 - s.t)
	value := 0.0
	for j, b := range w {
		u := s.lambda * b * b / 2 * inverse
		value += s.lambda * b * b / 2 / (3 - s.t) * psi1(u)
		grad[j] += c * s.lambda * b / ((3 - s.t) * (1 + u))
	}
	return value
}

// psi1 is log(1+u)/u (docs/math.md §0).
func psi1(u float64) float64 {
	if math.Abs(u) < 1e-5 {
		return 1 - u/2 + u*u/3
	}
	return math.Log1p(u) / u
}

// ridge is the curvature of the prior at zero, a row of unit weight.
func (s *student) ridge() float64 { return s.lambda / (3 - s.t) / s.total }

// mean is the penalty of F/Σv.
func (s *student) mean(w, grad []float64) float64 { return s.prior(w, grad, 1/s.total) / s.total }

// direct minimises F/Σv by L-BFGS.
func (s *student) direct() (*TFit, error) {
	l := s.o.Losses.own
	s.e.prior = s.mean
	run := &search{e: s.e, scale: s.scale, l2: s.ridge(), loss: l, o: MarginOptions{Path: s.path(), Given: s.o.Given,
		Only:   s.o.Only,
		Random: s.o.Random, Uniform: s.o.Uniform, Seed: s.o.Seed, TestError: s.o.TestError, GradTol: s.o.GradTol,
		MaxIter: s.o.MaxIter, Report: s.o.Report},
		trace: tracer{to: scaled(s.o.Trace, 1, s.total)}}
	fit, reports, err := run.run([]loss.Margin{l})
	if err != nil {
		return nil, err
	}
	for i := range reports {
		reports[i].Objective *= s.total
		reports[i].GradientNorm *= s.total
	}
	return s.describe(fit, reports), nil
}

// path is the way of a graduated start, if there is to be one.
func (s *student) path() []loss.Margin {
	if len(s.o.Only) > 0 && !slices.Contains(s.o.Only, "graduated") {
		return nil
	}
	return s.o.Losses.path()
}

// describe turns a fit of the mean into one of the sum.
func (s *student) describe(fit *Linear, reports []StartReport) *TFit {
	norm := *fit.GradientNorm * s.total
	fit.Objective *= s.total
	fit.GradientNorm = &norm
	return &TFit{Linear: *fit, Xi: s.influence(fit.pack()), Starts: reports}
}

// influence returns p_i^(t−1), scaled to a largest of 1 among the rows with a
// weight (docs/math.md §4).
func (s *student) influence(theta []float64) []float64 {
	xi := make([]float64, s.e.set.x.Rows)
	s.logRows(xi, theta)
	least := math.Inf(1)
	for i, v := range s.e.set.v {
		if v > 0 {
			least = min(least, xi[i])
		}
	}
	for i, l := range xi {
		xi[i] = min(1, math.Exp(least-l))
	}
	return xi
}

// logRows stores log l_i = (1−t) log p_i in dst.
func (s *student) logRows(dst, theta []float64) {
	r := s.e.rows
	r.apply(dst, theta)
	u := newSurrogate(s.o.Losses.own, r)
	block := func(k int) {
		lo, hi := r.span(k)
		for ; lo < hi; lo += slice {
			end := min(lo+slice, hi)
			for i, l := range u.values(dst[lo:end], s.e.set, lo, k) {
				dst[lo+i] = (s.t - 1) * l
			}
		}
	}
	r.team.run(r.count, &block)
}
