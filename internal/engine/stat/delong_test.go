package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// covariance is DeLong's matrix for two scores by the O(mn) definition.
func covariance(a, b []float64, event []bool) (s [2][2]float64) {
	var v10, v01 [2][]float64
	var auc [2]float64
	for k, score := range [][]float64{a, b} {
		x, y := split(score, event)
		v10[k], v01[k] = make([]float64, len(x)), make([]float64, len(y))
		for i, u := range x {
			for j, w := range y {
				psi := 0.0
				if u > w {
					psi = 1
				} else if u == w {
					psi = 0.5
				}
				v10[k][i] += psi / float64(len(y))
				v01[k][j] += psi / float64(len(x))
			}
		}
		for _, v := range v10[k] {
			auc[k] += v / float64(len(x))
		}
	}
	for k := range 2 {
		for l := range 2 {
			for _, v := range [][2][]float64{{v10[k], v10[l]}, {v01[k], v01[l]}} {
				n := float64(len(v[0]))
				for i := range v[0] {
					s[k][l] += (v[0][i] - auc[k]) * (v[1][i] - auc[l]) / (n * (n - 1))
				}
			}
		}
	}
	return s
}

func TestCompareAUCAgainstDeLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 60).Draw(t, "rows")
		a, b, event := make([]float64, n), make([]float64, n), make([]bool, n)
		for i := range n {
			a[i] = float64(rapid.IntRange(0, 9).Draw(t, "a"))
			b[i] = float64(rapid.IntRange(0, 30).Draw(t, "b"))
			event[i] = i < 2 || i > 3 && rapid.Bool().Draw(t, "event")
		}
		got, back, s := CompareAUC(a, b, event), CompareAUC(b, a, event), covariance(a, b, event)
		x, _, _ := AUC(a, event)
		y, _, _ := AUC(b, event)
		half := Z95 * math.Sqrt(max(0, s[0][0]+s[1][1]-2*s[0][1]))
		if !(math.Abs(*got.Difference.Value-(x-y)) <= 1e-14) || !(math.Abs(*got.Difference.High-(x-y)-half) <= 1e-7) {
			t.Fatalf("%v to %v, want %v ± %v", *got.Difference.Value, *got.Difference.High, x-y, half)
		}
		if !(math.Abs(*got.Difference.Low+*back.Difference.High) <= 1e-12) {
			t.Fatal("the other way round is not the negative")
		}
		for i := range n {
			a[i] = math.Exp(a[i])
		}
		if again := CompareAUC(a, b, event); *again.Difference.High != *got.Difference.High {
			t.Fatal("a rising map changed the test")
		}
	})
}

func TestCompareAUCUndefined(t *testing.T) {
	f, _, y := sample()
	if d := CompareAUC(f, f, y); d.Z != nil || d.P != nil || *d.Difference.Value != 0 {
		t.Errorf("a model with itself: %+v", d)
	}
	if d := CompareAUC([]float64{1, 2}, []float64{2, 1}, []bool{true, true}); d.Difference.Value != nil || d.A.Value != nil {
		t.Errorf("one class: %+v", d)
	}
	if d := CompareAUC([]float64{1, 2, 0}, []float64{2, 1, 3}, []bool{true, false, false}); d.Difference.Low != nil || d.P != nil {
		t.Errorf("one event: %+v", d)
	}
}

// Two equally good scores: the p-value is uniform, so that about one in twenty
// is under .05.
func TestCompareAUCLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	const runs, n = 500, 120
	under := 0
	for range runs {
		a, b, event := make([]float64, n), make([]float64, n), make([]bool, n)
		for i := range n {
			event[i] = i%3 == 0
			common := r.NormFloat64()
			if event[i] {
				common++
			}
			a[i], b[i] = common+r.NormFloat64(), common+r.NormFloat64()
		}
		if *CompareAUC(a, b, event).P < 0.05 {
			under++
		}
	}
	if under < 10 || under > 43 { // .05 ± 3.7 standard errors
		t.Errorf("%d of %d p-values under .05", under, runs)
	}
}

func TestTwoSided(t *testing.T) {
	close(t, "p of z = 2.209", twoSided(2.209), 0.027174640904762213, 1e-13) // scipy 1.10.1 2·norm.sf
	close(t, "p of z = −1.96", twoSided(-Z95), 0.05, 1e-14)
}
