package multiclass

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"taper/internal/engine/fit/linear"
)

// ordinalRows draws rows whose class is the interval of a noisy score, cut into equal lengths.
func ordinalRows(seed uint64, n, d, k int) (linear.Matrix, []int) {
	r := rand.New(rand.NewPCG(seed, 0))
	x := linear.Matrix{Rows: n, Cols: d, Data: make([]float64, n*d)}
	w := make([]float64, d)
	for j := range w {
		w[j] = r.NormFloat64()
	}
	y := make([]int, n)
	norm := math.Sqrt(dot(w, w))
	for i := range n {
		for j := range d {
			x.Data[i*d+j] = r.NormFloat64()
		}
		s := dot(w, x.Row(i))/norm + .5*r.NormFloat64()
		y[i] = min(k-1, max(0, int(math.Floor((s+2.2)/4.4*float64(k)))))
	}
	return x, y
}

// clouds draws k Gaussian classes; columns have variance 1.
func clouds(seed uint64, n, d, k int, spread float64) (linear.Matrix, []int) {
	r := rand.New(rand.NewPCG(seed, 0))
	x := linear.Matrix{Rows: n, Cols: d, Data: make([]float64, n*d)}
	centre := make([]float64, k*d)
	for j := range centre {
		centre[j] = r.NormFloat64()
	}
	y := make([]int, n)
	for i := range n {
		y[i] = r.IntN(k)
		for j := range d {
			x.Data[i*d+j] = centre[y[i]*d+j] + spread*r.NormFloat64()
		}
	}
	scale(x)
	return x, y
}

// scale gives every column mean 0 and variance 1.
func scale(x linear.Matrix) {
	n := float64(x.Rows)
	for j := range x.Cols {
		mean, square := 0.0, 0.0
		for i := range x.Rows {
			mean += x.Row(i)[j] / n
		}
		for i := range x.Rows {
			x.Row(i)[j] -= mean
			square += x.Row(i)[j] * x.Row(i)[j] / n
		}
		for i := range x.Rows {
			x.Row(i)[j] /= math.Sqrt(square)
		}
	}
}

// Adversarial absolute loss, thresholds, 4,000×10, 10 classes, λ = 1e-2, gap 1e-4.
func BenchmarkOrdinal(b *testing.B) {
	x, y := ordinalRows(1, 4000, 10, 10)
	for _, features := range []string{Thresholds, PerClass} {
		for _, l2 := range []float64{1e-2, 1e-4} {
			b.Run(features+"/"+map[float64]string{1e-2: "1e-2", 1e-4: "1e-4"}[l2], func(b *testing.B) {
				s := Spec{Family: family(b, "al-ordinal"), Classes: 10, Features: features, L2: l2}
				for b.Loop() {
					fit, err := Fit(context.Background(), x, y, nil, s, Options{Gap: 1e-4})
					if err != nil || *fit.Gap > 1e-4 {
						b.Fatal(err, *fit.Gap)
					}
					b.ReportMetric(float64(fit.Iterations), "sweeps")
				}
			})
		}
	}
}

// Adversarial zero–one loss with an RBF kernel, 4,435×36, 6 classes, λ = 1/(8n), gap 1e-3.
func BenchmarkRBF(b *testing.B) {
	x, y := clouds(1, 4435, 36, 6, 2)
	s := Spec{Family: family(b, "al-zero-one"), Classes: 6, L2: 1 / (8 * 4435.), Kernel: &Kernel{Name: KernelRBF}}
	for b.Loop() {
		fit, err := Fit(context.Background(), x, y, nil, s, Options{Gap: 1e-3})
		if err != nil || *fit.Gap > 1e-3 {
			b.Fatal(err, *fit.Gap)
		}
		b.ReportMetric(float64(fit.Iterations), "sets")
		b.ReportMetric(float64(len(fit.Model.Rows)), "rows")
	}
}

// Small penalties, for which Newton steps finish the fit: five ordered classes on 64 RBF basis
// functions as in the playground, and the path of λ of a run with a kernel.
func BenchmarkSmallPenalty(b *testing.B) {
	x, y := ordinalRows(1, 300, 2, 5)
	fit := func(b *testing.B, x linear.Matrix, y []int, s Spec, o Options) {
		fit, err := Fit(context.Background(), x, y, nil, s, o)
		if err != nil || *fit.Gap > o.Gap {
			b.Fatal(err, *fit.Gap)
		}
	}
	for _, id := range []string{"al-zero-one", "al-ordinal", "cs"} {
		b.Run("bumps/"+id, func(b *testing.B) {
			for b.Loop() {
				fit(b, x, y, Spec{Family: family(b, id), Classes: 5, L2: 1e-3, Kernel: &Kernel{Name: KernelRBF, Gamma: 1}}, Options{Gap: 1e-3, Landmarks: 64})
			}
		})
	}
	x, y = iris(b)
	scale(x)
	for _, id := range []string{"al-zero-one", "al-ordinal", "cs"} {
		b.Run("path/"+id, func(b *testing.B) {
			for b.Loop() {
				for e := 3; e >= -15; e -= 3 {
					fit(b, x, y, Spec{Family: family(b, id), Classes: 3, L2: math.Ldexp(1, e), Kernel: &Kernel{Name: KernelRBF, Gamma: 1. / 8}}, Options{Gap: 1e-3})
				}
			}
		})
	}
}
