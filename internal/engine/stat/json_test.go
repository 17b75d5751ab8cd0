package stat

import (
	"context"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// Whatever few rows come, everything goes into JSON, which has no NaN.
func TestEverythingIsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "rows")
		coarse := rapid.SampledFrom([]float64{0, 1e-300, 0.2, 0.5, 0.5000001, 0.8, 1})
		p, q := rapid.SliceOfN(coarse, n, n).Draw(t, "p"), rapid.SliceOfN(coarse, n, n).Draw(t, "q")
		event := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "event")
		band := rapid.SliceOfN(rapid.IntRange(0, 2), n, n).Draw(t, "band")
		other := rapid.SliceOfN(rapid.IntRange(0, 2), n, n).Draw(t, "other")
		pi := []float64{0.2, 0.6}
		d := Draws{Replicates: 45, Seed: 1}
		a := Scores{Event: event, Score: p, Probability: p, Band: band, Pi: pi}
		b := Scores{Event: event, Score: q, Probability: q, Band: other, Pi: pi}
		answers := Answers{Levels: []string{"a", "b", "c"}, Label: band, Predicted: other, Ordinal: true, Abstain: true, Cost: 0.2}
		comparison, err := Compare(context.Background(), a, b, d)
		if err != nil {
			t.Fatal(err)
		}
		performance, err := PerformDrawn(context.Background(), a, d)
		if err != nil {
			t.Fatal(err)
		}
		intervals, err := MulticlassIntervals(context.Background(), answers, Multiclass(answers), d)
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string]any{
			"PerformDrawn":        performance,
			"CalibrationCurve":    CalibrationCurve(p, event, 5, 5),
			"Recalibrate":         Recalibrate(p, event),
			"DecisionCurve":       DecisionCurve(p, event, []float64{0, 0.2, 0.5}),
			"Boundaries":          Boundaries(pi, band, event),
			"BandRatios":          BandRatios(pi, band, event),
			"Compare":             comparison,
			"Reclassify":          Reclassify(band, other, event, 3),
			"Subgroups":           Subgroups([]string{"a", "b", "c"}, other, a),
			"Riley":               Riley(n, count(event), 2, CoxSnell(p, event)),
			"VIF":                 VIF(append(append([]float64{}, p...), q...), n, 2),
			"Trend":               Trend(band, p),
			"Multiclass":          Multiclass(answers),
			"MulticlassIntervals": intervals,
			"Coverage":            Coverage(p, event, 5),
			"ROC":                 ROC(p, event, 5),
			"RankFlips":           RankFlips(p, event, 2, 5),
			"RunningRate":         RunningRate(event),
			"CorrectOptimism":     CorrectOptimism(0.5, p, q),
			"BandStability":       BandStability(band, [][]int{other}, 0.3),
		} {
			if _, err := json.Marshal(v); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	})
}
