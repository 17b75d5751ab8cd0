package study

import (
	"math"
	"testing"
)

// Goldens of scipy 1.10.1 (Debian): scipy.stats.wilcoxon(d, mode='exact') up to
// 50 differences, (d, mode='approx', correction=False) beyond.
func TestWilcoxonSciPy(t *testing.T) {
	fill := func(n int, f func(i int) float64) []float64 {
		d := make([]float64, n)
		for i := range d {
			d[i] = f(i + 1)
		}
		return d
	}
	for _, c := range []struct {
		name  string
		d     []float64
		n     int
		w, p  float64
		exact bool
	}{
		{"ten", []float64{0.125, -0.5, 0.75, 1.25, -0.25, 2.0, 0.375, -1.0, 3.0, 0.0625}, 10, 40, 0.232421875, true},
		{"all negative", []float64{-1, -2, -3, -4, -5}, 5, 0, 0.0625, true},
		{"thirty", fill(30, func(i int) float64 { return math.Pow(-1, float64(i/3)) * (float64(i) + 0.5) }), 30, 225, 0.8871948085725307, true},
		{"sixty", fill(60, func(i int) float64 { return float64((7*i)%61-25) / 4 }), 59, 59*60/2 - 588, 0.024965220366753117, false},
		{"ties and zeros", fill(60, func(i int) float64 { return math.RoundToEven(float64((11*i)%59-22) / 8) }), 51, 51*52/2 - 360.5, 0.004190865087914909, false},
	} {
		got := Wilcoxon(c.d)
		if got.N != c.n || got.W != c.w || got.Exact != c.exact || !(math.Abs(got.P-c.p) <= 1e-12) {
			t.Errorf("%s: %+v, want n %d, W %v, p %v", c.name, got, c.n, c.w, c.p)
		}
	}
}

// TestWilcoxonTies counts every assignment of signs, ties and zeros included.
func TestWilcoxonTies(t *testing.T) {
	for _, d := range [][]float64{{1, 1, -1, 2, 2, -2, 3}, {0.5, 0.5, 0.5, -0.5}, {0, 3, -3, 1, 1, 1, 0, -2, 5}, {-1}} {
		ranks, w := doubledRanks(d)
		total, far, mean2 := 0, 0, 0
		for _, r := range ranks {
			mean2 += r
		}
		for signs := range 1 << len(ranks) {
			sum := 0
			for i, r := range ranks {
				if signs>>i&1 == 1 {
					sum += r
				}
			}
			if total++; math.Abs(float64(2*sum-mean2)) >= math.Abs(float64(2*w-mean2)) {
				far++
			}
		}
		if got, want := Wilcoxon(d).P, float64(far)/float64(total); !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("%v: p = %v, counted %v", d, got, want)
		}
	}
}

func TestWilcoxonNothing(t *testing.T) {
	for _, d := range [][]float64{nil, {0, 0}, {math.NaN()}} {
		if got := Wilcoxon(d); got.P != 1 || got.N != 0 {
			t.Errorf("%v: %+v", d, got)
		}
	}
}
