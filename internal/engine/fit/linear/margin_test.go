package linear

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
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

func mustMargin(t testing.TB, x Matrix, y, v []float64, l loss.Margin, l2 float64, o MarginOptions) (*Linear, []StartReport) {
	t.Helper()
	fit, reports, err := Margin(context.Background(), x, y, v, l, l2, o)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, r := range reports {
		if r.Kept {
			kept++
			if r.Objective != fit.Objective {
				t.Fatalf("kept objective %v, fit has %v", r.Objective, fit.Objective)
			}
		}
	}
	if kept != 1 {
		t.Fatalf("%d starts kept", kept)
	}
	return fit, reports
}

// member returns a loss of a family with the given parameters.
func member(t testing.TB, family string, params map[string]float64) (loss.Margin, loss.Values) {
	t.Helper()
	f, ok := loss.FamilyByID(family)
	if !ok {
		t.Fatalf("no family %q", family)
	}
	v := loss.Values{}
	for _, p := range f.Params {
		v[p.Name] = p.Default
	}
	for name, number := range params {
		v[name] = loss.Value{Number: number}
	}
	return f.Margin(v), v
}

func TestOracleMarginFit(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range oracle.Read[oracleCase](t, "margin-fit") {
		t.Run(c.Name, func(t *testing.T) {
			seen[c.Params.Loss] = true
			params := map[string]float64{}
			switch c.Params.Loss {
			case "alpha":
				params["alpha"] = c.Params.Alpha
			case "tempered":
				params["t1"], params["t2"] = c.Params.T1, c.Params.T2
			}
			l, _ := member(t, c.Params.Loss, params)
			x, y := c.Inputs.design()
			fit, _ := mustMargin(t, x, y, nil, l, c.Params.Lambda, MarginOptions{})
			c.check(t, "objective", fit.Objective)
			for j, w := range fit.W {
				c.checkAt(t, "w", j, w)
			}
			c.check(t, "b", fit.B)
		})
	}
	if len(seen) < 5 {
		t.Fatalf("losses %v", seen)
	}
}

// trained are losses of different kinds: convex and not, smooth and with kinks, bounded, with
// zero loss beyond a margin.
func trained(t testing.TB) map[string]loss.Margin {
	all := map[string]loss.Margin{"hinge": loss.Hinge{}, "squared hinge": loss.SquaredHinge{}, "exponential": loss.Exponential{},
		"probit": loss.Probit{}, "ramp": loss.Ramp{S: -1}, "dwd": loss.DWD{}}
	for name, params := range map[string]map[string]float64{"half": {"alpha": .5}, "four": {"alpha": 4}, "infinite": {"alpha": math.Inf(1)}} {
		all["alpha "+name], _ = member(t, "alpha", params)
	}
	all["tempered"], _ = member(t, "tempered", map[string]float64{"t1": .1, "t2": 1.12})
	all["tempered compact"], _ = member(t, "tempered", map[string]float64{"t1": .5, "t2": .5})
	all["tempered convex"], _ = member(t, "tempered", map[string]float64{"t1": 1.4, "t2": 1.2})
	all["t-logistic"], _ = member(t, "t-logistic", map[string]float64{"t": 1.6})
	return all
}

// marginObjective is the objective, from its definition.
func marginObjective(x Matrix, y, v []float64, l loss.Margin, l2 float64, fit *Linear) float64 {
	sum, total, sq := 0.0, 0.0, 0.0
	for i := range y {
		c := 1.0
		if v != nil {
			c = v[i]
		}
		if c > 0 {
			sum += c * l.Value(y[i], y[i]*fit.Score(x.Row(i)))
			total += c
		}
	}
	for _, w := range fit.W {
		sq += w * w
	}
	return sum/total + l2/2*sq
}

