package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"taper/internal/engine/loss"
)

// noiseRows draws columns that are independent of the outcome; share is the prevalence.
func noiseRows(n, d int, share float64, seed uint64) (Matrix, []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	x := Matrix{Rows: n, Cols: d, Data: make([]float64, n*d)}
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	y := make([]float64, n)
	for i := range y {
		y[i] = -1
		if float64(i) < share*float64(n) {
			y[i] = 1
		}
	}
	return x, y
}

func largestWeight(fit *Linear) float64 { return MaxNorm(fit.W) }

// TestNoPredictorIsExact: if the optimal weights are 0, the fit returns exact zeros with the
// optimal constant score and its certificate, instead of rounding errors.
func TestNoPredictorIsExact(t *testing.T) {
	iv, err := loss.NewInterval([]float64{0.25, 0.5, 0.75})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		x, y := noiseRows(120+int(seed)*7, 2+int(seed)%4, 0.06, seed)
		for _, l2 := range []float64{0.5, 4, 1024} {
			fits, err := IntervalPath(t.Context(), x, y, nil, iv, []float64{l2}, IntervalOptions{})
			if err != nil {
				t.Fatal(err)
			}
			hinge, _, err := Margin(t.Context(), x, y, nil, loss.Hinge{}, l2, MarginOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for name, fit := range map[string]*Linear{"interval": fits[0], "hinge": hinge} {
				if w := largestWeight(fit); w != 0 && w < 1e-6 || fit.Stopped != "gap" || *fit.Gap > defaultGap {
					t.Errorf("%s, seed %d, λ %v: largest weight %v, %s at a gap of %v", name, seed, l2, w, fit.Stopped, *fit.Gap)
				}
			}
		}
	}
}

// TestWeightsOfNote: weights that the certificate distinguishes from 0 are kept, however small;
// here one informative column at a large λ.
func TestWeightsOfNote(t *testing.T) {
	iv, err := loss.NewInterval([]float64{0.25, 0.5, 0.75})
	if err != nil {
		t.Fatal(err)
	}
	x, y := noiseRows(200, 3, 0.4, 7)
	for i, s := range y {
		x.Data[3*i] += s
	}
	fit, err := Interval(t.Context(), x, y, nil, iv, 1024, IntervalOptions{})
	if err != nil || !(math.Abs(fit.W[0]) > 1e-5) {
		t.Errorf("interval: %v, %v", fit, err)
	}
	smooth, err := Logistic(t.Context(), x, y, nil, 1e9, LogisticOptions{})
	if err != nil || !(math.Abs(smooth.W[0]) > 1e-11) {
		t.Errorf("logistic: %v, %v", smooth, err)
	}
}

// TestNoAssociationIsExact: a column with equal values in both classes gets weight 0 from any
// start, and a fit without predictors has the log odds as its intercept.
func TestNoAssociationIsExact(t *testing.T) {
	var y []float64
	x := Matrix{Cols: 1}
	for i := range 90 {
		x.Data = append(x.Data, math.Sqrt(float64(i/3)))
		y = append(y, []float64{-1, -1, 1}[i%3])
	}
	x.Rows = len(y)
	for name, l := range map[string]loss.Margin{"logistic": loss.Logistic{}, "squared hinge": loss.SquaredHinge{}} {
		fit, _, err := Margin(t.Context(), x, y, nil, l, 0.01, MarginOptions{})
		if err != nil || fit.W[0] != 0 || fit.Stopped != "gradient" {
			t.Errorf("%s: %+v, %v", name, fit, err)
		}
	}
	fits, err := LogisticPath(t.Context(), x, y, nil, []float64{1, 0.01}, LogisticOptions{})
	if err != nil || fits[1].W[0] != 0 || !(math.Abs(fits[1].B+math.Ln2) <= 1e-9) {
		t.Errorf("%+v, %v", fits[1], err)
	}
}
