package loss

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// eachPotential runs a test over every family of potentials, each of its cases
// and several numbers of classes.
func eachPotential(t *testing.T, test func(t *testing.T, f Family, l Potential, r *rand.Rand)) {
	for _, f := range Families {
		if f.Kind != KindPotential {
			continue
		}
		for _, v := range settings(t, f) {
			sizes := []int{2, 3, 6, 35}
			if f.Classes != nil {
				sizes = []int{f.Classes(v.Values)}
			}
			t.Run(f.ID+"/"+v.name, func(t *testing.T) {
				for _, k := range sizes {
					test(t, f, f.New(v.Values, k), rand.New(rand.NewPCG(7, uint64(k))))
				}
			})
		}
	}
}

// draw returns potentials of several spreads, on a grid every other time so
// that ties come up.
func draw(r *rand.Rand, k int) []float64 {
	f := make([]float64, k)
	scale := math.Pow(10, 2*r.Float64()-1)
	grid := r.IntN(2) == 0
	for j := range f {
		f[j] = scale * r.NormFloat64()
		if grid {
			f[j] = math.Round(2*f[j]) / 2
		}
	}
	return f
}

// bent reports losses that are not convex in the potentials.
func bent(l Potential) bool {
	s, ok := l.(Smooth)
	return ok && !s.Convex()
}

// TestSubgradients holds the gradient to finite differences where the loss is
// smooth, and to the subgradient inequality where it is convex, ties included.
func TestSubgradients(t *testing.T) {
	eachPotential(t, func(t *testing.T, f Family, l Potential, r *rand.Rand) {
		k := l.Outputs()
		g, step := make([]float64, k), make([]float64, k)
		for range 60 {
			u, y := draw(r, k), r.IntN(k)
			v := l.Grad(g, y, u)
			if w := l.Value(y, u); w != v {
				t.Fatalf("Grad says %v, Value %v", v, w)
			}
			if v > 1e12 || w100(l) {
				continue
			}
			if !bent(l) {
				w := draw(r, k)
				bound := v
				for j := range w {
					bound += g[j] * (w[j] - u[j])
				}
				if got := l.Value(y, w); got < bound-1e-9*(1+math.Abs(bound)+math.Abs(v)) {
					t.Errorf("from %v to %v, class %d: value %v lies below the tangent's %v", u, w, y, got, bound)
				}
			}
			for j := range step {
				step[j] = u[j] + 1e-7*(r.Float64()-.5) // off the kinks
			}
			l.Grad(g, y, step)
			j := r.IntN(k)
			along := func(x float64) float64 {
				at := slices.Clone(step)
				at[j] = x
				return l.Value(y, at)
			}
			h := 1e-8
			left, right := (along(step[j])-along(step[j]-h))/h, (along(step[j]+h)-along(step[j]))/h
			if size := 1e-5 + 2e-15*(1+v)/h + 1e-5*math.Abs(g[j]); math.Abs(left-right) < size && math.Abs(g[j]-left) > 2*size {
				t.Errorf("%v, class %d: derivative %d is %v, differences %v and %v", step, y, j, g[j], left, right)
			}
		}
	})
}

// w100 marks weights and costs of a size that differences cannot follow.
func w100(l Potential) bool {
	switch l := l.(type) {
	case adversarial:
		return l.unit() > 100 || l.unit() < .01
	case costly:
		return l.unit() > 100
	}
	return false
}

// TestShifts: only differences of potentials count, where the loss says so.
func TestShifts(t *testing.T) {
	eachPotential(t, func(t *testing.T, f Family, l Potential, r *rand.Rand) {
		if f.ID == "llw" || f.ID == "ova" {
			t.Skip("counts the potentials themselves")
		}
		k := l.Outputs()
		g := make([]float64, k)
		for range 20 {
			u, y := draw(r, k), r.IntN(k)
			v := l.Grad(g, y, u)
			sum, size := 0.0, 0.0
			for _, d := range g {
				sum, size = sum+d, size+math.Abs(d)
			}
			if math.Abs(sum) > 1e-12*(1+size) {
				t.Errorf("the gradient %v sums to %v", g, sum)
			}
			for j := range u {
				u[j] += 8
			}
			if w := l.Value(y, u); math.Abs(v-w) > 1e-9*math.Abs(v)+1e-12 {
				t.Errorf("value %v, shifted %v", v, w)
			}
		}
	})
}

