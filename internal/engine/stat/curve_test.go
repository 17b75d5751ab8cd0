package stat

import (
	"strings"
	"taper/internal/engine/odds"

	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// forecasts is 300 rows with a curved miscalibration, by a formula that any
// language can redo.
func forecasts() (p []float64, event []bool) {
	for i := range 300 {
		v := float64(i)
		x := -0.8 + 3.2*math.Sin(1.7*v+0.3) + 0.7*math.Cos(0.9*v)
		f := 0.4 + 0.7*x + 0.06*x*math.Abs(x)
		p, event = append(p, odds.Sigmoid(x)), append(event, math.Mod(v*0.6180339887498949, 1) < odds.Sigmoid(f))
	}
	return p, event
}

// Reference: scipy 1.10.1 optimize.minimize(method="trust-exact") on the
// negative log likelihood, numpy 1.24.2 linalg.inv of its Hessian; 1, logit p
// and offset logit p for the lines, the truncated powers of Harrell's formula
// with knots at numpy.quantile (.05, .275, .5, .725, .95) for the curve.
func TestRecalibrateAgainstScipy(t *testing.T) {
	p, event := forecasts()
	r := Recalibrate(p, event)
	close(t, "intercept", *r.Intercept.Value, 0.41618826645890866, 1e-9)
	close(t, "intercept low", *r.Intercept.Low, 0.41618826645890866-Z95*0.1711171010253366, 1e-9)
	close(t, "joint intercept", *r.JointIntercept, 0.4050327147698018, 1e-9)
	close(t, "slope", *r.Slope.Value, 0.9738121860556873, 1e-9)
	close(t, "slope high", *r.Slope.High, 0.9738121860556873+Z95*0.10047129659984208, 1e-9)
	o := ObservedExpected(p, event)
	close(t, "O/E", *o.Value, 1.1161300147762696, 1e-12)
}

func TestCalibrationCurveAgainstScipy(t *testing.T) {
	p, event := forecasts()
	s := CalibrationCurve(p, event, 5, 10)
	if s.Knots != 5 {
		t.Fatalf("%d knots", s.Knots)
	}
	whole := wholeCurve(p, event, 5)
	for i, want := range []SmoothPair{
		{0.009125642632503053, 2.6793311554415634e-05, 8.984056532503918e-09, 0.07399729374721942},
		{0.24575252672481296, 0.37316511832502525, 0.2525123055737548, 0.5119810905847278},
		{0.4823794108171228, 0.5548161713162433, 0.421817951495945, 0.6804007373607567},
		{0.7190062949094327, 0.7886133621966159, 0.6653437114413554, 0.8750070752630862},
		{0.9556331790017426, 0.9518729937781152, 0.7649241213030008, 0.9917504100934698},
	} {
		close(t, "predicted", whole[i].Predicted, want.Predicted, 1e-12)
		close(t, "observed", whole[i].Observed, want.Observed, 1e-8)
		close(t, "low", whole[i].Low, want.Low, 1e-8)
		close(t, "high", whole[i].High, want.High, 1e-8)
	}
	close(t, "ICI", *s.ICI, 0.055654260603069876, 1e-8)
	close(t, "E50", *s.E50, 0.042175591331823144, 1e-8)
	close(t, "E90", *s.E90, 0.13881632021682785, 1e-8)
	close(t, "Emax", *s.EMax, 0.16301840024433883, 1e-8)
}

// wholeCurve is the curve over all risks predicted, its ends with no row beyond them.
func wholeCurve(p []float64, event []bool, points int) (all []SmoothPair) {
	c, _ := smooth(p, event)
	for _, q := range floats.Span(make([]float64, points), slices.Min(p), slices.Max(p)) {
		all = append(all, c.pair(q))
	}
	return all
}

// TestCalibrationCurveEnds: the curve leaves out the four lowest and the four highest of
// the predictions, and of long data 1 % at each end.
func TestCalibrationCurveEnds(t *testing.T) {
	p, event := forecasts() // 300 rows: 1 % are three
	sorted := slices.Sorted(slices.Values(p))
	long, longEvent := slices.Repeat(p, 4), slices.Repeat(event, 4)
	few := []float64{.1, .2, .3, .4, .5, .6, .7, .8}
	for _, c := range []struct {
		name      string
		p         []float64
		event     []bool
		low, high float64
	}{
		{"short", p, event, sorted[4], sorted[295]},
		{"1,200 rows, twelve left out", long, longEvent, sorted[3], sorted[296]},
		{"too few for any", few, []bool{false, true, false, true, false, true, false, true}, 0, 0},
		{"five of each of two risks", slices.Repeat([]float64{.2, .7}, 5),
			slices.Repeat([]bool{true, true, false, true, false}, 2), .2, .7},
		{"one risk between the ends", append(slices.Repeat([]float64{.5}, 9), .1, .9),
			[]bool{true, false, true, false, true, false, true, false, true, false, false}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := CalibrationCurve(c.p, c.event, 7, 4)
			if s.ICI == nil {
				t.Fatal("no curve was fitted")
			}
			if c.low == c.high {
				if s.Points != nil || s.Ends() != "" {
					t.Errorf("points %v, said %q", s.Points, s.Ends())
				}
				return
			}
			if s.Ends() == "" {
				t.Error("the curve does not say where it ends")
			}
			if len(s.Points) != 7 {
				t.Fatalf("%d points", len(s.Points))
			}
			close(t, "low", s.Points[0].Predicted, c.low, 1e-15)
			close(t, "high", s.Points[6].Predicted, c.high, 1e-15)
		})
	}
}

