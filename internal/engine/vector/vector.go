// Package vector computes over many rows at once, with the vector instructions of the processor if it has
// them: the two products of a linear score, and losses and slopes of margins: the logistic loss, the α-loss, and what
// a table of polynomials holds. Every number but those of Exps has the same bits on every processor: a sum is always
// added up in the same order, and no product is fused with a sum. The portable form of each function defines them.
package vector

import "math"

//go:generate go run ./gen -pkg vector -out kernels_amd64.s -stubs kernels_amd64.go

// Scores writes b + w·row for each row of x, which has a row for each number of dst. A row is added up in two
// sums, of its even and of its odd columns. A last odd column is added to the sum of both; but if it belongs to
// the last of an odd number of rows, to the even ones. (This is the order of gonum's assembly, which made the
// results that are stored.)
func Scores(dst, x, w []float64, b float64) {
	x = x[:len(dst)*len(w)]
	done := fastScores(dst, x, w, b)
	portableScores(dst[done:], x[done*len(w):], w, b)
}

// Adjoint adds by[i]·row i of x to dst for each i, in this order. It asks the memory for next, which is what the
// caller reads next, and may be nil.
func Adjoint(dst, x, by, next []float64) {
	if x = x[:len(by)*len(dst)]; !fastAdjoint(dst, x, by, next) {
		portableAdjoint(dst, x, by)
	}
}

// Squares adds by[i]·(row i − mean)² of x to dst for each i, in this order.
func Squares(dst, x, mean, by []float64) {
	if x, mean = x[:len(by)*len(dst)], mean[:len(dst)]; !fastSquares(dst, x, mean, by) {
		portableSquares(dst, x, mean, by)
	}
}

// Pitch is the length of a row of n numbers that Standardise and Gram pad with zeros to whole registers.
func Pitch(n int) int { return (n + 3) &^ 3 }

// Standardise writes (row − mean)·inverse into a row of a for each row of x, which has cols columns, and the same
// times by[i] into a row of b. The rows of a and b have the pitch of cols + 1, like mean and inverse; the numbers of x
// that they have no room for are 0, so that with a mean of −1 an intercept of 1 follows the last column.
func Standardise(a, b, x, by []float64, cols int, mean, inverse []float64) {
	pitch := Pitch(cols + 1)
	a, b, x = a[:len(by)*pitch], b[:len(by)*pitch], x[:len(by)*cols]
	mean, inverse = mean[:pitch], inverse[:pitch]
	if !fastStandardise(a, b, x, by, cols, mean, inverse) {
		portableStandardise(a, b, x, by, cols, mean, inverse)
	}
}

// Gram adds Σ b[r][i]·a[r][j] over the given number of rows to h[i][j], for i from an even number on and below to,
// and j from i to n − 1. What it leaves below the diagonal is of no use. All rows have the pitch of n, a number of
// them even in h. To is even, or n. A sum is added up like that of Scores, and then to h: a last odd row of a and b
// is added to the sum of both, but for j = n − 1 and an odd n − i to that of the even rows.
func Gram(h, a, b []float64, rows, n, from, to int) {
	pitch := Pitch(n)
	a, b = a[:rows*pitch], b[:rows*pitch]
	if h = h[:(to+1)/2*2*pitch]; !fastGram(h, a, b, rows, n, from, to) {
		portableGram(h, a, b, rows, n, from, to)
	}
}

// Combine adds by[i]·columns[i][from+j] to dst[j] for each i, in this order.
func Combine(dst []float64, columns [][]float64, by []float64, from int) {
	for i := range by {
		_ = columns[i][from : from+len(dst)]
	}
	done := fastCombine(dst, columns, by, from)
	for i, v := range by {
		for j, cell := range columns[i][from+done : from+len(dst)] {
			dst[done+j] += float64(v * cell)
		}
	}
}

// Logistic evaluates the logistic loss of scores f of rows with weights v. Side is 1 for the rows of class +1 and
// 0 for those of class −1. It replaces f by the derivative of v·log(1 + e^−z), and writes the margin z = ±f and
// q = e^−|z|. It asks the memory for next, like Adjoint.
func Logistic(f, z, q, v []float64, side []uint8, next []float64) {
	z, q, v, side = z[:len(f)], q[:len(f)], v[:len(f)], side[:len(f)]
	for at := 0; at < len(f); next = nil {
		at += fastLogistic(f[at:], z[at:], q[at:], v[at:], side[at:], next)
		end := min(at+lanes, len(f)) // too few rows for an instruction, or one of them is out of range
		portableLogistic(f[at:end], z[at:end], q[at:end], v[at:end], side[at:end])
		at = end
	}
}

// lanes is the number of rows that are evaluated at once.
const lanes = 4