// TestMarginGradient compares values and gradients with the definition and its central
// differences, for every smooth loss at random points.
func TestMarginGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for name, l := range trained(t) {
		if g, ok := l.(loss.Regimer); ok && len(g.Regime().Kinks) > 0 {
			continue
		}
		for range 5 {
			x, y, v := randomProblem(r)
			set, err := newSample(x, y, v)
			if err != nil {
				t.Fatal(err)
			}
			e := newEntropy(context.Background(), set, newRows(x, newTeam(0)))
			e.other, e.l2 = newSurrogate(l, e.rows), .3
			for j := range e.theta {
				e.theta[j] = .3 * r.NormFloat64() / math.Sqrt(float64(x.Cols))
			}
			for i := range x.Data {
				x.Data[i] = max(-5, min(5, x.Data[i]))
			}
			e.pass()
			at := func(theta []float64) float64 {
				d := len(theta) - 1
				return marginObjective(x, y, v, l, .3, &Linear{W: theta[:d], B: theta[d]})
			}
			if want := at(e.theta); !(math.Abs(e.value-want) <= 1e-12*(1+want)) {
				t.Errorf("%s: value %v, want %v", name, e.value, want)
			}
			for j := range e.theta {
				const h = 1e-5
				up, down := slices.Clone(e.theta), slices.Clone(e.theta)
				up[j] += h
				down[j] -= h
				want := (at(up) - at(down)) / (2 * h)
				if !(math.Abs(e.grad[j]-want) <= 1e-5*(1+math.Abs(want))) {
					t.Errorf("%s: gradient %d is %v, differences give %v", name, j, e.grad[j], want)
				}
			}
		}
	}
}

// TestMarginIsAMinimum: no neighbour of a fit has a lower objective, the reported objective is
// that of the definition, and no other start ended lower.
func TestMarginIsAMinimum(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 2))
	x, y := simulate(11, 250, 4)
	for i := range y { // flip some labels of both classes
		if r.Float64() < .08 {
			y[i] = -y[i]
		}
	}
	v := make([]float64, len(y))
	for i := range v {
		v[i] = float64(i%3) + .5
	}
	for name, l := range trained(t) {
		fit, reports := mustMargin(t, x, y, v, l, .02, MarginOptions{Random: 2})
		p := marginObjective(x, y, v, l, .02, fit)
		if !(math.Abs(p-fit.Objective) <= 1e-11*(1+p)) {
			t.Errorf("%s: objective %v, recomputed %v", name, fit.Objective, p)
		}
		slack := 1e-9
		switch name {
		case "hinge":
			slack = 1.1e-6 // the certified gap
		case "ramp":
			slack = 1e-3 // twice width/4 of the last smoothing
		}
		for range 200 {
			if q := marginObjective(x, y, v, l, .02, neighbour(r, fit)); q < p-slack {
				t.Errorf("%s: a neighbour has %v < %v", name, q, p)
				break
			}
		}
		for _, s := range reports {
			if s.Objective < fit.Objective*(1-2*sameMinimum) {
				t.Errorf("%s: start %s reached %v, kept %v", name, s.Start, s.Objective, fit.Objective)
			}
		}
		convex := isConvex(l)
		if convex != (len(reports) == 1) {
			t.Errorf("%s: convex %v, %d starts", name, convex, len(reports))
		}
	}
}

// TestLogisticIsAMargin: the specialised logistic code and the general loss give the same fit,
// as does α = 1.
func TestLogisticIsAMargin(t *testing.T) {
	x, y := simulate(12, 300, 5)
	want := mustLogistic(t, x, y, nil, .01, LogisticOptions{})
	one, _ := member(t, "alpha", map[string]float64{"alpha": 1})
	both, _ := member(t, "tempered", map[string]float64{"t1": 1, "t2": 1})
	for name, l := range map[string]loss.Margin{"logistic": loss.Logistic{}, "alpha 1": one, "tempered 1 1": both} {
		fit, _ := mustMargin(t, x, y, nil, l, .01, MarginOptions{})
		same(t, name, fit, want, 1e-5)
	}
}

// TestHingeIsCertified: the hinge loss is fitted by the interval solver with a certified gap,
// and its objective is that of the hinge loss.
func TestHingeIsCertified(t *testing.T) {
	x, y := simulate(13, 200, 3)
	fit, _ := mustMargin(t, x, y, nil, loss.Hinge{}, .05, MarginOptions{Given: []*Linear{{W: []float64{1, 1, 1}}}})
	if fit.Gap == nil || *fit.Gap > 1e-6 {
		t.Fatalf("gap %v", fit.Gap)
	}
	if p := marginObjective(x, y, nil, loss.Hinge{}, .05, fit); !(math.Abs(p-fit.Objective) <= 1e-10) {
		t.Errorf("objective %v, recomputed %v", fit.Objective, p)
	}
	iv, err := loss.NewInterval([]float64{.2, .6})
	if err != nil {
		t.Fatal(err)
	}
	fit, _ = mustMargin(t, x, y, nil, iv, .05, MarginOptions{})
	want, err := Interval(context.Background(), x, y, nil, iv, .05, IntervalOptions{})
	if err != nil || !slices.Equal(fit.W, want.W) || fit.B != want.B {
		t.Errorf("interval by Margin %+v, by Interval %+v (%v)", fit, want, err)
	}
}

