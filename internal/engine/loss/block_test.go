package loss

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// TestBlocks: the block form is the scalar form to 1e-13 relative, from −1e3
// to 1e3 and beyond.
func TestBlocks(t *testing.T) {
	for _, f := range Families {
		if f.Margin == nil {
			continue
		}
		for _, v := range settings(t, f) {
			l := f.Margin(v.Values)
			z, s := blockMargins(6000)
			values, slopes := make([]float64, len(z)), make([]float64, len(z))
			Block(l)(values, slopes, s, z)
			worst, at := 0.0, 0.0
			for i, u := range z {
				for _, pair := range [][2]float64{{values[i], l.Value(s[i], u)}, {slopes[i], l.Slope(s[i], u)}} {
					got, want := pair[0], pair[1]
					if d := math.Abs(got-want) / (math.Abs(want) + 1e-300); got != want && !(d <= worst) {
						worst, at = d, u
					}
				}
			}
			if !(worst <= 1e-13) {
				t.Errorf("%s %s: off by %.2g at %v", f.ID, v.name, worst, at)
			}
		}
	}
}

func blockMargins(n int) (z, s []float64) {
	r := rand.New(rand.NewPCG(13, 14))
	z = []float64{0, math.Copysign(0, -1), 1, -1, 745.5, -745.5, 1e3, -1e3, 1e9, -1e9, 1e300, -1e300, 5e-324, .5, 2}
	for len(z) < n {
		z = append(z, math.Pow(10, 5*r.Float64()-2)*float64(2*r.IntN(2)-1))
	}
	for range z {
		s = append(s, float64(2*r.IntN(2)-1))
	}
	return z, s
}

// TestTableAtRandom holds the table to its promise at temperatures that nobody
// chose. Next to the end of a compact support what is left of it, 1 − (1−t2)|z|,
// is small, and the rounding of z counts that much more in either form.
func TestTableAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	z, _ := blockMargins(3000)
	values, slopes := make([]float64, len(z)), make([]float64, len(z))
	worst, of := 0.0, Tempered{}
	for n := range 150 {
		l := Tempered{4 * r.Float64(), 1 + 3*math.Pow(r.Float64(), 3)}
		if n%2 == 0 {
			l.T2 = 1 - math.Pow(r.Float64(), 3)
		}
		at := z
		if l.T2 < 1 && n%4 == 0 { // half of them inside the support
			at = make([]float64, len(z))
			for i := range at {
				at[i] = (2*r.Float64() - 1) * min(1/(1-l.T2), 1e3)
			}
		}
		Block(l)(values, slopes, nil, at)
		for i, u := range at {
			left := 1.0
			if l.T2 < 1 {
				left = min(1, math.Abs(1-(1-l.T2)*math.Abs(u)))
			}
			for _, pair := range [][2]float64{{values[i], l.Value(1, u)}, {slopes[i], l.Slope(1, u)}} {
				if pair[0] == pair[1] {
					continue
				}
				d := math.Abs(pair[0]-pair[1]) / math.Abs(pair[1]) * left
				if !(d <= 1e-13) {
					t.Fatalf("%+v at %v: %v, scalar %v", l, u, pair[0], pair[1])
				}
				if d > worst {
					worst, of = d, l
				}
			}
		}
	}
	t.Logf("worst %.2g for %+v", worst, of)
}

// TestOutsideTheSupport: margins outside a compact support have the bits of the scalar form.
func TestOutsideTheSupport(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for _, t2 := range []float64{0, .25, .5, .8, .99} {
		for _, t1 := range []float64{0, .5, 1, 1.5, 4} {
			l := Tempered{t1, t2}
			z := []float64{inf, -inf}
			for range 100 {
				for _, factor := range []float64{1 + 1e-12, 1 + 1e-6, 1.000001 + r.Float64(), 1 + math.Exp(9*r.Float64())} {
					z = append(z, factor/(1-t2), -factor/(1-t2))
				}
			}
			values, slopes := make([]float64, len(z)), make([]float64, len(z))
			Block(l)(values, slopes, nil, z)
			for i, u := range z {
				for _, pair := range [][2]float64{{values[i], l.Value(1, u)}, {slopes[i], l.Slope(1, u)}} {
					if math.Float64bits(pair[0]) != math.Float64bits(pair[1]) {
						t.Fatalf("%+v at %v: %v, scalar %v", l, u, pair[0], pair[1])
					}
				}
			}
		}
	}
}

func BenchmarkMargin(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	z, values, slopes := make([]float64, 1024), make([]float64, 1024), make([]float64, 1024)
	for i := range z {
		z[i] = 4 * r.NormFloat64()
	}
	for _, c := range []struct {
		name string
		l    Margin
	}{
		{"logistic", Logistic{}}, {"alpha3", NewAlpha(3)}, {"tempered", Tempered{.6, 1.6}}, {"t-logistic", Tempered{1, 1.6}},
		{"tempered next to 1", Tempered{.8, 1.2}}, {"compact", Tempered{.6, .8}},
		{"quartiles", intervals.Margin(intervals.Defaults())},
	} {
		b.Run("scalar/"+c.name, func(b *testing.B) {
			for i := range b.N {
				u := z[i%1024]
				values[i%1024], slopes[i%1024] = c.l.Value(1, u), c.l.Slope(1, u)
			}
		})
		b.Run("block/"+c.name, func(b *testing.B) {
			eval := Block(c.l)
			b.ReportAllocs()
			b.ResetTimer()
			for n := b.N; n > 0; n -= 1024 {
				eval(values, slopes, nil, z[:min(n, 1024)])
			}
		})
	}
	b.Run("table", func(b *testing.B) {
		for range b.N {
			Tempered{.6, 1.6}.Block()
		}
	})
}

// TestTableShared: the pieces of a table are computed when margins first need them, by any of several goroutines, with
// the same bits.
func TestTableShared(t *testing.T) {
	const rows = 4000
	z, ones := make([]float64, rows), make([]float64, rows)
	for i := range z {
		z[i], ones[i] = 80*(float64(i)/rows-.5), 1
	}
	for _, l := range []Tempered{{T1: .6, T2: 1.6}, {T1: .5, T2: .5}} {
		want, slopes := make([]float64, rows), make([]float64, rows)
		l.Block()(want, slopes, ones, z)
		shared := l.Block()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				got, gotSlopes := make([]float64, rows), make([]float64, rows)
				shared(got, gotSlopes, ones, z)
				if !slices.Equal(got, want) || !slices.Equal(gotSlopes, slopes) {
					t.Errorf("%+v: a table built by several goroutines differs", l)
				}
			})
		}
		all.Wait()
	}
}
