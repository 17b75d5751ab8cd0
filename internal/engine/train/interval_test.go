package train

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"taper/internal/engine/loss"
)

func simulate(seed uint64, n, d int) (Matrix, []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	x := Matrix{n, d, make([]float64, n*d)}
	y := make([]float64, n)
	w := make([]float64, d)
	for j := range w {
		w[j] = r.NormFloat64() / math.Sqrt(float64(d)) * 2
	}
	for i := range n {
		f := -0.3
		for j := range d {
			x.Data[i*d+j] = r.NormFloat64()
			f += w[j] * x.Data[i*d+j]
		}
		y[i] = -1
		if r.Float64() < 1/(1+math.Exp(-f)) {
			y[i] = 1
		}
	}
	return x, y
}

// objective is the primal objective from the loss package's own formula.
func objective(x Matrix, y, v []float64, iv loss.Interval, l2 float64, l *Linear) float64 {
	sum, total, sq := 0.0, 0.0, 0.0
	for i := range y {
		c := 1.0
		if v != nil {
			c = v[i]
		}
		sum += c * iv.Value(y[i], y[i]*l.Score(x.Row(i)))
		total += c
	}
	for _, w := range l.W {
		sq += w * w
	}
	return sum/total + l2/2*sq
}

func TestOracleIntervalFit(t *testing.T) {
	for _, c := range oracle(t, "interval-fit") {
		t.Run(c.Name, func(t *testing.T) {
			x, y := c.Inputs.design()
			iv, err := loss.NewInterval(c.Params.Pi)
			if err != nil {
				t.Fatal(err)
			}
			fit, err := Interval(context.Background(), x, y, nil, iv, c.Params.Lambda, IntervalOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if *fit.Gap > 1e-6 {
				t.Errorf("gap %g", *fit.Gap)
			}
			c.check(t, "objective", fit.Objective)
			for j, w := range fit.W {
				c.checkAt(t, "w", j, w)
			}
			c.check(t, "b", fit.B)
			for i := range y {
				c.checkAt(t, "score", i, fit.Score(x.Row(i)))
				c.checkAt(t, "index", i, float64(iv.Band(fit.Score(x.Row(i)))))
			}
		})
	}
}

// TestSweep certifies fits of random shapes, classes and penalties.
func TestSweep(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for trial := range 300 {
		x, y, v := randomProblem(r)
		iv := randomBoundaries(r)
		l2 := math.Exp2(-15 + 25*r.Float64())
		fit, err := Interval(context.Background(), x, y, v, iv, l2, IntervalOptions{})
		if err != nil {
			t.Fatal(trial, err)
		}
		if !(*fit.Gap <= 1e-6) || !(*fit.Gap >= -1e-12) {
			t.Errorf("trial %d (%d×%d, K=%d, λ=%g): gap %g after %d steps, objective %g, stopped %s", trial, x.Rows, x.Cols, len(iv.Pi), l2, *fit.Gap, fit.Iterations, fit.Objective, fit.Stopped)
		}
		if p := objective(x, y, v, iv, l2, fit); math.Abs(p-fit.Objective) > 1e-12*(1+p) {
			t.Errorf("trial %d: objective %g, recomputed %g", trial, fit.Objective, p)
		}
	}
}

// randomProblem draws one of the awkward shapes users bring: few rows, many
// columns, rare events, outliers, duplicates, constant and collinear columns.
func randomProblem(r *rand.Rand) (Matrix, []float64, []float64) {
	n, d := 5+r.IntN(296), 1+r.IntN(40)
	x, y := simulate(r.Uint64(), n, d)
	rare := r.Float64() < 0.3
	for i := range y {
		if rare {
			y[i] = -1
		}
		if r.Float64() < 0.02 {
			x.Row(i)[r.IntN(d)] *= 1e3
		}
		if i > 0 && r.Float64() < 0.1 {
			copy(x.Row(i), x.Row(r.IntN(i)))
		}
	}
	for j := range d {
		switch r.IntN(12) {
		case 0: // constant
			for i := range n {
				x.Row(i)[j] = 3
			}
		case 1: // collinear
			for i := range n {
				x.Row(i)[j] = 2*x.Row(i)[(j+1)%d] - 1
			}
		case 2: // coarse
			for i := range n {
				x.Row(i)[j] = math.Round(x.Row(i)[j])
			}
		}
	}
	y[0], y[1] = 1, -1
	if r.IntN(2) == 0 {
		return x, y, nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(r.IntN(4))
	}
	v[0], v[1] = 1, 1
	return x, y, v
}

func randomBoundaries(r *rand.Rand) loss.Interval {
	for {
		pi := make([]float64, 1+r.IntN(9))
		for k := range pi {
			pi[k] = (float64(k) + 0.05 + 0.9*r.Float64()) / float64(len(pi))
		}
		if iv, err := loss.NewInterval(pi); err == nil {
			return iv
		}
	}
}