// TestSmoothRamp: the smoothed ramp is within width/4 of the ramp, and its slope is the
// derivative of its value.
func TestSmoothRamp(t *testing.T) {
	r := loss.Ramp{S: -.5}
	for _, l := range smoothRamps(r) {
		w := l.(smoothRamp).width
		for z := -3.0; z < 3; z += .0137 {
			if d := math.Abs(l.Value(1, z) - r.Value(1, z)); d > w/4+1e-15 {
				t.Errorf("width %v: off by %v at %v", w, d, z)
			}
			const h = 1e-7
			if want := (l.Value(1, z+h) - l.Value(1, z-h)) / (2 * h); !(math.Abs(l.Slope(1, z)-want) <= 1e-3) {
				t.Errorf("width %v: slope %v at %v, differences give %v", w, l.Slope(1, z), z, want)
			}
		}
	}
}

// TestSeveralMinima: many rows near the decision boundary and one far cluster of wrong labels.
// A bounded loss has a minimum for either; the lower one is returned, and the fit reports two.
func TestSeveralMinima(t *testing.T) {
	x, y := Matrix{Cols: 1}, []float64(nil)
	for i := range 60 {
		x.Data = append(x.Data, .5+float64(i%7)/10)
		y = append(y, 1)
		x.Data = append(x.Data, -.5-float64(i%5)/10)
		y = append(y, -1)
	}
	for range 40 {
		x.Data = append(x.Data, 12)
		y = append(y, -1)
	}
	x.Rows = len(y)
	l, v := member(t, "tempered", map[string]float64{"t1": 0, "t2": 1.5})
	fit, reports := mustMargin(t, x, y, nil, l, 1e-3, MarginOptions{Path: Soften("tempered", v), Given: []*Linear{{W: []float64{4}}, {W: []float64{-4}}}, Random: 3})
	names := make([]string, len(reports))
	for i, r := range reports {
		names[i] = r.Start
	}
	if !slices.Equal(names, []string{"zero", "logistic", "graduated", "random 1", "random 2", "random 3", "given 1", "given 2"}) {
		t.Errorf("starts %v", names)
	}
	if !slices.ContainsFunc(fit.Warnings, func(w string) bool { return strings.Contains(w, "several minima") }) {
		t.Errorf("warnings %q, reports %+v", fit.Warnings, reports)
	}
	if fit.W[0] < 0 {
		t.Errorf("kept w = %v: %+v", fit.W[0], reports)
	}
}

// TestCounterExample: the four points of Sypherd et al. 2023 with every third copy flipped, no
// intercept and a very small penalty. The expected minima were computed by Newton's method with
// 50 digits (docs/errata.md, Sypherd 3); from zero, α = 2 ends in another one.
func TestCounterExample(t *testing.T) {
	const g = .05
	x, y := Matrix{Rows: 12, Cols: 2}, []float64(nil)
	for _, label := range []float64{1, 1, -1} {
		for _, p := range [][]float64{{1, 0}, {g, -g}, {g, -g}, {g, 5 * g}} {
			x.Data = append(x.Data, p...)
			y = append(y, label)
		}
	}
	near := &Linear{W: []float64{30, .5}}
	for _, c := range []struct {
		alpha       float64
		w, atZero   [2]float64
		risk, right float64
	}{
		{1, [2]float64{.788930, 1.412206}, [2]float64{.788930, 1.412206}, .670328212, 2},
		{2, [2]float64{27.725087, 8.9e-5}, [2]float64{1.667338, 2.63095}, .548632519, 4},
		{3, [2]float64{41.588831, 0}, [2]float64{41.588831, 0}, .469968566, 4},
	} {
		l, _ := member(t, "alpha", map[string]float64{"alpha": c.alpha})
		o := MarginOptions{NoIntercept: true, GradTol: 1e-12, Given: []*Linear{near}}
		fit, reports := mustMargin(t, x, y, nil, l, 1e-14, o)
		right := 0.0
		for i := range 4 {
			if fit.Score(x.Row(i)) > 0 {
				right++
			}
		}
		if !(math.Abs(fit.W[0]-c.w[0]) <= 1e-3) || !(math.Abs(fit.W[1]-c.w[1]) <= 1e-3) || fit.B != 0 || !(math.Abs(fit.Objective-c.risk) <= 2e-9) || right != c.right {
			t.Errorf("α = %v: (%v, %v), objective %.10f, %v right: %+v", c.alpha, fit.W, fit.B, fit.Objective, right, reports)
		}
		o.Only = []string{"zero"}
		fit, reports = mustMargin(t, x, y, nil, l, 1e-14, o)
		if len(reports) != 1 {
			t.Errorf("starts %+v", reports)
		}
		if !(math.Abs(fit.W[0]-c.atZero[0]) <= 1e-2) || !(math.Abs(fit.W[1]-c.atZero[1]) <= 1e-2) {
			t.Errorf("α = %v from zero: %v, want %v", c.alpha, fit.W, c.atZero)
		}
	}
}

