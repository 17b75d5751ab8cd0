package fit

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/fit/boost"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
)

func method(t *testing.T, s Spec) Method {
	t.Helper()
	m, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLinksByHand checks cut-offs and probabilities against hand calculation: P = σ(f) for the
// logistic loss, σ(2f) for the exponential; a loss without a link is cut at logit π.
func TestLinksByHand(t *testing.T) {
	for _, c := range []struct {
		loss       string
		has        bool
		cut        float64 // of .8
		p          float64 // at score 1
		decide     float64 // the cut-off for predicting the event
		importance bool
	}{
		{"logistic", true, math.Log(4), 1 / (1 + math.Exp(-1)), 0, false}, {"exponential", true, math.Log(4) / 2, 1 / (1 + math.Exp(-2)), 0, false},
		{"hinge", false, math.Log(4), math.NaN(), 0, false}, {"alpha", true, math.NaN(), math.NaN(), 0, true},
	} {
		how := method(t, Spec{Loss: c.loss})
		m := &Model{Method: how, Fitted: &Fitted{Linear: &linear.Linear{}}}
		if how.Link.Has() != c.has || c.cut == c.cut && !(math.Abs(m.Cut(.8)-c.cut) <= 1e-15) {
			t.Errorf("%s: has a link: %t, cut of .8 at %v", c.loss, how.Link.Has(), m.Cut(.8))
		}
		if got := [3]int{m.Decide([]float64{c.decide - .1}), m.Decide([]float64{c.decide}), m.Decide([]float64{c.decide + .1})}; got != [3]int{0, 0, 1} {
			t.Errorf("%s: calls %v about %v", c.loss, got, c.decide)
		}
		dst := []float64{-1, -1}
		if m.Probabilities(dst, []float64{1}) != c.has || c.p == c.p && (!(math.Abs(dst[1]-c.p) <= 1e-15) || !(math.Abs(dst[0]+dst[1]-1) <= 1e-15)) {
			t.Errorf("%s: probabilities %v", c.loss, dst)
		}
		for y, f := range map[int]float64{1: -3, 0: 3} { // far on the wrong side, in both classes
			if g, ok := m.Importance(y, []float64{f}); ok != c.importance || ok && !(0 < g && g < .3) {
				t.Errorf("%s: importance of class %d at %v is %v, %t", c.loss, y, f, g, ok)
			}
		}
	}
}

// TestCertificates: how fits of one score and of potentials report their end, and which ends
// count as certified.
func TestCertificates(t *testing.T) {
	gap, starts := .5, []linear.StartReport{{Start: "zero"}}
	for _, c := range []struct {
		stopped         string
		single, several bool
	}{{"gap", true, true}, {"gradient", true, true}, {"stationary", true, false}, {"stalled", false, false}, {"iterations", false, false}} {
		one := &Model{Fitted: &Fitted{Linear: &linear.Linear{Objective: 2, Gap: &gap, Iterations: 7, Evaluations: 9, Stopped: c.stopped}, Starts: starts}}
		more := &Model{Potential: &multiclass.Fitted{Objective: 3, Iterations: 5, Evaluations: 6, Stopped: c.stopped}}
		if one.Certified() != c.single || more.Certified() != c.several {
			t.Errorf("%s: certified %t and %t", c.stopped, one.Certified(), more.Certified())
		}
		a, b := one.Certificate(), more.Certificate()
		if a.Objective != 2 || a.Gap != &gap || a.Iterations != 7 || a.Evaluations != 9 || a.Stopped != c.stopped || len(a.Starts) != 1 {
			t.Errorf("%+v", a)
		}
		if b.Objective != 3 || b.Iterations != 5 || b.Evaluations != 6 || b.Stopped != c.stopped {
			t.Errorf("%+v", b)
		}
	}
	trees := &boost.Model{Objective: 9, Trees: []boost.Tree{{Loss: 5}, {Loss: 4}, {Loss: 3}}}
	grown := &Model{Fitted: &Fitted{Linear: &linear.Linear{Stopped: "rounds", Iterations: 3}, Trees: trees}}
	if !grown.Certified() {
		t.Error("trees have no tolerance to reach")
	}
	if at := grown.AtRound(2); len(at.Fitted.Trees.Trees) != 2 || at.Certificate().Iterations != 2 || at.Certificate().Objective != 4 || len(trees.Trees) != 3 {
		t.Errorf("after two trees %+v", at.Certificate())
	}
	step := (&Model{Method: method(t, Spec{Loss: "exponential"})}).AtStep(linear.Step{W: []float64{2}, B: 1, Objective: 4, Iteration: 6, Stage: "logistic"})
	if step.Fitted.Score([]float64{3}) != 7 || step.Certificate().Iterations != 6 || step.Certificate().Objective != 4 || step.Method.Link.Scale != 1 {
		t.Errorf("a step of a logistic start: %+v", step.Certificate())
	}
}

// TestSpecDefaults: which fields are filled in, which stay, and that the result shares no
// memory.
func TestSpecDefaults(t *testing.T) {
	params := map[string]any{"alpha": 3.}
	for _, c := range []struct {
		s    Spec
		own  string
		want string
	}{
		{Spec{}, "", "linear logistic auto cv 0 0  true"},
		{Spec{}, "interval", "linear interval auto cv 0 0  true"},
		{Spec{Kind: "boost"}, "interval", "boost alpha auto cv 100 1 " + boost.HalfLog + " true"},
		{Spec{Kind: "boost", Rounds: 7, Depth: 2, ThetaRule: boost.AlphaLog}, "", "boost alpha auto cv 7 2 " + boost.AlphaLog + " true"},
		{Spec{Loss: "hinge", Solver: "newton", L2: L2{Value: 2}}, "", "linear hinge newton 2 0 0  true"},
		{Spec{Kind: "kernel", Params: params}, "", "kernel logistic auto cv 0 0  true"},
	} {
		d := c.s.WithDefaults(c.own)
		l2, err := json.Marshal(d.L2)
		got := fmt.Sprint(d.Kind, " ", d.Loss, " ", d.Solver, " ", strings.Trim(string(l2), `"`), " ", d.Rounds, " ", d.Depth, " ", d.ThetaRule, " ", *d.Standardize)
		if err != nil || got != c.want {
			t.Errorf("%s, want %s; %v", got, c.want, err)
		}
		if d.Kernelled() != (d.Kernel != nil) {
			t.Errorf("kernel %+v of kind %s", d.Kernel, d.Kind)
		}
		if d.Params != nil {
			if d.Params["alpha"] = 9.; params["alpha"] != 3. {
				t.Error("parameters are shared")
			}
		}
	}
	for text, want := range map[string]L2{`"cv"`: {Mode: "cv"}, `"cv-1se"`: {Mode: "cv-1se"}, `0.5`: {Value: .5}, `null`: {}, `1e30`: {Value: 1e30}} {
		var l L2
		if err := json.Unmarshal([]byte(text), &l); err != nil || l != want {
			t.Errorf("%s is %+v, %v", text, l, err)
		}
	}
	for _, text := range []string{`"luck"`, `0`, `1e31`, `9e-31`, `-1`, `[1]`} {
		var l L2
		if err := json.Unmarshal([]byte(text), &l); err == nil || strings.Contains(err.Error(), "%!") || !strings.Contains(err.Error(), "must be a number from 1e-30") {
			t.Errorf("%s is %+v, %v", text, l, err)
		}
	}
	for l, want := range map[L2]string{{}: `"cv"`, {Mode: "cv-1se"}: `"cv-1se"`, {Value: 2}: `2`} {
		if raw, err := json.Marshal(l); err != nil || string(raw) != want {
			t.Errorf("%+v is written %s", l, raw)
		}
	}
	if treeCount(1) != "1 tree" || treeCount(2) != "2 trees" || treeCount(0) != "0 trees" {
		t.Errorf("%q, %q", treeCount(1), treeCount(2))
	}
}

// TestSolverNames: the solvers that a spec of each kind may name, the default first.
func TestSolverNames(t *testing.T) {
	for _, c := range []struct {
		s    Spec
		want string
	}{
		{Spec{Kind: "kernel", Loss: "hinge"}, "auto smo pegasos"}, {Spec{Kind: "kernel", Loss: "logistic"}, "auto lbfgs"},
		{Spec{Kind: "linear", Loss: "hinge"}, "auto newton"}, {Spec{Kind: "linear", Loss: "alpha"}, "auto lbfgs"},
		{Spec{Kind: "linear", Loss: "t-logistic"}, "auto lbfgs cmp"}, {Spec{Kind: "linear", Loss: "softmax"}, "auto lbfgs"},
	} {
		if got := strings.Join(c.s.Solvers(), " "); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.s.Kind, c.s.Loss, got, c.want)
		}
	}
}

