package linear

import (
	"math"

	"taper/internal/engine/parallel"
)

const (
	subgradientSteps = 5000
	subgradientCheck = 50 // steps between certificates
)

// subgradient is the projected subgradient method of Kimes et al. (2016), corrected (docs/errata.md,
// Kimes 6 and 7): steps of 1/(λm) in w alone, a projection of w alone onto ‖w‖ ≤ 1/√λ, and the optimal
// intercept. It is slow and kept for teaching. With these steps w is the dual point of the average
// multiplier, so its duality gap is valid.
func (p *path) subgradient() (*Linear, error) {
	j, d := p.judge, len(p.theta)-1
	theta, grad := append([]float64(nil), p.theta...), make([]float64, d+1)
	f, vt, mean := make([]float64, len(j.f)), make([]float64, len(j.f)), make([]float64, len(j.f))
	best := verdict{objective: math.Inf(1), bound: math.Inf(-1)}
	stopped := "iterations"
	m := 0
	for m < p.o.MaxIter {
		if err := parallel.Yield(p.ctx); err != nil {
			return nil, err
		}
		m++
		j.rows.apply(f, theta)
		theta[d] += j.shift(f)
		j.rows.apply(f, theta)
		best.offer(theta, j.primal(theta, f))
		for i, v := range j.set.v {
			t := j.side[j.set.side[i]].slopeAt(f[i])
			vt[i] = v * t
			mean[i] += (t - mean[i]) / float64(m)
		}
		j.rows.adjoint(grad, vt)
		p.descend(theta[:d], grad[:d], 1/(j.l2*float64(m)))
		if m%subgradientCheck == 0 || m == p.o.MaxIter {
			best.bound = math.Max(best.bound, j.dual(grad, mean))
			p.trace(m, best)
			if best.gap() <= p.o.Gap {
				stopped = "gap"
				break
			}
			p.report(m, float64(m)/float64(p.o.MaxIter), best.objective)
		}
	}
	copy(p.theta, best.theta)
	l := p.result(best, stopped)
	l.Iterations, l.Evaluations = m, m
	return l, nil
}

// descend makes a step along −(grad + λw) and projects onto the ball.
func (p *path) descend(w, grad []float64, rate float64) {
	for j := range w {
		w[j] -= rate * (grad[j] + p.judge.l2*w[j])
	}
	if norm, radius := math.Sqrt(dot(w, w)), 1/math.Sqrt(p.judge.l2); norm > radius {
		kernel.Dscal(len(w), radius/norm, w, 1)
	}
}

// offer replaces the verdict's point by theta if that is better.
func (v *verdict) offer(theta []float64, objective float64) {
	if objective < v.objective {
		v.theta, v.objective = append(v.theta[:0], theta...), objective
	}
}