// TestMarginInfiniteStart: a start at which the loss is infinite is shrunk until it is finite.
func TestMarginInfiniteStart(t *testing.T) {
	x, y := simulate(14, 100, 2)
	l, _ := member(t, "tempered", map[string]float64{"t1": 1.2, "t2": .6})
	for _, s := range []float64{1e3, 1e200} {
		fit, reports := mustMargin(t, x, y, nil, l, .1, MarginOptions{Given: []*Linear{{W: []float64{s, -s}}}})
		for _, r := range reports {
			if math.IsInf(r.Objective, 0) || math.IsNaN(r.Objective+r.GradientNorm) {
				t.Errorf("start %s: %+v", r.Start, r)
			}
		}
		if math.IsNaN(fit.B) {
			t.Error("NaN")
		}
	}
}

// smoothTrained are the smooth losses of trained, for which L-BFGS converges to the last
// digits.
func smoothTrained(t testing.TB) map[string]loss.Margin {
	all := trained(t)
	for _, name := range []string{"tempered compact", "ramp", "hinge"} {
		delete(all, name)
	}
	return all
}

func TestMarginDuplicatesAreWeights(t *testing.T) {
	x, y := simulate(15, 160, 3)
	v := make([]float64, len(y))
	twice, labels := Matrix{Cols: 3}, []float64(nil)
	for i := range y {
		v[i] = float64(i % 4)
		for range i % 4 {
			twice.Data = append(twice.Data, x.Row(i)...)
			labels = append(labels, y[i])
		}
	}
	twice.Rows = len(labels)
	for name, l := range smoothTrained(t) {
		a, _ := mustMargin(t, x, y, v, l, .1, MarginOptions{})
		b, _ := mustMargin(t, twice, labels, nil, l, .1, MarginOptions{})
		same(t, name, a, b, 1e-5)
	}
}

func TestMarginRowOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 3))
	x, y := simulate(16, 200, 3)
	shuffled, labels := Matrix{Rows: 200, Cols: 3}, []float64(nil)
	for _, i := range r.Perm(200) {
		shuffled.Data = append(shuffled.Data, x.Row(i)...)
		labels = append(labels, y[i])
	}
	for name, l := range smoothTrained(t) {
		a, _ := mustMargin(t, x, y, nil, l, .1, MarginOptions{})
		b, _ := mustMargin(t, shuffled, labels, nil, l, .1, MarginOptions{})
		same(t, name, a, b, 1e-5)
	}
}

// TestMarginScale: features times c with λ times c² give the same scores, and reversed labels
// the negative ones.
func TestMarginScale(t *testing.T) {
	x, y := simulate(17, 200, 3)
	scaled, turned := Matrix{Rows: 200, Cols: 3}, make([]float64, len(y))
	for _, c := range x.Data {
		scaled.Data = append(scaled.Data, 50*c)
	}
	for i := range y {
		turned[i] = -y[i]
	}
	for name, l := range smoothTrained(t) {
		a, _ := mustMargin(t, x, y, nil, l, .1, MarginOptions{})
		b, _ := mustMargin(t, scaled, y, nil, l, .1*2500, MarginOptions{})
		same(t, name+" scaled", a, b.timesWeights(50), 1e-5)
		c, _ := mustMargin(t, x, turned, nil, l, .1, MarginOptions{})
		same(t, name+" turned", a, c.times(-1), 1e-5)
	}
}

func (l *Linear) timesWeights(c float64) *Linear {
	s := l.times(c)
	s.B = l.B
	return s
}

