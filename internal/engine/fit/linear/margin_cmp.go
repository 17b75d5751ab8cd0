package linear

import (
	"taper/internal/engine/odds"

	"fmt"
	"math"
	"slices"
)

// multiplicative is convex multiplicative programming (Ding and Vishwanathan 2010, equations 22–28;
// docs/math.md, t-logistic regression). Up to a constant factor the posterior is 1/Π z^(1/(t−1)) with
// convex z: r_j for the prior, l_i for the rows. The ξ-step sets ξ ∝ 1/z, the θ-step minimises Σ ξz. Σ
// log z never increases; where neither step changes anything, F is stationary.
type multiplicative struct {
	*student
	start   string
	theta   []float64
	shares  []float64 // weights of the rows, as given
	weights []float64 // weights of the rows in a θ-step
	rows    []float64 // log l_i, then ξ
	prior   []float64 // log r_j, then ξ
}

const (
	defaultCMPTol = 1e-9
	stepTol       = 1e-9 // gradient to reach in a θ-step
)

// multiplicative runs from every start and returns the best fit, the first of equal ones.
func (s *student) multiplicative() (*TFit, error) {
	n, d := s.e.set.x.Rows, s.e.set.x.Cols
	c := &multiplicative{student: s, theta: make([]float64, d+1), shares: s.e.set.v, weights: make([]float64, n),
		rows: make([]float64, n), prior: make([]float64, d)}
	var fits []*Linear
	var reports []StartReport
	best := 0
	for _, from := range c.starts() {
		c.start = from.name
		theta, err := from.at()
		if err != nil {
			return nil, err
		}
		if copy(c.theta, theta); s.e.pinned {
			c.theta[d] = 0
		}
		fit, err := c.alternate()
		if err != nil {
			return nil, err
		}
		fits, reports = append(fits, fit), append(reports, c.report(fit))
		if fit.Objective < fits[best].Objective-sameMinimum*math.Abs(fits[best].Objective) {
			best = len(fits) - 1
		}
	}
	reports[best].Kept = true
	return c.describe(fits[best], reports), nil
}

// starts returns zero or the first of the given points, then the random ones asked for.
func (c *multiplicative) starts() []start {
	n, o := len(c.theta), c.o
	first := start{"zero", "zero", func() ([]float64, error) { return make([]float64, n), nil }}
	if len(o.Given) > 0 {
		first = start{"given", "given 1", func() ([]float64, error) { return o.Given[0].pack(), nil }}
	}
	if !slices.Contains(o.Only, "random") {
		return []start{first}
	}
	var ways []start
	if slices.Contains(o.Only, first.kind) {
		ways = append(ways, first)
	}
	return append(ways, scattered(o.Random, o.Uniform, o.Seed, n)...)
}

// alternate repeats both steps until neither changes the point.
func (c *multiplicative) alternate() (*Linear, error) {
	c.e.other = newSurrogate(c.o.Losses.convex(), c.e.rows)
	c.e.set.v = c.weights
	fit := &Linear{Stopped: "iterations"}
	tol, rounds := orElse(c.o.Tol, defaultCMPTol), orElse(c.o.MaxIter, lbfgsSteps)
	now := c.weigh(0)
	for fit.Stopped == "iterations" && fit.Iterations < rounds {
		if err := c.step(fit); err != nil {
			return nil, err
		}
		last := now
		if now = c.weigh(fit.Iterations); math.Abs(last-now) < max(tol, roundingLoss*math.Abs(now)) {
			fit.Stopped = "stationary"
		}
	}
	c.finish(fit, tol)
	return fit, fit.sound()
}