// The classes swapped mirror the curve; the maximum-likelihood fit with an
// intercept makes the mean of ĉ(p) the share of events.
func TestCalibrationCurveProperties(t *testing.T) {
	p, event := forecasts()
	swapped, other := make([]float64, len(p)), make([]bool, len(p))
	for i := range p {
		swapped[i], other[i] = 1-p[i], !event[i]
	}
	a, b := CalibrationCurve(p, event, 9, 5), CalibrationCurve(swapped, other, 9, 5)
	for i, x := range a.Points {
		y := b.Points[8-i]
		close(t, "mirrored", 1-y.Observed, x.Observed, 1e-7)
		close(t, "mirrored band", 1-y.High, x.Low, 1e-7)
	}
	c, _ := smooth(p, event)
	sum := 0.0
	for _, q := range p {
		f, _ := c.at(c.row(q))
		sum += odds.Sigmoid(f)
	}
	close(t, "mean of the curve", sum/300, share(event), 1e-10)
}

// TestCurveOfSample: the errors of the curve of a bootstrap sample have the bits of those of the sample written
// out, whichever rows it has and however many knots it holds.
func TestCurveOfSample(t *testing.T) {
	p, event := forecasts()
	coarse := make([]float64, len(p)) // risks of one digit: samples with equal quantiles have fewer knots
	for i, q := range p {
		coarse[i] = math.Round(q*10) / 10
	}
	for name, p := range map[string][]float64{"300 rows": p, "rounded": coarse, "20 rows": p[:20], "8 rows": coarse[:8]} {
		event := event[:len(p)]
		all, knots, none := newRated(p, event), map[int]bool{}, 0
		for b := range uint64(200) {
			rows := Rows(len(p)).Draw(nil, 5, b)
			c, ok := all.smooth(rows)
			want := CalibrationErrors(at(p, rows), at(event, rows))
			if !ok {
				none++
			} else {
				knots[len(c.knots)] = true
			}
			for k, v := range c.errors {
				if math.Float64bits(v) != math.Float64bits(want[k]) && !(math.IsNaN(v) && math.IsNaN(want[k])) {
					t.Fatalf("%s, sample %d: error %d is %v, want %v", name, b, k, v, want[k])
				}
			}
		}
		t.Logf("%s: knots %v, no curve of %d samples", name, knots, none)
	}
}

// Fewer distinct risks take fewer knots; none of the failures is a curve.
func TestCalibrationCurveEdges(t *testing.T) {
	three := CalibrationCurve([]float64{0.2, 0.2, 0.2, 0.5, 0.5, 0.5, 0.9, 0.9, 0.9}, []bool{true, false, false, true, false, false, true, true, false}, 3, 4)
	if three.Knots > 3 || three.ICI == nil {
		t.Errorf("three risks: %+v", three)
	}
	two := CalibrationCurve([]float64{0.2, 0.2, 0.2, 0.2, 0.6, 0.6, 0.6}, []bool{true, false, false, false, true, true, false}, 2, 4)
	if two.Knots != 0 {
		t.Errorf("%d knots for two risks", two.Knots)
	}
	whole := wholeCurve([]float64{0.2, 0.2, 0.2, 0.2, 0.6, 0.6, 0.6}, []bool{true, false, false, false, true, true, false}, 2)
	close(t, "a line through two rates", whole[0].Observed, 0.25, 1e-9)
	close(t, "a line through two rates", whole[1].Observed, 2.0/3, 1e-9)
	close(t, "ICI of two rates", *two.ICI, (4*0.05+3*(2.0/3-0.6))/7, 1e-9)
	for name, a := range map[string]struct {
		p     []float64
		event []bool
	}{
		"no rows":   {nil, nil},
		"one class": {[]float64{0.1, 0.4}, []bool{true, true}},
		"constant":  {[]float64{0.3, 0.3, 0.3}, []bool{true, false, false}},
		"separated": {[]float64{0.1, 0.2, 0.8, 0.9}, []bool{false, false, true, true}},
		"NaN":       {[]float64{0.1, math.NaN(), 0.8}, []bool{false, true, true}},
	} {
		if s := CalibrationCurve(a.p, a.event, 10, 10); s.Points != nil || s.ICI != nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// Every risk is counted once, in the bin whose upper bound is the first not
// below it.
func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bins := rapid.IntRange(1, 20).Draw(t, "bins")
		n := rapid.IntRange(0, 30).Draw(t, "rows")
		p, event := make([]float64, n), make([]bool, n)
		want := make([]Bin, bins)
		for k := range want {
			want[k] = Bin{Lower: float64(k) / float64(bins), Upper: float64(k+1) / float64(bins)}
		}
		for i := range n {
			p[i] = float64(rapid.IntRange(0, 40).Draw(t, "p")) / 40
			event[i] = rapid.Bool().Draw(t, "event")
			for k := range want {
				if p[i] > want[k].Lower && p[i] <= want[k].Upper || k == 0 && p[i] == 0 {
					if event[i] {
						want[k].Events++
					} else {
						want[k].Others++
					}
				}
			}
		}
		if d := cmp.Diff(want, histogram(p, event, bins)); d != "" {
			t.Fatal(d)
		}
	})
}

// TestSmootherNamed: the sentence has the number of knots that the curve has.
func TestSmootherNamed(t *testing.T) {
	for knots, want := range map[int]string{5: "a restricted cubic spline of logit p with 5 knots", 0: "a straight line in logit p"} {
		want = "Smoothed by logistic regression on " + want + "; the 95\u00a0% band is pointwise."
		if got := (SmoothedCalibration{Knots: knots}).Smoother(); strings.ReplaceAll(got, "5\u202f", "5 ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
