package linear

import (
	"gonum.org/v1/gonum/blas/gonum"

	"taper/internal/engine/vector"
)

var kernel gonum.Implementation // pure functions; gonum's package level would use a global

// rows divides a matrix into blocks of rows and computes the two products of a linear score over them.
// The division depends only on the matrix's shape, so sums have the same bits on any number of cores.
type rows struct {
	x     Matrix
	team  *team
	block int       // rows per block
	count int       // number of blocks
	part  []float64 // count×(Cols+1) partial sums of the transposed product

	memory []float64 // memory of the surrogates

	in, out                    []float64               // arguments of the current product
	from, to                   []float64               // those of the other one, where both are computed,
	between                    func(block, lo, hi int) // and what is done between them
	applyFn, adjointFn, bothFn func(int)
}

const (
	minBlock  = 256 // smallest number of rows per block; smaller tasks cost more than they save
	maxBlocks = 128
)

func newRows(x Matrix, t *team) *rows {
	r := &rows{x: x, team: t, block: max(minBlock, (x.Rows+maxBlocks-1)/maxBlocks)}
	r.count = (x.Rows + r.block - 1) / r.block
	r.part = make([]float64, r.count*(x.Cols+1))
	r.applyFn, r.adjointFn, r.bothFn = r.applyBlock, r.adjointBlock, r.bothBlock
	return r
}

// span returns the rows of a block.
func (r *rows) span(block int) (lo, hi int) {
	lo = block * r.block
	return lo, min(lo+r.block, r.x.Rows)
}

// spread calls do for every block of rows, on all cores.
func (r *rows) spread(do func(lo, hi int)) {
	block := func(k int) { do(r.span(k)) }
	r.team.run(r.count, &block)
}

// total adds up what do returns for every block of rows, in their order, so that the sum has the same bits on any
// number of cores.
func (r *rows) total(do func(lo, hi int) float64) float64 {
	sums := make([]float64, r.count)
	r.spread(func(lo, hi int) { sums[lo/r.block] = do(lo, hi) })
	return inOrder(sums)
}

func inOrder(v []float64) (sum float64) {
	for _, s := range v {
		sum += s
	}
	return sum
}

// apply stores X·w + b in dst; the last entry of theta is b.
func (r *rows) apply(dst, theta []float64) {
	r.in, r.out = theta, dst
	r.team.run(r.count, &r.applyFn)
}

func (r *rows) applyBlock(k int) {
	d := r.x.Cols
	lo, hi := r.span(k)
	vector.Scores(r.out[lo:hi], r.x.Data[lo*d:hi*d], r.in[:d], r.in[d])
}

// adjoint stores (Xᵀ·g, Σ g) in dst.
func (r *rows) adjoint(dst, g []float64) {
	r.in = g
	r.team.run(r.count, &r.adjointFn)
	r.sum(dst)
}

func (r *rows) adjointBlock(k int) {
	d := r.x.Cols
	lo, hi := r.span(k)
	dst := r.part[k*(d+1) : (k+1)*(d+1)]
	clear(dst)
	vector.Adjoint(dst[:d], r.x.Data[lo*d:hi*d], r.in[lo:hi], nil)
	sum := 0.0
	for _, g := range r.in[lo:hi] {
		sum += g
	}
	dst[d] = sum
}

// both stores X·w + b in scores and (Xᵀ·g, Σ g) in the partial sums, in one reading of the rows. Between the two,
// for each slice of rows, it calls what may make g of the scores; nil = nothing.
func (r *rows) both(scores, theta, g []float64, between func(block, lo, hi int)) {
	r.in, r.from, r.to, r.between = g, theta, scores, between
	r.team.run(r.count, &r.bothFn)
}

func (r *rows) bothBlock(k int) {
	d := r.x.Cols
	lo, hi := r.span(k)
	dst := r.part[k*(d+1) : (k+1)*(d+1)]
	clear(dst)
	sum := 0.0
	for ; lo < hi; lo += slice {
		end := min(lo+slice, hi)
		x, ahead := r.x.Data[lo*d:end*d], r.x.Data[end*d:min(end+slice, hi)*d]
		vector.Scores(r.to[lo:end], x, r.from[:d], r.from[d])
		if r.between != nil {
			r.between(k, lo, end)
		}
		vector.Adjoint(dst[:d], x, r.in[lo:end], ahead)
		for _, g := range r.in[lo:end] {
			sum += g
		}
	}
	dst[d] = sum
}

// sum adds the partial sums in block order.
func (r *rows) sum(dst []float64) {
	d := r.x.Cols
	copy(dst, r.part[:d+1])
	for k := 1; k < r.count; k++ {
		for j, p := range r.part[k*(d+1) : (k+1)*(d+1)] {
			dst[j] += p
		}
	}
}

const slice = 128 // rows whose scores and cells fit in the first-level cache
