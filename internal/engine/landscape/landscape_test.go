package landscape

import (
	"math"
	"testing"
)

// TestKnownMinima holds the minima of docs/math.md, Datasets and noise and docs/reference-numbers.md,
// Results of the methods, found there with 50 digits.
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
		if !(math.Abs(m[0].T1-c.t1) <= 2e-5) || !(math.Abs(m[0].T2-c.t2) <= 2e-5) || !(math.Abs(m[0].Risk-c.risk) <= 1e-9) || m[0].Good() != c.good {
			t.Errorf("α = %v: lowest minimum %+v, want (%v, %v) at %v, good %v", c.alpha, m[0], c.t1, c.t2, c.risk, c.good)
		}
	}
}

// TestWhenAPerfectMinimumExists holds docs/reference-numbers.md, section 3, point 1: from α ≈ 1.45, global
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
			if !(math.Abs(c.got-c.want) <= 1e-6*(1+math.Abs(c.want))) {
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
			t.Errorf("a minimum at %+v, where the gradient cannot vanish (erratum Sypherd 4)", m)
		}
	}
}

// TestTilt: B(x) at x = 0 is (N−1)·ℓ'(0), whatever α: −(N−1)·2^(1/α−2).
func TestTilt(t *testing.T) {
	for _, alpha := range []float64{.5, 1, 3} {
		p := Problem{alpha, 1. / 3, .05}
		if want := -math.Pow(2, 1/alpha-2); !(math.Abs(p.Tilt(0)-want) <= 1e-12) {
			t.Errorf("α = %v: B(0) = %v, want %v", alpha, p.Tilt(0), want)
		}
	}
	if n := (Problem{1, .2, .05}).right(0, 0); n != 0 {
		t.Errorf("the score 0 classifies %d points right", n)
	}
}

func BenchmarkMinima(b *testing.B) {
	for range b.N {
		Problem{2, 1. / 3, .05}.Minima()
	}
}

// TestStarts: one at 0 and a fan of six angles at each of nine lengths, ½ to 128.
func TestStarts(t *testing.T) {
	got := Problem{2, 1. / 3, .05}.starts()
	if len(got) != 1+9*6 || got[0] != [2]float64{} {
		t.Fatalf("%d starts, first %v", len(got), got[0])
	}
	for i, s := range got[1:] {
		r, angle := math.Ldexp(.5, i/6), []float64{-60, -20, 0, 20, 60, 85}[i%6]
		if !(math.Abs(math.Hypot(s[0], s[1])-r) <= 1e-12*r) || !(math.Abs(math.Atan2(s[1], s[0])*180/math.Pi-angle) <= 1e-10) {
			t.Errorf("start %d is %v, want length %v at %v°", i+1, s, r, angle)
		}
	}
}

// TestStep: Newton's step where the Hessian allows it, the gradient's way where it does
// not, and no longer than 32.
func TestStep(t *testing.T) {
	// H = (4 1; 1 3), g = (1, 2): d = −H⁻¹g = −(3−2, 8−1)/11.
	if d1, d2 := (jet{1, 2, 4, 1, 3}).step(); !(math.Abs(d1+1./11) <= 1e-14) || !(math.Abs(d2+7./11) <= 1e-14) {
		t.Errorf("step %v, %v, want −1/11, −7/11", d1, d2)
	}
	for _, j := range []jet{{1, 2, -4, 1, 3}, {1, 2, 1, 2, 1}, {1, -2, 0, 0, 0}, {1, 2, 1e-6, 0, 1e-6}, {1, 0, -1e-3, 0, 5}} {
		d1, d2 := j.step()
		if j.g1*d1+j.g2*d2 >= 0 || math.Hypot(d1, d2) > 32 {
			t.Errorf("%+v: step %v, %v is no descent or too long", j, d1, d2)
		}
	}
	for _, c := range []struct {
		j    jet
		want bool
	}{{jet{0, 0, 4, 1, 3}, true}, {jet{0, 0, -4, 0, 3}, false}, {jet{0, 0, 4, 0, -3}, false}, {jet{0, 0, 1, 2, 1}, false},
		{jet{0, 0, .5, .6, .5}, false}, {jet{0, 0, 0, 0, 1}, true}, {jet{0, 0, 1, 1, 1}, true}} {
		if c.j.convex() != c.want {
			t.Errorf("%+v is convex: %v", c.j, !c.want)
		}
	}
}