// TestSymmetry: the order of the classes does not matter, and for ordered
// classes not which end comes first.
func TestSymmetry(t *testing.T) {
	eachPotential(t, func(t *testing.T, f Family, l Potential, r *rand.Rand) {
		if f.ID == "al-cost" {
			t.Skip("its costs are what they are")
		}
		k := l.Outputs()
		for range 20 {
			u, y := draw(r, k), r.IntN(k)
			order := r.Perm(k)
			if f.ID == "al-ordinal" || f.ID == "al-squared" {
				for i := range order {
					order[i] = k - 1 - i
				}
			}
			w := make([]float64, k)
			for i, j := range order {
				w[i] = u[j]
			}
			a, b := l.Value(y, u), l.Value(slices.Index(order, y), w)
			if math.Abs(a-b) > 1e-12*math.Abs(a)+1e-13 {
				t.Errorf("%v, class %d: %v, in the order %v: %v", u, y, a, order, b)
			}
		}
	})
}

// TestProbabilities sum to 1, rise with the potential, and agree with the
// decision.
func TestProbabilities(t *testing.T) {
	eachPotential(t, func(t *testing.T, f Family, l Potential, r *rand.Rand) {
		c, ok := l.(Classifier)
		if !ok {
			t.Skip("no probabilities")
		}
		p := make([]float64, l.Outputs())
		for range 20 {
			u := draw(r, len(p))
			for _, fill := range []func(dst, f []float64){c.Probabilities, func(dst, f []float64) { c.ClassProbabilities(dst, f) }} {
				fill(p, u)
				sum := 0.0
				for i := range p {
					sum += p[i]
					for j := range p {
						if u[i] > u[j] && p[i] < p[j] {
							t.Errorf("%v gives %v", u, p)
						}
					}
				}
				if math.Abs(sum-1) > 1e-12 || p[l.(Decider).Decide(u)] != slices.Max(p) {
					t.Errorf("%v gives %v, sum %v, decision %v", u, p, sum, l.(Decider).Decide(u))
				}
			}
		}
	})
}

// TestExtremes: no finite potentials give NaN.
func TestExtremes(t *testing.T) {
	huge := []float64{0, 1, -1, 1e-300, 1e300, -1e300, math.MaxFloat64, -math.MaxFloat64, 5e-324}
	eachPotential(t, func(t *testing.T, f Family, l Potential, r *rand.Rand) {
		k := l.Outputs()
		for range 40 {
			u := make([]float64, k)
			for j := range u {
				u[j] = huge[r.IntN(len(huge))]
			}
			checkFinite(t, l, r.IntN(k), u)
		}
	})
}

func checkFinite(t *testing.T, l Potential, y int, u []float64) {
	t.Helper()
	g := make([]float64, l.Outputs())
	v := l.Grad(g, y, u)
	all := append(g, v)
	if a, ok := l.(Adversary); ok {
		q, p := make([]float64, len(u)), make([]float64, a.Options())
		a.Adversary(q, u)
		a.Predict(p, u)
		all = append(append(all, q...), p...)
	}
	if c, ok := l.(Classifier); ok {
		p := make([]float64, len(u))
		c.Probabilities(p, u)
		all = append(all, p...)
		c.ClassProbabilities(p, u)
		all = append(all, p...)
	}
	if d, ok := l.(Decider); ok {
		all = append(all, float64(d.Decide(u)))
	}
	for _, x := range all {
		if math.IsNaN(x) {
			t.Fatalf("%T%+v, class %d of %v: NaN among %v", l, l, y, u, all)
		}
	}
}

// TestThresholds: derivatives by differences, invariance, and the immediate
// loss never above the sum over all thresholds.
func TestThresholds(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, base := range bases {
		v := Values{"base": {ID: base}}
		all, next, red := allThreshold.Threshold(v), immediateThreshold.Threshold(v), reduction.Threshold(v)
		for range 50 {
			eta := draw(r, 1+r.IntN(6))
			s, y := 2*r.NormFloat64(), r.IntN(len(eta)+1)
			if all.Value(y, s, eta) > 1e3 {
				continue // too steep for differences
			}
			if a, b := all.Value(y, s, eta), next.Value(y, s, eta); b > a*(1+1e-14) || a != red.Value(y, s, eta) {
				t.Errorf("%s: all %v, immediate %v, reduction %v", base, a, b, red.Value(y, s, eta))
			}
			for _, l := range []Threshold{all, next} {
				g := make([]float64, len(eta))
				value, slope := l.Grad(g, y, s, eta)
				sum := slope
				for j, d := range g {
					sum += d
					h := 1e-7
					at := slices.Clone(eta)
					at[j] += h
					right := (l.Value(y, s, at) - value) / h
					at[j] = eta[j] - h
					left := (value - l.Value(y, s, at)) / h
					if math.Abs(left-right) < 1e-4*(1+math.Abs(left)) && math.Abs(d-left) > 1e-3*(1+math.Abs(left)) {
						t.Errorf("%s: derivative of threshold %d is %v, differences %v and %v", base, j, d, left, right)
					}
				}
				if math.Abs(sum) > 1e-12*(1+math.Abs(slope)) {
					t.Errorf("%s: derivatives %v and %v do not cancel", base, slope, g)
				}
			}
		}
	}
}
