package stat

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"taper/internal/engine/odds"
)

// Reference: numpy 1.24.2 mean, scipy 1.10.1 stats.sem of the rows' losses.
func TestMeanLossesAgainstScipy(t *testing.T) {
	_, p, y := sample()
	b, l := Brier(p, y), LogLoss(p, y)
	close(t, "Brier", *b.Value, 0.1264631061274985, 1e-13)
	close(t, "Brier low", *b.Low, 0.1264631061274985-Z95*0.025978603296929907, 1e-12)
	close(t, "log loss", *l.Value, 0.4042968460340144, 1e-13)
	close(t, "log loss high", *l.High, 0.4042968460340144+Z95*0.0598659663000001, 1e-12)
	close(t, "Cox and Snell", CoxSnell(p, y), 0.4259940548967879, 1e-12)
}

// The influence of a row is the derivative of the statistic by its weight,
// here by finite differences.
func TestScaledBrierByWeights(t *testing.T) {
	_, p, y := sample()
	n := len(p)
	scaled := func(row int, w float64) float64 {
		var sum, brier, events float64
		for i, q := range p {
			u, e := 1.0, 0.0
			if i == row {
				u += w
			}
			if y[i] {
				e = 1
			}
			sum, brier, events = sum+u, brier+u*(q-e)*(q-e), events+u*e
		}
		rate := events / sum
		return 1 - brier/sum/(rate*(1-rate))
	}
	const h = 1e-5
	ss := 0.0
	for i := range n {
		d := float64(n) * (scaled(i, h) - scaled(i, -h)) / (2 * h)
		ss += d * d
	}
	se := math.Sqrt(ss/float64(n-1)) / math.Sqrt(float64(n))
	e := ScaledBrier(p, y)
	close(t, "scaled Brier", *e.Value, 0.4825039135447631, 1e-12)
	close(t, "half width", *e.High-*e.Value, Z95*se, 1e-7)
}

func TestBandLoss(t *testing.T) {
	pi, band, event := []float64{0.2, 0.6}, []int{2, 0, 1, 1, 0}, []bool{true, true, false, false, false}
	e := BandLoss(pi, band, event)
	close(t, "ℓ_π", *e.Value, IntervalLoss(pi, band, event), 1e-15)
	// The rows' losses are 0, 1.2, .2, .2, 0: variance .252.
	close(t, "high", *e.High, 0.32+Z95*math.Sqrt(0.252/5), 1e-12)
	if BandLoss(nil, []int{0}, []bool{true}).Value != nil || BandLoss(pi, nil, nil).Value != nil {
		t.Error("a loss without boundaries or rows")
	}
}

