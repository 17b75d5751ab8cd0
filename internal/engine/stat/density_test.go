package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// Reference: numpy 1.24.2 quantile, scipy 1.10.1 gaussian_kde with
// bw_method = h/std(ddof=1).
func TestKDEAgainstScipy(t *testing.T) {
	f, _, _ := sample()
	x := make([]float64, len(f))
	for i, v := range f {
		x[i] = math.Round(v*30) / 10
	}
	q1, median, q3 := Quartiles(x)
	close(t, "lower quartile", q1, -3.9, 1e-14)
	close(t, "median", median, 0.45, 1e-14)
	close(t, "upper quartile", q3, 3.975, 1e-14)
	y, h := KDE(x, []float64{-5, 0, 1.25, 4})
	close(t, "bandwidth", h, 1.8918438711680516, 1e-13)
	for i, want := range []float64{0.06388096615493852, 0.05907866314692087, 0.06280291306526915, 0.07208089588986102} {
		close(t, "density", y[i], want, 1e-12)
	}
}

func TestQuartilesEdges(t *testing.T) {
	if q1, m, q3 := Quartiles(nil); !math.IsNaN(q1) || !math.IsNaN(m) || !math.IsNaN(q3) {
		t.Errorf("nothing: %v %v %v", q1, m, q3)
	}
	if q1, m, q3 := Quartiles([]float64{7}); q1 != 7 || m != 7 || q3 != 7 {
		t.Errorf("one value: %v %v %v", q1, m, q3)
	}
	x := []float64{4, 1, 3, 2}
	if Median(x) != 2.5 || !slices.Equal(x, []float64{4, 1, 3, 2}) {
		t.Errorf("median %v of %v", Median(x), x)
	}
}

// naive is the kernel sum over every value.
func naive(x []float64, g, h float64) (y float64) {
	for _, v := range x {
		u := (g - v) / h
		y += math.Exp(-u*u/2) / (h * math.Sqrt(2*math.Pi) * float64(len(x)))
	}
	return y
}

func TestKDEAgainstNaiveSum(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for name, draw := range map[string]func() float64{
		"two humps":   func() float64 { return r.NormFloat64() + 6*float64(r.IntN(2)) },
		"heavy tails": func() float64 { return math.Tan(math.Pi * (r.Float64() - 0.5)) },
		"few levels":  func() float64 { return float64(r.IntN(7)) },
		"far outlier": func() float64 {
			if r.IntN(3000) == 0 {
				return 1e12
			}
			return r.NormFloat64()
		},
	} {
		for _, n := range []int{300, 3 * exact} {
			x := make([]float64, n)
			for i := range x {
				x[i] = draw()
			}
			grid := []float64{-20, -3, -1.1, 0, 0.4, 2, 5.9, 9, 40, 1e12}
			y, h := KDE(x, grid)
			height := 1 / (h * math.Sqrt(2*math.Pi))
			for i, g := range grid {
				if want := naive(x, g, h); !(math.Abs(y[i]-want) <= 3.1e-5*height) || n <= exact && !(math.Abs(y[i]-want) <= 1e-13*height) {
					t.Errorf("%s, n = %d, at %v: %v, want %v", name, n, g, y[i], want)
				}
			}
		}
	}
}

func TestKDEIntegratesToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-50, 50), 2, 60).Draw(t, "x")
		grid := make([]float64, 4001)
		_, h := KDE(x, nil)
		if h < 0.3 { // the trapezoids below would be too coarse
			t.Skip("a bandwidth below the steps of the sum")
		}
		for i := range grid {
			grid[i] = -200 + float64(i)*0.1
		}
		y, _ := KDE(x, grid)
		sum := 0.0
		for _, v := range y {
			sum += v * 0.1
		}
		if h < 15 && !(math.Abs(sum-1) <= 1e-9) {
			t.Fatalf("integral %v at bandwidth %v", sum, h)
		}
	})
}

func TestKDEUndefined(t *testing.T) {
	for _, x := range [][]float64{nil, {1}, {2, 2, 2}, {1, math.NaN(), 3}, {1, math.Inf(1)}} {
		if y, h := KDE(x, []float64{0}); y != nil || h != 0 {
			t.Errorf("%v: %v, bandwidth %v", x, y, h)
		}
	}
}

