package linear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"testing"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// hostile are awkward datasets as users may upload them; no fit may return NaN.
func hostile() map[string]func(r *rand.Rand, x Matrix, y, v []float64) {
	cells := func(f func(i int, c float64) float64) func(*rand.Rand, Matrix, []float64, []float64) {
		return func(_ *rand.Rand, x Matrix, _, _ []float64) {
			for i, c := range x.Data {
				x.Data[i] = f(i, c)
			}
		}
	}
	return map[string]func(r *rand.Rand, x Matrix, y, v []float64){
		"not a number":     cells(func(i int, c float64) float64 { return [2]float64{c, math.NaN()}[i%17/16] }),
		"infinite":         cells(func(i int, c float64) float64 { return [2]float64{c, math.Inf(-1)}[i%17/16] }),
		"huge":             cells(func(_ int, c float64) float64 { return 1e99 * c }),
		"too large":        cells(func(_ int, c float64) float64 { return 1e200 * c }),
		"one huge cell":    cells(func(i int, c float64) float64 { return [2]float64{c, 1e90}[(i+1)/40%2] }),
		"tiny":             cells(func(_ int, c float64) float64 { return 1e-200 * c }),
		"denormal":         cells(func(int, float64) float64 { return 5e-324 }),
		"zero":             cells(func(int, float64) float64 { return 0 }),
		"constant":         cells(func(int, float64) float64 { return 1e15 }),
		"far from zero":    cells(func(_ int, c float64) float64 { return 1e12 + c }),
		"mixed units":      cells(func(i int, c float64) float64 { return c * math.Pow(10, float64(40*(i%3)-40)) }),
		"conflicting rows": func(_ *rand.Rand, x Matrix, y, _ []float64) { pairUp(x, y) },
		"one event": func(_ *rand.Rand, _ Matrix, y, _ []float64) {
			for i := range y {
				y[i] = -1
			}
			y[3] = 1
		},
		"huge weights": func(_ *rand.Rand, _ Matrix, _, v []float64) { times(v, 1e308) },
		"tiny weights": func(_ *rand.Rand, _ Matrix, _, v []float64) { times(v, 1e-320) },
		"no weight":    func(_ *rand.Rand, _ Matrix, _, v []float64) { clear(v) },
		"one weight":   func(_ *rand.Rand, _ Matrix, _, v []float64) { v[0] = 1e300 },
		"label":        func(_ *rand.Rand, _ Matrix, y, _ []float64) { y[2] = math.NaN() },
		"weight":       func(_ *rand.Rand, _ Matrix, _, v []float64) { v[2] = math.NaN() },
	}
}

func pairUp(x Matrix, y []float64) {
	for i := 1; i < x.Rows; i += 2 {
		copy(x.Row(i), x.Row(i-1))
		y[i] = -y[i-1]
	}
}

func times(v []float64, c float64) {
	for i := range v {
		v[i] *= c
	}
}

// sane fails on a fit with non-finite numbers and on an error that is not a sentence for the
// user.
func sane(t *testing.T, name string, fit *Linear, err error) {
	t.Helper()
	if err != nil {
		if !usererr.Is(err, usererr.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	bad := fit.B-fit.B != 0 || fit.Objective-fit.Objective != 0 || fit.GradientNorm != nil && *fit.GradientNorm-*fit.GradientNorm != 0 || fit.Gap != nil && *fit.Gap != *fit.Gap
	for _, w := range fit.W {
		bad = bad || w-w != 0
	}
	if bad {
		t.Errorf("%s: %v, %v, objective %v, starts %v", name, fit.W, fit.B, fit.Objective, fit.Warnings)
	}
}

// TestHostile fits every loss, with its settings, to every such dataset.
func TestHostile(t *testing.T) {
	for kind, spoil := range hostile() {
		r := rand.New(rand.NewPCG(9, 1))
		x, y := noisyRows(61, 40, 3)
		v := make([]float64, len(y))
		for i := range v {
			v[i] = 1 + float64(i%2)
		}
		spoil(r, x, y, v)
		for _, l2 := range []float64{1e-2, 1e-300, 1e300} {
			for _, f := range loss.Families {
				if f.Margin == nil {
					continue
				}
				for _, c := range append([]loss.Case{{}}, f.Cases...) {
					q, err := url.ParseQuery(c.Query)
					if err != nil {
						t.Fatal(err)
					}
					values, err := f.Parse(q)
					if err != nil {
						t.Fatal(err)
					}
					name := fmt.Sprintf("%s %s, %s, λ = %v", f.ID, c.Query, kind, l2)
					fit, _, err := Margin(context.Background(), x, y, v, f.Margin(values), l2, MarginOptions{MaxIter: 50})
					sane(t, name, fit, err)
				}
			}
			fit, err := Logistic(context.Background(), x, y, v, l2, LogisticOptions{})
			sane(t, fmt.Sprintf("logistic, %s, λ = %v", kind, l2), fit, err)
			for _, solver := range []string{SolverDirect, SolverCMP} {
				name := fmt.Sprintf("t-logistic by %s, %s, λ = %v", solver, kind, l2)
				student, err := TLogistic(context.Background(), x, y, v, 1.6, l2, TOptions{Solver: solver, MaxIter: 20})
				if err != nil {
					sane(t, name, nil, err)
					continue
				}
				sane(t, name, &student.Linear, nil)
				for _, xi := range student.Xi {
					if !(xi >= 0 && xi <= 1) {
						t.Errorf("%s: ξ = %v", name, xi)
						break
					}
				}
			}
		}
	}
}