// Softplus writes the logistic losses log(1 + e^−z) of margins z and their slopes −σ(−z).
func Softplus(values, slopes, z []float64) {
	values, slopes = values[:len(z)], slopes[:len(z)]
	inFours(len(z), func(from int) int { return fastSoftplus(values[from:], slopes[from:], z[from:]) },
		func(from, to int) { portableSoftplus(values[from:to], slopes[from:to], z[from:to]) })
}

// Temper replaces logistic losses ℓ and their slopes by those of the α-loss, (1 − e^−eℓ)/e, whose exponent
// e = (α−1)/α is not 0.
func Temper(values, slopes []float64, e float64) {
	slopes = slopes[:len(values)]
	inFours(len(values), func(from int) int { return fastTemper(values[from:], slopes[from:], e) },
		func(from, to int) { portableTemper(values[from:to], slopes[from:to], e) })
}

// Exps writes e^x with the bits of math.Exp, which are not those of Exp, and not the same on all processors.
func Exps(dst, x []float64) {
	dst = dst[:len(x)]
	inFours(len(x), func(from int) int { return fastExps(dst[from:], x[from:]) },
		func(from, to int) {
			for i, v := range x[from:to] {
				dst[from+i] = math.Exp(v)
			}
		})
}

// Pair is a sum of weights and the sum of the same weights with the signs of the classes.
type Pair struct{ Weight, Lean float64 }

// Sums writes, for each span from one place of rows to another, the sum of the pairs of its rows. They are added up in
// four sums, by turns, but the last one to three in the first sum. Each row must be one of pairs.
func Sums(dst, pairs []Pair, rows []int32, spans [][2]int32) {
	dst = dst[:len(spans)]
	if !fastSums(dst, pairs, rows, spans) {
		portableSums(dst, pairs, rows, spans)
	}
}

// Normalise divides weights by their sum, and writes the pairs of them and of their products with the classes y = ±1.
// It returns the sum of the pairs and that of the squared weights, each made of four sums by turns.
func Normalise(d []float64, pairs []Pair, y []float64, sum float64) (total Pair, squares float64) {
	pairs, y = pairs[:len(d)], y[:len(d)]
	var weight, lean, square [lanes]float64
	done := fastNormalise(d, pairs, y, sum, &weight, &lean, &square)
	for i := done; i < len(d); i++ {
		v := d[i] / sum
		p := Pair{v, v * y[i]}
		d[i], pairs[i] = v, p
		weight[i%lanes] += p.Weight
		lean[i%lanes] += p.Lean
		square[i%lanes] += float64(v * v)
	}
	add := func(v [lanes]float64) float64 { return (v[0] + v[1]) + (v[2] + v[3]) }
	return Pair{add(weight), add(lean)}, add(square)
}

// Move adds step·u to m and returns the largest absolute value.
func Move(m, u []float64, step float64) (largest float64) {
	u = u[:len(m)]
	done, largest := fastMove(m, u, step)
	for i := done; i < len(m); i++ {
		m[i] += float64(step * u[i])
		if a := math.Abs(m[i]); a > largest {
			largest = a
		}
	}
	return largest
}

// Panels copies rows of d numbers, eight at a time, as Products reads them: the eight numbers of a column side by
// side. Rows of zeros fill the last panel.
func Panels(x []float64, d int) []float64 {
	n := len(x) / d
	out := make([]float64, Padded(n)*d)
	for i := range n {
		to := out[i/panel*panel*d+i%panel:]
		for j, v := range x[i*d : (i+1)*d] {
			to[j*panel] = v
		}
	}
	return out
}

const panel = 8 // rows

// Padded is n rounded up to whole panels.
func Padded(n int) int { return (n + panel - 1) / panel * panel }

// Products writes the products of rows of d numbers with the rows of panels, one row after the other. Each is added
// up from the first column to the last.
func Products(dst, panels, rows []float64, d int) {
	count, number := len(panels)/d/panel, len(rows)/d
	if dst = dst[:number*count*panel]; !fastProducts(dst, panels, rows, count, number, d) {
		portableProducts(dst, panels, rows, d)
	}
}

// inFours does rows by vector instructions where they can do it, and else by the portable form: too few rows for an
// instruction, or some of which one is out of range.
func inFours(rows int, fast func(from int) int, portable func(from, to int)) {
	for at := 0; at < rows; {
		at += fast(at)
		end := min(at+lanes, rows)
		portable(at, end)
		at = end
	}
}

func portableProducts(dst, panels, rows []float64, d int) {
	size := len(panels) / d
	for r := range len(rows) / d {
		for at := 0; at < size; at += panel {
			var sums [panel]float64
			for j, w := range rows[r*d : (r+1)*d] {
				for l, cell := range panels[at*d+j*panel:][:panel] {
					sums[l] += float64(w * cell)
				}
			}
			copy(dst[r*size+at:], sums[:])
		}
	}
}