func TestMarginSameBits(t *testing.T) {
	x, y := simulate(18, 6000, 12)
	for name, l := range trained(t) {
		var fits []*Linear
		for _, cores := range []int{1, 4} {
			old := runtime.GOMAXPROCS(cores)
			fit, _ := mustMargin(t, x, y, nil, l, .01, MarginOptions{MaxIter: 40})
			fits = append(fits, fit)
			runtime.GOMAXPROCS(old)
		}
		if !reflect.DeepEqual(fits[0], fits[1]) {
			t.Errorf("%s: one core and four differ: %+v %+v", name, fits[0], fits[1])
		}
	}
}

func TestMarginSeed(t *testing.T) {
	if slices.Equal(scatter(1, 0, 5, 0), scatter(2, 0, 5, 0)) || slices.Equal(scatter(1, 0, 5, 0), scatter(1, 1, 5, 0)) || !slices.Equal(scatter(1, 1, 5, 0), scatter(1, 1, 5, 0)) {
		t.Error("random starts do not follow the seed")
	}
}

func TestMarginCancel(t *testing.T) {
	testtime.TwoCores(t)
	x, y := simulate(19, 60000, 30)
	l, _ := member(t, "tempered", map[string]float64{"t1": .3, "t2": 1.6})
	ctx, cancel := context.WithCancel(context.Background())
	var stopped time.Duration
	_, _, err := Margin(ctx, x, y, nil, l, 1e-5, MarginOptions{Report: func(p Progress) {
		if stopped == 0 {
			stopped = testtime.Spent()
			cancel()
		}
	}})
	if late := testtime.Spent() - stopped; !errors.Is(err, context.Canceled) || late > promptly {
		t.Errorf("error %v after %v", err, late)
	}
}

func TestMarginErrors(t *testing.T) {
	x, y := simulate(20, 6, 2)
	for want, c := range map[string]struct {
		l  loss.Margin
		l2 float64
	}{
		"zero-one cannot be trained":               {loss.ZeroOne{}, 1},
		"lambda must be a positive number (got 0)": {loss.Logistic{}, 0},
		"lambda must be":                           {loss.Hinge{}, -1},
	} {
		_, _, err := Margin(context.Background(), x, y, nil, c.l, c.l2, MarginOptions{})
		if !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	x.Data[3] = math.NaN()
	for _, l := range []loss.Margin{loss.Logistic{}, loss.Hinge{}} {
		if _, _, err := Margin(context.Background(), x, y, nil, l, 1, MarginOptions{}); err == nil || !strings.Contains(err.Error(), "Row 2, column 2") {
			t.Errorf("error %v", err)
		}
	}
}

func TestMarginSeparation(t *testing.T) {
	x := Matrix{4, 1, []float64{-2, -1, 1, 2}}
	l, _ := member(t, "alpha", map[string]float64{"alpha": 2})
	fit, _ := mustMargin(t, x, []float64{-1, -1, 1, 1}, nil, l, 1e-4, MarginOptions{})
	if !slices.Contains(fit.Warnings, separated) {
		t.Errorf("warnings %q", fit.Warnings)
	}
}

// TestSoften: the path of losses starts close to the logistic loss and ends close to the
// target.
func TestSoften(t *testing.T) {
	for family, params := range map[string]map[string]float64{"alpha": {"alpha": 8}, "t-logistic": {"t": 1.9}, "tempered": {"t1": .2, "t2": 1.4}} {
		l, v := member(t, family, params)
		path := Soften(family, v)
		if len(path) == 0 {
			t.Fatalf("%s has no path", family)
		}
		logit := func(l loss.Margin) float64 { return math.Abs(l.Slope(1, -3) - loss.Logistic{}.Slope(1, -3)) }
		last := 0.0
		for k, p := range append(path, l) {
			if d := logit(p); d <= last {
				t.Errorf("%s: step %d is no further from logistic (%v after %v)", family, k, d, last)
			} else {
				last = d
			}
		}
	}
	_, v := member(t, "alpha", map[string]float64{"alpha": .7})
	if p := Soften("alpha", v); p != nil {
		t.Errorf("a path of %d for a convex loss", len(p))
	}
	_, v = member(t, "alpha", map[string]float64{"alpha": math.Inf(1)})
	if p := Soften("alpha", v); len(p) == 0 {
		t.Error("no path to an infinite α")
	}
	if Soften("hinge", nil) != nil {
		t.Error("a path to the hinge")
	}
}
