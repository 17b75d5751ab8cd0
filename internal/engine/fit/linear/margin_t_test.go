package linear

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
	"taper/internal/testtime"
	"taper/testdata/oracle"
)

func mustT(t testing.TB, x Matrix, y, v []float64, temperature, lambda float64, o TOptions) *TFit {
	t.Helper()
	fit, err := TLogistic(context.Background(), x, y, v, temperature, lambda, o)
	if err != nil {
		t.Fatal(err)
	}
	return fit
}

// TestOracleCMP follows the golden iterations of both steps and compares the
// limit with the direct solver's.
func TestOracleCMP(t *testing.T) {
	for _, c := range oracle.Read[oracleCase](t, "t-logistic-cmp") {
		t.Run(c.Name, func(t *testing.T) {
			var want []struct {
				Theta     []json.RawMessage
				SumLogZ   json.RawMessage   `json:"sum_log_z"`
				XiR       []json.RawMessage `json:"xi_r"`
				XiL       []json.RawMessage `json:"xi_l"`
				Objective json.RawMessage
			}
			if err := json.Unmarshal(c.Expected["iterations"], &want); err != nil {
				t.Fatal(err)
			}
			x, y := c.Inputs.design()
			p, seen := c.Params, 0
			fit := mustT(t, x, y, nil, p.T, p.Lambda, TOptions{Solver: SolverCMP, NoIntercept: true, Tol: 1e-13, Rounds: func(r Round) {
				if r.Iteration >= len(want) {
					return
				}
				seen++
				w := want[r.Iteration]
				for j, raw := range w.Theta {
					c.compare(t, "theta", raw, r.Theta[j])
					c.compare(t, "xi_r", w.XiR[j], r.Prior[j])
				}
				for i, raw := range w.XiL {
					c.compare(t, "xi_l", raw, r.Rows[i])
				}
				c.compare(t, "sum_log_z", w.SumLogZ, r.SumLogZ)
				c.compare(t, "objective", w.Objective, r.SumLogZ/(p.T-1))
			}})
			if seen < 5 {
				t.Errorf("%d iterations compared", seen)
			}
			direct := mustT(t, x, y, nil, p.T, p.Lambda, TOptions{NoIntercept: true})
			for _, f := range []*TFit{fit, direct} {
				c.check(t, "objective_at_stationary", f.Objective)
				for j, w := range f.W {
					c.checkAt(t, "stationary", j, w)
				}
				if f.B != 0 {
					t.Errorf("intercept %v", f.B)
				}
			}
		})
	}
}

// tObjective is the objective F, from its definition in docs/math.md, t-logistic regression.
func tObjective(x Matrix, y, v []float64, temperature, lambda float64, fit *Linear) float64 {
	l := loss.Tempered{T1: 1, T2: temperature}
	sum := 0.0
	for i := range y {
		c := 1.0
		if v != nil {
			c = v[i]
		}
		sum += c * l.Value(1, y[i]*fit.Score(x.Row(i)))
	}
	for _, w := range fit.W {
		if temperature == 1 {
			sum += lambda / 4 * w * w
		} else {
			freedom := (3 - temperature) / (temperature - 1)
			sum += math.Log(1+lambda*w*w/(2*freedom)) / (temperature - 1)
		}
	}
	return sum
}

// noisy draws rows of a logistic model with a tenth of the labels flipped.
func noisyRows(seed uint64, n, d int) (Matrix, []float64) {
	x, y := simulate(seed, n, d)
	r := rand.New(rand.NewPCG(seed, 99))
	for i := range y {
		if r.Float64() < .1 {
			y[i] = -y[i]
		}
	}
	return x, y
}

