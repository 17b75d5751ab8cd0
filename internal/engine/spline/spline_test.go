package spline

import (
	"math"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// ages has fewer than 100 values, powers more; the rule for the outer knots differs.
func ages() []float64 {
	x := []float64{34, 81, 50, 62, 47, 55.5, 71, 68, 29, 90, 44, 58, 61, 73, 66, 52, 49, 38, 77, 85}
	slices.Sort(x)
	return x
}

func powers() []float64 {
	x := make([]float64, 150)
	for i := range x {
		x[i] = math.Pow(float64(i+1), 1.3)
	}
	return x
}

// From Hmisc 4.8-0 in R 4.2.2: b <- rcspline.eval(x, nk = k), attr(b, "knots"), and
// rcspline.eval(c(20, 47.3, 60, 75, 100, 300, 900), knots = …).
func TestAgainstHmisc(t *testing.T) {
	at := []float64{20, 47.3, 60, 75, 100, 300, 900}
	for _, tt := range []struct {
		name  string
		x     []float64
		knots []float64
		basis [][]float64 // by value, then by term
	}{
		{"ages, 3", ages(), []float64{47, 59.5, 73},
			[][]float64{{0}, {3.99408284023658e-05}, {3.24964387464388}, {21.875}, {57.9326923076924}, {346.394230769238}, {1211.77884615387}}},
		{"ages, 4", ages(), []float64{47, 51.3, 66.7, 73},
			[][]float64{{0, 0}, {3.99408284023658e-05, 0}, {3.25, 0.974116863905327}, {29.0196153846154, 16.8078698224852}, {85.8465384615385, 53.8840532544378}, {540.461923076913, 350.493520710053}, {1904.30807692348, 1240.3219230778}}},
		{"ages, 5", ages(), []float64{47, 49.225, 59.5, 70.325, 73},
			[][]float64{{0, 0, 0}, {3.99408284023658e-05, 0, 0}, {3.25, 1.85056839404586, 0.00018491124260355}, {31.1074759615385, 24.0808041789941, 4.7937855954142}, {98.3911298076925, 79.7375164571007, 21.007265625}, {636.660360576876, 524.991214681912, 150.715105861662}, {2251.46805288468, 1860.75230935717, 539.838626572164}}},
		{"powers, 3", powers(), []float64{36.4625276951786, 276.270651165619, 588.643524382039},
			[][]float64{{0}, {0.00417465979454214}, {0.0427677648386587}, {0.187709721027934}, {0.841253506774003}, {59.9519649732151}, {781.128796922643}}},
		{"powers, 4", powers(), []float64{16.0400776074975, 175.048365575288, 387.017148357982, 631.187543951314},
			[][]float64{{0.000164097341283232, 0}, {0.0807244709220017, 0}, {0.224497894355707, 0}, {0.541641872027425, 0}, {1.56407511484908, 0}, {60.5079817525, 5.15545908625853}, {1004.56724550367, 384.991482597086}}},
		{"powers, 5", powers(), []float64{16.0400776074975, 128.792061308091, 276.270651165619, 445.43475239538, 631.187543951314},
			[][]float64{{0.000164097341283232, 0, 0}, {0.0807244709220017, 0, 0}, {0.224497894355707, 0, 0}, {0.541641872027425, 0, 0}, {1.56407511484908, 0, 0}, {60.5079817525, 13.2621280329022, 0.0353101028920852}, {1121.97847666093, 628.315133717563, 213.736408270792}}},
	} {
		knots := Knots(tt.x, len(tt.knots))
		if len(knots) != len(tt.knots) {
			t.Fatalf("%s: knots %v", tt.name, knots)
		}
		for j := range knots {
			near(t, tt.name+": knot", knots[j], tt.knots[j], 1e-13)
		}
		for i, x := range at {
			row := Append(nil, x, tt.knots)
			if len(row) != len(tt.knots)-2 {
				t.Fatalf("%s: %d terms", tt.name, len(row))
			}
			for j := range row {
				near(t, tt.name, row[j], tt.basis[i][j], 1e-11)
			}
		}
	}
}

// TestKnotsByCount: from 10 to 99 values the outer knots are the fifth from either end;
// otherwise quantiles, .05 and .95, or .1 and .9 for three knots.
func TestKnotsByCount(t *testing.T) {
	if MinKnots != 3 || MaxKnots != 5 {
		t.Errorf("%d to %d knots, Harrell places 3 to 5 of few values", MinKnots, MaxKnots)
	}
	for _, c := range []struct {
		n, k        int
		first, last float64
	}{
		{3, 3, .2, 1.8}, {9, 3, .8, 7.2}, {10, 3, 4, 5}, {11, 3, 4, 6}, {99, 5, 4, 94}, {100, 5, 4.95, 94.05}, {101, 3, 10, 90},
	} {
		x := make([]float64, c.n)
		for i := range x {
			x[i] = float64(i)
		}
		got := Knots(x, c.k)
		if len(got) != c.k {
			t.Fatalf("%d values: knots %v", c.n, got)
		}
		near(t, "first knot", got[0], c.first, 1e-13)
		near(t, "last knot", got[c.k-1], c.last, 1e-13)
	}
	if got := Knots([]float64{1, 2}, 3); got != nil {
		t.Errorf("two values have the knots %v", got)
	}
}

// The definition of a natural cubic spline, by finite differences: twice continuously
// differentiable at every knot, and linear beyond the outer ones.
func TestSmooth(t *testing.T) {
	knots := []float64{-3, -1, 0.5, 4, 7}
	for j := range len(knots) - 2 {
		f := func(x float64) float64 { return Term(x, knots, j) }
		second := func(x, h float64) float64 { return (f(x+h) - 2*f(x) + f(x-h)) / (h * h) }
		for _, x := range knots {
			const h = 1e-4
			near(t, "value", f(x+1e-9), f(x-1e-9), 1e-7)
			near(t, "slope", (f(x+h)-f(x))/h, (f(x)-f(x-h))/h, 1e-3)
			near(t, "curvature", second(x+2*h, h), second(x-2*h, h), 1e-3)
		}
		for _, x := range []float64{-9, -4, 8, 11, 400} {
			if !(math.Abs(second(x, 0.5)) <= 1e-9) {
				t.Errorf("term %d bends at %v", j, x)
			}
		}
		if second(1, 1e-3) == 0 && second(3, 1e-3) == 0 {
			t.Errorf("term %d is straight between the knots", j)
		}
	}
}

// Far outside, where the cubes would overflow or cancel, the term stays linear.
func TestFarAway(t *testing.T) {
	knots := []float64{1e9, 1e9 + 1, 1e9 + 3}
	slope := Term(1e9+5, knots, 0) - Term(1e9+4, knots, 0)
	near(t, "slope", slope, 3*(3.0/3)*(1.0/3), 1e-12) // 3 (t_k−t_1)(t_{k−1}−t_1)/w²
	for _, x := range []float64{1e20, 1e150, -1e150} {
		if v := Term(x, knots, 0); math.IsInf(v, 0) || math.IsNaN(v) || x < 0 && v != 0 {
			t.Errorf("at %v: %v", x, v)
		}
	}
}

func TestTooFewValues(t *testing.T) {
	scores := make([]float64, 200) // 0…3, half of them 0
	for i := range scores {
		scores[i] = float64(max(0, i-100) / 25)
	}
	for k := MinKnots; k <= MaxKnots; k++ {
		if got := Knots(scores, k); got != nil {
			t.Errorf("knots that coincide: %v", got)
		}
	}
	for _, few := range [][]float64{nil, {1}, {1, 1, 1}, {1, 2}} {
		if k := Knots(few, 3); k != nil {
			t.Errorf("%v: knots %v", few, k)
		}
	}
	if k := Knots([]float64{1, 2, 3, 4, 5}, 3); len(k) != 3 {
		t.Errorf("five values hold three knots: %v", k)
	}
	if !Distinct(scores, 3) || Distinct(scores, 4) || Distinct(nil, 0) || !Distinct([]float64{2}, 0) {
		t.Error("miscounted")
	}
}

// TestQuantile: type 7 by its definition, with value i at p = i/(n − 1), counted from 0.
func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		name   string
		sorted []float64
		p      float64
		want   float64
	}{
		{"the least", []float64{1, 3, 7, 9}, 0, 1}, {"the largest", []float64{1, 3, 7, 9}, 1, 9},
		{"the median of four", []float64{1, 3, 7, 9}, .5, 5}, {"a quarter", []float64{1, 3, 7, 9}, .25, 2.5},
		{"in the last gap", []float64{1, 3, 7, 9}, .9, 8.4}, {"on a value", []float64{1, 3, 7}, .5, 3},
		{"one value", []float64{4}, .3, 4},
	} {
		near(t, c.name, Quantile(c.sorted, c.p), c.want, 1e-15)
	}
	if !math.IsNaN(Quantile(nil, .5)) {
		t.Error("nothing has a median")
	}
	for k, want := range []bool{true, true, true, false} {
		if Distinct([]float64{1, 1, 2, 2, 3}, k) != want {
			t.Errorf("more than %d distinct of three", k)
		}
	}
}
