package stat

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// delong is the direct O(mn) computation of DeLong et al. 1988.
func delong(score []float64, event []bool) (auc, se float64) {
	x, y := split(score, event)
	m, n := float64(len(x)), float64(len(y))
	v10, v01 := make([]float64, len(x)), make([]float64, len(y))
	for i, a := range x {
		for j, b := range y {
			psi := 0.0
			if a > b {
				psi = 1
			} else if a == b {
				psi = 0.5
			}
			auc, v10[i], v01[j] = auc+psi/(m*n), v10[i]+psi/n, v01[j]+psi/m
		}
	}
	var s10, s01 float64
	for _, v := range v10 {
		s10 += (v - auc) * (v - auc) / (m - 1)
	}
	for _, v := range v01 {
		s01 += (v - auc) * (v - auc) / (n - 1)
	}
	return auc, math.Sqrt(s10/m + s01/n)
}

func TestAUCAgainstDeLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 80).Draw(t, "rows")
		levels := rapid.IntRange(1, 50).Draw(t, "levels") // few: many ties
		score, event, other := make([]float64, n), make([]bool, n), make([]bool, n)
		for i := range n {
			score[i] = float64(rapid.IntRange(0, levels).Draw(t, "score")) / 7
			event[i] = i < 2 || i > 3 && rapid.Bool().Draw(t, "event")
			other[i] = !event[i]
		}
		auc, low, high := AUC(score, event)
		want, se := delong(score, event)
		if math.Abs(auc-want) > 1e-13 || math.Abs(low-max(0, want-Z95*se)) > 1e-12 || math.Abs(high-min(1, want+Z95*se)) > 1e-12 {
			t.Fatalf("%v (%v to %v), want %v ± %v", auc, low, high, want, Z95*se)
		}
		if a, l, h := AUC(score, other); math.Abs(a-(1-auc)) > 1e-13 || math.Abs(l-(1-high)) > 1e-12 || math.Abs(h-(1-low)) > 1e-12 {
			t.Fatalf("classes swapped: %v (%v to %v), was %v (%v to %v)", a, l, h, auc, low, high)
		}
	})
}

func TestAUCUndefined(t *testing.T) {
	for name, a := range map[string]struct {
		score []float64
		event []bool
	}{
		"no rows":   {nil, nil},
		"one class": {[]float64{1, 2}, []bool{true, true}},
		"NaN score": {[]float64{1, math.NaN(), 3}, []bool{true, true, false}},
	} {
		if auc, low, high := AUC(a.score, a.event); !math.IsNaN(auc) || !math.IsNaN(low) || !math.IsNaN(high) {
			t.Errorf("%s: %v (%v to %v)", name, auc, low, high)
		}
	}
	if auc, low, _ := AUC([]float64{1, 2, 3}, []bool{false, false, true}); auc != 1 || !math.IsNaN(low) {
		t.Errorf("one event: %v from %v", auc, low)
	}
}
