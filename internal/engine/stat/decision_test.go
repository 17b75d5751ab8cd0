package stat

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// The rows one by one: an event called is worth 1, another row called −w; of
// the interventions avoided, 100 for another row not called, −100/w for an
// event not called.
func TestDecisionCurveRowByRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 120).Draw(t, "rows")
		p, event := make([]float64, n), make([]bool, n)
		for i := range n {
			p[i] = float64(rapid.IntRange(0, 20).Draw(t, "p")) / 20
			event[i] = rapid.Bool().Draw(t, "event")
		}
		threshold := float64(rapid.IntRange(1, 19).Draw(t, "threshold")) / 20
		w := threshold / (1 - threshold)
		var model, all, avoided []float64
		for i, e := range event {
			gain := -w
			if e {
				gain = 1
			}
			all = append(all, gain)
			if p[i] > threshold {
				model, avoided = append(model, gain), append(avoided, 0)
			} else {
				model, avoided = append(model, 0), append(avoided, -100*gain/w)
			}
		}
		got := DecisionCurve(p, event, []float64{threshold})[0]
		for k, v := range [][]float64{model, all, avoided} {
			e := []Estimate{got.Model, got.All, got.Avoided}[k]
			mean, sd := stat.MeanStdDev(v, nil)
			half := Z95 * sd / math.Sqrt(float64(n))
			above, below := 0, 0 // rows with the one value, and with the other
			for _, x := range v {
				if x > 0 {
					above++
				} else if x < 0 {
					below++
				}
			}
			switch {
			case above+below == 0:
				if *e.Value != 0 || e.Low != nil || e.High != nil {
					t.Fatalf("quantity %d of nothing: %v, %v to %v", k, *e.Value, e.Low, e.High)
				}
				continue
			case math.Abs(*e.Value-mean) > 1e-10*(1+math.Abs(mean)) || !(*e.Low < *e.High) || *e.Low > *e.Value || *e.High < *e.Value:
				t.Fatalf("quantity %d: %v, %v to %v, want %v", k, *e.Value, *e.Low, *e.High, mean)
			case min(above, below) >= 15: // about the normal interval of the mean, moved towards the middle
				if got := (*e.High - *e.Low) / 2; math.Abs(got/half-1) > .15 {
					t.Fatalf("quantity %d: half width %v, normal %v", k, got, half)
				}
			}
		}
	})
}

// TestDecisionCurveOfEvents: acting on all where all are events cannot have a larger benefit, and misses none of them;
// three rows still leave open what others would be.
func TestDecisionCurveOfEvents(t *testing.T) {
	got := DecisionCurve([]float64{0, 0, 0}, []bool{true, true, true}, []float64{0.35})[0]
	low, _ := Wilson(3, 3)
	close(t, "benefit of all", *got.All.Value, 1, 1e-15)
	close(t, "its upper limit", *got.All.High, 1, 1e-15)
	close(t, "its lower limit", *got.All.Low, low-(1-low)*.35/.65, 1e-14)
	close(t, "avoided", *got.Avoided.Value, -100*.65/.35, 1e-12)
	close(t, "its lower limit", *got.Avoided.Low, *got.Avoided.Value, 1e-12)
	close(t, "its upper limit", *got.Avoided.High, 100*(1-low)-low*100*.65/.35, 1e-12)
}

func TestDecisionCurveEnds(t *testing.T) {
	p, event := []float64{0.1, 0.4, 0.6, 0.9}, []bool{false, true, false, true}
	c := DecisionCurve(p, event, []float64{0, 0.95})
	if *c[0].Model.Value != 0.5 || *c[0].All.Value != 0.5 || c[0].Avoided.Value == nil || *c[0].Avoided.Value != 0 {
		t.Errorf("at 0: %+v", c[0])
	}
	close(t, "nobody called", *c[1].Model.Value, 0, 0)
	if c := DecisionCurve(nil, nil, []float64{0.3}); c[0].Model.Value != nil {
		t.Error("net benefit without rows")
	}
}

// Reference: scipy 1.10.1 stats.contingency.relative_risk and its
// confidence_interval.
func TestRatioAgainstScipy(t *testing.T) {
	for _, tt := range []struct {
		a, m, b, n       int
		value, low, high float64
	}{
		{30, 41, 12, 97, 5.914634146341463, 3.3746574483924148, 10.366354991595726},
		{3, 10, 1, 200, 60.0, 6.835383311368425, 526.6712686050214},
	} {
		e := Ratio(tt.a, tt.m, tt.b, tt.n)
		close(t, "ratio", *e.Value, tt.value, 1e-13)
		close(t, "low", *e.Low, tt.low, 1e-12)
		close(t, "high", *e.High, tt.high, 1e-12)
	}
	if e := Ratio(0, 5, 0, 5); e.Value != nil || e.Low != nil || e.High != nil {
		t.Errorf("two empty cells: %+v", e)
	}
}