// TestTLogisticIsAMinimum: both solvers reach a point at which no neighbour has a lower
// objective, and the reported objective is that of the definition.
func TestTLogisticIsAMinimum(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	x, y := noisyRows(21, 200, 4)
	v := make([]float64, len(y))
	for i := range v {
		v[i] = float64(i%4) / 2
	}
	for _, temperature := range []float64{1, 1.3, 1.6, 1.9, 2} {
		for _, solver := range []string{SolverDirect, SolverCMP} {
			fit := mustT(t, x, y, v, temperature, .7, TOptions{Solver: solver})
			p := tObjective(x, y, v, temperature, .7, &fit.Linear)
			if !(math.Abs(p-fit.Objective) <= 1e-10*p) {
				t.Errorf("t=%v %s: objective %v, recomputed %v", temperature, solver, fit.Objective, p)
			}
			if *fit.GradientNorm > 1e-3 {
				t.Errorf("t=%v %s: gradient %v", temperature, solver, *fit.GradientNorm)
			}
			for range 200 {
				if q := tObjective(x, y, v, temperature, .7, neighbour(r, &fit.Linear)); q < p-1e-7 {
					t.Errorf("t=%v %s: a neighbour has %v < %v", temperature, solver, q, p)
					break
				}
			}
		}
	}
}

// TestPriorGradient compares the prior with its definition and differences.
func TestPriorGradient(t *testing.T) {
	for _, temperature := range []float64{1, 1 + 1e-9, 1.3, 1.9, 2} {
		s := &student{t: temperature, lambda: .8}
		w := []float64{-3, -.02, 1e-7, .4, 60}
		grad := make([]float64, len(w))
		value := s.prior(w, grad, 2)
		if temperature == 1 || temperature > 1.1 { // elsewhere the definition loses precision by cancellation
			if want := tObjective(Matrix{}, nil, nil, temperature, .8, &Linear{W: w}); !(math.Abs(value-want) <= 1e-12*want) {
				t.Errorf("t=%v: prior %v, want %v", temperature, value, want)
			}
		}
		for j := range w {
			h := 1e-6 * (1 + math.Abs(w[j]))
			up, down := slices.Clone(w), slices.Clone(w)
			up[j] += h
			down[j] -= h
			none := make([]float64, len(w))
			if want := (s.prior(up, none, 0) - s.prior(down, none, 0)) / h; !(math.Abs(grad[j]-want) <= 1e-5*(1+math.Abs(want))) {
				t.Errorf("t=%v: gradient %d is %v, differences give %v", temperature, j, grad[j], want)
			}
		}
	}
}

// TestInfluence: ξ is p^(t−1) by its definition, 1 for the row that fits best, and small for a
// row far on the wrong side; at t = 1 all rows have equal weight.
func TestInfluence(t *testing.T) {
	x, y := noisyRows(22, 150, 2)
	x.Row(3)[0], x.Row(3)[1] = 0, 0
	fit := mustT(t, x, y, nil, 1.9, .1, TOptions{})
	worst := 0
	top := 0.0
	p := make([]float64, len(y))
	l := loss.Tempered{T1: 1, T2: 1.9}
	for i := range y {
		p[i] = l.Probability(y[i] * fit.Score(x.Row(i)))
		top = max(top, p[i])
		if p[i] < p[worst] {
			worst = i
		}
	}
	for i := range y {
		if want := math.Pow(p[i]/top, .9); !(math.Abs(fit.Xi[i]-want) <= 1e-9) {
			t.Errorf("row %d: ξ = %v, want %v", i+1, fit.Xi[i], want)
		}
	}
	if slices.Max(fit.Xi) != 1 || fit.Xi[worst] > .5 {
		t.Errorf("largest ξ %v, of the worst row %v", slices.Max(fit.Xi), fit.Xi[worst])
	}
	for i, xi := range mustT(t, x, y, nil, 1, .1, TOptions{}).Xi {
		if xi != 1 {
			t.Errorf("t = 1: row %d has ξ = %v", i+1, xi)
		}
	}
}

// TestTOneIsLogistic: at t = 1 the prior is (λ/4)w², added to the sum over rows
// (docs/errata.md, Ding 2).
func TestTOneIsLogistic(t *testing.T) {
	x, y := simulate(23, 120, 3)
	want := mustLogistic(t, x, y, nil, .9/2/120, LogisticOptions{})
	for _, solver := range []string{SolverDirect, SolverCMP} {
		fit := mustT(t, x, y, nil, 1, .9, TOptions{Solver: solver})
		fit.Objective /= 120
		same(t, solver, &fit.Linear, want, 1e-5)
	}
}

