package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
	"taper/internal/testtime"
	"taper/testdata/oracle"
)

var quartiles = func() loss.Interval {
	iv, err := loss.NewInterval([]float64{.25, .5, .75})
	if err != nil {
		panic(err)
	}
	return iv
}()

func mustFit(t testing.TB, x Matrix, y, v []float64, l2 float64, o IntervalOptions) *Linear {
	t.Helper()
	fit, err := Interval(context.Background(), x, y, v, quartiles, l2, o)
	if err != nil {
		t.Fatal(err)
	}
	return fit
}

// same compares two fits of the same optimum.
func same(t *testing.T, what string, a, b *Linear, tol float64) {
	t.Helper()
	if !(math.Abs(a.Objective-b.Objective) <= tol) || !(math.Abs(a.B-b.B) <= tol) {
		t.Errorf("%s: objective %v, %v; intercept %v, %v", what, a.Objective, b.Objective, a.B, b.B)
	}
	for j := range a.W {
		if !(math.Abs(a.W[j]-b.W[j]) <= tol) {
			t.Errorf("%s: weight %d is %v, %v", what, j, a.W[j], b.W[j])
		}
	}
}

func TestOracleIntervalFit(t *testing.T) {
	for _, c := range oracle.Read[oracleCase](t, "interval-fit") {
		t.Run(c.Name, func(t *testing.T) {
			x, y := c.Inputs.design()
			iv, err := loss.NewInterval(c.Params.Pi)
			if err != nil {
				t.Fatal(err)
			}
			fit, err := Interval(context.Background(), x, y, nil, iv, c.Params.Lambda, IntervalOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if *fit.Gap > 1e-6 {
				t.Errorf("gap %g", *fit.Gap)
			}
			c.check(t, "objective", fit.Objective)
			c.check(t, "b", fit.B)
			for j, w := range fit.W {
				c.checkAt(t, "w", j, w)
			}
			for i := range y {
				f := fit.Score(x.Row(i))
				c.checkAt(t, "score", i, f)
				c.checkAt(t, "index", i, float64(iv.Band(f)))
			}
		})
	}
}

func TestIntervalInvariance(t *testing.T) {
	x, y := simulate(3, 120, 7)
	for i := range y {
		x.Data[i*7+6] = 1 // a constant column gets weight 0 and changes nothing else
	}
	v := make([]float64, len(y))
	for i := range v {
		v[i] = float64(i % 3)
	}
	base := mustFit(t, x, y, v, .01, IntervalOptions{})
	if !(math.Abs(base.W[6]) <= 1e-9) {
		t.Errorf("constant column has weight %v", base.W[6])
	}
	for i := range v {
		v[i] *= 7
	}
	same(t, "scaled weights", base, mustFit(t, x, y, v, .01, IntervalOptions{}), 1e-6)
	reversed, rev := Matrix{Cols: 7}, []float64{}
	for i := len(y) - 1; i >= 0; i-- {
		for range i % 3 { // weights as copies; weight zero as no copy
			reversed.Data = append(reversed.Data, x.Row(i)...)
			rev = append(rev, y[i])
		}
	}
	reversed.Rows = len(rev)
	same(t, "copies in reverse", base, mustFit(t, reversed, rev, nil, .01, IntervalOptions{}), 1e-6)
	start := &Linear{W: slices.Repeat([]float64{5}, 7), B: -40}
	same(t, "far start", base, mustFit(t, x, y, v, .01, IntervalOptions{Start: start}), 1e-6)
}

// TestHinge: with π = {1/2} the surrogate is log 2 times the hinge loss of z/(2 log 2). Three
// points have the closed form of a support vector machine: x = −1, 0, 1 with labels −, +, + and
// a small λ give f = ∓2 log 2 at the first two.
func TestHinge(t *testing.T) {
	iv, err := loss.NewInterval([]float64{.5})
	if err != nil {
		t.Fatal(err)
	}
	x := Matrix{3, 1, []float64{-1, 0, 1}}
	fit, err := Interval(context.Background(), x, []float64{-1, 1, 1}, nil, iv, 1e-4, IntervalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if w := 4 * math.Ln2; !(math.Abs(fit.W[0]-w) <= 1e-9) || !(math.Abs(fit.B-2*math.Ln2) <= 1e-9) {
		t.Errorf("w = %v, b = %v, want %v, %v", fit.W[0], fit.B, w, 2*math.Ln2)
	}
}

func TestIntervalPathIsEachFit(t *testing.T) {
	x, y := simulate(5, 200, 6)
	l2s := []float64{.01, 8, 1e-4, .3, 8}
	var fractions []float64
	o := IntervalOptions{Report: func(p Progress) { fractions = append(fractions, p.Fraction) }}
	fits, err := IntervalPath(context.Background(), x, y, nil, quartiles, l2s, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, l2 := range l2s {
		same(t, "path", fits[i], mustFit(t, x, y, nil, l2, IntervalOptions{}), 1e-6)
	}
	if len(fractions) < len(l2s) || !slices.IsSorted(fractions) || fractions[len(fractions)-1] != 1 {
		t.Errorf("fractions %v", fractions)
	}
}

// TestIntervalStartsNearby: a fit that starts from one with other boundaries, and with its multipliers, reaches the
// optimum of a fit from the best constant score, in fewer steps; with more columns than rows as well.
func TestIntervalStartsNearby(t *testing.T) {
	for _, size := range [][2]int{{300, 40}, {60, 80}} {
		x, y := noisyRows(5, size[0], size[1])
		var last *Linear
		far, near := 0, 0
		for k := range 12 {
			iv, err := loss.NewInterval([]float64{.2 + .01*float64(k), .5, .75})
			if err != nil {
				t.Fatal(err)
			}
			fit := func(o IntervalOptions) *Linear {
				l, err := Interval(context.Background(), x, y, nil, iv, .02, o)
				if err != nil || l.Stopped != "gap" {
					t.Fatal(l, err)
				}
				return l
			}
			cold := fit(IntervalOptions{})
			warm := fit(IntervalOptions{Start: last, Keep: true})
			same(t, fmt.Sprint(size, k), cold, warm, 1e-8)
			if cold.multipliers != nil || len(warm.multipliers) != size[0] {
				t.Fatal("multipliers are kept where nobody asks, or not where somebody does")
			}
			if last != nil {
				far, near = far+cold.Iterations, near+warm.Iterations
			}
			last = warm
		}
		if t.Logf("%v: %d steps from the best constant score, %d from the fit before", size, far, near); 3*near > 2*far {
			t.Error("a start nearby saves less than a third of the steps")
		}
	}
}

// TestWideDesign fits more columns than rows. Adding copies with weight zero makes it a tall
// design, which the solver handles by other code.
func TestWideDesign(t *testing.T) {
	x, y := simulate(6, 40, 150)
	tall, labels := Matrix{160, 150, slices.Repeat(x.Data, 4)}, slices.Repeat(y, 4)
	v := make([]float64, 160)
	for i := range 40 {
		v[i] = 1
	}
	for _, l2 := range []float64{math.Exp2(-15), .05, 100} {
		wide := mustFit(t, x, y, nil, l2, IntervalOptions{})
		if *wide.Gap > 1e-6 {
			t.Errorf("λ=%g: gap %g", l2, *wide.Gap)
		}
		same(t, "wide", wide, mustFit(t, tall, labels, v, l2, IntervalOptions{}), 1e-6)
		again := mustFit(t, x, y, nil, l2, IntervalOptions{Start: wide})
		same(t, "restart", wide, again, 1e-6)
	}
}

func TestSubgradient(t *testing.T) {
	x, y := simulate(7, 150, 4)
	exact := mustFit(t, x, y, nil, .1, IntervalOptions{})
	o := IntervalOptions{Solver: SolverSubgradient, MaxIter: 4000, Gap: 1e-9}
	slow := mustFit(t, x, y, nil, .1, o)
	if slow.Stopped != "iterations" || slow.Iterations != 4000 || len(slow.Warnings) != 1 {
		t.Errorf("stopped %q after %d with %q", slow.Stopped, slow.Iterations, slow.Warnings)
	}
	missing := (slow.Objective - exact.Objective) / slow.Objective
	if missing < 0 || missing > *slow.Gap || *slow.Gap > .01 {
		t.Errorf("true gap %g, certified %g", missing, *slow.Gap)
	}
	o.Gap = .05
	if fit := mustFit(t, x, y, nil, .1, o); fit.Stopped != "gap" || *fit.Gap > .05 || fit.Iterations >= 4000 {
		t.Errorf("stopped %q after %d at gap %g", fit.Stopped, fit.Iterations, *fit.Gap)
	}
}

func TestIntervalErrors(t *testing.T) {
	x, y := simulate(8, 6, 2)
	copy(y, []float64{1, -1, 1, -1, 1, -1})
	bad := slices.Clone(x.Data)
	bad[5] = math.NaN()
	for _, c := range []struct {
		name string
		x    Matrix
		y, v []float64
		l2   float64
		o    IntervalOptions
		want string
	}{
		{"one class", x, slices.Repeat([]float64{1}, 6), nil, 1, IntervalOptions{}, "All 6 training rows are with the event"},
		{"other class", x, slices.Repeat([]float64{-1}, 6), nil, 1, IntervalOptions{}, "All 6 training rows are without the event"},
		{"one class has no weight", x, y, []float64{1, 0, 1, 0, 1, 0}, 1, IntervalOptions{}, "All 3 training rows are with"},
		{"no weight", x, y, make([]float64, 6), 1, IntervalOptions{}, "No row is left"},
		{"no row", Matrix{0, 2, nil}, nil, nil, 1, IntervalOptions{}, "No row is left"},
		{"no column", Matrix{6, 0, nil}, y, nil, 1, IntervalOptions{}, "no column"},
		{"negative weight", x, y, []float64{1, 1, 1, -2, 1, 1}, 1, IntervalOptions{}, "Row 4 has the weight -2"},
		{"label", x, []float64{1, -1, 0, 1, 1, 1}, nil, 1, IntervalOptions{}, "Row 3 has the label 0"},
		{"NaN", Matrix{6, 2, bad}, y, nil, 1, IntervalOptions{}, "Row 3, column 2"},
		{"λ = 0", x, y, nil, 0, IntervalOptions{}, "lambda must be a positive number (got 0)"},
		{"λ = NaN", x, y, nil, math.NaN(), IntervalOptions{}, "lambda must be a positive number"},
		{"solver", x, y, nil, 1, IntervalOptions{Solver: "magic"}, `(got ‘magic’)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Interval(context.Background(), c.x, c.y, c.v, quartiles, c.l2, c.o)
			if !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestCancel cancels running fits; their goroutines end too.
func TestCancel(t *testing.T) {
	testtime.TwoCores(t)
	x, y := simulate(9, 20000, 40)
	before := runtime.NumGoroutine()
	for name, fit := range map[string]func(context.Context) error{
		"interval": func(ctx context.Context) error {
			_, err := IntervalPath(ctx, x, y, nil, quartiles, slices.Repeat([]float64{1e-5}, 1000), IntervalOptions{})
			return err
		},
		"subgradient": func(ctx context.Context) error {
			_, err := Interval(ctx, x, y, nil, quartiles, 1e-5, IntervalOptions{Solver: SolverSubgradient, MaxIter: 1e6})
			return err
		},
		"logistic": func(ctx context.Context) error {
			_, err := LogisticPath(ctx, x, y, nil, slices.Repeat([]float64{1e-5, 1e-7}, 1000), LogisticOptions{})
			return err
		},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		var stopped time.Duration
		timer := time.AfterFunc(30*time.Millisecond, func() { stopped = testtime.Spent(); cancel() })
		err := fit(ctx)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		} else if late := testtime.Spent() - stopped; late > promptly {
			t.Errorf("%s: ended %v after the cancellation", name, late)
		}
		timer.Stop()
		cancel()
	}
	testtime.Until(t, "the last goroutine", func() bool { return runtime.NumGoroutine() <= before })
}

// TestSameBits fits with 1, 2 and 4 processors.
func TestSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	tall, y := simulate(10, 6000, 20)
	wide, z := simulate(11, 300, 400)
	var first []*Linear
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		fits := []*Linear{
			mustFit(t, tall, y, nil, 1e-3, IntervalOptions{}),
			mustFit(t, wide, z, nil, 1e-3, IntervalOptions{}),
			mustLogistic(t, tall, y, nil, 1e-5, LogisticOptions{}),
		}
		if first == nil {
			first = fits
			continue
		}
		for i, f := range fits {
			if !slices.Equal(f.W, first[i].W) || f.B != first[i].B || f.Objective != first[i].Objective {
				t.Errorf("fit %d differs on %d processors", i, procs)
			}
		}
	}
}

// TestNewtonAllocatesNothing measures whole stages, except for their certificates.
func TestNewtonAllocatesNothing(t *testing.T) {
	x, y := simulate(12, 1000, 30)
	set, err := newSample(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	team := newTeam(0)
	s, _ := prepare(context.Background(), set, newKinks(quartiles), newRows(x, team))
	s.l2 = .01
	stage := func() {
		for _, width := range []float64{1, .1, .01} {
			s.rows.apply(s.f, s.theta)
			s.bend(width)
			if err := s.solve(1e-9, 1e-14, 50); err != nil {
				t.Fatal(err)
			}
		}
		clear(s.theta)
	}
	stage() // allocates the buffers
	if n := testing.AllocsPerRun(5, stage); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
