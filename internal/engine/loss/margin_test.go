package loss

import (
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"testing"
)

// eachMargin runs a test over every margin family and each of its cases, and
// over the example of docs/add-a-loss.md.
func eachMargin(t *testing.T, test func(t *testing.T, l Margin)) {
	for _, f := range append(slices.Clone(Families), savage) {
		if f.Kind != KindMargin {
			continue
		}
		for _, v := range settings(t, f) {
			t.Run(f.ID+"/"+v.name, func(t *testing.T) { test(t, f.Margin(v.Values)) })
		}
	}
}

type setting struct {
	name string
	Values
}

// settings are the cases of a family, or its only setting.
func settings(t testing.TB, f Family) []setting {
	t.Helper()
	all := []setting{{"defaults", f.Defaults()}}
	for _, c := range f.Cases {
		q, err := url.ParseQuery(c.Query)
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Parse(q)
		if err != nil {
			t.Fatalf("%s: %s: %v", f.ID, c.Query, err)
		}
		all = append(all, setting{c.Query, v})
	}
	return all
}

// smooth returns margins in ±20 at least d away from the kinks.
func smooth(l Margin, d float64) []float64 {
	r := rand.New(rand.NewPCG(5, 6))
	var z []float64
	for len(z) < 200 {
		u := 20 * (2*r.Float64() - 1) * r.Float64()
		if !near(u, l.(Regimer).Regime().Kinks, d) {
			z = append(z, u)
		}
	}
	return z
}

func near(u float64, kinks []float64, d float64) bool {
	for _, k := range kinks {
		if math.Abs(u-k) < d {
			return true
		}
	}
	return false
}

// differs compares a derivative with the five-point difference of its
// primitive.
func differs(f func(float64) float64, z, got float64) (want float64, off bool) {
	h := 2e-4
	want = (8*(f(z+h)-f(z-h)) - (f(z+2*h) - f(z-2*h))) / (12 * h)
	size := math.Abs(got) + math.Abs(f(z)) + math.Abs(f(z+2*h)-f(z-2*h))
	return want, !(math.Abs(got-want) <= 1e-6*math.Abs(want)+1e-9*size)
}

// TestSlopes compares every derivative with finite differences of the one
// below.
func TestSlopes(t *testing.T) {
	eachMargin(t, func(t *testing.T, l Margin) {
		slope := func(z float64) float64 { return l.Slope(1, z) }
		for _, z := range smooth(l, .05) {
			if v := l.Value(1, z); v > 1e12 || math.IsInf(l.Value(1, z-.01), 0) {
				continue // too steep for differences
			}
			if want, off := differs(func(z float64) float64 { return l.Value(1, z) }, z, slope(z)); off {
				t.Errorf("slope(%v) = %v, want %v", z, slope(z), want)
			}
			c, ok := l.(Curver)
			if !ok {
				continue
			}
			d2, smooth := c.Curve(z)
			if want, off := differs(slope, z, d2); off || !smooth {
				t.Errorf("curve(%v) = %v, want %v", z, d2, want)
			}
			if a, ok := l.(interface{ Third(float64) float64 }); ok {
				if want, off := differs(func(z float64) float64 { d, _ := c.Curve(z); return d }, z, a.Third(z)); off {
					t.Errorf("third(%v) = %v, want %v", z, a.Third(z), want)
				}
			}
		}
	})
}

