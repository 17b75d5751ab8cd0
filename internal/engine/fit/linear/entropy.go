package linear

import (
	"context"
	"math"
	"slices"

	"taper/internal/engine/vector"
)

// entropy is the logistic objective. Value and gradient take one pass over the rows, 128 at a time, so
// that they are still in the cache for the second product. Another loss or penalty can replace the
// logistic one.
type entropy struct {
	ctx    context.Context
	set    sample
	rows   *rows
	l2     float64
	even   bool      // all weights are equal
	value  float64   // objective at theta
	margin float64   // smallest y·f at theta
	grad   []float64 // length d+1; the last entry belongs to the intercept
	theta  []float64
	point  []float64 // theta in the scaled coordinates
	fresh  bool      // value and grad belong to point
	evals  int
	other  *surrogate                      // replaces the logistic loss
	sketch *sketch                         // a sample of the rows; nil until it is needed
	nested bool                            // is itself that of a sample
	prior  func(w, grad []float64) float64 // replaces the penalty (λ/2)‖w‖²; returns it and adds its gradient
	pinned bool                            // the intercept is fixed
	part   []float64                       // two entries per block: mean loss and smallest margin
	scores []float64                       // scores, margins and e^−|margin| of a slice per block
	fn     func(int)
}

// scores is the number of slices that a block has in entropy.scores.
const scores = 3

func newEntropy(ctx context.Context, set sample, r *rows) *entropy {
	d := set.x.Cols
	e := &entropy{ctx: ctx, set: set, rows: r, even: equal(set.v),
		grad: make([]float64, d+1), theta: make([]float64, d+1), point: make([]float64, d+1),
		part: make([]float64, 2*r.count), scores: make([]float64, scores*slice*r.count)}
	e.fn = e.block
	return e
}

// equal reports whether all numbers are the same.
func equal(v []float64) bool {
	for _, w := range v {
		if w != v[0] {
			return false
		}
	}
	return true
}

// at evaluates the objective at a point, unless it was evaluated there last.
func (e *entropy) at(p []float64, scale *scaling) {
	if e.fresh && slices.Equal(p, e.point) {
		return
	}
	copy(e.point, p)
	scale.from(e.theta, p)
	e.pass()
	e.fresh = true
}

// pass evaluates at theta.
func (e *entropy) pass() {
	d := len(e.theta) - 1
	e.rows.team.run(e.rows.count, &e.fn)
	e.rows.sum(e.grad)
	e.value, e.margin = e.penalty(e.theta[:d]), math.Inf(1)
	for k := 0; k < len(e.part); k += 2 {
		e.value += e.part[k]
		e.margin = min(e.margin, e.part[k+1])
	}
	if e.value != e.value {
		e.value = math.Inf(1) // the scores overflow: the line search must shorten its step
	}
	if e.pinned {
		e.grad[d] = 0
	}
	e.evals++
}

// penalty returns the penalty on w and adds its gradient.
func (e *entropy) penalty(w []float64) float64 {
	if e.prior != nil {
		return e.prior(w, e.grad)
	}
	kernel.Daxpy(len(w), e.l2, w, 1, e.grad, 1)
	return e.l2 / 2 * dot(w, w)
}

// MaxNorm returns ‖g‖∞.
func MaxNorm(g []float64) float64 {
	m := 0.0
	for _, v := range g {
		m = max(m, math.Abs(v))
	}
	return m
}

func (e *entropy) block(k int) {
	d := e.set.x.Cols
	lo, hi := e.rows.span(k)
	grad := e.rows.part[k*(d+1) : (k+1)*(d+1)]
	clear(grad)
	loss, total := 0.0, tally{margin: math.Inf(1)}
	buf := e.scores[scores*slice*k:]
	for ; lo < hi && e.ctx.Err() == nil; lo += slice {
		end := min(lo+slice, hi)
		f := buf[:end-lo]
		x := e.set.x.Data[lo*d : end*d]
		ahead := e.set.x.Data[end*d : min(end+slice, hi)*d]
		vector.Scores(f, x, e.theta[:d], e.theta[d])
		if e.other != nil {
			loss += e.other.slopes(f, e.set, lo, k, ahead[:len(ahead)/2], &total)
		} else {
			loss += e.residuals(f, lo, k, ahead[:len(ahead)/2], &total)
		}
		vector.Adjoint(grad[:d], x, f, ahead[len(ahead)/2:])
	}
	grad[d] = total.slope
	e.part[2*k], e.part[2*k+1] = loss, total.margin
}

// tally is what slices of rows add to, each on its way over the derivatives.
type tally struct{ margin, slope float64 } // the smallest margin, the sum of the derivatives

// tiny is the e^{−|f|} below which log1p(e) = e up to rounding.
const tiny = 1e-16

// residuals replaces the scores of the rows from lo on, which belong to block k, by the derivatives of their
// losses. It returns the sum of the losses, and asks the memory for what comes next. With equal weights the logarithms
// of 128 rows are one logarithm of a product: 128 factors of at most 2 cannot overflow.
func (e *entropy) residuals(f []float64, lo, k int, next []float64, total *tally) float64 {
	product, rest := 1.0, 0.0
	margin, slope := total.margin, total.slope
	buf := e.scores[scores*slice*k:]
	z, q, weights := buf[slice:][:len(f)], buf[2*slice:][:len(f)], e.set.v[lo:][:len(f)]
	vector.Logistic(f, z, q, weights, e.set.side[lo:], next)
	for i, v := range weights {
		if z[i] < margin && v > 0 {
			margin = z[i]
		}
		slope += f[i]
		rest -= v * min(z[i], 0)
		switch {
		case q[i] < tiny:
			rest += v * q[i]
		case e.even:
			product *= 1 + q[i]
		default:
			rest += v * vector.Log1p(q[i])
		}
	}
	if e.even {
		rest += e.set.v[lo] * math.Log(product)
	}
	total.margin, total.slope = margin, slope
	return rest
}
