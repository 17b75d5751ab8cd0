package boost

import (
	"math"

	"taper/internal/engine/loss"
	"taper/internal/engine/parallel"
	"taper/internal/engine/vector"
)

// mass holds the margins of the rows and their weights D_i ∝ v_i·w(m_i), where w = −dl/dm is
// the negative derivative of the α-loss (Sypherd et al. 2023, eqs. 5 and 6; docs/math.md,
// Margin alpha-loss): log w = e·log σ(m) + log σ(−m) with e = (α−1)/α.
type mass struct {
	e         float64
	y, shares []float64
	opposite  []float64 // −y
	m         []float64 // margins
	d         []float64 // weights, normalised
	pairs     []sum     // d and d·y
	total     sum       // of all rows
	effective float64   // 1/Σd², the effective number of rows
	largest   float64   // max |m|
	part      []partial
	eval      loss.BlockFunc // α-loss; nil for the exponential, whose closed form is faster
	l         []float64      // losses
}

// sum is the weight of some rows, Σ d, and their signed weight, Σ d·y.
type sum = vector.Pair

// partial holds a block's share of the sums of a pass.
type partial struct {
	sum, loss, top, squares float64
	total                   sum
}

// perTask is the number of rows per task of a pass. A fixed size fixes the order of the sums, so
// results do not depend on the number of cores.
const perTask = 4096

func newMass(alpha float64, y, shares []float64) *mass {
	n := len(y)
	a := &mass{e: slope(alpha), y: y, shares: shares, m: make([]float64, n), d: make([]float64, n),
		pairs: make([]sum, n), l: make([]float64, n), opposite: make([]float64, n),
		part: make([]partial, (n+perTask-1)/perTask)}
	for i, s := range y {
		a.opposite[i] = -s
	}
	if a.e != -1 {
		a.eval = loss.Block(loss.NewAlpha(alpha))
	}
	return a
}

// slope returns e = (α−1)/α, with limit 1 at ∞.
func slope(alpha float64) float64 {
	if math.IsInf(alpha, 1) {
		return 1
	}
	return (alpha - 1) / alpha
}

// span returns the range of rows of block k.
func (a *mass) span(k int) (lo, hi int) { return k * perTask, min((k+1)*perTask, len(a.y)) }

// move adds θ·u to the margins.
func (a *mass) move(theta float64, u []float64) {
	a.largest = vector.Move(a.m, u, theta)
}

// safe is the bound on |log w| up to which weights are computed without logarithms.
const safe = 600

// near reports whether margins up to |m| stay within the safe bound.
func (a *mass) near(m float64) bool { return (m+math.Ln2)*max(1, math.Abs(a.e)) < safe }

// reweigh recomputes the weights from the margins and returns the mean loss.
func (a *mass) reweigh() (loss float64) {
	if a.near(a.largest) {
		a.each(func(k int) { a.part[k] = a.weigh(k) })
	} else {
		a.each(func(k int) { a.part[k] = a.weighFar(k) })
		top := math.Inf(-1)
		for _, p := range a.part {
			top = max(top, p.top)
		}
		a.each(func(k int) { a.part[k].sum = a.exponentiate(k, top) })
	}
	all := 0.0
	for _, p := range a.part {
		all += p.sum
		loss += p.loss
	}
	a.each(func(k int) { a.normalise(k, all) })
	a.total = sum{}
	squares := 0.0
	for _, p := range a.part {
		a.total.Weight, a.total.Lean = a.total.Weight+p.total.Weight, a.total.Lean+p.total.Lean
		squares += p.squares
	}
	a.effective = 1 / squares
	return min(loss, math.MaxFloat64)
}

func (a *mass) each(task func(int)) {
	parallel.Each(len(a.part), 0, func(_, k int) { task(k) })
}

// weigh stores v·w for a block.
func (a *mass) weigh(k int) partial {
	lo, hi := a.span(k)
	d, l, m, shares := a.d[lo:hi], a.l[lo:hi], a.m[lo:hi], a.shares[lo:hi]
	sum, loss := 0.0, 0.0 // in registers, unlike the fields of a struct
	if a.eval != nil {
		a.eval(l, d, nil, m)
	} else {
		for i, u := range m {
			d[i] = -u
		}
		vector.Exps(l, d)
		for i, w := range l {
			d[i] = -w
		}
	}
	for i, v := range shares {
		w := -v * d[i]
		d[i] = w
		sum += w
		loss += v * l[i]
	}
	return partial{sum: sum, loss: loss}
}

// weighFar stores log(v·w) instead, for margins at which w over- or underflows.
func (a *mass) weighFar(k int) (p partial) {
	lo, hi := a.span(k)
	p.top = math.Inf(-1)
	for i := lo; i < hi; i++ {
		a.d[i] = math.Log(a.shares[i]) + a.logSlope(a.m[i])
		p.top = max(p.top, a.d[i])
		if a.shares[i] > 0 {
			p.loss += a.shares[i] * a.loss(a.m[i])
		}
	}
	return p
}

func (a *mass) exponentiate(k int, top float64) (sum float64) {
	lo, hi := a.span(k)
	for i := lo; i < hi; i++ {
		a.d[i] = math.Exp(a.d[i] - top)
		sum += a.d[i]
	}
	return sum
}

func (a *mass) normalise(k int, all float64) {
	lo, hi := a.span(k)
	a.part[k].total, a.part[k].squares = vector.Normalise(a.d[lo:hi], a.pairs[lo:hi], a.y[lo:hi], all)
}
