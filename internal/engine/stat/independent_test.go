package stat

import (
	"math"
	"testing"
)

// TestIndependentDifference is Newcombe's interval for two proportions: rows of
// table II of Newcombe 1998 (Statistics in Medicine 17:873), method 10.
func TestIndependentDifference(t *testing.T) {
	for _, x := range []struct {
		a, m, b, n int
		low, high  float64
	}{
		{56, 70, 48, 80, 0.0524, 0.3339},
		{9, 10, 3, 10, 0.1705, 0.8090},
		{10, 10, 0, 20, 0.6791, 1.0000},
		{5, 56, 0, 29, -0.0381, 0.1926},
	} {
		d := IndependentDifference(Proportion(x.a, x.m), Proportion(x.b, x.n))
		if !(math.Abs(*d.Low-x.low) <= 5e-5) || !(math.Abs(*d.High-x.high) <= 5e-5) {
			t.Errorf("%v: %v to %v", x, *d.Low, *d.High)
		}
		w := ProportionDifference(x.a, x.m, x.b, x.n)
		if !(math.Abs(*d.Low-*w.Low) <= 1e-15) || !(math.Abs(*d.Value-*w.Value) <= 1e-15) {
			t.Errorf("%v: %v, Newcombe's %v", x, *d.Low, *w.Low)
		}
	}
	if d := IndependentDifference(Estimate{Value: Finite(2)}, Proportion(1, 4)); *d.Value != 1.75 || d.Low != nil || d.High != nil {
		t.Errorf("without an interval: %+v", d)
	}
}

// TestIndependentRatio: of log-normal numbers it is the log-normal ratio, whose
// variances add up.
func TestIndependentRatio(t *testing.T) {
	r := IndependentRatio(logNormal(math.Log(3), 0.3), logNormal(math.Log(2), 0.4))
	if !(math.Abs(*r.Value-1.5) <= 1e-12) || !(math.Abs(*r.Low-1.5*math.Exp(-Z95*0.5)) <= 1e-12) || !(math.Abs(*r.High-1.5*math.Exp(Z95*0.5)) <= 1e-12) {
		t.Errorf("%v from %v to %v", *r.Value, *r.Low, *r.High)
	}
}
