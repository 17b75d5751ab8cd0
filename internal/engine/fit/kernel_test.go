package fit_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/testdata/oracle"
)

// learner is the trainer of a spec, with the defaults that runs use.
func learner(t *testing.T, s fit.Spec, pi ...float64) fit.Trainer {
	t.Helper()
	how, err := fit.Parse(s.WithDefaults("interval"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := how.Trainer(fit.Task{Classes: 2, Boundaries: pi}, 3)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func one(t *testing.T, l fit.Trainer, d fit.Data, l2 float64) *fit.Fitted {
	t.Helper()
	m, err := l.Fit(t.Context(), d, l2, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Fitted
}

// rings draws rows whose class depends on the distance from the centre, moved off the origin so
// that the data have no symmetry.
func rings(n int, seed uint64) fit.Data {
	r := rand.New(rand.NewPCG(seed, 1))
	d := fit.Data{X: linear.Matrix{Rows: n, Cols: 3}}
	for range n {
		a, b, c := r.NormFloat64(), r.NormFloat64(), 0.3+r.NormFloat64()
		d.X.Data = append(d.X.Data, a, b, c)
		y := 0
		if a*a+b*b+0.3*r.NormFloat64() > 1.6 {
			y = 1
		}
		d.Label = append(d.Label, y)
		d.Weights = append(d.Weights, 0.5+r.Float64())
	}
	return d
}

// A linear kernel gives the optimum of the linear model, although by other solvers.
func TestKernelLinearIsLinear(t *testing.T) {
	d := rings(90, 4)
	for _, c := range []struct {
		loss   string
		params map[string]any
		pi     []float64
	}{
		{"interval", nil, []float64{0.2, 0.45, 0.7}},
		{"hinge", nil, nil},
		{"logistic", nil, nil},
		{"squared-hinge", nil, nil},
		{"alpha", map[string]any{"alpha": 0.7}, nil},
	} {
		flat := one(t, learner(t, fit.Spec{Loss: c.loss, Params: c.params}, c.pi...), d, 0.01)
		curved := one(t, learner(t, fit.Spec{Kind: "kernel", Loss: c.loss, Params: c.params, Kernel: &fit.Kernel{Name: "linear"}}, c.pi...), d, 0.01)
		if !(math.Abs(flat.Objective-curved.Objective) <= 2e-6*flat.Objective) {
			t.Errorf("%s: objective %v with the linear kernel, %v linear", c.loss, curved.Objective, flat.Objective)
		}
		for i := range d.Label {
			if a, b := flat.Score(d.X.Row(i)), curved.Score(d.X.Row(i)); !(math.Abs(a-b) <= 5e-3) {
				t.Errorf("%s, row %d: score %v, linear %v", c.loss, i, b, a)
			}
		}
	}
}

// The linear kernel reaches the golden optima of interval-fit.json.
func TestKernelOracleInterval(t *testing.T) {
	for _, c := range oracle.Load(t, "interval-fit") {
		pi, l2 := oracle.List(t, c.Params["pi"]), oracle.Number(t, c.Params["lambda"])
		var d fit.Data
		for _, y := range oracle.List(t, c.Inputs["y"]) {
			d.Label = append(d.Label, max(0, int(y)))
		}
		var x [][]float64
		if err := json.Unmarshal(c.Inputs["x"], &x); err != nil {
			t.Fatal(err)
		}
		d.X = linear.Matrix{Rows: len(x), Cols: len(x[0])}
		for _, row := range x {
			d.X.Data = append(d.X.Data, row...)
		}
		fit := one(t, learner(t, fit.Spec{Kind: "kernel", Loss: "interval", Kernel: &fit.Kernel{Name: "linear"}}, pi...), d, l2)
		want := oracle.Number(t, c.Expected["objective"])
		if !(math.Abs(fit.Objective-want) <= 2e-6*want) || *fit.Gap > 1e-6 {
			t.Errorf("%s: objective %v at gap %v, want %v", c.Name, fit.Objective, *fit.Gap, want)
		}
	}
}

// The reported objective is mean loss + (λ/2) aᵀKa, computed here from the returned expansion;
// the reported gap bounds the distance to a fit by features.
func TestKernelObjective(t *testing.T) {
	d := rings(120, 9)
	const gamma, l2 = 0.4, 0.003
	kappa := func(a, b []float64) float64 {
		sum := 0.0
		for j := range a {
			sum += (a[j] - b[j]) * (a[j] - b[j])
		}
		return math.Exp(-gamma * sum)
	}
	for _, id := range []string{"interval", "hinge", "logistic", "dwd"} {
		fit := one(t, learner(t, fit.Spec{Kind: "kernel", Loss: id, Kernel: &fit.Kernel{Name: "rbf", Gamma: gamma}}, 0.3, 0.6), d, l2)
		e := fit.Kernel
		norm := 0.0
		for i, a := range e.Coefficients {
			for j, b := range e.Coefficients {
				norm += a * b * kappa(e.Rows.Row(i), e.Rows.Row(j))
			}
		}
		family, _ := loss.FamilyByID(id)
		values := family.Defaults()
		if id == "interval" {
			values = loss.Values{"pi": {List: []float64{0.3, 0.6}}}
		}
		l, sum, total := family.Margin(values), 0.0, 0.0
		for i, class := range d.Label {
			f, y := e.B, float64(2*class-1)
			for j, a := range e.Coefficients {
				f += a * kappa(e.Rows.Row(j), d.X.Row(i))
			}
			if got := fit.Score(d.X.Row(i)); !(math.Abs(got-f) <= 1e-9*(1+math.Abs(f))) {
				t.Errorf("%s: score %v, by hand %v", id, got, f)
			}
			sum += d.Weights[i] * l.Value(y, y*f)
			total += d.Weights[i]
		}
		if want := sum/total + l2/2*norm; !(math.Abs(fit.Objective-want) <= 1e-6*want) {
			t.Errorf("%s: objective %v, by hand %v", id, fit.Objective, want)
		}
	}
}

// PEGASOS without an intercept comes close to the optimum, and its gap says how close.
func TestKernelPegasos(t *testing.T) {
	d := rings(100, 2)
	s := fit.Spec{Kind: "kernel", Loss: "hinge", Solver: "pegasos", Kernel: &fit.Kernel{Name: "rbf", Gamma: 0.5}}
	got := one(t, learner(t, s), d, 0.02)
	if got.Kernel.B != 0 || !(*got.Gap > 1e-6 && *got.Gap < 0.2) || got.Stopped != "iterations" {
		t.Errorf("intercept %v, gap %v, stopped by %s", got.Kernel.B, *got.Gap, got.Stopped)
	}
}

// Above the limit of exact rows a smooth loss uses landmarks, reports it, and stays close to
// the exact fit, because this score needs few landmarks.
func TestKernelLandmarks(t *testing.T) {
	d := rings(fit.ExactSmooth+200, 5)
	l := learner(t, fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "rbf", Gamma: 0.05}})
	got := one(t, l, d, 1e-4)
	if got.Kernel.Landmarks < 50 || got.Kernel.Landmarks > fit.LandmarksLarge {
		t.Errorf("%d landmarks", got.Kernel.Landmarks)
	}
	wrong := 0
	for i, y := range d.Label {
		if (got.Score(d.X.Row(i)) > 0) != (y > 0) {
			wrong++
		}
	}
	if wrong > len(d.Label)/8 {
		t.Errorf("%d of %d rows on the wrong side", wrong, len(d.Label))
	}
}

// Scores of several fits at once equal those of each fit alone.
func TestScores(t *testing.T) {
	d := rings(60, 8)
	l := learner(t, fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "poly", Gamma: 0.3, Degree: 2}})
	fits, err := l.Path(t.Context(), d, []float64{1, 0.1, 0.01}, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := fit.Scores(fits, d.X)
	for m, fit := range fits {
		for i := range d.Label {
			if all[m][i] != fit.Fitted.Score(d.X.Row(i)) {
				t.Fatalf("λ %d, row %d: %v, alone %v", m, i, all[m][i], fit.Fitted.Score(d.X.Row(i)))
			}
		}
	}
}
