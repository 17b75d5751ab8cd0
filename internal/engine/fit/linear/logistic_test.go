package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/usererr"
	"taper/testdata/oracle"
)

func mustLogistic(t testing.TB, x Matrix, y, v []float64, l2 float64, o LogisticOptions) *Linear {
	t.Helper()
	fit, err := Logistic(context.Background(), x, y, v, l2, o)
	if err != nil {
		t.Fatal(err)
	}
	return fit
}

func TestOracleLogisticFit(t *testing.T) {
	seen := 0
	for _, c := range oracle.Read[oracleCase](t, "margin-fit") {
		if c.Params.Loss != "logistic" {
			continue
		}
		seen++
		t.Run(c.Name, func(t *testing.T) {
			x, y := c.Inputs.design()
			fit := mustLogistic(t, x, y, nil, c.Params.Lambda, LogisticOptions{})
			c.check(t, "objective", fit.Objective)
			for j, w := range fit.W {
				c.checkAt(t, "w", j, w)
			}
			c.check(t, "b", fit.B)
		})
	}
	if seen == 0 {
		t.Fatal("no logistic cases")
	}
}

// logisticObjective is the definition of the objective, with log1p of exp.
func logisticObjective(x Matrix, y, v []float64, l2 float64, l *Linear) float64 {
	sum, total, sq := 0.0, 0.0, 0.0
	for i := range y {
		c := 1.0
		if v != nil {
			c = v[i]
		}
		z := y[i] * l.Score(x.Row(i))
		sum += c * (math.Max(-z, 0) + math.Log1p(math.Exp(-math.Abs(z))))
		total += c
	}
	for _, w := range l.W {
		sq += w * w
	}
	return sum/total + l2/2*sq
}

// TestEntropyGradient compares value and gradient with the definition and its central
// differences, for margins from 1e-3 to 1e3.
func TestEntropyGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for trial := range 40 {
		x, y, v := randomProblem(r)
		set, err := newSample(x, y, v)
		if err != nil {
			t.Fatal(err)
		}
		e := newEntropy(context.Background(), set, newRows(x, newTeam(0)))
		e.l2 = .3
		size := math.Pow(10, -3+4*r.Float64())
		for j := range e.theta {
			e.theta[j] = size * r.NormFloat64()
		}
		e.pass()
		at := func(theta []float64) float64 {
			d := len(theta) - 1
			return logisticObjective(x, y, v, .3, &Linear{W: theta[:d], B: theta[d]})
		}
		if want := at(e.theta); !(math.Abs(e.value-want) <= 1e-12*(1+want)) {
			t.Errorf("trial %d: value %v, want %v", trial, e.value, want)
		}
		for j := range e.theta {
			h := 1e-6 * (math.Abs(e.theta[j]) + 1e-3)
			up, down := slices.Clone(e.theta), slices.Clone(e.theta)
			up[j] += h
			down[j] -= h
			want := (at(up) - at(down)) / (2 * h)
			if !(math.Abs(e.grad[j]-want) <= 1e-4*(1+math.Abs(want))+1e-9*math.Abs(e.value)/h) {
				t.Errorf("trial %d: gradient %d is %v, differences give %v", trial, j, e.grad[j], want)
			}
		}
	}
}

// TestFarMargins: a correct row with margin 50 has loss e⁻⁵⁰, not zero.
func TestFarMargins(t *testing.T) {
	x := Matrix{4, 1, []float64{1, 2, -1, -2}}
	set, err := newSample(x, []float64{1, 1, -1, -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := newEntropy(context.Background(), set, newRows(x, newTeam(0)))
	e.theta[0] = 50
	e.pass()
	if want := (math.Exp(-50) + math.Exp(-100)) / 2; !(math.Abs(e.value-want) <= 1e-12*want) {
		t.Errorf("value %v, want %v", e.value, want)
	}
}

// TestLogisticSweep: for awkward data in any units the fit reaches the required gradient.
func TestLogisticSweep(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for trial := range 150 {
		x, y, v := randomProblem(r)
		unit := math.Pow(10, float64(r.IntN(7)-3))
		for i := range x.Rows {
			x.Row(i)[0] = x.Row(i)[0]*unit + 10*unit
		}
		l2 := math.Exp2(-15 + 25*r.Float64())
		fit := mustLogistic(t, x, y, v, l2, LogisticOptions{})
		if fit.Stopped != "gradient" {
			t.Errorf("trial %d (%d×%d, λ=%g, unit %g): %s at gradient %g after %d", trial, x.Rows, x.Cols, l2, unit, fit.Stopped, *fit.GradientNorm, fit.Iterations)
		}
		if p := logisticObjective(x, y, v, l2, fit); !(math.Abs(p-fit.Objective) <= 1e-11*(1+p)) {
			t.Errorf("trial %d: objective %v, recomputed %v", trial, fit.Objective, p)
		}
	}
}

func TestLogisticPathIsEachFit(t *testing.T) {
	x, y := simulate(5, 200, 6)
	v := make([]float64, len(y))
	for i := range v {
		v[i] = float64(1 + i%3)
	}
	l2s := []float64{.01, 8, 1e-4}
	calls, far := 0, 0.0
	fits, err := LogisticPath(context.Background(), x, y, v, l2s, LogisticOptions{Report: func(p Progress) {
		if calls++; p.Fraction <= far || p.Fraction >= 1 || p.Message == "" {
			t.Errorf("%v after %v, %q", p.Fraction, far, p.Message)
		}
		far = p.Fraction
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i, l2 := range l2s {
		same(t, "path", fits[i], mustLogistic(t, x, y, v, l2, LogisticOptions{}), 1e-5)
	}
	if calls < len(l2s) || far < 2./3 {
		t.Errorf("%d reports, the last at %v", calls, far)
	}
}

func TestSeparationWarning(t *testing.T) {
	x := Matrix{4, 1, []float64{-2, -1, 1, 2}}
	fit := mustLogistic(t, x, []float64{-1, -1, 1, 1}, nil, 1e-4, LogisticOptions{})
	if len(fit.Warnings) != 1 || !strings.Contains(fit.Warnings[0], "separate") {
		t.Errorf("warnings %q", fit.Warnings)
	}
	fit = mustLogistic(t, x, []float64{-1, 1, -1, 1}, nil, 1e-4, LogisticOptions{})
	if len(fit.Warnings) != 0 {
		t.Errorf("warnings %q", fit.Warnings)
	}
}

func TestLogisticErrors(t *testing.T) {
	x, y := simulate(8, 6, 2)
	x.Data[7] = math.Inf(1)
	for want, l2 := range map[string]float64{"Row 4, column 2": 1, "lambda must be": -1} {
		_, err := Logistic(context.Background(), x, y, nil, l2, LogisticOptions{})
		if !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