func portableScores(dst, x, w []float64, b float64) {
	d := len(w)
	for i := range dst {
		row := x[i*d : (i+1)*d]
		var even, odd float64
		j := 0
		for ; j+1 < d; j += 2 {
			even += float64(w[j] * row[j])
			odd += float64(w[j+1] * row[j+1])
		}
		last := 0.0
		if j < d {
			last = float64(w[j] * row[j])
		}
		switch {
		case j == d:
			dst[i] = b + (even + odd)
		case i == len(dst)-1 && len(dst)%2 == 1:
			dst[i] = b + ((even + last) + odd)
		default:
			dst[i] = b + ((even + odd) + last)
		}
	}
}

func portableAdjoint(dst, x, by []float64) {
	for i, g := range by {
		row := x[i*len(dst):][:len(dst)]
		for j, cell := range row {
			dst[j] += float64(g * cell)
		}
	}
}

func portableSquares(dst, x, mean, by []float64) {
	for i, v := range by {
		row := x[i*len(dst):][:len(dst)]
		for j, cell := range row {
			cell -= mean[j]
			dst[j] += float64(v * cell * cell)
		}
	}
}

func portableStandardise(a, b, x, by []float64, cols int, mean, inverse []float64) {
	pitch := len(mean)
	for r, factor := range by {
		row := x[r*cols : (r+1)*cols]
		for j, m := range mean {
			cell := 0.0
			if j < cols {
				cell = row[j]
			}
			cell = (cell - m) * inverse[j]
			a[r*pitch+j], b[r*pitch+j] = cell, factor*cell
		}
	}
}

func portableGram(h, a, b []float64, rows, n, from, to int) {
	const together = 64
	var even, odd [together]float64
	pitch := Pitch(n)
	for i := from; i < to; i++ {
		for lo := i; lo < n; lo += together {
			hi := min(lo+together, n)
			clear(even[:hi-lo])
			clear(odd[:hi-lo])
			r := 0
			for ; r+1 < rows; r += 2 {
				p, q := b[r*pitch+i], b[(r+1)*pitch+i]
				next := a[(r+1)*pitch+lo : (r+1)*pitch+hi]
				for j, cell := range a[r*pitch+lo : r*pitch+hi] {
					even[j] += float64(p * cell)
					odd[j] += float64(q * next[j])
				}
			}
			for j := lo; j < hi; j++ {
				last := 0.0
				if r < rows {
					last = float64(b[r*pitch+i] * a[r*pitch+j])
				}
				sum := (even[j-lo] + odd[j-lo]) + last
				if j == n-1 && (n-i)%2 == 1 {
					sum = (even[j-lo] + last) + odd[j-lo]
				}
				h[i*pitch+j] += sum
			}
		}
	}
}

func portableLogistic(f, z, q, v []float64, side []uint8) {
	for i, score := range f {
		margin := score
		if side[i] == 0 {
			margin = -score
		}
		e := Exp(-math.Abs(margin))
		p := 1 / (1 + e) // σ(|z|)
		miss := e * p    // σ(−|z|)
		if margin < 0 {
			miss = p
		}
		slope := v[i] * miss
		if side[i] == 1 {
			slope = -slope
		}
		f[i], z[i], q[i] = slope, margin, e
	}
}

func portableSoftplus(values, slopes, z []float64) {
	for i, u := range z {
		e := Exp(-math.Abs(u))
		small := 1 / (1 + e) // σ(|z|)
		values[i] = max(-u, 0) + Log1p(e)
		if u > 0 {
			small *= e
		}
		slopes[i] = -small
	}
}

func portableTemper(values, slopes []float64, e float64) {
	inverse := 1 / e
	for i, l := range values {
		p, m := Expm1(-(e * l))
		values[i] = -m * inverse
		slopes[i] *= p
	}
}

func portableSums(dst, pairs []Pair, rows []int32, spans [][2]int32) {
	for k, span := range spans {
		var a, b, c, d Pair
		rows := rows[span[0]:span[1]]
		for ; len(rows) >= 4; rows = rows[4:] {
			p, q, r, s := pairs[rows[0]], pairs[rows[1]], pairs[rows[2]], pairs[rows[3]]
			a.Weight, b.Weight, c.Weight, d.Weight = a.Weight+p.Weight, b.Weight+q.Weight, c.Weight+r.Weight, d.Weight+s.Weight
			a.Lean, b.Lean, c.Lean, d.Lean = a.Lean+p.Lean, b.Lean+q.Lean, c.Lean+r.Lean, d.Lean+s.Lean
		}
		for _, r := range rows {
			a.Weight += pairs[r].Weight
			a.Lean += pairs[r].Lean
		}
		dst[k] = Pair{(a.Weight + b.Weight) + (c.Weight + d.Weight), (a.Lean + b.Lean) + (c.Lean + d.Lean)}
	}
}
