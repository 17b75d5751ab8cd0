package metric

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// pair is two models on the same rows, the first the better one.
func pair(n int) (a, b Scores) {
	r := rand.New(rand.NewPCG(6, 1))
	a.Pi, b.Pi = []float64{0.3, 0.6}, []float64{0.3, 0.6}
	for range n {
		f := 1.5 * r.NormFloat64()
		e := r.Float64() < expit(f)
		for k, s := range []*Scores{&a, &b} {
			p := expit(f + float64(k)*r.NormFloat64())
			band := 0
			for _, v := range s.Pi {
				if p > v {
					band++
				}
			}
			s.Event, s.Score = append(s.Event, e), append(s.Score, logit(p))
			s.Probability, s.Band = append(s.Probability, p), append(s.Band, band)
		}
	}
	return a, b
}

// The bootstrap distribution of a mean difference is known: its percentiles
// are near ± z·SE, here within the noise of 2000 draws.
func TestCompare(t *testing.T) {
	a, b := pair(400)
	c := Compare(a, b, Draws{Replicates: 2000, Seed: 9})
	for name, v := range map[string]struct {
		got  LossDifference
		a, b float64
	}{
		"Brier":    {c.Brier, *Brier(a.Probability, a.Event).Value, *Brier(b.Probability, b.Event).Value},
		"log loss": {c.LogLoss, *LogLoss(a.Probability, a.Event).Value, *LogLoss(b.Probability, b.Event).Value},
		"ℓ_π":      {c.IntervalLoss, IntervalLoss(a.Pi, a.Band, a.Event), IntervalLoss(b.Pi, b.Band, b.Event)},
	} {
		close(t, name+" of A", *v.got.A, v.a, 1e-12)
		close(t, name+" of B", *v.got.B, v.b, 1e-12)
		close(t, name, *v.got.Difference.Value, v.a-v.b, 1e-12)
		se := *v.got.SE
		if low := v.a - v.b - Z95*se; math.Abs(*v.got.Difference.Low-low) > 0.25*se {
			t.Errorf("%s: low %v, about %v by the normal law", name, *v.got.Difference.Low, low)
		}
	}
	var diff []float64
	for i, p := range a.Probability {
		y := 0.0
		if a.Event[i] {
			y = 1
		}
		diff = append(diff, (p-y)*(p-y)-(b.Probability[i]-y)*(b.Probability[i]-y))
	}
	close(t, "SE", *c.Brier.SE, stat.StdDev(diff, nil)/20, 1e-12)
	if again := Compare(a, b, Draws{Replicates: 2000, Seed: 9}); *again.Brier.Difference.Low != *c.Brier.Difference.Low {
		t.Error("one seed, two results")
	}
	b.Pi = []float64{0.3, 0.7}
	b.Probability = nil
	if other := Compare(a, b, Draws{Replicates: 50}); other.IntervalLoss.A != nil || other.Brier.A != nil || other.AUC.Difference.Value == nil {
		t.Errorf("other boundaries, no probability: %+v", other)
	}
}

func TestPairedLoss(t *testing.T) {
	l := PairedLoss([]float64{1, 2, 3}, []float64{1, 1, 1}, Draws{})
	close(t, "difference", *l.Difference.Value, 1, 1e-15)
	close(t, "SE", *l.SE, 1/math.Sqrt(3), 1e-15)
	if l.Difference.Low != nil {
		t.Error("an interval without draws")
	}
	if l := PairedLoss(nil, nil, Draws{Replicates: 50}); l.A != nil || l.Difference.Value != nil {
		t.Errorf("no rows: %+v", l)
	}
}
