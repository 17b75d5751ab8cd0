package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"taper/internal/engine/loss"
	"taper/internal/engine/vector"
)

// boundaries draws 1 to 9 sorted boundaries.
var boundaries = rapid.Custom(func(t *rapid.T) loss.Interval {
	pi := rapid.SliceOfNDistinct(rapid.Float64Range(.01, .99), 1, 9, func(p float64) int { return int(p * 200) }).Draw(t, "pi")
	slices.Sort(pi)
	iv, err := loss.NewInterval(pi)
	if err != nil {
		t.Fatal(err)
	}
	return iv
})

func TestKinksMatchTheLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		iv := boundaries.Draw(t, "iv")
		f := rapid.Float64Range(-20, 20).Draw(t, "f")
		for c, k := range newKinks(iv) {
			s := float64(2*c - 1)
			many := []float64{0}
			newHulls(newKinks(iv)).values.Values(many, []float64{f}, []uint8{uint8(c)})
			for _, got := range []float64{k.eval(f), many[0]} {
				if want := iv.Value(s, s*f); !(math.Abs(got-want) <= 1e-13*(1+want)) {
					t.Errorf("class %+g: φ(%v) = %v, want %v", s, f, got, want)
				}
			}
		}
	})
}

// TestEnvelope compares the smoothed slope with that of a Moreau envelope, computed by
// golden-section search from its definition.
func TestEnvelope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		iv := boundaries.Draw(t, "iv")
		u := rapid.Float64Range(-10, 10).Draw(t, "u")
		eps := rapid.Float64Range(.01, 5).Draw(t, "eps")
		for c, k := range newKinks(iv) {
			ramps, level, on := vector.NewRamps(len(k.at)), []float64{0}, []uint8{0}
			ramps.Rise(1 / eps)
			k.smooth(ramps, c, eps)
			s := float64(2*c - 1)
			g := minimise(u-2*eps, u+2*eps, func(g float64) float64 { return iv.Value(s, s*g) + (u-g)*(u-g)/(2*eps) })
			ramps.Levels(level, level, on, []float64{u}, []float64{0}, []float64{1}, []uint8{uint8(c)}, 0)
			if want := (u - g) / eps; !(math.Abs(level[0]-want) <= 1e-5/eps) {
				t.Errorf("class %+g: slope of the envelope at %v = %v, want %v", s, u, level[0], want)
			}
		}
	})
}

// minimise returns the minimiser of a convex function by golden section.
func minimise(lo, hi float64, f func(float64) float64) float64 {
	const r = 0.6180339887498949
	for hi-lo > 1e-9 {
		if a, b := hi-r*(hi-lo), lo+r*(hi-lo); f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return (lo + hi) / 2
}

// TestEntropy compares the dual entropy with the interpolation between its knots in
// docs/math.md, Interval classification.
func TestEntropy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		iv := boundaries.Draw(t, "iv")
		n := len(iv.Pi)
		at := rapid.Float64Range(0, 1).Draw(t, "at")
		neg, pos := []float64{0}, []float64{0}
		eNeg, ePos := []float64{0}, []float64{0}
		for k := range n {
			neg, eNeg = append(neg, iv.Pi[k]), append(eNeg, iv.A[k])
			pos, ePos = append(pos, 1-iv.Pi[n-1-k]), append(ePos, iv.A[n-1-k])
		}
		conjugate := func(class uint8, at float64) float64 {
			value := []float64{0}
			newHulls(newKinks(iv)).conjugates.Values(value, []float64{at}, []uint8{class})
			return value[0]
		}
		s := at * iv.Pi[n-1]
		if got, want := -conjugate(0, s), interpolate(neg, eNeg, s); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("E₋(%v) = %v, want %v", s, got, want)
		}
		s = at * (1 - iv.Pi[0])
		if got, want := -conjugate(1, -s), interpolate(pos, ePos, s); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("E₊(%v) = %v, want %v", s, got, want)
		}
	})
}

func interpolate(x, y []float64, at float64) float64 {
	for k := 1; k < len(x); k++ {
		if at <= x[k] || k == len(x)-1 {
			return y[k-1] + (y[k]-y[k-1])*(at-x[k-1])/(x[k]-x[k-1])
		}
	}
	panic("no knots")
}

// TestWeakDuality draws random points and multipliers: no dual value exceeds a primal one, and
// the exact intercept minimises the primal.
func TestWeakDuality(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		iv := boundaries.Draw(t, "iv")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		x, y, v := randomProblem(r)
		set, err := newSample(x, y, v)
		if err != nil {
			t.Fatal(err)
		}
		team := newTeam(0)
		j := newJudge(set, newKinks(iv), newRows(x, team), make([]float64, x.Rows), make([]float64, x.Rows))
		j.l2 = math.Exp2(rapid.Float64Range(-15, 10).Draw(t, "log λ"))
		theta, mult := make([]float64, x.Cols+1), make([]float64, x.Rows)
		for k := range theta {
			theta[k] = r.NormFloat64()
		}
		for i := range mult {
			mult[i] = 2*r.Float64() - 1
		}
		v1 := j.certify(theta, mult)
		j.rows.apply(j.f, theta)
		if p := j.primal(theta, j.f); v1.bound > p || v1.objective > p*(1+1e-12) {
			t.Errorf("dual %v, primal after the exact intercept %v, before %v", v1.bound, v1.objective, p)
		}
		at := func(b float64) float64 {
			j.rows.apply(j.f, append(slices.Clone(v1.theta[:x.Cols]), b))
			return j.primal(v1.theta, j.f)
		}
		b := v1.theta[x.Cols]
		for _, h := range []float64{1e-6, 1e-3, .1, 3} {
			if p := at(b); at(b-h) < p-1e-12*(1+p) || at(b+h) < p-1e-12*(1+p) {
				t.Errorf("intercept %v is not exact: %v ± %v is better", b, b, h)
			}
		}
	})
}
