package vector

import "math"

// factored is the number of rows whose squares Cholesky adds up before it subtracts them from the diagonal.
const factored = 64

// Cholesky replaces the upper triangle of the symmetric n×n matrix A, stored in rows of n numbers, by its factor U
// with A = UᵀU, and reports whether A is positive definite; if not, the triangle is of no use. The lower one is
// neither read nor written. Spare has n numbers, which are overwritten.
//
// From a cell beside the diagonal the products with the rows above are subtracted one after the other, and the rest
// is multiplied by the inverse of the diagonal. From a cell of the diagonal the squares of the rows before the last
// multiple of 64 are subtracted likewise, and then the sum of the others, which is added up in two sums, of its even
// and of its odd rows; but a last even row is added to the odd ones. (This is the order of gonum's assembly, which
// made the results that are stored.)
func Cholesky(a, spare []float64) (ok bool) {
	var even, odd [factored]float64
	n, diagonal := len(spare), spare // in one piece, less the squares of the rows before the last multiple of 64
	for i := range diagonal {
		diagonal[i] = a[i*n+i]
	}
	for i := range n {
		first := i / factored * factored
		end := min(first+factored, n)
		if i == first {
			clear(even[:])
			clear(odd[:])
		}
		pivot := diagonal[i] - (even[i-first] + odd[i-first])
		if !(pivot > 0) {
			return false
		}
		pivot = math.Sqrt(pivot)
		a[i*n+i] = pivot
		row := a[i*n+i+1 : (i+1)*n]
		if len(row) == 0 {
			return true
		}
		if i > 0 && !fastEliminate(row, a[i+1:], a[i:], i, n) {
			for k := range i {
				by := a[k*n+i]
				for j, u := range a[k*n+i+1 : (k+1)*n] {
					row[j] -= float64(by * u)
				}
			}
		}
		inverse := 1 / pivot
		near, far := row[:end-i-1], row[end-i-1:]
		sums := odd[i+1-first:]
		if (i-first)%2 == 0 && len(near) > 0 {
			near[0] *= inverse // the last row before the next cell of the diagonal
			sums[0] += float64(near[0] * near[0])
			near, sums = near[1:], even[i+2-first:]
		}
		sums = sums[:len(near)]
		for j, u := range near {
			u *= inverse
			near[j] = u
			sums[j] += float64(u * u)
		}
		rest := diagonal[end:]
		for j, u := range far[:len(rest)] {
			u *= inverse
			far[j] = u
			rest[j] -= float64(u * u)
		}
	}
	return true
}