// Reference: sklearn 1.2.1 StandardScaler and PCA(2, svd_solver='full'), the
// first component turned to its largest loading (−0.626 there).
func TestPCA2AgainstSklearn(t *testing.T) {
	const rows, cols = 12, 5
	x := waves()
	scores, share := PCA2(x, rows, cols)
	close(t, "share 1", share[0], 0.48131119618245305, 1e-12)
	close(t, "share 2", share[1], 0.42060642667879633, 1e-12)
	for i, want := range [][2]float64{{-0.28569453725655036, 2.6240199478237165}, {0.8464591281592975, 0.02240014001706566},
		{-0.6772226934519789, -2.229200393404204}, {-2.6294358340209905, -1.0528495658068915}} {
		close(t, "score 1", scores[0][i], want[0], 1e-11)
		close(t, "score 2", scores[1][i], want[1], 1e-11)
	}
}

// The Gram route against gonum's SVD of the standardised matrix, tall and wide.
func TestPCA2AgainstSVD(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 2))
	for _, shape := range [][2]int{{200, 9}, {40, 93}, {30, 2}, {2, 6}, {25, 1}} {
		n, d := shape[0], shape[1]
		x := make([]float64, n*d)
		for i := range n {
			common := r.NormFloat64()
			for j := range d {
				x[i*d+j] = 3 + common*float64(j%3) + r.NormFloat64()*float64(1+j)
			}
		}
		scores, share := PCA2(x, n, d)
		z := standardised(x, n, d)
		var svd mat.SVD
		if !svd.Factorize(mat.NewDense(n, d, z.Data), mat.SVDThin) {
			t.Fatal("svd failed")
		}
		s, total := svd.Values(nil), 0.0
		for _, v := range s {
			total += v * v
		}
		var u mat.Dense
		svd.UTo(&u)
		for k := range min(2, len(s)) {
			close(t, "share", share[k], s[k]*s[k]/total, 1e-12)
			if s[k] < 1e-9*s[0] {
				continue
			}
			sign := math.Copysign(1, u.At(0, k)*scores[k][0])
			for i := range n {
				close(t, "score", scores[k][i], sign*u.At(i, k)*s[k], 1e-9)
			}
		}
	}
}

func TestPCA2Degenerate(t *testing.T) {
	scores, share := PCA2([]float64{1, 5, 2, 5, 3, 5}, 3, 2) // one column constant
	close(t, "share", share[0], 1, 1e-15)
	close(t, "first score", scores[0][2], math.Sqrt(1.5), 1e-14)
	if share[1] != 0 || scores[1][0] != 0 {
		t.Errorf("second component of one varying column: %v", scores[1])
	}
	scores, share = PCA2([]float64{4, 4, 4, 4}, 2, 2)
	if share != [2]float64{} || scores[0][1] != 0 {
		t.Errorf("nothing varies: %v %v", scores, share)
	}
	if scores, _ := PCA2(nil, 0, 3); len(scores[0]) != 0 {
		t.Error("rows out of nothing")
	}
}

func BenchmarkAUC(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	score, event := make([]float64, 1e6), make([]bool, 1e6)
	for i := range score {
		event[i] = r.IntN(5) == 0
		score[i] = r.NormFloat64()
		if event[i] {
			score[i]++
		}
	}
	for b.Loop() {
		AUC(score, event)
	}
}

func BenchmarkKDE(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	x, grid := make([]float64, 1e6), make([]float64, 400)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	for i := range grid {
		grid[i] = float64(i)/50 - 4
	}
	for b.Loop() {
		KDE(x, grid)
	}
}

func BenchmarkPCA2(b *testing.B) {
	for _, shape := range [][2]int{{20000, 50}, {400, 93}} {
		n, d := shape[0], shape[1]
		x := make([]float64, n*d)
		r := rand.New(rand.NewPCG(1, 1))
		for i := range x {
			x[i] = r.NormFloat64()
		}
		b.Run(map[int]string{50: "20000x50", 93: "400x93"}[d], func(b *testing.B) {
			for b.Loop() {
				PCA2(x, n, d)
			}
		})
	}
}
