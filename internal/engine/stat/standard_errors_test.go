package stat

import (
	"math"
	"testing"
)

// TestStandardErrorsOfATable: of one binary predictor the maximum of the likelihood and
// its standard errors have a closed form (Woolf 1955): √(1/a + 1/b + 1/c + 1/d) of the
// log odds ratio, √(1/c + 1/d) of the log odds without it.
func TestStandardErrorsOfATable(t *testing.T) {
	for _, n := range [][4]int{{15, 25, 10, 50}, {3, 40, 30, 7}, {100, 100, 1, 99}} {
		with, without := math.Log(float64(n[0])/float64(n[1])), math.Log(float64(n[2])/float64(n[3]))
		var x, f []float64
		var event []bool
		for k, rows := range n {
			for range rows {
				event = append(event, k%2 == 0)
				if k < 2 {
					x, f = append(x, 1, 1), append(f, with)
				} else {
					x, f = append(x, 1, 0), append(f, without)
				}
			}
		}
		inverse := func(k int) float64 { return 1 / float64(n[k]) }
		want := []float64{math.Sqrt(inverse(2) + inverse(3)), math.Sqrt(inverse(0) + inverse(1) + inverse(2) + inverse(3))}
		se, ok := StandardErrors(x, 2, f, event)
		if !ok || !(math.Abs(se[0]-want[0]) <= 1e-12) || !(math.Abs(se[1]-want[1]) <= 1e-12) {
			t.Errorf("%v: %v %v, want %v", n, se, ok, want)
		}
		for i := range f {
			f[i] *= 0.9 // as a penalty would have it
		}
		if _, ok := StandardErrors(x, 2, f, event); ok {
			t.Errorf("%v: standard errors away from the maximum", n)
		}
	}
}

// TestNoStandardErrors: there are none where the information is singular, or where the
// likelihood has no maximum and a solver stopped on its way.
func TestNoStandardErrors(t *testing.T) {
	half := []bool{true, false}
	if _, ok := StandardErrors([]float64{1, 1, 1, 1}, 2, []float64{0, 0}, half); ok {
		t.Error("two equal columns have standard errors")
	}
	for _, far := range []float64{5, 12, 18} {
		if _, ok := StandardErrors([]float64{1, 1, 1, -1}, 2, []float64{far, -far}, half); ok {
			t.Errorf("separated rows have standard errors at scores of ±%g", far)
		}
	}
}
