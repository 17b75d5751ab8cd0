package stat

import (
	"cmp"

	"taper/internal/engine/odds"

	"math"
	"math/rand/v2"
	"testing"
)

// cox is Recalibrate without the intervals; not ok without rows of both classes.
func cox(p []float64, event []bool) (intercept, slope float64, ok bool) {
	r, nan := Recalibrate(p, event), math.NaN()
	intercept, slope = *cmp.Or(r.Intercept.Value, &nan), *cmp.Or(r.Slope.Value, &nan)
	return intercept, slope, r.Intercept.Value != nil
}

func TestCalibrationProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	n := 20000
	p, event := make([]float64, n), make([]bool, n)
	for i := range n {
		f := 2*r.NormFloat64() - 1
		p[i] = 1 / (1 + math.Exp(-f))
		event[i] = r.Float64() < 1/(1+math.Exp(-(0.5+0.6*f))) // true recalibration 0.5, 0.6
	}
	_, slope, ok := cox(p, event)
	if !ok || !(math.Abs(slope-0.6) <= 0.04) {
		t.Errorf("slope %v, want about 0.6", slope)
	}
	swapped, other := make([]float64, n), make([]bool, n)
	for i := range n {
		swapped[i], other[i] = 1-p[i], !event[i]
	}
	a, b, _ := cox(p, event)
	c, d, _ := cox(swapped, other)
	close(t, "intercept of the swapped classes", c, -a, 1e-9)
	close(t, "slope of the swapped classes", d, b, 1e-9)
}

func TestCalibrationEdges(t *testing.T) {
	// A constant p: the intercept alone exists, logit ȳ − logit p.
	a, b, ok := cox([]float64{0.2, 0.2, 0.2, 0.2}, []bool{true, false, false, true})
	close(t, "intercept", a, -math.Log(0.2/0.8), 1e-12)
	if !ok || !math.IsNaN(b) {
		t.Errorf("constant p: slope %v, ok %v", b, ok)
	}
	for name, p := range map[string][]float64{"separated": {0.9, 0.8, 0.3, 0.1}, "touching": {0.9, 0.3, 0.3, 0.1}, "wrong way round": {0.1, 0.2, 0.8, 0.9}} {
		if _, b, _ := cox(p, []bool{true, true, false, false}); !math.IsNaN(b) {
			t.Errorf("%s: slope %v", name, b)
		}
	}
	for name, p := range map[string][]float64{"NaN": {math.NaN(), 0.5}, "above 1": {1.1, 0.5}, "negative": {0.5, -1e-9}} {
		if _, _, ok := cox(p, []bool{true, false}); ok {
			t.Errorf("%s: ok", name)
		}
	}
	// Classes that overlap by a hair on the scale of the rest: the steps end.
	if _, b, ok := cox([]float64{1e-300, 0.5, 0.5000001, 0.8, 0.5, 0.5000001}, []bool{false, false, true, true, true, false}); !ok || !math.IsNaN(b) {
		t.Errorf("overlap by a hair: slope %v, ok %v", b, ok)
	}
	// Extreme and wrong: the sum of the recalibrated risks is still the number of events.
	p := []float64{1e-300, 1, 0, 1 - 1e-16, 0.5, 1e-12}
	event := []bool{true, false, true, true, false, false}
	a, b, ok = cox(p, event)
	if !ok || math.IsNaN(a) || math.IsNaN(b) {
		t.Fatalf("extreme p: %v, %v, %v", a, b, ok)
	}
	sum := 0.0
	for _, q := range p {
		q = odds.Within(q)
		sum += 1 / (1 + math.Exp(-(a + math.Log(q) - math.Log1p(-q))))
	}
	close(t, "expected events", sum, 3, 1e-9)
}

// TestRecalibrationTellsEvents: the width of a Wald interval of the calibration intercept gives Σp(1−p) of the
// recalibrated risks, whose sum is the number of events. So no fewer events are possible than solve e(1−e/n) = Σp(1−p),
// and the report withholds the two statistics of that model where it withholds the number of events.
func TestRecalibrationTellsEvents(t *testing.T) {
	const n, events = 400, 4
	p, event := make([]float64, n), make([]bool, n)
	for i := range p {
		p[i] = 0.005 + 0.01*float64(i%3)
		event[i] = i < events
	}
	intercept := Recalibrate(p, event).Intercept
	se := (*intercept.High - *intercept.Low) / (2 * 1.959964)
	least := n / 2 * (1 - math.Sqrt(1-4/(n*se*se)))
	if !(least > events-0.2 && least <= events) {
		t.Fatalf("at least %v events, of %d", least, events)
	}
	for _, id := range []string{"calibration_intercept", "calibration_slope"} {
		if ByID(id).Reveals != Total {
			t.Errorf("%s does not tell the number of events", id)
		}
	}
}

// TestObservedExpectedOfOneRisk: where all rows have one risk the interval is that of Debray et al. (2017), whose error
// is √((1−ȳ)/events), but for n − 1 in place of n; where the risks discriminate it is narrower.
func TestObservedExpectedOfOneRisk(t *testing.T) {
	p, event := make([]float64, 200), make([]bool, 200)
	for i := range p {
		p[i], event[i] = .4, i%5 == 0
	}
	o := ObservedExpected(p, event)
	textbook := math.Sqrt(.8/40) * math.Sqrt(200./199)
	close(t, "O/E", *o.Value, .5, 1e-15)
	close(t, "low", *o.Low, .5*math.Exp(-Z95*textbook), 1e-14)
	close(t, "high", *o.High, .5*math.Exp(Z95*textbook), 1e-14)
	for i := range p {
		if p[i] = .1; event[i] {
			p[i] = .8
		}
	}
	o = ObservedExpected(p, event)
	if got := math.Log(*o.High / *o.Low) / 2 / Z95; got > textbook/2 {
		t.Errorf("risks that tell events apart have the error %v, those that do not %v", got, textbook)
	}
	if o = ObservedExpected(p, make([]bool, 200)); *o.Value != 0 || o.Low != nil || o.High != nil {
		t.Errorf("without events: %v, %v to %v", *o.Value, o.Low, o.High)
	}
}
