package stat

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// References: Newcombe 1998, table II, method 10 (56/70 against 48/80; 9/10
// against 3/10); R package contingencytables, Newcombe_hybrid_score_CI_2x2 on
// perondi_2004 (7/34 against 1/34), as its tests state them.
func TestProportionDifference(t *testing.T) {
	for _, tt := range []struct {
		a, m, b, n       int
		value, low, high float64
	}{
		{56, 70, 48, 80, 0.2, 0.0524, 0.3339},
		{9, 10, 3, 10, 0.6, 0.1705, 0.8090},
		{7, 34, 1, 34, 0.1765, 0.0189, 0.3404},
	} {
		e := ProportionDifference(tt.a, tt.m, tt.b, tt.n)
		for k, v := range []float64{tt.value, tt.low, tt.high} {
			if got := *[]*float64{e.Value, e.Low, e.High}[k]; !(math.Abs(got-v) <= 5.1e-5) {
				t.Errorf("%d/%d − %d/%d: %v, want %v", tt.a, tt.m, tt.b, tt.n, got, v)
			}
		}
	}
	if e := ProportionDifference(1, 2, 0, 0); e.Value != nil || e.Low != nil {
		t.Errorf("no rows: %+v", e)
	}
}

// Reference: R package contingencytables, Newcombe_square_and_add_CI_paired_2x2
// on cavo_2012 (59, 6; 16, 80), as its tests state it.
func TestPairedDifference(t *testing.T) {
	e := PairedDifference(59, 6, 16, 80)
	for k, v := range []float64{-0.0621, -0.1186, -0.0046} {
		if got := *[]*float64{e.Value, e.Low, e.High}[k]; !(math.Abs(got-v) <= 5.1e-5) {
			t.Errorf("%v, want %v", got, v)
		}
	}
	if e := PairedDifference(0, 0, 0, 0); e.Value != nil || e.High != nil {
		t.Errorf("no rows: %+v", e)
	}
}

// Swapping the two proportions, or yes and no, turns the interval round; it
// holds its value and stays within ±1.
func TestDifferencesTurnRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.IntRange(0, 30)
		a, b, d, e := c.Draw(t, "both"), c.Draw(t, "first"), c.Draw(t, "second"), c.Draw(t, "neither")
		if a+b+d+e == 0 {
			t.Skip("no rows: the test before has this case")
		}
		approx := cmpopts.EquateApprox(0, 1e-12)
		x := PairedDifference(a, b, d, e)
		if diff := cmp.Diff(x, turned(PairedDifference(a, d, b, e)), approx); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(x, turned(PairedDifference(e, d, b, a)), approx); diff != "" {
			t.Fatal(diff)
		}
		if *x.Low > *x.Value+1e-12 || *x.High < *x.Value-1e-12 || *x.Low < -1-1e-12 || *x.High > 1+1e-12 {
			t.Fatalf("%v in %v to %v", *x.Value, *x.Low, *x.High)
		}
		y := ProportionDifference(a, a+b+1, d, d+e+1)
		if diff := cmp.Diff(y, turned(ProportionDifference(d, d+e+1, a, a+b+1)), approx); diff != "" {
			t.Fatal(diff)
		}
	})
}

func turned(e Estimate) Estimate { e.Low, e.High = e.High, e.Low; return e.times(-1) }

// TestPhi: the numerator is lessened by n/2 where it is positive, not below 0, and left
// as it is where it is negative.
func TestPhi(t *testing.T) {
	for _, c := range []struct {
		cells [4]int
		want  float64
	}{
		{[4]int{5, 1, 1, 5}, (25. - 1 - 6) / 36}, {[4]int{2, 1, 2, 2}, 0}, {[4]int{2, 1, 1, 2}, 0}, {[4]int{1, 2, 2, 1}, -3. / 9},
		{[4]int{1, 1, 1, 1}, 0}, {[4]int{3, 0, 0, 0}, 0}, {[4]int{0, 0, 0, 0}, 0},
	} {
		if got := phi(c.cells[0], c.cells[1], c.cells[2], c.cells[3]); !(math.Abs(got-c.want) <= 1e-15) {
			t.Errorf("%v: φ %v, want %v", c.cells, got, c.want)
		}
	}
}
