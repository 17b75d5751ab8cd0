package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"taper/internal/engine/loss"
)

// TestCurvature compares the Hessian with central differences of the gradient, for every smooth
// loss, in scaled coordinates.
func TestCurvature(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	losses := trained(t)
	losses["logistic, fused"] = nil
	for name, l := range losses {
		if g, ok := l.(loss.Regimer); ok && len(g.Regime().Kinks) > 0 {
			continue
		}
		x, y := simulate(51, 700, 4)
		v := make([]float64, len(y))
		for i := range v {
			v[i] = float64(i % 3)
			x.Row(i)[0] += 7
		}
		set, err := newSample(x, y, v)
		if err != nil {
			t.Fatal(err)
		}
		e := newEntropy(context.Background(), set, newRows(x, newTeam(0)))
		if e.l2 = .3; l != nil {
			e.other = newSurrogate(l, e.rows)
		}
		scale, err := newScaling(e)
		if err != nil {
			t.Fatal(err)
		}
		scale.prepare(e.l2)
		const n, h = 5, 1e-5
		point, up, down := make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range point {
			point[j] = .2 * r.NormFloat64()
		}
		c := newCurvature(e, scale)
		for j := range n {
			slopes := [2][]float64{up, down}
			for side, dst := range slopes {
				moved := slices.Clone(point)
				moved[j] += h * float64(1-2*side)
				e.at(moved, scale)
				scale.gradient(dst, e.grad)
			}
			e.at(point, scale)
			for k := range n {
				got := c.entry(j, k)
				if want := (up[k] - down[k]) / (2 * h); !(math.Abs(got-want) <= 1e-5*(1+math.Abs(want))) {
					t.Errorf("%s: entry %d, %d is %v, differences give %v", name, j, k, got, want)
				}
			}
		}
	}
}

// entry is one entry of the Hessian at the entropy's theta.
func (c *curvature) entry(j, k int) float64 {
	c.sum()
	n := len(c.e.theta)
	return c.h[min(j, k)*n+max(j, k)]
}

// TestPolish: small fits converge to a gradient of rounding size, also with a very small
// penalty, and the scores do not depend on the start.
func TestPolish(t *testing.T) {
	x, y := noisyRows(52, 569, 30)
	separable, sides := simulate(53, 300, 5)
	for i := range sides {
		sides[i] = math.Copysign(1, separable.Row(i)[1])
	}
	far := &Linear{W: make([]float64, 30), B: 3}
	for j := range far.W {
		far.W[j] = float64(j%5) - 2
	}
	for _, l2 := range []float64{1, 1e-3, 1e-6, 1e-9} {
		a := mustLogistic(t, x, y, nil, l2, LogisticOptions{})
		b := mustLogistic(t, x, y, nil, l2, LogisticOptions{Start: far})
		if *a.GradientNorm > 1e-11 || *b.GradientNorm > 1e-11 {
			t.Errorf("λ = %v: gradients %.2g and %.2g", l2, *a.GradientNorm, *b.GradientNorm)
		}
		same(t, "starts", a, b, 1e-9)
		fit := mustLogistic(t, separable, sides, nil, l2, LogisticOptions{})
		if *fit.GradientNorm > 1e-11 {
			t.Errorf("λ = %v, separable: gradient %.2g after %d steps, %s", l2, *fit.GradientNorm, fit.Iterations, fit.Stopped)
		}
	}
	for name, l := range smoothTrained(t) {
		fit, _ := mustMargin(t, x, y, nil, l, 1e-3, MarginOptions{})
		if limit := 1e-10; *fit.GradientNorm > limit && name != "squared hinge" {
			t.Errorf("%s: gradient %.2g, %s", name, *fit.GradientNorm, fit.Stopped)
		}
	}
	for _, most := range []int{1, 3, 6} {
		if fit := mustLogistic(t, x, y, nil, 1e-6, LogisticOptions{MaxIter: most}); fit.Iterations > most || len(fit.Warnings) == 0 {
			t.Errorf("%d iterations of at most %d, warnings %q", fit.Iterations, most, fit.Warnings)
		}
	}
	student := mustT(t, x, y, nil, 1.6, .5, TOptions{})
	if *student.GradientNorm > 1e-8*569 {
		t.Errorf("t-logistic: gradient %.2g", *student.GradientNorm)
	}
}
