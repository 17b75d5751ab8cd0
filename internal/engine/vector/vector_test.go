package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// everyPath runs a test with each set of instructions that this processor has, and without any.
func everyPath(t *testing.T, test func(t *testing.T)) {
	for name, allow := range paths {
		t.Run(name, func(t *testing.T) {
			defer allow(t)()
			test(t)
		})
	}
}

// numbers are of very different sizes, so that every order of addition has its own rounding.
func numbers(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64() * math.Exp(8*r.NormFloat64())
	}
	return v
}

func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		same := math.Float64bits(got[i]) == math.Float64bits(want[i]) || math.IsNaN(got[i]) && math.IsNaN(want[i])
		if !same {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// TestProducts: both products have the bits of gonum's assembly, at every shape and on every path.
func TestProducts(t *testing.T) {
	var peer gonum.Implementation // on amd64: elsewhere it adds in another order, and the portable form is the peer
	everyPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		for rows := 1; rows < 24; rows++ {
			for cols := 1; cols < 90; cols++ {
				what := fmt.Sprintf("%d rows × %d columns", rows, cols)
				x, w, by := numbers(r, rows*cols), numbers(r, cols), numbers(r, rows)
				got, want := make([]float64, rows), make([]float64, rows)
				for i := range want {
					want[i] = .7
				}
				Scores(got, x, w, .7)
				if gonumInVectors {
					peer.Dgemv(blas.NoTrans, rows, cols, 1, x, cols, w, 1, 1, want, 1)
				} else {
					portableScores(want, x, w, .7)
				}
				sameBits(t, "scores of "+what, got, want)

				sum := numbers(r, cols)
				total := slices.Clone(sum)
				Adjoint(sum, x, by, x[:rows/2*cols])
				if gonumInVectors {
					peer.Dgemv(blas.Trans, rows, cols, 1, x, cols, by, 1, 1, total, 1)
				} else {
					portableAdjoint(total, x, by)
				}
				sameBits(t, "sum of "+what, sum, total)

				spread, plain := slices.Clone(w), slices.Clone(w)
				Squares(spread, x, total, by)
				portableSquares(plain, x, total, by)
				sameBits(t, "squares of "+what, spread, plain)
			}
		}
	})
}

// TestGram: the sums have the bits of gonum's product of a matrix and a vector, row by row of the triangle, in one
// piece or in bands, and what is standardised has those of the formula.
func TestGram(t *testing.T) {
	var peer gonum.Implementation
	everyPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(6, 1))
		for n := 1; n < 60; n++ {
			for _, rows := range []int{0, 1, 2, 3, 4, 5, 8, 31, 128} {
				what, pitch := fmt.Sprintf("%d rows × %d columns", rows, n), Pitch(n)
				cols := n - 1
				x, by := numbers(r, rows*cols), numbers(r, rows)
				mean, inverse := make([]float64, pitch), make([]float64, pitch)
				copy(mean, numbers(r, cols))
				copy(inverse, numbers(r, n))
				mean[cols] = -1
				a, b := numbers(r, rows*pitch), numbers(r, rows*pitch)
				Standardise(a, b, x, by, cols, mean, inverse)
				columns, times := make([]float64, n*rows), make([]float64, n*rows)
				for i := range rows {
					for j := range n {
						v := inverse[j]
						if j < cols {
							v *= x[i*cols+j] - mean[j]
						}
						columns[j*rows+i], times[j*rows+i] = v, by[i]*v
						sameBits(t, "a of "+what, []float64{a[i*pitch+j], b[i*pitch+j]}, []float64{v, by[i] * v})
					}
					sameBits(t, "padding of "+what, a[i*pitch+n:(i+1)*pitch], make([]float64, pitch-n))
				}
				got, want := make([]float64, (n+1)/2*2*pitch), make([]float64, n*n)
				for i := range n {
					copy(want[i*n+i:(i+1)*n], numbers(r, n))
					copy(got[i*pitch+i:], want[i*n+i:(i+1)*n])
				}
				middle := r.IntN(n+1) / 2 * 2
				Gram(got, a, b, rows, n, 0, middle)
				Gram(got, a, b, rows, n, middle, n)
				for i := range n {
					if gonumInVectors && rows > 0 {
						peer.Dgemv(blas.NoTrans, n-i, rows, 1, columns[i*rows:], rows, times[i*rows:], 1, 1, want[i*n+i:(i+1)*n], 1)
					} else {
						sums := make([]float64, n-i)
						portableScores(sums, columns[i*rows:], times[i*rows:(i+1)*rows], 0)
						for j, sum := range sums {
							want[i*n+i+j] += sum
						}
					}
					sameBits(t, "sums of "+what, got[i*pitch+i:i*pitch+n], want[i*n+i:(i+1)*n])
				}
			}
		}
	})
}