// TestRegimes holds the stated shape to the slopes on a fine grid: falling
// everywhere; slopes that rise exactly where convexity is promised; the bound
// reached and not passed; the steepest point where the loss begins to redescend.
func TestRegimes(t *testing.T) {
	eachMargin(t, func(t *testing.T, l Margin) {
		r := l.(Regimer).Regime()
		rises := true
		for z := -60.0; z < 60; z += 1. / 64 {
			v, next, s, ahead := l.Value(1, z), l.Value(1, z+1./64), l.Slope(1, z), l.Slope(1, z+1./64)
			if next > v*(1+1e-13) || v < 0 || s > 0 {
				t.Fatalf("at %v: value %v then %v, slope %v", z, v, next, s)
			}
			if v > r.Bound*(1+1e-13) {
				t.Fatalf("value %v at %v exceeds the bound %v", v, z, r.Bound)
			}
			if ahead < s-1e-12*math.Abs(s) && v < inf {
				rises = false
			}
			if g := r.GivesUp; !math.IsInf(g, 0) && -s > 1e-300 && len(r.Kinks) == 0 && (z > g == (-ahead > -s*(1+1e-12))) && !(math.Abs(z-g) <= .05) && !slow(l) {
				t.Fatalf("gives up at %v, but the slopes at %v and beyond are %v and %v", g, z, s, ahead)
			}
		}
		if _, step := l.(ZeroOne); !step && rises != r.Convex && !slow(l) {
			t.Errorf("convex is %v, but the slopes say %v", r.Convex, rises)
		}
		if far := l.Value(1, -1e300); r.Bound < inf && !(far > .99*r.Bound && far <= r.Bound*(1+1e-15)) || r.Bound == inf && far < 100 {
			t.Errorf("value %v at −1e300, bound %v", far, r.Bound)
		}
		if far := l.Value(1, 1e300); far > 1e-30 {
			t.Errorf("value %v at 1e300", far)
		}
	})
}

// slow marks a loss that bends so little that a grid up to ±60 does not show
// it.
func slow(l Margin) bool {
	switch l := l.(type) {
	case alphaLink:
		return math.Abs(l.e) < 1e-6
	case temperedLink:
		return math.Abs(l.T1-l.T2) < 1e-6
	}
	return false
}

// TestLinks: the class probability is φ'(−z)/(φ'(z)+φ'(−z)), rises, and pairs
// with that of the other class; a cut-off satisfies the consistency condition
// of Theorem 2 of Kimes et al.
func TestLinks(t *testing.T) {
	eachMargin(t, func(t *testing.T, l Margin) {
		p, ok := l.(Prober)
		if !ok {
			t.Skip("no class probability")
		}
		for _, z := range smooth(l, 1e-6) {
			got, a, b := p.ClassProbability(z), l.Slope(1, z), l.Slope(1, -z)
			if sum := got + p.ClassProbability(-z); !(math.Abs(sum-1) <= 1e-12) {
				t.Errorf("P(%v) and P(−z) sum to %v", z, sum)
			}
			if a+b < -1e-290 && a+b > -inf && !(math.Abs(got-b/(a+b)) <= 1e-9) {
				t.Errorf("P(%v) = %v, the slopes say %v", z, got, b/(a+b))
			}
		}
		last := -inf
		for _, pi := range []float64{.01, .1, .2, .35, .5, .65, .8, .9, .99} {
			d := p.Cut(pi)
			a, b := l.Slope(1, d), l.Slope(-1, -d)
			if !(d > last) || !(math.Abs(p.ClassProbability(d)-pi) <= 1e-9) && math.Abs(d) < 1e12 {
				t.Errorf("cut-off %v for %v after %v, where P is %v", d, pi, last, p.ClassProbability(d))
			}
			if a > -1e-290 || b > -1e-290 { // beyond the doubles
				continue
			}
			if got := b / (a + b); !(math.Abs(got-pi) <= 1e-9) {
				t.Errorf("at the cut-off %v for %v the slopes give %v", d, pi, got)
			}
			last = d
		}
	})
}

// TestModels: the model's own probabilities pair and rise.
func TestModels(t *testing.T) {
	eachMargin(t, func(t *testing.T, l Margin) {
		m, ok := l.(Modeler)
		if !ok {
			t.Skip("no model")
		}
		for z := -40.0; z < 40; z += .25 {
			if sum := m.Probability(z) + m.Probability(-z); !(math.Abs(sum-1) <= 1e-12) {
				t.Errorf("p(%v) + p(−z) = %v", z, sum)
			}
			if m.Probability(z+.25) < m.Probability(z)*(1-1e-13) {
				t.Errorf("p falls at %v", z)
			}
		}
	})
}

