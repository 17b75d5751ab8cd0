package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestGains(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name  string
		score []float64
		event []bool
		want  []GainsPoint
	}{
		{"a perfect score", []float64{9, 8, 2, 1, 0}, []bool{yes, yes, no, no, no}, []GainsPoint{{}, {.4, 1}, {1, 1}}},
		{"a perfect score the wrong way", []float64{0, 1, 2, 8, 9}, []bool{yes, yes, no, no, no}, []GainsPoint{{}, {.6, 0}, {1, 1}}},
		{"a constant", []float64{3, 3, 3}, []bool{yes, no, no}, []GainsPoint{{}, {1, 1}}},
		{"six rows, two of them tied", []float64{5, 4, 4, 3, 2, 1}, []bool{yes, yes, no, no, yes, no},
			[]GainsPoint{{}, {1. / 6, 1. / 3}, {1. / 2, 2. / 3}, {2. / 3, 2. / 3}, {5. / 6, 1}, {1, 1}}},
		{"events alone", []float64{1, 2}, []bool{yes, yes}, nil},
		{"no number", []float64{1, math.NaN()}, []bool{yes, no}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Draw(Scores{Score: c.score, Event: c.event, Band: make([]int, len(c.event))}, false).Gains
			if d := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-15)); d != "" {
				t.Error(d)
			}
		})
	}
	if c := Draw(Scores{Score: []float64{1, 2}, Event: []bool{yes, no}, Band: make([]int, 2)}, true); c.Gains != nil {
		t.Errorf("rows that nothing orders have gains %v", c.Gains)
	}
}

// TestGainsArea holds the area under the curve to the AUC of the list of statistics:
// A = (1−π)·AUC + π/2.
func TestGainsArea(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 20 + random.IntN(150)
		s := Scores{Score: make([]float64, n), Event: make([]bool, n), Band: make([]int, n)}
		events := 0
		for i := range n {
			if s.Event[i] = random.Float64() < .3; s.Event[i] {
				events++
			}
			s.Score[i] = math.Round(10 * (random.NormFloat64() + map[bool]float64{true: 1}[s.Event[i]])) // with ties
		}
		curve, area := Draw(s, false).Gains, 0.
		for i := 1; i < len(curve); i++ {
			area += (curve[i].Flagged - curve[i-1].Flagged) * (curve[i].Found + curve[i-1].Found) / 2
		}
		p := Perform(s)
		share, auc := float64(events)/float64(n), p.Of(ByID("auc").ID).Value
		if want := (1-share)**auc + share/2; !(math.Abs(area-want) <= 1e-12) {
			t.Errorf("%d rows: area %v, want %v", n, area, want)
		}
	}
}