// weigh is the ξ-step: log ξ = mean(log z) − log z, so that Π ξ = 1. It works on logarithms, since the
// product of all z would overflow. It returns Σ log z.
func (c *multiplicative) weigh(iteration int) float64 {
	d := len(c.prior)
	c.logRows(c.rows, c.theta)
	sum := 0.0
	for i, v := range c.shares {
		sum += c.total * v * c.rows[i]
	}
	for j, w := range c.theta[:d] {
		c.prior[j] = math.Log1p(c.lambda * w * w / 2 * (c.t - 1) / (3 - c.t))
		sum += c.prior[j]
	}
	mean := sum / (float64(d) + c.total)
	for i, l := range c.rows {
		c.rows[i] = math.Exp(mean - l)
	}
	for j, l := range c.prior {
		c.prior[j] = math.Exp(mean - l)
	}
	if c.o.Rounds != nil {
		c.o.Rounds(Round{Iteration: iteration, Theta: c.theta, SumLogZ: sum, Prior: c.prior, Rows: c.rows})
	}
	c.trace(PhaseXi, iteration)
	if c.o.Report != nil {
		c.o.Report(Progress{Iteration: iteration, Objective: sum / max(c.t-1, 1e-300),
			Message: fmt.Sprintf("Round %d", iteration)})
	}
	return sum
}

// step is the θ-step: Σ ξz is, up to a constant, a multiple of a weighted mean of the convex loss
// tempered{t,t} plus a ridge penalty with a different λ for each column. The multiple makes the weights
// of the rows sum to 1.
func (c *multiplicative) step(fit *Linear) error {
	weight := 0.0
	for i, v := range c.shares {
		c.e.set.v[i] = v * c.rows[i]
		weight += c.e.set.v[i]
	}
	for i := range c.shares {
		c.e.set.v[i] /= weight
	}
	ridge := c.ridge() / weight
	c.e.prior = func(w, grad []float64) float64 {
		value := 0.0
		for j, b := range w {
			grad[j] += ridge * c.prior[j] * b
			value += ridge / 2 * c.prior[j] * b * b
		}
		return value
	}
	next, err := c.e.fit(c.theta, ridge*slices.Max(c.prior), c.scale,
		LogisticOptions{GradTol: orElse(c.o.GradTol, stepTol)})
	if err != nil {
		return err
	}
	copy(c.theta, next.pack())
	fit.Iterations++
	fit.Evaluations += next.Evaluations
	c.trace(PhaseTheta, fit.Iterations)
	return nil
}

// posterior evaluates F/Σv at theta.
func (c *multiplicative) posterior() *entropy {
	e := c.e
	e.set.v, e.prior = c.shares, c.mean
	e.other = newSurrogate(c.o.Losses.own, e.rows)
	copy(e.theta, c.theta)
	e.pass()
	return e
}

// trace sends to Trace where a step led: the point, F and its gradient, and the current ξ. It leaves the
// state of the θ-step unchanged.
func (c *multiplicative) trace(phase string, iteration int) {
	if c.o.Trace == nil {
		return
	}
	was := *c.e
	s := c.posterior().step(iteration)
	was.fresh = false
	*c.e = was
	s.Start, s.Phase, s.LogXi, s.LogXiPrior = c.start, phase, logs(c.rows), logs(c.prior)
	scaled(c.o.Trace, 1, c.total)(s)
}

// logs returns logarithms; a ξ that underflowed to 0 gets a finite one.
func logs(v []float64) []float64 {
	l := make([]float64, len(v))
	for i, x := range v {
		l[i] = -odds.NegLog(x)
	}
	return l
}

// finish describes the last point in terms of F itself.
func (c *multiplicative) finish(fit *Linear, tol float64) {
	e := c.posterior()
	norm := MaxNorm(e.grad)
	d := len(c.prior)
	fit.W, fit.B, fit.Objective, fit.GradientNorm = slices.Clone(c.theta[:d]), c.theta[d], e.value, &norm
	if fit.Stopped == "iterations" {
		fit.Warnings = append(fit.Warnings, fmt.Sprintf("The fit stopped after %d rounds while Σ log z still changed by "+
			"more than %.0e.", fit.Iterations, tol))
	}
	if e.margin > 0 {
		fit.Warnings = append(fit.Warnings, separated)
	}
}

// report describes a start, with the objective of the sum over rows.
func (c *multiplicative) report(fit *Linear) StartReport {
	return StartReport{Start: c.start, Objective: fit.Objective * c.total, GradientNorm: *fit.GradientNorm * c.total,
		Iterations:  fit.Iterations,
		Evaluations: fit.Evaluations, Error: MarginOptions{TestError: c.o.TestError}.testError(fit), Stopped: fit.Stopped}
}
