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
	SolverDirect = "lbfgs" // L-BFGS on the log posterior, from several starting points
	SolverCMP    = "cmp"   // convex multiplicative programming, the paper's method
)

// TOptions are the settings of a t-logistic fit; the zero value has the defaults.
type TOptions struct {
	Solver      string                // "" = SolverDirect
	NoIntercept bool                  // as in the paper
	Given       []*Linear             // additional starting points; SolverCMP starts from the first
	Only        []string              // as for MarginOptions
	Random      int                   // as for MarginOptions; SolverCMP uses them if Only names "random"
	Uniform     float64               // as for MarginOptions
	Seed        uint64                // of the random starts
	TestError   func(*Linear) float64 // as for MarginOptions
	// ‖∇‖∞ of the mean objective to reach, for scaled columns; 0 = as for MarginOptions
	GradTol float64
	MaxIter int            // L-BFGS iterations, or rounds of both steps; 0 = 1,000
	Tol     float64        // change of Σ log z at which SolverCMP stops; 0 = 1e-9 (in the paper 1e-4)
	Losses  *TLosses       // prepared losses for this t, shared by many fits; nil = prepared for this fit
	Rounds  func(Round)    // called after each ξ-step; nil = none
	Trace   func(Step)     // called at each start and after each iteration, or each ξ- and θ-step; nil = none
	Report  func(Progress) // nil = none
}

// Round is a state of convex multiplicative programming. Its slices are valid until Rounds returns.
type Round struct {
	Iteration int
	Theta     []float64 // weights, then the intercept
	SumLogZ   float64   // Σ log z, without the constant Ψ
	Prior     []float64 // ξ of the prior's factors, one per column
	Rows      []float64 // ξ of the rows
}

// TFit is a fitted t-logistic regression.
type TFit struct {
	Linear
	Xi     []float64 // influence p_i^(t−1) of each row, scaled to a maximum of 1
	Starts []StartReport
}

// TLosses are prepared losses for t-logistic fits.
type TLosses struct {
	own    loss.Margin          // −log exp_t
	convex func() loss.Margin   // tempered{t,t}, for SolverCMP; prepared when first used
	path   func() []loss.Margin // those of the graduated start, likewise
}

// NewTLosses prepares the losses for fits with this t.
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

// TLogistic maximises the posterior of Ding and Vishwanathan (2010) with Student-t priors and an
// unpenalised intercept: it minimises F = Σ v_i ℓ_t(y_i f_i) + Σ_j log(1 + λw_j²/(2v))/(t−1) with v =
// (3−t)/(t−1), which is a sum and not a mean (docs/math.md, t-logistic regression; at t = 1 the limit
// λw²/4 is used). y is ±1; nil weights mean 1. F is not convex for t > 1.
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

// smallestRidge is the smallest λ per row whose squares do not underflow.
const smallestRidge = 1e-150

// sum returns Σv, or the number of rows for nil weights.
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

// student is the state of a t-logistic fit.
type student struct {
	t, lambda float64
	total     float64 // Σ v
	o         TOptions
	e         *entropy
	scale     *scaling
}

// prior returns the penalty of F, given 1/v = (t−1)/(3−t), and adds c times its gradient to grad. The
// penalty is log(1+u)/(t−1) with u = λw²/(2v), written so that t = 1 needs no special case.
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

// psi1 is log(1+u)/u (docs/math.md, Conventions).
func psi1(u float64) float64 {
	if math.Abs(u) < 1e-5 {
		return 1 - u/2 + u*u/3
	}
	return math.Log1p(u) / u
}

// ridge is the second derivative of the prior at 0, divided by the total weight.
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

// path returns the losses of a graduated start, nil if none is wanted.
func (s *student) path() []loss.Margin {
	if len(s.o.Only) > 0 && !slices.Contains(s.o.Only, "graduated") {
		return nil
	}
	return s.o.Losses.path()
}

// describe converts a fit of the mean objective to one of the sum.
func (s *student) describe(fit *Linear, reports []StartReport) *TFit {
	norm := *fit.GradientNorm * s.total
	fit.Objective *= s.total
	fit.GradientNorm = &norm
	return &TFit{Linear: *fit, Xi: s.influence(fit.pack()), Starts: reports}
}

// influence returns p_i^(t−1), scaled to a maximum of 1 among rows with a positive weight (docs/math.md,
// t-logistic regression).
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
			for i, l := range u.values(dst[lo:end], s.e.set, lo, k, nil) {
				dst[lo+i] = (s.t - 1) * l
			}
		}
	}
	r.team.run(r.count, &block)
}