func TestTLogisticSymmetries(t *testing.T) {
	x, y := noisyRows(24, 180, 3)
	v := make([]float64, len(y))
	twice, labels := Matrix{Cols: 3}, []float64(nil)
	turned := make([]float64, len(y))
	for i := range y {
		v[i], turned[i] = float64(i%3), -y[i]
		for range i % 3 {
			twice.Data = append(twice.Data, x.Row(i)...)
			labels = append(labels, y[i])
		}
	}
	twice.Rows = len(labels)
	scaled := Matrix{Rows: x.Rows, Cols: 3}
	for _, c := range x.Data {
		scaled.Data = append(scaled.Data, c/40)
	}
	for _, solver := range []string{SolverDirect, SolverCMP} {
		o := TOptions{Solver: solver}
		a := mustT(t, x, y, v, 1.6, .5, o)
		b := mustT(t, twice, labels, nil, 1.6, .5, o)
		same(t, "duplicates by "+solver, &a.Linear, &b.Linear, 1e-5)
		b = mustT(t, scaled, y, v, 1.6, .5/1600, o)
		same(t, "scale by "+solver, &a.Linear, b.timesWeights(1./40), 1e-5)
		b = mustT(t, x, turned, v, 1.6, .5, o)
		same(t, "turned by "+solver, &a.Linear, b.times(-1), 1e-5)
	}
}

// TestCMPDescends: Σ log z never increases, from any start.
func TestCMPDescends(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for range 20 {
		x, y := noisyRows(r.Uint64(), 60, 3)
		last, rounds := math.Inf(1), 0
		given := []*Linear{{W: []float64{3 * r.NormFloat64(), 3 * r.NormFloat64(), 0}, B: r.NormFloat64()}}
		mustT(t, x, y, nil, 1.1+.8*r.Float64(), math.Exp(2*r.NormFloat64()), TOptions{Solver: SolverCMP, Given: given, Rounds: func(s Round) {
			if s.SumLogZ > last+1e-9 {
				t.Errorf("round %d: Σ log z rose from %v to %v", s.Iteration, last, s.SumLogZ)
			}
			last = s.SumLogZ
			rounds++
		}})
		if rounds < 3 {
			t.Errorf("%d rounds", rounds)
		}
	}
}

func TestTLogisticSameBits(t *testing.T) {
	x, y := noisyRows(25, 6000, 12)
	for _, solver := range []string{SolverDirect, SolverCMP} {
		var fits []*TFit
		for _, cores := range []int{1, 4} {
			old := runtime.GOMAXPROCS(cores)
			fits = append(fits, mustT(t, x, y, nil, 1.6, 1, TOptions{Solver: solver, MaxIter: 8}))
			runtime.GOMAXPROCS(old)
		}
		if !reflect.DeepEqual(fits[0], fits[1]) {
			t.Errorf("%s: one core and four differ", solver)
		}
		if len(fits[0].Warnings) == 0 {
			t.Errorf("%s: no warning after %d iterations", solver, fits[0].Iterations)
		}
	}
}

func TestTLogisticCancel(t *testing.T) {
	testtime.TwoCores(t)
	x, y := noisyRows(26, 40000, 20)
	for _, solver := range []string{SolverDirect, SolverCMP} {
		ctx, cancel := context.WithCancel(context.Background())
		var stopped time.Duration
		_, err := TLogistic(ctx, x, y, nil, 1.9, 1e-3, TOptions{Solver: solver, Report: func(p Progress) {
			if stopped == 0 {
				stopped = testtime.Spent()
				cancel()
			}
		}})
		if late := testtime.Spent() - stopped; !errors.Is(err, context.Canceled) || late > promptly {
			t.Errorf("%s: error %v after %v", solver, err, late)
		}
	}
}

func TestTLogisticErrors(t *testing.T) {
	x, y := simulate(27, 6, 2)
	for want, c := range map[string]struct {
		t, lambda float64
		o         TOptions
	}{
		"t must be from 1 to 2 (got 2.5)": {2.5, 1, TOptions{}},
		"t must be from 1 to 2 (got NaN)": {math.NaN(), 1, TOptions{}},
		"lambda must be":                  {1.5, 0, TOptions{}},
		"solver must be":                  {1.5, 1, TOptions{Solver: "smo"}},
	} {
		_, err := TLogistic(context.Background(), x, y, nil, c.t, c.lambda, c.o)
		if !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