// TestScoreRatio: where a cell is 0 both limits are the ratios at which Pearson's χ² reaches its 95 % point, at the
// proportions that a search over the likelihood finds.
func TestScoreRatio(t *testing.T) {
	chi2 := func(a, m, b, n, ratio float64) float64 {
		term := func(count, p float64) float64 {
			if count == 0 {
				return 0
			}
			return count * math.Log(p)
		}
		likelihood := func(p float64) float64 {
			return term(a, p) + term(m-a, 1-p) + term(b, p/ratio) + term(n-b, 1-p/ratio)
		}
		low, high := 0.0, min(1, ratio)
		for range 200 { // thirds: the likelihood has one maximum
			if x, y := low+(high-low)/3, high-(high-low)/3; likelihood(x) < likelihood(y) {
				low = x
			} else {
				high = y
			}
		}
		p := (low + high) / 2
		sum := 0.0
		for _, g := range [][3]float64{{a, m, p}, {b, n, p / ratio}} {
			if v := g[1] * g[2] * (1 - g[2]); v > 1e-9 {
				sum += (g[0] - g[1]*g[2]) * (g[0] - g[1]*g[2]) / v
			}
		}
		return sum
	}
	for _, c := range []struct{ a, m, b, n int }{{0, 40, 60, 120}, {0, 5, 2, 5}, {0, 12, 90, 90}, {0, 300, 1, 400}, {106, 106, 186, 188},
		{30, 40, 120, 120}, {5, 5, 1, 200}} {
		e, at := Ratio(c.a, c.m, c.b, c.n), [4]float64{float64(c.a), float64(c.m), float64(c.b), float64(c.n)}
		close(t, "χ² at the upper limit", chi2(at[0], at[1], at[2], at[3], *e.High), Z95*Z95, 1e-5)
		if c.a == 0 {
			if *e.Value != 0 || *e.Low != 0 {
				t.Errorf("%+v: %+v", c, e)
			}
		} else {
			close(t, "χ² at the lower limit", chi2(at[0], at[1], at[2], at[3], *e.Low), Z95*Z95, 1e-5)
		}
		turned := Ratio(c.b, c.n, c.a, c.m)
		close(t, "the other way round", *turned.Low, 1 / *e.High, 1e-9)
		if (turned.High == nil) != (c.a == 0) || (turned.Value == nil) != (c.a == 0) {
			t.Errorf("%+v: %+v", c, turned)
		}
	}
}