// drawn is PerformDrawn, which ends.
func drawn(t *testing.T, s Scores, d Draws) Performance {
	t.Helper()
	p, err := PerformDrawn(t.Context(), s, d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDrawsAreCancelled: a bootstrap ends with its context, between two draws.
func TestDrawsAreCancelled(t *testing.T) {
	f, p, y := sample()
	ctx, cancel := context.WithCancel(t.Context())
	draws := 0
	_, err := Draws{Replicates: 60}.run(ctx, len(f), 1, func([]int) []float64 {
		if draws++; draws == 3 {
			cancel()
		}
		return []float64{0}
	})
	if !errors.Is(err, context.Canceled) || draws != 3 {
		t.Errorf("%d draws, %v", draws, err)
	}
	if _, err := PerformDrawn(ctx, Scores{Event: y, Score: f, Probability: p}, Draws{Replicates: 60}); !errors.Is(err, context.Canceled) {
		t.Errorf("of a performance: %v", err)
	}
	a := Answers{Levels: []string{"a", "b"}, Label: []int{0, 1}, Predicted: []int{0, 1}}
	if _, err := MulticlassIntervals(ctx, a, Multiclass(a), Draws{Replicates: 60}); !errors.Is(err, context.Canceled) {
		t.Errorf("of several classes: %v", err)
	}
}

func TestPerform(t *testing.T) {
	f, p, y := sample()
	s := Scores{Event: y, Score: f, Probability: p}
	r := Perform(s)
	want := Classification(s)
	for name, v := range map[string][2]*float64{
		"AUC": {r.AUC.Value, want.AUC}, "AUC low": {r.AUC.Low, want.AUCLow}, "Brier": {r.Brier.Value, want.Brier},
		"scaled Brier": {r.ScaledBrier.Value, want.ScaledBrier}, "log loss": {r.LogLoss.Value, want.LogLoss},
		"intercept": {r.CalibrationIntercept.Value, want.CalibrationIntercept}, "slope": {r.CalibrationSlope.Value, want.CalibrationSlope},
	} {
		close(t, name, *v[0], *v[1], 1e-13)
	}
	if r.ICI.Value == nil || r.ICI.Low != nil || r.IntervalLoss.Value != nil {
		t.Errorf("ICI %+v, interval loss %+v", r.ICI, r.IntervalLoss)
	}
	a, b := drawn(t, s, Draws{Replicates: 60, Seed: 3}), drawn(t, s, Draws{Replicates: 60, Seed: 3})
	if a.ICI.Low == nil || *a.ICI.Low != *b.ICI.Low || !(*a.ICI.Low <= *a.ICI.High) {
		t.Errorf("bootstrapped ICI %+v, again %+v", a.ICI, b.ICI)
	}
	if bare := drawn(t, Scores{Event: y, Score: f, Band: make([]int, 40), Pi: []float64{0.5}}, Draws{Replicates: 50}); bare.Brier.Value != nil || bare.IntervalLoss.Value == nil {
		t.Errorf("without probability: %+v", bare)
	}
}

// TestCurveErrorOutsideItsPercentiles: with as many events as predicted at every risk the curve is the diagonal, and
// each bootstrap sample is farther from it. The percentiles then exclude the distance, and are no interval of it.
func TestCurveErrorOutsideItsPercentiles(t *testing.T) {
	var s Scores
	for tenth := 1; tenth < 10; tenth++ {
		for row := range 20 {
			p := float64(tenth) / 10
			s.Probability, s.Score = append(s.Probability, p), append(s.Score, math.Log(p/(1-p)))
			s.Event = append(s.Event, row < 2*tenth)
		}
	}
	if ici := drawn(t, s, Draws{Replicates: 60, Seed: 3}).ICI; ici.Value == nil || ici.Low != nil || ici.High != nil {
		t.Errorf("ICI %.4f (%.4f – %.4f)", OrNaN(ici.Value), OrNaN(ici.Low), OrNaN(ici.High))
	}
}

// Coverage of the analytic intervals on rows from a known law.
func TestIntervalsCover(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	const runs, n = 400, 300
	var brier, slope, intercept int
	for range runs {
		p, event := make([]float64, n), make([]bool, n)
		for i := range n {
			p[i] = odds.Sigmoid(1.5*r.NormFloat64() - 1)
			event[i] = r.Float64() < p[i]
		}
		c := Recalibrate(p, event)
		if holds(c.Slope, 1) {
			slope++
		}
		if holds(c.Intercept, 0) {
			intercept++
		}
		if holds(Brier(p, event), trueBrier) {
			brier++
		}
	}
	for name, hits := range map[string]int{"slope": slope, "intercept": intercept, "Brier": brier} {
		if share := float64(hits) / runs; share < 0.91 || share > 0.985 { // ± 3.5 standard errors
			t.Errorf("%s: %v of the intervals hold the truth", name, share)
		}
	}
}

// trueBrier is E p(1−p) for logit p ~ N(−1, 1.5²), by scipy 1.10.1
// integrate.quad.
const trueBrier = 0.1591596334642208

func holds(e Estimate, v float64) bool { return *e.Low <= v && v <= *e.High }