// TestCombine: the sums are those of one column after the other.
func TestCombine(t *testing.T) {
	everyPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 1))
		for rows := range 140 {
			for count := range 7 {
				columns, from := make([][]float64, count), r.IntN(9)
				for i := range columns {
					columns[i] = numbers(r, from+rows+r.IntN(3))
				}
				dst, by := numbers(r, rows), numbers(r, count)
				want := slices.Clone(dst)
				for j := range want {
					for i, v := range by {
						want[j] += float64(v * columns[i][from+j])
					}
				}
				Combine(dst, columns, by, from)
				sameBits(t, fmt.Sprintf("%d columns of %d rows", count, rows), dst, want)
			}
		}
	})
}

// TestProductsOfPanels: every product is added up column after column, whatever is computed beside it.
func TestProductsOfPanels(t *testing.T) {
	everyPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(6, 1))
		for n := 1; n < 28; n++ {
			for number := range 10 {
				d := 1 + r.IntN(40)
				x, rows := numbers(r, n*d), numbers(r, number*d)
				size := Padded(n)
				if size < n || size%panel != 0 || size >= n+panel {
					t.Fatalf("%d rows are padded to %d", n, size)
				}
				got, want := numbers(r, number*size+1), make([]float64, number*size+1)
				want[number*size] = got[number*size] // is not written
				for c := range number {
					for i := range n {
						for j := range d {
							want[c*size+i] += float64(rows[c*d+j] * x[i*d+j])
						}
					}
				}
				Products(got, Panels(x, d), rows, d)
				sameBits(t, fmt.Sprintf("products of %d and %d rows of %d", n, number, d), got, want)
			}
		}
	})
}

// TestNoCells: nothing is read where there are no rows or no columns.
func TestNoCells(t *testing.T) {
	everyPath(t, func(t *testing.T) {
		Scores(nil, nil, []float64{1}, 2)
		dst := make([]float64, 5)
		Scores(dst, nil, nil, 2)
		sameBits(t, "scores without columns", dst, []float64{2, 2, 2, 2, 2})
		Adjoint(dst, nil, nil, nil)
		Adjoint(nil, nil, dst, nil)
		Squares(dst, nil, dst, nil)
		Squares(nil, nil, nil, dst)
		Logistic(nil, nil, nil, nil, nil, nil)
		Combine(nil, nil, nil, 3)
		Combine(dst, nil, nil, 3)
		Ask(nil)
		Products(nil, nil, nil, 3)
		Products(nil, nil, dst, 5)
		Products(nil, make([]float64, 40), nil, 5)
		sameBits(t, "a sum of no rows", dst, []float64{2, 2, 2, 2, 2})
	})
}

// TestLogistic: the margins, e^−|z| and the slopes have the bits of the portable form, near 0 and far out too,
// and are those of package math up to rounding.
func TestLogistic(t *testing.T) {
	everyPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 1))
		odd := []float64{0, math.Copysign(0, -1), 5e-324, 36.7, 37, 700, 701, 745.2, -1e300, math.Inf(1), math.Inf(-1), math.NaN()}
		for rows := range 300 {
			f, v, side := make([]float64, rows), make([]float64, rows), make([]uint8, rows)
			for i := range f {
				f[i], v[i], side[i] = r.NormFloat64()*math.Exp(3*r.NormFloat64()), r.Float64(), uint8(r.IntN(2))
				if r.IntN(20) == 0 {
					f[i] = odd[r.IntN(len(odd))]
				}
				if r.IntN(9) == 0 {
					v[i] = 0
				}
			}
			given := slices.Clone(f)
			z, q := make([]float64, rows), make([]float64, rows)
			Logistic(f, z, q, v, side, v[:rows/2])
			wantF, wantZ, wantQ := slices.Clone(given), make([]float64, rows), make([]float64, rows)
			portableLogistic(wantF, wantZ, wantQ, v, side)
			sameBits(t, "slopes", f, wantF)
			sameBits(t, "margins", z, wantZ)
			sameBits(t, "q", q, wantQ)
			for i, score := range given {
				sign := 2*float64(side[i]) - 1
				slope := -v[i] * sign / (1 + math.Exp(sign*score))
				if diff := math.Abs(f[i] - slope); diff > 1e-14*math.Abs(slope)+1e-300 && !math.IsInf(score, 0) {
					t.Fatalf("the slope at %v, class %v, is %v, want %v", score, sign, f[i], slope)
				}
				if z[i] != sign*score && !math.IsNaN(score) {
					t.Fatalf("the margin at %v is %v", score, z[i])
				}
			}
		}
	})
}