// Every boundary against a count over the rows.
func TestBoundaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pi := []float64{0.2, 0.5, 0.7}
		n := rapid.IntRange(1, 40).Draw(t, "rows")
		band, event := make([]int, n), make([]bool, n)
		for i := range n {
			band[i], event[i] = rapid.IntRange(0, 3).Draw(t, "band"), rapid.Bool().Draw(t, "event")
		}
		for k, got := range Boundaries(pi, band, event) {
			var tp, fp, fn, tn int
			for i, b := range band {
				switch {
				case b > k && event[i]:
					tp++
				case b > k:
					fp++
				case event[i]:
					fn++
				default:
					tn++
				}
			}
			if got.TP != tp || got.FP != fp || got.FN != fn || got.TN != tn || got.Threshold != pi[k] {
				t.Fatalf("boundary %d: %+v, want %d %d %d %d", k, got, tp, fp, fn, tn)
			}
		}
	})
	b := Boundary{Threshold: 0.3, TP: 30, FP: 12, FN: 11, TN: 85}
	for name, v := range map[string]struct {
		got  Estimate
		x, n int
	}{"sensitivity": {b.Of("sensitivity"), 30, 41}, "specificity": {b.Of("specificity"), 85, 97}, "PPV": {b.Of("ppv"), 30, 42}, "NPV": {b.Of("npv"), 85, 96}} {
		if d := cmp.Diff(Proportion(v.x, v.n), v.got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	close(t, "flagged", *b.Of("flagged_per_100").Value, 100*42.0/138, 1e-13)
	close(t, "LR+", *b.Of("lr_positive").Value, 5.914634146341463, 1e-13)
	close(t, "LR−", *b.Of("lr_negative").Value, (11.0/41)/(85.0/97), 1e-13)
}

// The bands' ratios, weighted by the share of other rows in each, mean 1: they
// sum to P(any band|event).
func TestBandRatios(t *testing.T) {
	pi := []float64{0.3, 0.6}
	band := []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 2}
	event := []bool{false, true, false, true, false, false, true, true, true, false}
	sum, rows := 0.0, 0.0
	for k, r := range BandRatios(pi, band, event) {
		sum += *r.LR.Value * float64(r.N-r.Events) / 5
		rows += *r.RowsPer1000.Value
		if *r.LR.Value != *Strata(pi, band, event)[k].LR {
			t.Error("not the ratio of the strata table")
		}
	}
	close(t, "mean ratio", sum, 1, 1e-14)
	close(t, "rows of 1000", rows, 1000, 1e-14)
	e := BandRatios(pi, band, event)[2].EventsPer1000
	if d := cmp.Diff(Proportion(3, 10).times(1000), e, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
}

// TestNetBenefitAtBoundary: the net benefit of the table at a boundary and its interval are those of the decision
// curve.
func TestNetBenefitAtBoundary(t *testing.T) {
	p := []float64{.1, .2, .25, .4, .6, .7, .9, .9}
	event := []bool{false, true, false, false, true, false, true, true}
	pi, band := []float64{.3, .65}, []int{0, 0, 0, 1, 1, 2, 2, 2}
	curve := DecisionCurve(p, event, pi)
	for k, b := range Boundaries(pi, band, event) {
		if d := cmp.Diff(curve[k].Model, b.NetBenefit()); d != "" || b.NetBenefit().Low == nil {
			t.Errorf("at %v: %s", pi[k], d)
		}
	}
	if none := (Boundary{Threshold: .3}).NetBenefit(); none.Value != nil {
		t.Errorf("without rows: %v", *none.Value)
	}
}

// TestNetBenefitOfNoFalsePositive: without a false or a true positive the interval allows for the one that was not
// seen, by Wilson limits computed apart from these functions; without both there is none. Of samples with a rate of
// false positives of 1 %, normal intervals cover the net benefit at 90 % in 66 of 100.
func TestNetBenefitOfNoFalsePositive(t *testing.T) {
	for _, c := range []struct {
		name             string
		b                Boundary
		of               func(Boundary) Estimate
		value, low, high float64
	}{
		{"no false positive", Boundary{Threshold: .75, TP: 20, FN: 20, TN: 60}, Boundary.NetBenefit, .2, .07055257530555759, .2888291655931589},
		{"no true positive", Boundary{Threshold: .75, FP: 7, FN: 20, TN: 73}, Boundary.NetBenefit, -.21, -.412485442172205, -.09674561780372802},
		{"standardised", Boundary{Threshold: .75, TP: 20, FN: 20, TN: 60}, standardized, .5, 0.17609811157667576, 0.6480047306653461},
	} {
		e := c.of(c.b)
		close(t, c.name, *e.Value, c.value, 1e-14)
		close(t, c.name+", low", *e.Low, c.low, 1e-13)
		close(t, c.name+", high", *e.High, c.high, 1e-13)
	}
	nobody := Boundary{Threshold: .75, FN: 20, TN: 60}
	for _, e := range []Estimate{nobody.NetBenefit(), standardized(nobody)} {
		if *e.Value != 0 || e.Low != nil || e.High != nil {
			t.Errorf("nobody above the threshold: %v, %v to %v", *e.Value, e.Low, e.High)
		}
	}
	missed := DecisionCurve([]float64{.1, .6, .7, .8}, []bool{false, true, true, false}, []float64{.5})[0].Avoided
	if *missed.Value != 25 || !(*missed.Low < 25-50) || !(*missed.High > 50) {
		t.Errorf("no event missed: %v, %v to %v", *missed.Value, *missed.Low, *missed.High)
	}
}

// TestNetBenefitFallsWithFalsePositives: with more false positives both limits are lower.
func TestNetBenefitFallsWithFalsePositives(t *testing.T) {
	for _, threshold := range []float64{.5, .9, .98} {
		last := Boundary{Threshold: threshold, TP: 85, FN: 155, TN: 443}.NetBenefit()
		for fp := 1; fp < 30; fp++ {
			e := Boundary{Threshold: threshold, TP: 85, FP: fp, FN: 155, TN: 443 - fp}.NetBenefit()
			if *e.Low >= *last.Low || *e.High >= *last.High {
				t.Errorf("at %v, %d false positives: %v to %v after %v to %v", threshold, fp, *e.Low, *e.High, *last.Low, *last.High)
			}
			last = e
		}
	}
}
