package stat

import (
	"encoding/json"
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
// to dcurves elsewhere, over the share of events, ends and all.
func TestStandardizedOfCurve(t *testing.T) {
	_, p, event := sample()
	pi := []float64{0.25, 0.5}
	band, share := bands(p, pi...), float64(count(event))/float64(len(event))
	for k, d := range DecisionCurve(p, event, pi) {
		e := Boundaries(pi, band, event)[k].Of("standardized_net_benefit")
		close(t, "value", *e.Value, *d.Model.Value/share, 1e-14)
		close(t, "low", *e.Low, *d.Model.Low/share, 1e-13)
		close(t, "high", *e.High, *d.Model.High/share, 1e-13)
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