// TestLosses: the losses and slopes of margins, and exponentials, have the bits of their portable forms.
func TestLosses(t *testing.T) {
	everyPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(4, 1))
		odd := []float64{0, math.Copysign(0, -1), 5e-324, 1e-17, -1e-17, 36.7, -37, 699.9, -700, 701, 745.2, -1e300,
			math.Inf(1), math.Inf(-1), math.NaN()}
		for rows := range 300 {
			z := make([]float64, rows)
			for i := range z {
				z[i] = r.NormFloat64() * math.Exp(3*r.NormFloat64())
				if r.IntN(20) == 0 {
					z[i] = odd[r.IntN(len(odd))]
				}
			}
			values, slopes, exps := make([]float64, rows), make([]float64, rows), make([]float64, rows)
			wantV, wantS := make([]float64, rows), make([]float64, rows)
			Softplus(values, slopes, z)
			portableSoftplus(wantV, wantS, z)
			sameBits(t, "logistic losses", values, wantV)
			sameBits(t, "logistic slopes", slopes, wantS)
			for _, e := range []float64{1, .5, 1e-9, -1, -1e3} {
				tempered, by := slices.Clone(values), slices.Clone(slopes)
				Temper(tempered, by, e)
				wantT, wantB := slices.Clone(values), slices.Clone(slopes)
				portableTemper(wantT, wantB, e)
				sameBits(t, fmt.Sprintf("α-losses for e = %v", e), tempered, wantT)
				sameBits(t, fmt.Sprintf("slopes of α-losses for e = %v", e), by, wantB)
			}
			Exps(exps, z)
			for i, v := range z {
				wantV[i] = math.Exp(v)
			}
			sameBits(t, "exponentials", exps, wantV)
		}
	})
}

// TestWeights: sums over lists of rows, normalised weights and moved margins have the bits of the portable forms.
func TestWeights(t *testing.T) {
	everyPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(6, 1))
		for rows := range 200 {
			d, y, m, u := numbers(r, rows), make([]float64, rows), numbers(r, rows), make([]float64, rows)
			for i := range y {
				y[i], u[i] = float64(1-2*r.IntN(2)), float64(1-2*r.IntN(2))
			}
			pairs, want := make([]Pair, rows), make([]Pair, rows)
			plain, sum := slices.Clone(d), .1+r.Float64()
			total, squares := Normalise(d, pairs, y, sum)
			var weight, lean, square [4]float64
			for i, v := range plain {
				v /= sum
				plain[i], want[i] = v, Pair{v, v * y[i]}
				weight[i%4] += v
				lean[i%4] += v * y[i]
				square[i%4] += float64(v * v)
			}
			add := func(v [4]float64) float64 { return (v[0] + v[1]) + (v[2] + v[3]) }
			sameBits(t, "weights", d, plain)
			samePairs(t, "pairs of weights", pairs, want)
			samePairs(t, "the sum of pairs", []Pair{total}, []Pair{{add(weight), add(lean)}})
			sameBits(t, "the sum of squares", []float64{squares}, []float64{add(square)})

			list, spans := make([]int32, rows), [][2]int32{}
			for i := range list {
				list[i] = int32(r.IntN(rows))
			}
			for from := 0; from < rows && r.IntN(9) > 0; {
				to := from + r.IntN(rows-from+1)
				spans, from = append(spans, [2]int32{int32(from), int32(to)}), to
			}
			sums, wantSums := make([]Pair, len(spans)), make([]Pair, len(spans))
			Sums(sums, pairs, list, spans)
			portableSums(wantSums, pairs, list, spans)
			samePairs(t, "sums of rows", sums, wantSums)

			step, moved, largest := r.NormFloat64(), slices.Clone(m), 0.0
			for i := range moved {
				moved[i] += float64(step * u[i])
				largest = max(largest, math.Abs(moved[i]))
			}
			got := Move(m, u, step)
			sameBits(t, "moved margins", m, moved)
			sameBits(t, "the largest margin", []float64{got}, []float64{largest})
		}
	})
}