// TestScoresOfPotentials: Scores of all rows equal the model's scores row by row.
func TestScoresOfPotentials(t *testing.T) {
	x := linear.Matrix{Rows: 7, Cols: 2, Data: []float64{1, 0, 2, 1, 0, 3, 1, 3, 4, 4, 5, 3, 2, 2}}
	l, err := method(t, Spec{Loss: "softmax"}).Trainer(Task{Classes: 3}, 0)
	if err != nil {
		t.Fatal(err)
	}
	fits, err := l.Path(t.Context(), Data{X: x, Label: []int{0, 0, 1, 1, 2, 2, 1}}, []float64{.01, 1}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for m, all := range Scores(fits, x) {
		if len(all) != 7*3 {
			t.Fatalf("%d scores", len(all))
		}
		for i := range 7 {
			want := make([]float64, 3)
			fits[m].Potential.Model.Potentials(want, x.Row(i))
			if !slices.Equal(all[3*i:3*i+3], want) || want[0] == want[1] {
				t.Errorf("fit %d, row %d: %v, want %v", m, i, all[3*i:3*i+3], want)
			}
			if fits[m].Decide(want) != loss.Argmax(want) {
				t.Errorf("fit %d, row %d: class %d of %v", m, i, fits[m].Decide(want), want)
			}
		}
	}
}

// TestMethodRefuses: errors name the field and are full sentences.
func TestMethodRefuses(t *testing.T) {
	_, err := method(t, Spec{Loss: "logistic"}).Restarts(t.Context(), Data{}, 1, 3, 0)
	if err == nil || !strings.HasSuffix(err.Error(), " has one minimum, whatever the starting point.") {
		t.Error(err)
	}
	if err := method(t, Spec{Loss: "logistic"}).Suits(3); err == nil || !strings.Contains(err.Error(), "needs two classes, the data have 3") {
		t.Error(err)
	}
	// Both points are labelled consistently, so both margins are equal and positive.
	margins, err := CleanMargins(t.Context(), Data{X: linear.Matrix{Rows: 2, Cols: 1, Data: []float64{-1, 1}}, Label: []int{0, 1}}, .1)
	if err != nil || len(margins) != 2 || !(margins[0] > .1) || !(math.Abs(margins[0]-margins[1]) <= 1e-9) {
		t.Errorf("%v, %v", margins, err)
	}
}