// TestTiltOfLogistic: with the logistic loss B(x) = −N·σ(−x) + σ(x).
func TestTiltOfLogistic(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, x := range []float64{-2, 0, .5, 3} {
		p := Problem{1, .3, .1}
		if got, want := p.Tilt(x), -7./3*sigmoid(-x)+sigmoid(x); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("B(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestMinimaOnce: at α = 1.5 the two minima are found once each, the lowest first and
// alone global, and a descent from 0 ends in one.
func TestMinimaOnce(t *testing.T) {
	for _, alpha := range []float64{1.5, 1.9, 2, 2.85} {
		p := Problem{alpha, 1. / 3, .05}
		m := p.Minima()
		if len(m) != 2 || !(m[0].Risk < m[1].Risk) || !m[0].Global || m[1].Global || m[0].Good() == m[1].Good() {
			t.Errorf("α = %v: %+v", alpha, m)
		}
		zero, ok := p.FromZero()
		near := false
		for _, v := range m {
			near = near || math.Hypot(v.T1-zero.T1, v.T2-zero.T2) < 1e-4*(1+math.Hypot(v.T1, v.T2)) && v.Right == zero.Right
		}
		if !ok || !near {
			t.Errorf("α = %v: from 0 to %+v, minima %+v", alpha, zero, m)
		}
	}
}

// TestStepByHand: the Newton step of a convex Hessian, the least ridge of ten's powers where it is not
// or where the step is longer than 32, and the gradient where no ridge helps.
func TestStepByHand(t *testing.T) {
	for _, c := range []struct {
		name   string
		j      jet
		d1, d2 float64
	}{
		{"convex", jet{g1: 1, g2: 2, h11: 2, h12: 1, h22: 3}, -.2, -.6},
		{"a saddle of size 3, ridge 3", jet{g1: 1, g2: 1, h11: -1, h22: 2}, -1. / 2, -1. / 5},
		{"a saddle of size 4, ridge 4", jet{g1: 1, g2: 1, h11: -1, h12: .5, h22: 2}, -(6 - .5) / 17.75, -(3 - .5) / 17.75},
		{"a step of 32", jet{g1: 32, h11: 1, h22: 1}, -32, 0},
		{"a longer one, ridge .02", jet{g1: 32.5, h11: 1, h22: 1}, -32.5 / 1.02, 0},
		{"a ridge of .002·100", jet{g1: 1, h11: 1e-3, h22: 1e-3}, -1 / .201, 0},
		{"flat", jet{g1: 3, g2: 4}, -3, -4},
	} {
		if d1, d2 := c.j.step(); !(math.Abs(d1-c.d1) <= 1e-6*(1+math.Abs(c.d1))) || !(math.Abs(d2-c.d2) <= 1e-6*(1+math.Abs(c.d2))) {
			t.Errorf("%s: (%v, %v), want (%v, %v)", c.name, d1, d2, c.d1, c.d2)
		}
	}
	for j, want := range map[jet]bool{
		{h11: 1, h22: 1}: true, {h11: 1, h12: 1, h22: 1}: true, {}: true, {h11: 1, h22: -1}: false, {h11: -1, h22: 1}: false, {h11: -.5, h22: -.5}: false,
		{h11: 1, h12: 1.0001, h22: 1}: false, {h11: 4, h12: math.Sqrt(36 + 1e-11), h22: 9}: true, {h11: 4, h12: math.Sqrt(36 + 1e-10), h22: 9}: false,
	} {
		if j.convex() != want {
			t.Errorf("%+v is convex: %t", j, !want)
		}
	}
}

// TestOrderOfMinima: the lowest comes first and is the global one, each with its own risk.
func TestOrderOfMinima(t *testing.T) {
	several := 0
	for alpha := .6; alpha < 8; alpha += .2 {
		p := Problem{alpha, 1. / 3, .05}
		found := p.Minima()
		if len(found) > 1 {
			several++
		}
		for k, m := range found {
			if m.Global != (k == 0) || k > 0 && m.Risk < found[k-1].Risk || m.Risk != p.Risk(m.T1, m.T2) {
				t.Errorf("α = %.1f: minimum %d of %+v", alpha, k, found)
			}
		}
		if m, ok := p.FromZero(); ok && m.Risk != p.Risk(m.T1, m.T2) {
			t.Errorf("α = %.1f: %+v", alpha, m)
		}
	}
	if several < 3 {
		t.Errorf("%d problems have several minima", several)
	}
	// (1, 0), twice (γ, −γ) and (γ, 5γ) on the right side of a direction.
	for to, want := range map[[2]float64]int{{1, 0}: 4, {0, 1}: 1, {0, -1}: 2, {-1, 0}: 0, {1, .5}: 4, {1, 2}: 2} {
		if got := (Problem{1, .2, .05}).right(to[0], to[1]); got != want {
			t.Errorf("%v: %d points on the right side, want %d", to, got, want)
		}
	}
}

// TestConvexByHand: neither a ridge that falls nor a saddle is convex, and a valley without slope is.
func TestConvexByHand(t *testing.T) {
	for j, want := range map[jet]bool{{h11: 2, h22: 2, h12: 1}: true, {h11: 2, h22: 2, h12: 3}: false, {h22: -.5}: false,
		{h11: -.5}: false, {h11: 1}: true, {h22: 1}: true, {h11: -1, h22: -1}: false} {
		if j.convex() != want {
			t.Errorf("%+v: %t", j, !want)
		}
	}
}
