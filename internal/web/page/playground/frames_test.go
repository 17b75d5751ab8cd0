package playground

import (
	"testing"

	"taper/internal/engine/playground"
)

// Earlier frames of a fit: in convex multiplicative programming the steps alternate and no ξ-step increases the
// objective, and an earlier round of boosting predicts with its trees only.
func TestScrubber(t *testing.T) {
	p := New(Config{})
	a := at(t, p, "data=long-servedio&n=300&b.method=t-logistic&b.solver=cmp&a.method=boost&step=2")
	m := a.Models.B
	for k, kind := range m.Steps.Kinds {
		if want := map[bool]string{true: playground.FrameXi, false: playground.FrameTheta}[k%2 == 0]; kind != want {
			t.Fatalf("frame %d is a %s-step, want %s: %s", k, kind, want, m.Steps.Labels[k])
		}
		if k > 0 && m.Steps.Objective[k] > m.Steps.Objective[k-1]*(1+1e-9) {
			t.Errorf("frame %d: the objective rises from %v to %v", k, m.Steps.Objective[k-1], m.Steps.Objective[k])
		}
	}
	if a.Models.A.Steps.At != 2 || len(a.Models.A.model.Fitted.Trees.Trees) != 2 {
		t.Errorf("frame %d shows %d trees", a.Models.A.Steps.At, len(a.Models.A.model.Fitted.Trees.Trees))
	}
	first := at(t, p, "data=long-servedio&n=300&b.method=t-logistic&b.solver=cmp&step=0&a.method=softmax")
	if string(first.Models.B.Surface.Levels) == string(m.Surface.Levels) {
		t.Error("the first frame looks like the last")
	}
	if begun := p.fitted.Load(); begun != 3 {
		t.Errorf("%d fits begun for three models", begun)
	}
	softmax := first.Models.A
	if n := softmax.model.Potential.Iterations; n != 1 {
		t.Errorf("frame 0 of softmax is iteration %d", n)
	}
}

// The level of the surface at a node is the prediction of the model there.
func TestSurfaceIsTheModel(t *testing.T) {
	p := New(Config{})
	for _, query := range []string{"data=gmm&a.features=rbf&b.method=boost", "data=long-servedio&cx=x3&cy=x20", "n=120&a.kernel=rbf&b.kernel=rbf&b.gamma=2&cx=x2&b.method=squared-hinge",
		"data=blobs&n=120&a.kernel=rbf&a.gamma=1&a.l2=0.01", "data=blobs&n=120&a.method=al-abstain&a.l2=0.1", "data=ordinal-stripes&n=120&a.method=all-threshold&b.kernel=rbf&b.l2=0.01", "data=kimes-1.3&a.method=interval&b.method=interval&b.kernel=poly"} {
		a := at(t, p, query)
		for _, m := range a.Models.models() {
			if !m.ok() {
				t.Fatalf("%s: %s: %s", query, m.Title, m.Error)
			}
			for _, node := range [][2]int{{0, 0}, {99, 0}, {37, 81}, {99, 99}} {
				x := a.Axes.X.Min + float64(node[0])/99*(a.Axes.X.Max-a.Axes.X.Min)
				y := a.Axes.Y.Min + float64(node[1])/99*(a.Axes.Y.Max-a.Axes.Y.Min)
				ask, level := playground.Ask(m.fit, m.model, a.bench.view, x, y), int(m.Surface.Levels[node[1]*100+node[0]])
				want := float64((ask.Class + 256) % 256)
				switch m.Surface.Kind {
				case playground.KindProbability:
					want = 100 * ask.Probability[1]
				case playground.KindBands:
					want = float64(ask.Band)
				}
				if d := float64(level) - want; d > .5+1e-6 || d < -.5-1e-6 {
					t.Errorf("%s, %s at %v: level %d, want %v: %+v", query, m.Title, node, level, want, ask)
				}
			}
		}
	}
}
