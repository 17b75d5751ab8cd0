package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRamps: levels and the sums along a step are those of the definition, at ramps, at their very ends, between and
// beyond them, for both sides, with the same bits on every path and at every number of rows.
func TestRamps(t *testing.T) {
	const rate = 3.
	starts := [2][]float64{{-1.3, .2, .9}, {-.8, .5, 2}}
	levels := [2][]float64{{0, .25, .5, .75}, {-.9, -.4, -.3, 0}}
	end := func(side, k int) float64 { return starts[side][k] + (levels[side][k+1]-levels[side][k])/rate }
	points := []float64{math.Inf(-1), math.Inf(1), math.NaN()}
	for side := range 2 {
		for k, from := range starts[side] {
			points = append(points, from, math.Nextafter(from, -9), end(side, k), math.Nextafter(end(side, k), 9))
		}
	}
	everyPath(t, func(t *testing.T) {
		for count := 1; count <= 3; count++ {
			ramps := NewRamps(count)
			ramps.Rise(rate)
			for side := range 2 {
				for k := range count {
					ramps.Set(k, side, starts[side][k], levels[side][k], levels[side][k+1])
				}
			}
			define := func(side uint8, u float64) (float64, uint8) {
				level, on := levels[side][0], uint8(0)
				for k, from := range starts[side][:count] {
					low, high := levels[side][k], levels[side][k+1]
					switch z := low + float64(rate*(u-from)); {
					case u >= from && z < high:
						level, on = z, 1
					case u >= from:
						level, on = high, 0
					}
				}
				return level, on
			}
			r := rand.New(rand.NewPCG(8, uint64(count)))
			for rows := range 70 {
				u, d, v, side := numbers(r, rows), numbers(r, rows), numbers(r, rows), make([]uint8, rows)
				for i := range u {
					side[i] = uint8(r.IntN(2))
					if u[i] = 3 * r.NormFloat64(); r.IntN(3) == 0 {
						u[i] = points[r.IntN(len(points))]
					}
				}
				step := r.NormFloat64() * float64(r.IntN(2))
				got, times, on := make([]float64, rows), make([]float64, rows), make([]uint8, rows)
				slope, curve := ramps.Levels(got, times, on, u, d, v, side, step)
				want, product := make([]float64, rows), make([]float64, rows)
				var slopes, squares [4]float64
				for i := range u {
					var mark uint8
					want[i], mark = define(side[i], u[i]+float64(step*d[i]))
					product[i] = v[i] * want[i]
					if on[i] != mark {
						t.Fatalf("row %d at %v is on a ramp: %d, want %d", i, u[i], on[i], mark)
					}
					slopes[i%4] += float64(product[i] * d[i])
					if mark == 1 {
						squares[i%4] += float64(v[i] * d[i] * d[i])
					}
				}
				sameBits(t, "levels", got, want)
				sameBits(t, "levels times weights", times, product)
				add := func(v [4]float64) float64 { return (v[0] + v[1]) + (v[2] + v[3]) }
				sums := []float64{add(slopes), rate * add(squares)}
				sameBits(t, "sums of levels", []float64{slope, curve}, sums)
				slope, curve = ramps.Along(u, d, v, side, step)
				sameBits(t, "sums along a step", []float64{slope, curve}, sums)
			}
		}
	})
}

// TestHulls: values are those of the largest line, on every path and at every number of rows.
func TestHulls(t *testing.T) {
	everyPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(8, 9))
		for rows := range 40 {
			lines := 1 + r.IntN(5)
			h, slopes, values := NewHulls(lines), [2][]float64{}, [2][]float64{}
			for side := range 2 {
				slopes[side], values[side] = numbers(r, lines), numbers(r, lines)
				for k := range lines {
					h.Set(k, side, slopes[side][k], values[side][k])
				}
			}
			x, side, want := numbers(r, rows), make([]uint8, rows), make([]float64, rows)
			for i := range x {
				if side[i] = uint8(r.IntN(2)); r.IntN(9) == 0 {
					x[i] = math.NaN()
				}
				want[i] = math.Inf(-1)
				for k, slope := range slopes[side[i]] {
					if v := float64(slope*x[i]) + values[side[i]][k]; v > want[i] {
						want[i] = v
					}
				}
			}
			got := make([]float64, rows)
			h.Values(got, x, side)
			sameBits(t, "values", got, want)
		}
	})
}

func BenchmarkRamps(b *testing.B) {
	const rows = 256
	r := rand.New(rand.NewPCG(8, 1))
	u, d, v, side := make([]float64, rows), make([]float64, rows), numbers(r, rows), make([]uint8, rows)
	for i := range u {
		u[i], d[i], side[i] = r.NormFloat64(), r.NormFloat64(), uint8(r.IntN(2))
	}
	ramps, on := NewRamps(3), make([]uint8, rows)
	ramps.Rise(1)
	for k := range 3 {
		for side := range 2 {
			ramps.Set(k, side, float64(k-1-side), float64(k)/4, float64(k+1)/4)
		}
	}
	t, vt := make([]float64, rows), make([]float64, rows)
	for name, allow := range paths {
		back := allow(b)
		b.Run("levels/"+name, func(b *testing.B) {
			for b.Loop() {
				ramps.Levels(t, vt, on, u, d, v, side, .5)
			}
		})
		b.Run("along/"+name, func(b *testing.B) {
			for b.Loop() {
				ramps.Along(u, d, v, side, .5)
			}
		})
		back()
	}
}
