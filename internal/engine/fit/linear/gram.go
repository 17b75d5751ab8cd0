package linear

import "taper/internal/engine/vector"

// gram sums weighted products of standardised rows, the Hessian of a loss. The rows are shared out: each share has a
// matrix of its own, and shares can be summed at the same time. Matrices of many columns would take too much memory; so
// there is one share then, whose matrix all cores work on. None of this depends on the number of cores.
type gram struct {
	team          *team
	shares        int
	n             int       // columns and the intercept
	part          []float64 // one matrix per share, with rows padded as vector.Gram needs them
	mean, inverse []float64 // of the columns and the intercept, likewise padded; a row is (x − mean)·inverse
	// for each share that can be summed at the same time: a slice of rows, standardised, once more, and their weights
	memory chan []float64

	a, b []float64 // with one share: the slice that is added, and
	rows int       // its number of rows
	band func(int)
}

const (
	mostShares = 16
	shareWide  = 256 // number of columns from which there is one share
	bandRows   = 16  // rows of a matrix that are one task then
)

// newGram returns sums for rows of so many columns, in so many shares if that is not too many. The intercept is the
// number 1, divided like any column.
func newGram(cols, shares int, t *team) *gram {
	n := cols + 1
	pitch := vector.Pitch(n)
	if shares = min(max(shares, 1), mostShares); n > shareWide {
		shares = 1
	}
	g := &gram{team: t, shares: shares, n: n, part: make([]float64, shares*padded(n)*pitch), mean: make([]float64, pitch),
		inverse: make([]float64, pitch), memory: make(chan []float64, t.size())}
	g.mean[cols] = -1 // 0 − (−1) is the cell of the intercept
	g.band = g.addBand
	for range cap(g.memory) {
		g.memory <- make([]float64, (2*pitch+1)*slice)
	}
	return g
}

// padded returns the number of rows of a matrix for vector.Gram.
func padded(n int) int { return n + n%2 }

// share sums share k from slices of at most 128 rows. Next returns the cells of the next slice, for whose weights it is
// given room; no cells end the share.
func (g *gram) share(k int, next func(weights []float64) []float64) {
	pitch := len(g.mean)
	h := g.part[k*padded(g.n)*pitch:][:padded(g.n)*pitch]
	clear(h)
	memory := <-g.memory
	defer func() { g.memory <- memory }()
	a, b, weights := memory[:pitch*slice], memory[pitch*slice:2*pitch*slice], memory[2*pitch*slice:]
	for {
		x := next(weights)
		if len(x) == 0 {
			return
		}
		rows := len(x) / (g.n - 1)
		vector.Standardise(a, b, x, weights[:rows], g.n-1, g.mean, g.inverse)
		if g.n > shareWide {
			g.a, g.b, g.rows = a, b, rows
			g.team.run((g.n+bandRows-1)/bandRows, &g.band)
			continue
		}
		vector.Gram(h, a, b, rows, g.n, 0, g.n)
	}
}

// addBand adds to some rows of the only matrix.
func (g *gram) addBand(k int) {
	vector.Gram(g.part, g.a, g.b, g.rows, g.n, k*bandRows, min((k+1)*bandRows, g.n))
}

// run sums so many shares.
func (g *gram) run(shares int, share *func(int)) {
	if g.n > shareWide {
		(*share)(0) // its matrix is what the team works on
		return
	}
	g.team.run(shares, share)
}

// total adds the sums of the first shares to the upper triangle of the leading columns of h, which has as many.
func (g *gram) total(h []float64, cols, shares int) {
	pitch := len(g.mean)
	for i := range cols {
		row := h[i*cols+i : (i+1)*cols]
		for k := range shares {
			for j, p := range g.part[(k*padded(g.n)+i)*pitch+i:][:len(row)] {
				row[j] += p
			}
		}
	}
}

// variance estimates the variance of the total in row i and column j, from how much the shares differ, of which there
// must be two.
func (g *gram) variance(i, j int) float64 {
	pitch, shares := len(g.mean), float64(g.shares)
	at := func(k int) float64 { return g.part[(k*padded(g.n)+i)*pitch+j] }
	mean, squares := 0.0, 0.0
	for k := range g.shares {
		mean += at(k) / shares
	}
	for k := range g.shares {
		squares += (at(k) - mean) * (at(k) - mean)
	}
	return squares * shares / (shares - 1)
}

// last stores the sums of the intercept's column with the others in dst, and returns that with itself.
func (g *gram) last(dst []float64, shares int) (mass float64) {
	pitch := len(g.mean)
	clear(dst)
	for k := range shares {
		for i := range dst {
			dst[i] += g.part[(k*padded(g.n)+i)*pitch+g.n-1]
		}
		mass += g.part[(k*padded(g.n)+g.n-1)*pitch+g.n-1]
	}
	return mass
}
