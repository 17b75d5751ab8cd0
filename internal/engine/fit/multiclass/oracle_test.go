package multiclass

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/testdata/oracle"
)

// setting is the problem of a case.
type setting struct {
	Loss, Kernel, Features string
	Lambda, Gamma, Alpha   float64
	Pi                     []float64
}

type inputs struct {
	X        [][]float64
	Label    []int
	Y        []float64
	K        int
	Sequence []int
}

// decode reads the raw fields of a case into v.
func decode(t testing.TB, raw map[string]json.RawMessage, v any) {
	t.Helper()
	b, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal(b, v) // some cases have remarks in features; a missing field makes the fit fail
}

func design(rows [][]float64) linear.Matrix {
	return linear.Matrix{Rows: len(rows), Cols: len(rows[0]), Data: slices.Concat(rows...)}
}

// problemOf returns the problem of a case; labels ±1 become classes.
func problemOf(t testing.TB, c oracle.Case) (Spec, linear.Matrix, []int) {
	t.Helper()
	var p setting
	var in inputs
	decode(t, c.Params, &p)
	decode(t, c.Inputs, &in)
	id := p.Loss
	if p.Pi != nil {
		id = "interval"
	}
	s := Spec{Family: family(t, id), Classes: in.K, L2: p.Lambda, NoConstant: true}
	s.Params = s.Family.Defaults()
	switch id {
	case "al-abstain":
		s.Params["alpha"] = loss.Value{Number: p.Alpha}
	case "interval":
		s.Params["pi"] = loss.Value{List: p.Pi}
	}
	if p.Features == "th" {
		s.Features = Thresholds
	}
	if p.Kernel != "" {
		s.Kernel = &Kernel{Name: p.Kernel, Gamma: p.Gamma}
	}
	for _, v := range in.Y {
		s.Classes = 2
		in.Label = append(in.Label, side(v))
	}
	return s, design(in.X), in.Label
}

func family(t testing.TB, id string) loss.Family {
	t.Helper()
	f, ok := loss.FamilyByID(id)
	if !ok {
		t.Fatalf("no family %s", id)
	}
	return f
}

// parameters are θ in the order of the oracle: the weights, then the offsets.
func parameters(m *Model) []float64 {
	theta := slices.Concat(m.Weights...)
	if m.Form == FormOrdinal {
		theta = append(theta, m.Offsets...)
	}
	return theta
}

// TestOracleFit compares fits with interior-point optima, whose gap is below 1e-30.
func TestOracleFit(t *testing.T) {
	for _, c := range oracle.Load(t, "al-fit") {
		s, x, y := problemOf(t, c)
		for _, limit := range []int{0, patience - 1} { // with Newton steps and without
			fit, err := Fit(context.Background(), x, y, nil, s, Options{Gap: 1e-12, MaxIter: limit})
			if err != nil {
				t.Fatal(err)
			}
			if limit == 0 || *fit.Gap < 1e-9 {
				c.Within(t, "objective", fit.Objective)
				c.Within(t, "theta", parameters(fit.Model)...)
			}
			if *fit.Gap > 1e-12 && limit == 0 {
				t.Errorf("%s: gap %g after %d sweeps", c.Name, *fit.Gap, fit.Iterations)
			}
		}
	}
}

// TestOracleInterval: the optima are those of the two-class solver, for a linear score and
// through the Gram matrix of the linear kernel.
func TestOracleInterval(t *testing.T) {
	for _, c := range oracle.Load(t, "interval-fit") {
		s, x, y := problemOf(t, c)
		for _, kernel := range []*Kernel{nil, {Name: KernelLinear}} {
			s.Kernel = kernel
			fit, err := Fit(context.Background(), x, y, nil, s, Options{Gap: 1e-11})
			if err != nil {
				t.Fatal(err)
			}
			c.Within(t, "objective", fit.Objective)
			if kernel == nil {
				c.Within(t, "w", fit.Model.Weights[0]...)
			}
			if c.Flag("b_unique") {
				c.Within(t, "b", fit.Model.Offsets...)
				var f [1]float64
				scores := make([]float64, x.Rows)
				for i := range scores {
					fit.Model.Potentials(f[:], x.Row(i))
					scores[i] = f[0]
				}
				c.Within(t, "score", scores...)
			}
		}
	}
}

// TestOraclePegasos compares every step with the golden one: potentials before the step, the
// adversary's label, and all multipliers at the end.
func TestOraclePegasos(t *testing.T) {
	for _, c := range oracle.Load(t, "pegasos-kernel") {
		s, x, y := problemOf(t, c)
		followPegasos(t, c, s, x, y)
		if s.Kernel.Name == KernelLinear {
			s.Kernel = nil
			followPegasos(t, c, s, x, y)
		}
	}
}

func followPegasos(t *testing.T, c oracle.Case, s Spec, x linear.Matrix, y []int) {
	t.Helper()
	p, err := newProblem(x, y, nil, s)
	if err != nil {
		t.Fatal(err)
	}
	var steps []struct{ I int }
	var want []map[string]json.RawMessage
	for _, v := range []any{&steps, &want} {
		if err := json.Unmarshal(c.Expected["steps"], v); err != nil {
			t.Fatal(err)
		}
	}
	pegasos := newPegasos(p)
	for n, step := range steps {
		pegasos.step(n+1, step.I)
		q := slices.Clone(pegasos.u)
		q[y[step.I]]++
		at := c
		at.Expected = want[n]
		at.Within(t, "f", pegasos.f...)
		at.Within(t, "q", q...)
	}
	c.Within(t, "alpha", pegasos.alpha...)
}

// TestOracleOrdinalThresholds: the thresholded potentials of docs/math.md, section 7.6, with
// the adversarial absolute loss.
func TestOracleOrdinalThresholds(t *testing.T) {
	f, ok := loss.FamilyByID("al-ordinal")
	if !ok {
		t.Fatal("no al-ordinal")
	}
	for _, c := range oracle.Load(t, "al-ordinal-th") {
		eta, y := oracle.List(t, c.Inputs["thresholds"]), int(oracle.Number(t, c.Inputs["label"]))
		h, u := ordinal(len(eta)+1), make([]float64, len(eta)+1)
		h.apply(u, []float64{oracle.Number(t, c.Inputs["score"])}, eta)
		l := f.New(loss.Values{"weight": {Number: 1}}, len(u))
		g, score, back := make([]float64, len(u)), []float64{0}, make([]float64, len(eta))
		c.Within(t, "potentials", u...)
		c.Within(t, "value", l.Grad(g, y, u))
		c.Within(t, "argmax", float64(l.(loss.Decider).Decide(u)))
		if h.back(score, back, g, 1); c.Flag("q_unique") {
			c.Within(t, "d_score", score...)
			c.Within(t, "d_eta", back...)
		}
	}
}
