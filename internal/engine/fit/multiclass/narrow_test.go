package multiclass

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"taper/internal/engine/fit/linear"
)

// TestNarrowStep: the reduced system gives the Newton step of the full Hessian, with penalised
// offsets, free ones, a basis of vectors with sum zero, and none; near convergence few
// directions have curvature.
func TestNarrowStep(t *testing.T) {
	for _, c := range []struct{ id, features string }{{"al-zero-one", PerClass}, {"al-ordinal", Thresholds}, {"llw", PerClass}, {"ww", PerClass}, {"all-threshold", ""}, {"interval", ""}} {
		k := map[bool]int{true: 2, false: 4}[c.id == "interval"]
		x, y := clouds(3, 80, 30, k, 1)
		s := specOf(t, c.id, c.features, k, 1e-2)
		p, err := newProblem(x, y, nil, s)
		if err != nil {
			t.Fatal(err)
		}
		sweeps := newSweeper(context.Background(), p)
		for range 30 {
			if err := sweeps.visit(sweeps.all()); err != nil {
				t.Fatal(err)
			}
		}
		n := newNewton(sweeps, false)
		n.sigma = .3
		r := rand.New(rand.NewPCG(5, 5))
		for j := range n.theta {
			n.theta[j] += .01 * r.NormFloat64()
		}
		n.pass()
		if n.find(); len(n.bent) < 2 || len(n.bent) > len(n.theta) {
			t.Fatalf("%s: %d directions of %d parameters", c.id, len(n.bent), len(n.theta))
		}
		if !n.narrow.solve() {
			t.Fatalf("%s: no step", c.id)
		}
		got := slices.Clone(n.step)
		want := wholeStep(t, n)
		for j := range got {
			if d := math.Abs(got[j] - want[j]); d > 1e-8*math.Sqrt(dot(want, want)) {
				t.Fatalf("%s: entry %d of the step is %v, by the whole Hessian %v", c.id, j, got[j], want[j])
			}
		}
	}
}

// wholeStep factors the Hessian of all parameters.
func wholeStep(t *testing.T, n *newton) []float64 {
	t.Helper()
	n.assemble()
	size := len(n.theta)
	l := lapack.Implementation{}
	if !l.Dpotrf(blas.Lower, size, n.hess, size) {
		t.Fatal("the Hessian has no factor")
	}
	step := slices.Clone(n.grad)
	l.Dpotrs(blas.Lower, size, 1, n.hess, size, step, 1)
	for j := range step {
		step[j] = -step[j]
	}
	return step
}

// TestHandOver: if working sets converge slowly, Newton steps continue from their multipliers.
// Iterations are counted on, and the optimum is that of the same kernel.
func TestHandOver(t *testing.T) {
	x, y := iris(t)
	scale(x)
	s := specOf(t, "cs", "", 3, math.Ldexp(1, -15))
	s.Kernel = &Kernel{Name: KernelRBF, Gamma: 1. / 8}
	var steps []int
	fit := mustFit(t, x, y, nil, s, Options{Trace: func(s linear.Step) { steps = append(steps, s.Iteration) }})
	if last := steps[len(steps)-1]; last <= patience || last != fit.Iterations || !slices.IsSorted(steps) {
		t.Errorf("steps %v of %d", steps, fit.Iterations)
	}
	other := mustFit(t, x, y, nil, s, Options{Landmarks: x.Rows})
	if *fit.Gap > defaultGap || !(math.Abs(fit.Objective-other.Objective) <= 2*defaultGap*fit.Objective) {
		t.Errorf("objective %v with the gap %g, by features from the start %v", fit.Objective, *fit.Gap, other.Objective)
	}
}
