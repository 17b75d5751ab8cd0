package loss

import (
	"testing"

	"taper/testdata/oracle"
)

// withParams parses a golden case's parameters as an API request would.
func withParams(t testing.TB, f Family, c oracle.Case) Values {
	t.Helper()
	params := c.Params
	if f.ID == "zero-one" || len(f.Params) == 0 {
		params = nil
	}
	v, err := f.ParseJSON("params", params)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	return v
}

func family(t testing.TB, id string) Family {
	t.Helper()
	f, ok := FamilyByID(id)
	if !ok {
		t.Fatalf("no family %s", id)
	}
	return f
}

// TestOracleMargin covers every margin family: value, slopes, probabilities,
// weight and importance from z = −1000 to 1000.
func TestOracleMargin(t *testing.T) {
	for _, f := range Families {
		if f.Kind != KindMargin || !oracle.Exists(f.ID) {
			continue
		}
		for _, c := range oracle.Load(t, f.ID) {
			l, z := f.Margin(withParams(t, f, c)), oracle.Number(t, c.Inputs["z"])
			c.Within(t, "value", l.Value(1, z))
			c.Within(t, "d1", l.Slope(1, z))
			c.Within(t, "weight", -l.Slope(-1, z))
			want(t, c, "d2", l, func(l Curver) float64 { d, _ := l.Curve(z); return d })
			want(t, c, "d3", l, func(l interface{ Third(float64) float64 }) float64 { return l.Third(z) })
			want(t, c, "prob", l, func(l Modeler) float64 { return l.Probability(z) })
			want(t, c, "classprob", l, func(l Prober) float64 { return l.ClassProbability(z) })
			want(t, c, "importance", l, func(l Weigher) float64 { return l.Importance(z) })
		}
	}
}

// want holds the loss to a golden field through an optional interface, which
// it must then have.
func want[I any](t *testing.T, c oracle.Case, field string, l Margin, get func(I) float64) {
	t.Helper()
	if !c.Has(field) {
		return
	}
	i, ok := l.(I)
	if !ok {
		t.Errorf("%s: the loss has no %s", c.Name, field)
		return
	}
	c.Within(t, field, get(i))
}

func TestOracleBoostWeights(t *testing.T) {
	f := family(t, "alpha")
	for _, c := range oracle.Load(t, "adaboost-weights") {
		m := oracle.List(t, c.Inputs["margins"])
		NewAlpha(withParams(t, f, c).Number("alpha")).BoostWeights(m, m)
		c.Within(t, "D", m...)
	}
}

func TestOracleClasses(t *testing.T) {
	type smooth interface {
		Smooth
		Classifier
	}
	for _, f := range Families {
		if !f.Descended() {
			continue
		}
		for _, c := range oracle.Load(t, f.ID) {
			a, y := oracle.List(t, c.Inputs["a"]), int(oracle.Number(t, c.Inputs["label"]))
			l := f.New(withParams(t, f, c), len(a)).(smooth)
			dst := make([]float64, len(a))
			c.Within(t, "value", l.Grad(dst, y, a))
			c.Within(t, "value", l.Value(y, a))
			c.Within(t, "grad", dst...)
			if w, ok := l.(interface{ Importance(int, []float64) float64 }); ok {
				c.Within(t, "importance", w.Importance(y, a))
			}
			l.Probabilities(dst, a)
			c.Within(t, "probs", dst...)
			if l.ClassProbabilities(dst, a) {
				c.Within(t, "classprobs", dst...)
			} else if c.Has("classprobs") {
				t.Errorf("%s: no class probabilities", c.Name)
			}
		}
	}
}

func TestOraclePotentials(t *testing.T) {
	for _, id := range []string{"ww", "cs", "llw"} {
		f := family(t, id)
		for _, c := range oracle.Load(t, id) {
			u, y := oracle.List(t, c.Inputs["f"]), int(oracle.Number(t, c.Inputs["label"]))
			l, dst := f.New(nil, len(u)), make([]float64, len(u))
			c.Within(t, "value", l.Grad(dst, y, u))
			c.Within(t, "subgrad", dst...) // the files' canonical choice is ours
		}
	}
	for _, c := range oracle.Load(t, "abstain-baselines") {
		u, y := oracle.List(t, c.Inputs["f"]), int(oracle.Number(t, c.Inputs["label"]))
		name := func(i int) float64 {
			if i == Abstain {
				i = len(u)
			}
			return float64(i)
		}
		c.Within(t, "ova_value", OneVsAll{len(u)}.Value(y, u))
		c.Within(t, "ova_decision", name(DecideOneVsAll(u, oracle.Number(t, c.Params["tau_ova"]))))
		c.Within(t, "cs_decision", name(DecideCrammerSinger(u, oracle.Number(t, c.Params["tau_cs"]))))
		c.Within(t, "al_decision", name(DecideAbstain(u)))
	}
}

func TestOracleAdversarial(t *testing.T) {
	for _, id := range []string{"al-zero-one", "al-ordinal", "al-squared", "al-abstain", "al-cost"} {
		f := family(t, id)
		for _, c := range oracle.Load(t, id) {
			u, y := oracle.List(t, c.Inputs["f"]), int(oracle.Number(t, c.Inputs["label"]))
			l := f.New(withParams(t, f, c), len(u))
			a := l.(Adversary)
			grad, q, p := make([]float64, len(u)), make([]float64, len(u)), make([]float64, a.Options())
			v := l.Grad(grad, y, u)
			a.Adversary(q, u)
			a.Predict(p, u)
			c.Within(t, "value", v)
			c.Within(t, "value", l.Value(y, u))
			c.Within(t, "v", v+u[y])
			if c.Flag("q_unique") {
				c.Within(t, "q", q...)
				c.Within(t, "subgrad", grad...)
			}
			if c.Flag("p_unique") {
				c.Within(t, "p", p...)
			}
			if i := l.(Decider).Decide(u); c.Has("decision") {
				if i == Abstain {
					i = len(u)
				}
				c.Within(t, "decision", float64(i))
			}
		}
	}
}

func TestOracleAbstainBeyondHalf(t *testing.T) {
	f := family(t, "al-abstain")
	for _, c := range oracle.Load(t, "al-abstain-general") {
		u, y := oracle.List(t, c.Inputs["f"]), int(oracle.Number(t, c.Inputs["label"]))
		c.Within(t, "value", f.New(withParams(t, f, c), len(u)).Value(y, u))
	}
}

func TestOracleThresholds(t *testing.T) {
	for _, id := range []string{"all-threshold", "immediate-threshold"} {
		f := family(t, id)
		for _, c := range oracle.Load(t, id) {
			l := f.Threshold(withParams(t, f, c))
			eta, y := oracle.List(t, c.Inputs["thresholds"]), int(oracle.Number(t, c.Inputs["label"]))
			score, dst := oracle.Number(t, c.Inputs["score"]), make([]float64, len(eta))
			v, slope := l.Grad(dst, y, score, eta)
			c.Within(t, "value", v)
			c.Within(t, "value", l.Value(y, score, eta))
			c.Within(t, "d_score", slope)
			c.Within(t, "d_eta", dst...)
			c.Within(t, "prediction", float64(Rank(score, eta)))
		}
	}
}
