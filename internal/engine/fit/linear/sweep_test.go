package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"taper/internal/engine/loss"
)

// TestSweep fits awkward problems over the whole range of λ, and checks certificate, objective
// and optimality with formulas of package loss.
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
		if !(*fit.Gap <= 1e-6) || fit.Stopped != "gap" || len(fit.Warnings) > 0 {
			t.Errorf("trial %d (%d×%d, K=%d, λ=%g): gap %g after %d steps, objective %g, stopped %s", trial, x.Rows, x.Cols, len(iv.Pi), l2, *fit.Gap, fit.Iterations, fit.Objective, fit.Stopped)
		}
		p := objective(x, y, v, iv, l2, fit)
		if !(math.Abs(p-fit.Objective) <= 1e-11*(1+p)) {
			t.Errorf("trial %d: objective %g, recomputed %g", trial, fit.Objective, p)
		}
		for range 20 { // no neighbour is lower by more than the certified gap
			if q := objective(x, y, v, iv, l2, neighbour(r, fit)); q < p*(1-1.1e-6)-1e-11 {
				t.Errorf("trial %d: a neighbour has %g < %g", trial, q, p)
			}
		}
	}
}

// neighbour moves a fit a random length in a random direction.
func neighbour(r *rand.Rand, l *Linear) *Linear {
	h := math.Exp(-12 * r.Float64())
	near := &Linear{W: make([]float64, len(l.W)), B: l.B + h*r.NormFloat64()}
	for j, w := range l.W {
		near.W[j] = w + h*r.NormFloat64()*(math.Abs(w)+0.01)
	}
	return near
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

// simulate draws standard normal features and outcomes of a logistic model.
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

// randomProblem draws one of the awkward shapes users bring: few rows, many
// columns, rare events, outliers, duplicates, constant and collinear columns,
// zero weights.
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
		spoil(r, x, j)
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

// spoil makes one column in four constant, collinear or discrete.
func spoil(r *rand.Rand, x Matrix, j int) {
	kind := r.IntN(12)
	for i := range x.Rows {
		row := x.Row(i)
		switch kind {
		case 0:
			row[j] = 3
		case 1:
			row[j] = 2*row[(j+1)%x.Cols] - 1
		case 2:
			row[j] = math.Round(row[j])
		}
	}
}

func randomBoundaries(r *rand.Rand) loss.Interval {
	pi := make([]float64, 1+r.IntN(9))
	for k := range pi {
		pi[k] = (float64(k) + 0.05 + 0.9*r.Float64()) / float64(len(pi))
	}
	iv, err := loss.NewInterval(pi)
	if err != nil {
		panic(err)
	}
	return iv
}
