package linear

import (
	"math"
	"slices"
)

// judge computes certificates on the user's own matrix, so a certificate does not depend on how the
// solver found its point.
type judge struct {
	set    sample
	rows   *rows
	side   [2]kinks
	l2     float64
	f, vt  []float64 // scratch, one entry per row
	points []breakpoint
}

// newJudge takes scratch of one entry per row, which may be that of a solver: what a solver keeps in df and vt it
// computes anew before it reads it again.
func newJudge(set sample, side [2]kinks, r *rows, f, vt []float64) *judge {
	return &judge{set: set, rows: r, side: side, f: f, vt: vt}
}

// verdict is a point with a proof of its accuracy.
type verdict struct {
	theta            []float64
	objective, bound float64 // of the primal problem at theta, and of a feasible dual point
}

// gap returns the relative duality gap. Rounding can put the bound slightly above the objective; the gap
// is 0 then.
func (v verdict) gap() float64 {
	return math.Max(0, (v.objective-v.bound)/math.Max(v.objective, gapFloor))
}

// gapFloor keeps the relative gap finite where the objective is 0.
const gapFloor = 1e-12

// certify evaluates theta and the multipliers t. It considers both theta's weights and those of the dual
// point, each with the optimal intercept, and returns the better one.
func (j *judge) certify(theta, t []float64) verdict {
	d := len(theta) - 1
	dual := make([]float64, d+1)
	v := verdict{objective: math.Inf(1), bound: j.dual(dual, t)}
	dual[d] = theta[d]
	for _, p := range [][]float64{slices.Clone(theta), dual} {
		j.rows.apply(j.f, p)
		if shift := j.shift(j.f); shift != 0 {
			p[d] += shift
			j.rows.apply(j.f, p)
		}
		if objective := j.primal(p, j.f); objective < v.objective {
			v.theta, v.objective = p, objective
		}
	}
	return v
}

// prove evaluates theta as it is, in half the passes over the rows.
func (j *judge) prove(theta, t []float64) verdict {
	own := slices.Clone(theta)
	v := verdict{theta: own, bound: j.dual(make([]float64, len(own)), t)}
	j.rows.apply(j.f, own)
	v.objective = j.primal(own, j.f)
	return v
}

// primal returns mean φ + (λ/2)‖w‖² at theta, given its scores.
func (j *judge) primal(theta, f []float64) float64 {
	return j.risk(f) + penalty(j.l2, theta)
}

// risk returns the mean surrogate at the scores.
func (j *judge) risk(f []float64) float64 {
	return j.sum(func(c uint8, i int) float64 { return j.side[c].eval(f[i]) })
}

// sum returns the weighted sum of a term over the rows, given their class. The terms are computed on all cores and
// added one after the other, so that the sum has the same bits on any number of them.
func (j *judge) sum(term func(class uint8, row int) float64) float64 {
	j.rows.spread(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			j.vt[i] = j.set.v[i] * term(j.set.side[i], i)
		}
	})
	sum := 0.0
	for _, s := range j.vt {
		sum += s
	}
	return sum
}

func penalty(l2 float64, theta []float64) float64 {
	w := theta[:len(theta)-1]
	return l2 / 2 * dot(w, w)
}

// dual returns the dual objective at a feasible point close to the multipliers (docs/math.md, Interval
// classification) and stores the corresponding weights in w. Multipliers are clamped to their range; Σ
// v·t = 0 is then satisfied by shrinking those of the class with the larger sum, which stay in range.
func (j *judge) dual(w, t []float64) float64 {
	j.rows.spread(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			j.vt[i] = j.set.v[i] * math.Abs(j.side[j.set.side[i]].clamp(t[i]))
		}
	})
	var mass [2]float64
	for i, v := range j.vt {
		mass[j.set.side[i]] += v
	}
	shrink := [2]float64{1, 1}
	switch {
	case mass[0] > mass[1]:
		shrink[0] = mass[1] / mass[0]
	case mass[1] > mass[0]:
		shrink[1] = mass[0] / mass[1]
	}
	j.rows.spread(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			c, v := j.set.side[i], j.set.v[i]
			s := shrink[c] * j.side[c].clamp(t[i])
			j.vt[i], j.f[i] = v*s, v*j.side[c].entropy(s)
		}
	})
	sum := 0.0
	for _, e := range j.f {
		sum += e
	}
	j.rows.adjoint(w, j.vt)
	kernel.Dscal(len(w), -1/j.l2, w, 1)
	return sum - penalty(j.l2, w)
}

// breakpoint is a shift of the intercept at which the slope of a row's loss changes by jump.
type breakpoint struct{ at, jump float64 }

// shift returns the smallest change of the intercept that minimises the objective for fixed weights. In
// the intercept the objective is piecewise linear with breakpoints h_k − f_i (docs/math.md, Interval
// classification). The change is usually small, so only breakpoints between two nearby shifts with slopes
// of opposite sign are sorted.
func (j *judge) shift(f []float64) float64 {
	lo, hi := j.bracket(f)
	slope := j.collect(f, lo, hi)
	slices.SortFunc(j.points, func(a, b breakpoint) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	for _, p := range j.points {
		if slope += p.jump; slope >= -flat {
			return p.at
		}
	}
	return hi
}

// flat is the largest slope in the intercept that counts as 0: the rounding of a sum of weights that add
// up to 1.
const flat = 1e-15

// bracket returns shifts with a slope < 0 at lo and ≥ 0 at hi, found by growing steps from 0. Where one
// class has a total weight below rounding, no such lo exists, and the intercept is not changed.
func (j *judge) bracket(f []float64) (lo, hi float64) {
	for lo = -1e-6; j.slopeAt(f, lo) >= -flat; lo *= 16 {
		if hi = lo; math.IsInf(lo, -1) {
			return 0, 0
		}
	}
	if hi < 0 {
		return lo, hi
	}
	for hi = 1e-6; j.slopeAt(f, hi) < -flat && !math.IsInf(hi, 1); hi *= 16 {
		lo = hi
	}
	return lo, hi
}

// slopeAt returns the right derivative with respect to the intercept after a shift.
func (j *judge) slopeAt(f []float64, shift float64) float64 {
	return j.sum(func(c uint8, i int) float64 { return j.side[c].slopeAt(f[i] + shift) })
}

// collect lists the breakpoints in (lo, hi] and returns the slope at lo.
func (j *judge) collect(f []float64, lo, hi float64) float64 {
	j.points = j.points[:0]
	for i, v := range j.set.v {
		if v == 0 {
			continue
		}
		k := &j.side[j.set.side[i]]
		for m, h := range k.at {
			if h > f[i]+lo && h <= f[i]+hi {
				j.points = append(j.points, breakpoint{h - f[i], v * (k.slope[m+1] - k.slope[m])})
			}
		}
	}
	return j.slopeAt(f, lo)
}
