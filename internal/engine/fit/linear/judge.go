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
	hulls  hulls
	l2     float64
	f, vt  []float64 // scratch, one entry per row
	points []breakpoint
}

// newJudge takes scratch of one entry per row, which may be that of a solver: what a solver keeps in df and vt it
// computes again before it reads it again.
func newJudge(set sample, side [2]kinks, r *rows, f, vt []float64) *judge {
	return &judge{set: set, rows: r, side: side, hulls: newHulls(side), f: f, vt: vt}
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

// prove evaluates theta as it is, in one reading of the rows.
func (j *judge) prove(theta, t []float64) verdict {
	own, w := slices.Clone(theta), make([]float64, len(theta))
	entropy := j.feasible(t)
	j.rows.both(j.f, own, j.vt, nil)
	j.rows.sum(w)
	return verdict{theta: own, bound: j.bound(w, entropy), objective: j.primal(own, j.f)}
}

// primal returns mean φ + (λ/2)‖w‖² at theta, given its scores.
func (j *judge) primal(theta, f []float64) float64 {
	return j.risk(f) + penalty(j.l2, theta)
}

// risk returns the mean surrogate at the scores.
func (j *judge) risk(f []float64) float64 {
	return j.rows.total(func(lo, hi int) (sum float64) {
		var memory [slice]float64
		for ; lo < hi; lo += slice {
			end := min(lo+slice, hi)
			values := memory[:end-lo]
			j.hulls.values.Values(values, f[lo:end], j.set.side[lo:end])
			for i, v := range j.set.v[lo:end] {
				sum += v * values[i]
			}
		}
		return sum
	})
}

// sum returns the weighted sum of a term over the rows, given their class.
func (j *judge) sum(term func(class uint8, row int) float64) float64 {
	return j.rows.total(func(lo, hi int) (sum float64) {
		for i := lo; i < hi; i++ {
			sum += j.set.v[i] * term(j.set.side[i], i)
		}
		return sum
	})
}

func penalty(l2 float64, theta []float64) float64 {
	w := theta[:len(theta)-1]
	return l2 / 2 * dot(w, w)
}

// dual returns the dual objective at a feasible point close to the multipliers (docs/math.md, Interval
// classification) and stores the corresponding weights in w.
func (j *judge) dual(w, t []float64) float64 {
	entropy := j.feasible(t)
	j.rows.adjoint(w, j.vt)
	return j.bound(w, entropy)
}

// bound returns the dual objective, and replaces the product of X with the feasible point by the weights.
func (j *judge) bound(w []float64, entropy float64) float64 {
	kernel.Dscal(len(w), -1/j.l2, w, 1)
	return entropy - penalty(j.l2, w)
}

// feasible stores a feasible point in vt and returns the sum of its entropies. Multipliers are clamped to their range;
// Σ v·t = 0 is then satisfied by shrinking those of the class with the larger sum, which stay in range.
func (j *judge) feasible(t []float64) float64 {
	var mass [2][]float64
	for c := range mass {
		mass[c] = make([]float64, j.rows.count)
	}
	j.rows.spread(func(lo, hi int) {
		var sum [2]float64
		for i := lo; i < hi; i++ {
			c := j.set.side[i]
			sum[c] += j.set.v[i] * math.Abs(j.side[c].clamp(t[i]))
		}
		mass[0][lo/j.rows.block], mass[1][lo/j.rows.block] = sum[0], sum[1]
	})
	shrink := [2]float64{1, 1}
	switch negative, positive := inOrder(mass[0]), inOrder(mass[1]); {
	case negative > positive:
		shrink[0] = positive / negative
	case positive > negative:
		shrink[1] = negative / positive
	}
	return j.rows.total(func(lo, hi int) (sum float64) {
		var point, negative [slice]float64
		for ; lo < hi; lo += slice {
			end := min(lo+slice, hi)
			for i, c := range j.set.side[lo:end] {
				point[i] = shrink[c] * j.side[c].clamp(t[lo+i])
			}
			j.hulls.conjugates.Values(negative[:end-lo], point[:end-lo], j.set.side[lo:end])
			for i, v := range j.set.v[lo:end] {
				j.vt[lo+i] = v * point[i]
				sum -= v * negative[i]
			}
		}
		return sum
	})
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