// TestSample: all columns at once are the columns one by one.
func TestSample(t *testing.T) {
	eachMargin(t, func(t *testing.T, l Margin) {
		z := append(smooth(l, 0), l.(Regimer).Regime().Kinks...)
		c := Sample(l, z)
		same := func(name string, column []float64, has bool, get func(z float64) float64) {
			if has != (column != nil) {
				t.Errorf("%s: the loss has it: %v; the column is there: %v", name, has, column != nil)
			}
			for i := range column {
				if want := get(z[i]); column[i] != want && !(math.IsNaN(column[i]) && math.IsNaN(want)) {
					t.Errorf("%s(%v) = %v, alone %v", name, z[i], column[i], want)
				}
			}
		}
		curve, hasCurve := l.(Curver)
		model, hasModel := l.(Modeler)
		link, hasLink := l.(Prober)
		weigher, hasWeigher := l.(Weigher)
		same("value", c.Value, true, func(z float64) float64 { return l.Value(-1, z) })
		same("slope", c.Slope, true, func(z float64) float64 { return l.Slope(-1, z) })
		same("curve", c.Curve, hasCurve, func(z float64) float64 { return orNaN(curve.Curve(z)) })
		same("probability", c.Probability, hasModel, func(z float64) float64 { return model.Probability(z) })
		same("class probability", c.ClassProbability, hasLink, func(z float64) float64 { return link.ClassProbability(z) })
		same("importance", c.Importance, hasWeigher, func(z float64) float64 { return weigher.Importance(z) })
	})
}

// TestEquals: the same loss by two names.
func TestEquals(t *testing.T) {
	for _, pair := range []struct {
		name string
		a, b Margin
	}{
		{"α = ½ is exponential", NewAlpha(.5), Exponential{}},
		{"α = 1 is logistic", NewAlpha(1), Logistic{}},
		{"α = 3 is tempered (⅓, 1)", NewAlpha(3), Tempered{1. / 3, 1}},
		{"α = ∞ is tempered (0, 1)", NewAlpha(inf), Tempered{0, 1}},
		{"tempered (1, 1) is logistic", Tempered{1, 1}, Logistic{}},
		{"the ends of t = 1", Tempered{1 + 0x1p-52, 1 - 0x1p-53}, Logistic{}},
		{"tempered (0, 0) is the clipped line", Tempered{0, 0}, clipped{}},
	} {
		for _, z := range []float64{-30, -3, -1, -.999, -.3, 0, .2, .999, 1, 4, 35, 600} {
			for name, f := range map[string]func(Margin) float64{
				"value": func(l Margin) float64 { return l.Value(1, z) },
				"slope": func(l Margin) float64 { return l.Slope(1, z) },
			} {
				if a, b := f(pair.a), f(pair.b); !(math.Abs(a-b) <= 1e-12*max(1, z*z/100)*math.Abs(b)+1e-300) && !(math.Abs(z) == 1 && name == "slope") {
					t.Errorf("%s: %s(%v) is %v and %v", pair.name, name, z, a, b)
				}
			}
		}
	}
}

// clipped is min(1, [1 − z]_+/2): sparsemax of two classes.
type clipped struct{}

func (clipped) Value(_, z float64) float64 { return min(1, max(0, (1-z)/2)) }
func (clipped) Slope(_, z float64) float64 { return -.5 * step(-1 < z && z < 1) }

// TestTemperedClassesBinary: two activations ±z/2 are the binary loss.
func TestTemperedClassesBinary(t *testing.T) {
	grad := make([]float64, 2)
	for _, v := range settings(t, twoTemperature) {
		t1, t2 := v.Number("t1"), v.Number("t2")
		for _, z := range []float64{-25, -2.5, -1.1, -.3, 0, .7, 1.9, 44} {
			got, want := TemperedClasses{t1, t2, 2}.Grad(grad, 1, []float64{-z / 2, z / 2}), Tempered{t1, t2}
			if w := want.Value(1, z); !(math.Abs(got-w) <= 1e-11*w) && got != w {
				t.Errorf("t1 = %v, t2 = %v, z = %v: value %v, binary %v", t1, t2, z, got, w)
			}
			if w := want.Slope(1, z); !(math.Abs(grad[1]-w) <= 1e-10*math.Abs(w)) && grad[1] != w || grad[0] != -grad[1] {
				t.Errorf("t1 = %v, t2 = %v, z = %v: gradient %v, binary %v", t1, t2, z, grad, w)
			}
		}
	}
}
