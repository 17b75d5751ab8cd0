package engine

import (
	"math"
	"strconv"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// noisyRecords are rows of one predictor, each of them repeated, with the number
// of its first as the patient's.
func noisyRecords(rows, repeats int) [][]string {
	records := [][]string{{"x", "other", "patient", "y"}}
	for i := range rows {
		x := float64(i*37%rows)/float64(rows)*4 - 2
		y := "no"
		if math.Sin(float64(i)*12.9898)+x > 0 { // noise without a generator
			y = "yes"
		}
		for range repeats {
			records = append(records, []string{strconv.FormatFloat(x, 'g', 6, 64), strconv.Itoa(i * 53 % 101), "p" + strconv.Itoa(i), y})
		}
	}
	return records
}

// TestPairedWithLogistic: the differences to logistic regression are those of
// the two models' metrics, and patients are drawn whole: rows repeated five
// times tell no more than once.
func TestPairedWithLogistic(t *testing.T) {
	spec := runspec.Spec{Outcome: "y", Positive: table.Levels{"yes"}, Predictors: []string{"x", "other"}, Task: "interval", Boundaries: []float64{.3, .6}, Group: "patient",
		Model:      fit.Spec{Kind: "linear", Loss: "alpha", Params: map[string]any{"alpha": 4.0}, L2: fit.L2{Value: 1e-3}},
		Validation: runspec.Validation{Kind: "cv", Folds: 3}, Seed: 5}
	r := mustFit(t, tabletest.FromRecords(noisyRecords(150, 5)), spec)
	c, own, plain := r.Clinical.Paired, r.Metrics.Test, r.Metrics.Baselines["logistic"]
	if c == nil || r.Clinical.AUC == nil || c.N != 750 {
		t.Fatalf("%+v", c)
	}
	for name, v := range map[string][3]*float64{
		"AUC": {c.AUC.Difference.Value, own.AUC, plain.AUC}, "Brier": {c.Brier.Difference.Value, own.Brier, plain.Brier},
		"scaled Brier": {c.ScaledBrier.Difference.Value, own.ScaledBrier, plain.ScaledBrier}, "log loss": {c.LogLoss.Difference.Value, own.LogLoss, plain.LogLoss},
		"interval loss": {c.IntervalLoss.Difference.Value, own.IntervalLoss, plain.IntervalLoss},
	} {
		if !(math.Abs(*v[0]-(*v[1]-*v[2])) <= 1e-12) {
			t.Errorf("%s differs by %v, the metrics by %v", name, *v[0], *v[1]-*v[2])
		}
	}
	if d := *r.Beside[1].Difference; !(math.Abs(d+*c.IntervalLoss.Difference.Value) <= 1e-12) { // logistic regression's less the model's
		t.Errorf("beside the model stands %v", d)
	}
	half := (*c.LogLoss.Difference.High - *c.LogLoss.Difference.Low) / 2
	if ratio := half / (1.96 * *c.LogLoss.SE); !(math.Abs(ratio-math.Sqrt(5)) <= .25) {
		t.Errorf("the interval of whole patients is %v times that of rows, want √5", ratio)
	}
	rows, err := stat.PerformDrawn(t.Context(), r.ScoresOf(Judged(spec, r.Rows)), stat.Draws{Replicates: stat.CurveDraws(750), Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	if whole, single := r.Clinical.Judged.E90, rows.E90; !(*whole.High-*whole.Low > 1.5*(*single.High-*single.Low)) {
		t.Errorf("the calibration errors of whole patients go from %v to %v, those of rows from %v to %v", *whole.Low, *whole.High, *single.Low, *single.High)
	}
	spec.Model = fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 1e-3}}
	if r := mustFit(t, tabletest.FromRecords(noisyRecords(60, 1)), spec); r.Clinical.Paired != nil {
		t.Error("logistic regression is compared with itself")
	}
}
