package landscape

import (
	"math"
	"testing"
)

// TestKnownMinima holds the minima of docs/math.md §9 and reference-numbers.md §2,
// found there with 50 digits.
func TestKnownMinima(t *testing.T) {
	for _, c := range []struct {
		alpha, t1, t2, risk float64
		good                bool
	}{
		{1, .788930, 1.412206, .670328212, false},
		{2, 27.725087, 8.9e-5, .548632519, true},
		{3, 41.588831, 0, .469968566, true},
	} {
		p := Problem{c.alpha, 1. / 3, 1. / 20}
		m := p.Minima()
		if len(m) == 0 {
			t.Fatalf("α = %v: no minimum", c.alpha)
		}
		if math.Abs(m[0].T1-c.t1) > 2e-5 || math.Abs(m[0].T2-c.t2) > 2e-5 || math.Abs(m[0].Risk-c.risk) > 1e-9 || m[0].Good() != c.good {
			t.Errorf("α = %v: lowest minimum %+v, want (%v, %v) at %v, good %v", c.alpha, m[0], c.t1, c.t2, c.risk, c.good)
		}
	}
}

// TestWhenAPerfectMinimumExists holds reference-numbers.md §3.1: from α ≈ 1.45, global
// only from ≈ 1.95, reached from 0 only from ≈ 2.95.
func TestWhenAPerfectMinimumExists(t *testing.T) {
	for _, c := range []struct {
		alpha                float64
		exists, global, zero bool
	}{{1.1, false, false, false}, {1.4, false, false, false}, {1.5, true, false, false}, {1.9, true, false, false}, {2, true, true, false}, {2.85, true, true, false}, {3.1, true, true, true}} {
		p := Problem{c.alpha, 1. / 3, 1. / 20}
		exists := false
		m := p.Minima()
		for _, v := range m {
			exists = exists || v.Good()
		}
		global := len(m) > 0 && m[0].Good()
		zero, ok := p.FromZero()
		if exists != c.exists || global != c.global || (ok && zero.Good()) != c.zero {
			t.Errorf("α = %v: exists %v, global %v, from zero %v (%+v); want %+v; minima %+v", c.alpha, exists, global, ok && zero.Good(), zero, c, m)
		}
	}
}

// TestMinimaAreMinima: around each, the risk is higher in every direction.
func TestMinimaAreMinima(t *testing.T) {
	for _, p := range []Problem{{.6, .3, .05}, {1, .1, .1}, {1.5, 1. / 3, .05}, {2, 1. / 3, .05}, {3, 1. / 3, .05}, {6, .2, .15}, {10, .4, .02}} {
		found := p.Minima()
		if len(found) == 0 {
			t.Errorf("%+v has no minimum", p)
		}
		for _, m := range found {
			for k := range 16 {
				a := 2 * math.Pi * float64(k) / 16
				for _, step := range []float64{.01, .3} {
					if r := p.Risk(m.T1+step*math.Cos(a), m.T2+step*math.Sin(a)); r < m.Risk {
						t.Errorf("%+v: %.2g lower %v from the minimum %+v, at angle %v", p, m.Risk-r, step, m, a)
					}
				}
			}
		}
	}
}

// TestJet compares the gradient and the Hessian with differences of the risk.
func TestJet(t *testing.T) {
	for _, p := range []Problem{{1, .3, .05}, {3, .2, .1}, {.6, .4, .02}} {
		const h = 1e-4
		t1, t2 := .7, -1.3
		j := p.jet(t1, t2)
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"g1", j.g1, (p.Risk(t1+h, t2) - p.Risk(t1-h, t2)) / (2 * h)},
			{"g2", j.g2, (p.Risk(t1, t2+h) - p.Risk(t1, t2-h)) / (2 * h)},
			{"h11", j.h11, (p.Risk(t1+h, t2) - 2*p.Risk(t1, t2) + p.Risk(t1-h, t2)) / (h * h)},
			{"h22", j.h22, (p.Risk(t1, t2+h) - 2*p.Risk(t1, t2) + p.Risk(t1, t2-h)) / (h * h)},
			{"h12", j.h12, (p.Risk(t1+h, t2+h) - p.Risk(t1+h, t2-h) - p.Risk(t1-h, t2+h) + p.Risk(t1-h, t2-h)) / (4 * h * h)},
		} {
			if math.Abs(c.got-c.want) > 1e-6*(1+math.Abs(c.want)) {
				t.Errorf("%+v: %s = %v, by differences %v", p, c.name, c.got, c.want)
			}
		}
	}
}

// TestNoMinimum: the sigmoid loss falls for ever along every good direction.
func TestNoMinimum(t *testing.T) {
	p := Problem{math.Inf(1), 1. / 3, 1. / 20}
	for _, m := range p.Minima() {
		if m.Good() {
			t.Errorf("a minimum at %+v, where the gradient cannot vanish (errata 003-4)", m)
		}
	}
}

// TestTilt: B(x) at x = 0 is (N−1)·ℓ'(0), whatever α: −(N−1)·2^(1/α−2).
func TestTilt(t *testing.T) {
	for _, alpha := range []float64{.5, 1, 3} {
		p := Problem{alpha, 1. / 3, .05}
		if want := -math.Pow(2, 1/alpha-2); math.Abs(p.Tilt(0)-want) > 1e-12 {
			t.Errorf("α = %v: B(0) = %v, want %v", alpha, p.Tilt(0), want)
		}
	}
}

func BenchmarkMinima(b *testing.B) {
	for range b.N {
		Problem{2, 1. / 3, .05}.Minima()
	}
}
