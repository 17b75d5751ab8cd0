package loss

import (
	"math"
	"net/url"
	"testing"

	"taper/internal/engine/usererr"
)

// FuzzParse: a query gives values a loss can be built from, or an error that
// names the field.
func FuzzParse(f *testing.F) {
	for i, fam := range Families {
		for _, c := range fam.Cases {
			f.Add(i, c.Query)
		}
	}
	f.Fuzz(func(t *testing.T, i int, query string) {
		fam := Families[uint(i)%uint(len(Families))]
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Skip("no query: url.ParseQuery refuses it before a loss sees it")
		}
		v, err := fam.Parse(q)
		if err != nil {
			if e, ok := usererr.As(err); !ok || e.Code != usererr.Invalid || len(e.Fields) != 1 {
				t.Errorf("%s?%s: %v", fam.ID, query, err)
			}
			return
		}
		evaluate(t, fam, v, 3, [3]float64{.3, -1, 2})
	})
}

// FuzzEvaluate: no parameters and no finite input give NaN or a panic.
func FuzzEvaluate(f *testing.F) {
	for i := range Families {
		f.Add(i, .6, 1.6, 3, 0.0, 1.0, -2.0)
	}
	f.Add(2, 5e-324, 0.0, 2, 1e300, -1e300, 1.0)
	f.Add(0, 4.0, 0.5, 2, -2.0, 1.9999999, 2.0)
	f.Fuzz(func(t *testing.T, i int, a, b float64, k int, x, y, z float64) {
		fam := Families[uint(i)%uint(len(Families))]
		v := fam.Defaults()
		for n, p := range fam.Params {
			if u := []float64{a, b}[n%2]; p.Type == Number && p.within(u) {
				v[p.Name] = Value{Number: u}
			}
		}
		if pi := []float64{math.Abs(a), math.Abs(b)}; fam.Kind == KindInterval && CheckBoundaries("pi", pi) == nil {
			v["pi"] = Value{List: pi}
		}
		if m := [][]float64{{x, a}, {b, y}}; fam.ID == "al-cost" && x-x+a-a+b-b+y-y == 0 {
			v["matrix"] = Value{Matrix: m}
		}
		if x-x+y-y+z-z != 0 {
			t.Skip("a score is not finite, which no fit passes on")
		}
		evaluate(t, fam, v, 2+int(uint(k)%6), [3]float64{x, y, z})
	})
}

// evaluate calls everything a loss has.
func evaluate(t *testing.T, fam Family, v Values, k int, at [3]float64) {
	t.Helper()
	if fam.Classes != nil {
		k = fam.Classes(v)
	}
	switch fam.Kind {
	case KindMargin, KindInterval:
		evaluateMargin(t, fam, v, at)
	case KindPotential:
		f := make([]float64, k)
		for j := range f {
			f[j] = at[j%3]
		}
		checkFinite(t, fam.New(v, k), k/2, f)
	case KindThreshold:
		g := make([]float64, 2)
		value, slope := fam.Threshold(v).Grad(g, 1, at[0], at[1:])
		if math.IsNaN(value) || math.IsNaN(slope) || math.IsNaN(g[0]+g[1]) {
			t.Errorf("%s %v at %v: %v, %v, %v", fam.ID, v, at, value, slope, g)
		}
	}
}

func evaluateMargin(t *testing.T, fam Family, v Values, at [3]float64) {
	t.Helper()
	l := fam.Margin(v)
	for _, z := range at {
		for _, s := range []float64{1, -1} {
			if x := l.Value(s, z); !(x >= 0) {
				t.Errorf("%s %v: value(%v) = %v", fam.ID, v, z, x)
			}
			if x := l.Slope(s, z); !(x <= 0) {
				t.Errorf("%s %v: slope(%v) = %v", fam.ID, v, z, x)
			}
		}
	}
	c := Sample(l, at[:])
	for _, p := range [][]float64{c.Probability, c.ClassProbability} {
		for i, x := range p {
			if !(x >= 0 && x <= 1) {
				t.Errorf("%s %v: probability %v at %v", fam.ID, v, x, at[i])
			}
		}
	}
	for i, x := range c.Importance {
		if !(x >= 0) {
			t.Errorf("%s %v: importance %v at %v", fam.ID, v, x, at[i])
		}
	}
	if l, ok := l.(Curver); ok {
		for _, z := range at {
			if x, _ := l.Curve(z); math.IsNaN(x) {
				t.Errorf("%s %v: curve(%v) is NaN", fam.ID, v, z)
			}
		}
	}
	if l, ok := l.(Regimer); ok {
		if r := l.Regime(); math.IsNaN(r.Bound) || math.IsNaN(r.GivesUp) {
			t.Errorf("%s %v: regime %+v", fam.ID, v, r)
		}
	}
	if l, ok := l.(Prober); ok {
		for _, pi := range []float64{.01, .5, .9} {
			if d := l.Cut(pi); math.IsNaN(d) {
				t.Errorf("%s %v: cut-off %v for %v", fam.ID, v, d, pi)
			}
		}
	}
}
