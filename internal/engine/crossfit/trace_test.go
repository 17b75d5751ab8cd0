package crossfit

import (
	"errors"
	"math"
	"testing"

	"taper/internal/engine/fit/linear"
)

// TestTracing: a trace has at most MostTrace points, including the first and the last, of the
// start with the lowest objective.
func TestTracing(t *testing.T) {
	tr := &Trace{}
	for start, end := range map[string]float64{"zero": 3, "random 1": 2.5} {
		for i := range 1001 {
			tr.add(linear.Step{Start: start, Iteration: i, Objective: end + float64(1000-i)})
			tr.add(linear.Step{Start: start, Stage: "logistic", Iteration: i})
		}
	}
	p := tr.Points()
	if len(p) > MostTrace || len(p) < MostTrace/2 || p[0].Iteration != 0 || p[len(p)-1] != (TracePoint{Iteration: 1000, Objective: 2.5}) {
		t.Errorf("%d points, first %+v, last %+v", len(p), p[0], p[len(p)-1])
	}
}

// TestTracePoints: every step is kept up to 199, every second up to 398 and so on, always
// starting at the first; the last is kept once.
func TestTracePoints(t *testing.T) {
	for _, c := range []struct{ steps, every, want int }{
		{1, 1, 1}, {2, 1, 2}, {199, 1, 199}, {200, 2, 101}, {201, 2, 101}, {397, 2, 199}, {398, 2, 200}, {399, 4, 101}, {400, 4, 101}, {401, 4, 101}, {801, 8, 101},
	} {
		tr := &Trace{}
		for i := range c.steps {
			tr.add(linear.Step{Start: "zero", Iteration: i, Objective: float64(c.steps - i)})
		}
		p := tr.Points()
		for k, v := range p[:len(p)-1] {
			if v.Iteration != k*c.every {
				t.Fatalf("%d steps: point %d is of step %d, want every %d", c.steps, k, v.Iteration, c.every)
			}
		}
		if len(p) != c.want || p[len(p)-1].Iteration != c.steps-1 {
			t.Errorf("%d steps: %d points, the last of step %d, want %d", c.steps, len(p), p[len(p)-1].Iteration, c.want)
		}
	}
	var none *Trace
	if none.Points() != nil || (&Trace{}).Points() != nil || none.Of("zero") != nil {
		t.Error("a fit that did not begin has a way")
	}
}

// TestTraceKeepsLowestStart: the start that ended lower is kept, the first of equals; a
// non-finite gap or objective is left out.
func TestTraceKeepsLowestStart(t *testing.T) {
	way := func(ends ...float64) []TracePoint {
		tr := &Trace{}
		for s, end := range ends {
			for i := range 3 {
				tr.add(linear.Step{Start: string(rune('a' + s)), Iteration: 10*s + i, Objective: end + float64(2-i)})
			}
		}
		return tr.Points()
	}
	for _, c := range []struct {
		name string
		ends []float64
		want int
	}{{"the second", []float64{2, 1}, 10}, {"the first", []float64{1, 2}, 0}, {"equal", []float64{1, 1}, 0}} {
		if p := way(c.ends...); len(p) != 3 || p[0].Iteration != c.want {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
	inf, nan, gap := math.Inf(1), math.NaN(), .5
	tr := &Trace{}
	tr.add(linear.Step{Objective: inf})
	tr.add(linear.Step{Objective: nan})
	tr.add(linear.Step{Iteration: 1, Objective: 1, Gap: &inf})
	tr.add(linear.Step{Iteration: 2, Objective: .5, Gap: &gap})
	if p := tr.Points(); len(p) != 2 || p[0].Iteration != 1 || p[0].Gap != nil || *p[1].Gap != .5 {
		t.Errorf("%+v", p)
	}
}

// TestProgress: a fold is named by repeat and number, and the λ of a path are counted once,
// however often the solver reports.
func TestProgress(t *testing.T) {
	one, two := &Folds{Parts: [][]*Part{make([]*Part, 5)}}, &Folds{Parts: [][]*Part{make([]*Part, 3), make([]*Part, 3)}}
	for _, c := range []struct {
		folds     *Folds
		repeat, k int
		want      string
	}{
		{one, 0, 0, "Fold 1 of 5"}, {one, 0, 4, "Fold 5 of 5"}, {one, 0, -1, "All 5 folds"},
		{two, 1, 0, "Repeat 2 of 2, fold 1 of 3"}, {two, 0, -1, "Repeat 1 of 2, all 3 folds"},
	} {
		if got := c.folds.place(c.repeat, c.k); got != c.want {
			t.Errorf("place(%d, %d) = %q, want %q", c.repeat, c.k, got, c.want)
		}
	}
	var last linear.Progress
	tracker := NewTracker(func(p linear.Progress) { last = p })
	tracker.Expect(20)
	path := tracker.steps(10, "Fold 1")
	for _, fraction := range []float64{.1, .1, .3, .24, .5} { // one λ, then three and five of ten
		path.reach(fraction)
	}
	tracker.Close()
	if last.Fraction != 5./20 || last.Message != "Fold 1, λ 5 of 10" {
		t.Errorf("half of the first of two paths: %+v", last)
	}
}

// TestFitOneWithoutDesign: a fold whose design failed is not fitted and returns that error.
func TestFitOneWithoutDesign(t *testing.T) {
	why := errors.New("no column is left")
	err := (&Folds{}).fitOne(t.Context(), nil, nil, &foldFit{part: &Part{keep: true, err: why}})
	if !errors.Is(err, why) {
		t.Errorf("%v, want %v", err, why)
	}
}

// TestTraceOfKeptStart: starts that end within rounding of each other: the iterations are those of the one named.
func TestTraceOfKeptStart(t *testing.T) {
	tr := &Trace{}
	for i := range 5 {
		tr.add(linear.Step{Start: "zero", Iteration: i, Objective: 6 - float64(i) + 1e-15})
	}
	for i := range 3 {
		tr.add(linear.Step{Start: "logistic", Iteration: i, Objective: 4 - float64(i)})
	}
	for start, want := range map[string]int{"zero": 5, "logistic": 3, "": 3, "other": 3} {
		if p := tr.Of(start); len(p) != want {
			t.Errorf("%q: %d points, want %d", start, len(p), want)
		}
	}
}
