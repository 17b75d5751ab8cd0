package multiclass

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"taper/internal/engine/parallel"
)

const (
	newtonSize = 1200 // number of parameters above which a Hessian takes longer than it saves
	patience   = 40   // sweeps before newton takes over

	fewParameters = 128 // largest number of parameters for which Options.Patience applies

	firstSigma = 1
	sigmaFall  = 3
	outerSteps = 40
	innerSteps = 20
	proxRounds = 60
)

// The same for Options.Brief. A gap of 1e-3 is reached at a σ of about 0.05: it starts near there and falls slowly,
// because with a smaller σ Newton steps are shorter, and the multipliers improve at the same σ too.
const (
	longPatience = 60 // with more than fewParameters: a Newton step costs as much as some sweeps there
	briefSigma   = .2
	briefFall    = 1.5
)

func newNewton(s *sweeper, short bool) *newton {
	size := len(s.w) + len(s.eta)
	t := &newton{sweeper: s, sigma: firstSigma, fall: sigmaFall, theta: make([]float64, size), grad: make([]float64, size),
		step:    make([]float64, size),
		centers: slices.Clone(s.u)}
	if short {
		t.sigma, t.fall = briefSigma, briefFall
	}
	t.narrow.newton = t
	for range s.blocks.count {
		t.climbers = append(t.climbers, newClimber(s.duals))
	}
	copy(t.theta, s.w)
	copy(t.theta[len(s.w):], s.eta)
	return t
}

// finish reduces the gap until it is proven, nothing helps any more, or the steps are used up, and
// returns the number of steps. A width that was too small to solve for is kept: with the multipliers
// reached by then, the next attempt can succeed.
func (t *newton) finish(best *proof, goal float64, limit int, report func(steps int)) (int, error) {
	for range outerSteps {
		t.pass()
		enough := .1 * goal * max(best.objective, 1e-12)
		if err := t.solve(enough, limit); err != nil {
			return t.steps, err
		}
		t.prove(best)
		report(t.steps)
		if best.gap() <= goal || t.steps >= limit {
			break
		}
		copy(t.centers, t.u)
		if t.slack() <= enough {
			t.sigma /= t.fall
		}
	}
	return t.steps, nil
}

// pass evaluates the smoothed objective and its gradient at theta.
func (t *newton) pass() {
	t.evals++
	copy(t.w, t.theta)
	copy(t.eta, t.theta[len(t.w):])
	size := len(t.theta)
	spread(t.blocks.count, t.x.Rows*(t.x.Cols+32)*t.k, func(b int) {
		to := t.part[b*(size+1) : (b+1)*(size+1)]
		clear(to)
		lo, hi := t.blocks.span(b)
		for i := lo; i < hi && t.ctx.Err() == nil; i++ {
			if t.p.v[i] > 0 {
				to[size] += t.p.v[i] * t.climbers[b].prox(i, t)
				t.add(to, i, t.u[i*t.k:(i+1)*t.k])
			}
		}
	})
	sums := t.part[:size+1]
	for b := 1; b < t.blocks.count; b++ {
		axpy(1, t.part[b*(size+1):(b+1)*(size+1)], sums)
	}
	n := t.penalised()
	for j := range t.grad {
		t.grad[j] = -sums[j]
	}
	axpy(t.p.l2, t.theta[:n], t.grad[:n])
	t.value = sums[size] + t.p.l2/2*inner(t.theta[:n], t.theta[:n])
}

// prox sets u of row i to the slope of its envelope at the current scores and returns the envelope.
func (c *climber) prox(i int, t *newton) float64 {
	t.scores(c.f, c.z, t.x.Row(i))
	u := c.u[i*c.k : (i+1)*c.k]
	for j, m := range t.centers[i*c.k : (i+1)*c.k] {
		c.f[j] += t.sigma * (m - u[j])
	}
	clear(c.du)
	for range proxRounds {
		still := true
		for part := range c.parts {
			h := &c.hulls[i*c.parts+part]
			if c.look(h, i, part) {
				c.settle(*h, t.sigma)
				still = false
			}
		}
		if still {
			break
		}
	}
	axpy(1, c.du, u)
	value := t.sigma / 2 * dot(u, u)
	for part := range c.parts {
		value += c.hulls[i*c.parts+part].mean(c.f)
	}
	return value
}

// slack is the contribution of the gradient to the duality gap.
func (t *newton) slack() float64 {
	n := t.penalised()
	sum := inner(t.grad[:n], t.grad[:n]) / (2 * t.p.l2)
	for _, g := range t.grad[n:] {
		sum += math.Abs(g)
	}
	return sum
}

// solve minimises the smoothed objective.
func (t *newton) solve(goal float64, limit int) error {
	for range min(innerSteps, limit-t.steps) {
		if err := parallel.Yield(t.ctx); err != nil || t.slack() <= goal {
			return err
		}
		t.steps++
		if !t.direction() || !t.search() {
			break
		}
	}
	return t.ctx.Err()
}

// direction stores the Newton step; false if rounding makes it impossible.
func (t *newton) direction() bool {
	size := len(t.theta)
	if t.find(); len(t.bent) <= size && t.narrow.solve() {
		return true
	}
	if t.assemble(); t.ctx.Err() != nil {
		return false
	}
	l := lapack.Implementation{}
	if !l.Dpotrf(blas.Lower, size, t.hess, size) {
		return false
	}
	copy(t.step, t.grad)
	l.Dpotrs(blas.Lower, size, 1, t.hess, size, t.step, 1)
	for j := range t.step {
		t.step[j] = -t.step[j]
	}
	return true
}

// search halves the step until the objective decreases enough (Armijo).
func (t *newton) search() bool {
	slope := inner(t.grad, t.step)
	if !(slope < 0) {
		return false
	}
	from, value := slices.Clone(t.theta), t.value
	for alpha := 1.0; alpha > 1e-6; alpha /= 2 {
		for j, v := range t.step {
			t.theta[j] = from[j] + alpha*v
		}
		if t.pass(); t.value <= value+1e-4*alpha*slope {
			return true
		}
	}
	copy(t.theta, from)
	t.pass()
	return false
}

// prove evaluates the objective at theta and the dual at u.
func (t *newton) prove(best *proof) {
	copy(t.w, t.theta)
	copy(t.eta, t.theta[len(t.w):])
	if t.p.head.free {
		copy(t.center, t.eta) // penalised offsets have the centre 0
	}
	n := t.penalised()
	value, _ := t.measure()
	if value += t.p.l2 / 2 * inner(t.theta[:n], t.theta[:n]); value < best.objective {
		best.objective, best.w, best.eta = value, slices.Clone(t.w), slices.Clone(t.eta)
	}
	best.dual = max(best.dual, t.dual())
}

// dual returns the dual objective at u.
func (s *sweeper) dual() float64 {
	if s.p.head.free {
		return s.repaired()
	}
	size := len(s.w) + len(s.eta) + 1
	sums := s.total(size, func(i int, to []float64) {
		for _, h := range s.hulls[i*s.parts : (i+1)*s.parts] {
			for _, e := range h {
				to[size-1] += s.p.v[i] * e.a * e.b
			}
		}
		s.add(to, i, s.u[i*s.k:(i+1)*s.k])
	})
	theta := sums[:size-1]
	return sums[size-1] - inner(theta, theta)/(2*s.p.l2)
}
