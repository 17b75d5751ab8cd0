package boost

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"taper/internal/engine/fit/linear"
)

// longServedio draws the dataset of Long and Servedio as used by Ding and Vishwanathan 2010 and
// Sypherd et al. 2023 (docs/math.md, Datasets and noise). The order of the draws is that of the
// reference study.
func longServedio(r *rand.Rand, n int) (linear.Matrix, []float64) {
	x, y := linear.Matrix{Rows: n, Cols: 21, Data: make([]float64, n*21)}, make([]float64, n)
	for i := range n {
		y[i] = float64(2*r.IntN(2) - 1)
		row := x.Row(i)
		for j := range row {
			row[j] = -y[i]
		}
		switch r.IntN(4) {
		case 0: // large margin
			for j := range row {
				row[j] = y[i]
			}
		case 1: // puller
			for j := range 11 {
				row[j] = y[i]
			}
		default: // penalizer
			for _, j := range r.Perm(11)[:5] {
				row[j] = y[i]
			}
			for _, j := range r.Perm(10)[:6] {
				row[11+j] = y[i]
			}
		}
	}
	return x, y
}

// flip flips each label independently with probability p.
func flip(r *rand.Rand, y []float64, p float64) []float64 {
	noisy := make([]float64, len(y))
	for i := range y {
		noisy[i] = y[i]
		if r.Float64() < p {
			noisy[i] = -y[i]
		}
	}
	return noisy
}

// gaussian draws correlated continuous columns, like measurements.
func gaussian(r *rand.Rand, n, d int) (linear.Matrix, []float64) {
	x, y := linear.Matrix{Rows: n, Cols: d, Data: make([]float64, n*d)}, make([]float64, n)
	for i := range n {
		common, f := r.NormFloat64(), 0.0
		for j, row := 0, x.Row(i); j < d; j++ {
			row[j] = 0.6*common + r.NormFloat64()
			f += row[j] * float64(1-2*(j%3)%2) / math.Sqrt(float64(d))
		}
		y[i] = 1
		if f+0.5*r.NormFloat64() < 0 {
			y[i] = -1
		}
	}
	return x, y
}

func BenchmarkStumps(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, set := range []string{"long-servedio 2000x21", "gaussian 569x30", "gaussian 2000x21", "gaussian 50000x50"} {
		var x linear.Matrix
		var y []float64
		switch set {
		case "long-servedio 2000x21":
			x, y = longServedio(r, 2000)
			y = flip(r, y, .1)
		default:
			var n, d int
			fmt.Sscanf(set, "gaussian %dx%d", &n, &d)
			x, y = gaussian(r, n, d)
		}
		for _, alpha := range []float64{.5, 1, 2, 3, math.Inf(1)} {
			b.Run(fmt.Sprintf("%s/alpha=%v", set, alpha), func(b *testing.B) {
				for b.Loop() {
					mustFit(b, x, y, nil, Options{Alpha: alpha})
				}
			})
		}
	}
}

func BenchmarkRulesAndDepth(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := longServedio(r, 2000)
	y = flip(r, y, .1)
	for _, rule := range []string{HalfLog, LineSearch} {
		for _, depth := range []int{1, 2, 3, 5} {
			b.Run(fmt.Sprintf("%s/depth=%d", rule, depth), func(b *testing.B) {
				for b.Loop() {
					mustFit(b, x, y, nil, Options{Alpha: 2, Rule: rule, Depth: depth})
				}
			})
		}
	}
}

func BenchmarkStaged(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := longServedio(r, 5000)
	m := mustFit(b, x, flip(r, y, .1), nil, Options{Rounds: 400})
	for b.Loop() {
		m.StagedAccuracy(x, y)
	}
}