func samePairs(t *testing.T, what string, got, want []Pair) {
	t.Helper()
	for i := range want {
		sameBits(t, fmt.Sprintf("%s, %d", what, i), []float64{got[i].Weight, got[i].Lean},
			[]float64{want[i].Weight, want[i].Lean})
	}
}

// TestMoveIgnoresNaN: the largest margin is that of the numbers.
func TestMoveIgnoresNaN(t *testing.T) {
	everyPath(t, func(t *testing.T) {
		for at := range 7 {
			m := []float64{1, -2, 3, 4, 1, -5, 1}
			m[at] = math.NaN()
			want := 6.
			if at == 5 {
				want = 3.
			}
			if got := Move(m, []float64{-1, -1, -1, -1, -1, -1, -1}, 1); got != want {
				t.Errorf("%v, want %v, with NaN at %d", got, want, at)
			}
		}
	})
}

// BenchmarkKernels measures the slices of a pass: 128 rows of 42 columns.
func BenchmarkKernels(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 2))
	const rows, cols = 128, 42
	x, w, f := numbers(r, rows*cols), numbers(r, cols), make([]float64, rows)
	z, q, v, side := make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]uint8, rows)
	given := make([]float64, rows)
	for i := range given {
		given[i] = 4 * r.NormFloat64()
	}
	for name, allow := range paths {
		back := allow(b)
		b.Run("scores/"+name, func(b *testing.B) {
			for b.Loop() {
				Scores(f, x, w, 0)
			}
		})
		b.Run("adjoint/"+name, func(b *testing.B) {
			for b.Loop() {
				Adjoint(w, x, v, nil)
			}
		})
		h, wide, pitch := make([]float64, (cols+2)/2*2*Pitch(cols+1)), numbers(r, rows*Pitch(cols+1)), Pitch(cols+1)
		b.Run("standardise/"+name, func(b *testing.B) {
			for b.Loop() {
				Standardise(wide, wide, x, v, cols, wide[:pitch], wide[:pitch])
			}
		})
		b.Run("gram/"+name, func(b *testing.B) {
			for b.Loop() {
				Gram(h, wide, wide, rows, cols+1, 0, cols+1)
			}
		})
		panels, products := Panels(x, cols), make([]float64, 4*rows)
		b.Run("products of four/"+name, func(b *testing.B) {
			for b.Loop() {
				Products(products, panels, x[:4*cols], cols)
			}
		})
		b.Run("logistic/"+name, func(b *testing.B) {
			for b.Loop() {
				copy(f, given)
				Logistic(f, z, q, v, side, nil)
			}
		})
		b.Run("softplus/"+name, func(b *testing.B) {
			for b.Loop() {
				Softplus(f, q, given)
			}
		})
		b.Run("temper/"+name, func(b *testing.B) {
			for b.Loop() {
				copy(f, v)
				copy(q, v)
				Temper(f, q, .5)
			}
		})
		for name, temperature := range map[string]float64{"heavy/" + name: 1.2, "compact/" + name: .8} {
			t, piece := NewTable(temperature, .5, 128), new(Piece)
			for span := range 129 {
				if span < 128 || temperature < 1 {
					t.Set(span, piece, piece)
				}
			}
			b.Run("table/"+name, func(b *testing.B) {
				for b.Loop() {
					t.Evaluate(f, q, given)
				}
			})
		}
		b.Run("exps/"+name, func(b *testing.B) {
			for b.Loop() {
				Exps(f, given)
			}
		})
		back()
	}
}
