package stat

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestStandardizedNetBenefit(t *testing.T) {
	for _, c := range []struct {
		name string
		b    Boundary
		want float64
	}{
		{"by hand, (30 − 12·3/7)/41", Boundary{Threshold: 0.3, TP: 30, FP: 12, FN: 11, TN: 85}, 0.6062717770034843},
		{"a perfect rule", Boundary{Threshold: 0.2, TP: 41, TN: 97}, 1},
		{"nobody called", Boundary{Threshold: 0.2, FN: 41, TN: 97}, 0},
		{"everybody called, (41 − 97/4)/41", Boundary{Threshold: 0.2, TP: 41, FP: 97}, 0.40853658536585363},
	} {
		close(t, c.name, *c.b.Of("standardized_net_benefit").Value, c.want, 1e-15)
	}
	if e := (Boundary{Threshold: 0.2, FP: 3, TN: 5}).Of("standardized_net_benefit"); e.Value != nil || e.Low != nil {
		t.Errorf("without events: %+v", e)
	}
}

// TestStandardizedOfCurve: it is the net benefit of the decision curve, which is held
// to dcurves elsewhere, over the share of events.
func TestStandardizedOfCurve(t *testing.T) {
	_, p, event := sample()
	pi := []float64{0.25, 0.5}
	band, share := bands(p, pi...), float64(count(event))/float64(len(event))
	for k, d := range DecisionCurve(p, event, pi) {
		e := Boundaries(pi, band, event)[k].Of("standardized_net_benefit")
		close(t, "value", *e.Value, *d.Model.Value/share, 1e-14)
	}
}

// TestStandardizedInterval holds the width of its interval to a bootstrap over the rows of a 2×2 table, which draws the
// share of events again each time. A rule that predicts exactly the events is perfect in every such sample, and yet 138 rows
// do not show that it is in all others.
func TestStandardizedInterval(t *testing.T) {
	const draws = 20000
	for _, b := range []Boundary{
		{Threshold: .2, TP: 90, FP: 60, FN: 30, TN: 220},
		{Threshold: .5, TP: 60, FP: 40, FN: 60, TN: 240},
		{Threshold: .1, TP: 118, FP: 200, FN: 2, TN: 80},
	} {
		counts := []int{b.TP, b.FP, b.FN, b.TN}
		var rows []int
		for k, n := range counts {
			rows = append(rows, slices.Repeat([]int{k}, n)...)
		}
		rng := rand.New(rand.NewPCG(3, 5))
		sum, squares := 0., 0.
		for range draws {
			var c [4]float64
			for range rows {
				c[rows[rng.IntN(len(rows))]]++
			}
			v := (c[0] - c[1]*b.Threshold/(1-b.Threshold)) / (c[0] + c[2])
			sum, squares = sum+v, squares+v*v
		}
		sd := math.Sqrt(squares/draws - sum*sum/draws/draws)
		e := b.Of("standardized_net_benefit")
		if half := (*e.High - *e.Low) / 2 / 1.959964; !(math.Abs(half/sd-1) < .06) {
			t.Errorf("%+v: standard error %v, by bootstrap %v", b, half, sd)
		}
	}
	e := Boundary{Threshold: .25, TP: 41, TN: 97}.Of("standardized_net_benefit")
	least, _ := Wilson(41, 41)
	_, most := Wilson(0, 41)
	if low := 1 - math.Hypot(1-least, most/(1-most)/3); *e.Value != 1 || math.Abs(*e.Low-low) > 1e-14 || *e.High != 1 {
		t.Errorf("perfect: %v, %v to %v", *e.Value, *e.Low, *e.High)
	}
}

// TestStandardizedCoverage: of samples with few events and few false positives nearly 95 in 100 intervals hold the value
// of the population, whose share of events varies between them.
func TestStandardizedCoverage(t *testing.T) {
	const n, draws = 200, 3000
	for _, c := range []struct{ events, sensitivity, alarms, threshold float64 }{
		{.05, .7, .5, .05}, {.1, .8, .06, .5}, {.04, .95, .8, .04},
	} {
		truth := c.sensitivity - c.alarms*(1-c.events)/c.events*c.threshold/(1-c.threshold)
		rng := rand.New(rand.NewPCG(11, 13))
		held, all := 0, 0
		for range draws {
			b := Boundary{Threshold: c.threshold}
			for range n {
				switch event, u := rng.Float64() < c.events, rng.Float64(); {
				case event && u < c.sensitivity:
					b.TP++
				case event:
					b.FN++
				case u < c.alarms:
					b.FP++
				default:
					b.TN++
				}
			}
			if e := standardized(b); e.Low != nil {
				if all++; *e.Low <= truth && truth <= *e.High {
					held++
				}
			}
		}
		if share := float64(held) / float64(all); share < .91 {
			t.Errorf("%+v: %.3f of the intervals hold %v", c, share, truth)
		}
	}
}

// TestBoundaryJSON: statistics are written and follow from the counts when read.
func TestBoundaryJSON(t *testing.T) {
	b := Boundary{Threshold: 0.3, TP: 30, FP: 12, FN: 11, TN: 85}
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	var again Boundary
	if err := json.Unmarshal(text, &fields); err != nil || json.Unmarshal(text, &again) != nil || again != b {
		t.Fatalf("%v, %v", err, again)
	}
	for _, s := range Which(Statistic.AtBoundaries) {
		if fields[s.ID] == nil {
			t.Errorf("%s is not written", s.ID)
		}
	}
}
