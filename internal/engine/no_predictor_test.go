package engine

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"taper/internal/engine/external"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// noise is a table of predictors that know nothing of an outcome that a share of
// the rows has.
func noiseTable(rows, events int, seed uint64) [][]string {
	r := rand.New(rand.NewPCG(seed, 9))
	records := [][]string{{"a", "b", "c", "y"}}
	for i := range rows {
		y := "0"
		if i*events/rows != (i+1)*events/rows {
			y = "1"
		}
		cell := func() string { return strconv.FormatFloat(r.NormFloat64(), 'f', 3, 64) }
		records = append(records, []string{cell(), cell(), cell(), y})
	}
	return records
}

// TestNoPredictor: where the best weights are 0 in every fold the result says so,
// in one sentence, and calls ties ties: AUC ½ without an interval, no curve, no
// test.
func TestNoPredictor(t *testing.T) {
	for name, s := range map[string]runspec.Spec{
		"interval": {Model: fit.Spec{L2: fit.L2{Value: 4}}},
		"hinge":    {Task: "binary", Model: fit.Spec{Loss: "hinge", L2: fit.L2{Value: 4}}},
		"tuned":    {Model: fit.Spec{L2: fit.L2{Mode: "cv"}}},
		"split":    {Model: fit.Spec{L2: fit.L2{Value: 4}}, Validation: runspec.Validation{Kind: "split", Test: 0.3}},
		"none":     {Model: fit.Spec{L2: fit.L2{Value: 4}}, Validation: runspec.Validation{Kind: "none"}},
	} {
		s.Outcome, s.Positive, s.Seed = "y", table.Levels{"1"}, 3
		r := mustFit(t, tabletest.FromRecords(noiseTable(263, 31, 5)), s)
		test := r.Metrics.Test
		if !r.NoPredictor || test.AUC == nil || *test.AUC != 0.5 || test.AUCLow != nil || test.CalibrationSlope != nil {
			t.Errorf("%s: no predictor %v, AUC %v from %v", name, r.NoPredictor, *test.AUC, test.AUCLow)
			continue
		}
		for _, c := range r.Coefficients[1:] {
			if c.Value != 0 || *c.Standardized != 0 {
				t.Errorf("%s: weight %v of %s", name, *c.Standardized, c.Name)
			}
		}
		const says = "No predictor is used: at this penalty the model gives every row the same answer."
		if bold, rest := Headline(r); bold+rest != says || Findings(r)[0] != says || len(Findings(r)) != 2 || !warned(r, WarnNoPredictor) {
			t.Errorf("%s: %q, %q", name, bold+rest, Verdict(r))
		}
		if len(r.Density) > 0 || r.Pictures != nil && (len(r.Pictures.ROC.Points) > 0 || r.Pictures.Calibration != nil || r.Pictures.GiveUp != nil) {
			t.Errorf("%s: pictures of noise", name)
		}
		if c := r.Clinical; c == nil || *c.Judged.AUC.Value != 0.5 || c.Judged.AUC.Low != nil || *c.Apparent.AUC.Value != 0.5 || c.Apparent.AUC.Low != nil || c.AUC != nil || c.Paired.AUC.P != nil {
			t.Errorf("%s: %+v", name, c)
		}
		st := r.Statistics(s.WithDefaults(), r.Rows, nil)
		if *st.Judged.AUC.Value != 0.5 || st.Judged.AUC.Low != nil || st.Calibration != nil || st.AUC != nil {
			t.Errorf("%s: statistics %+v", name, st.Judged)
		}
		for _, g := range r.Subgroups(s.WithDefaults(), r.Rows, tabletest.FromRecords(noiseTable(263, 31, 5)).Column("a")) {
			if !g.Suppressed && (*g.AUC.Value != 0.5 || g.AUC.Low != nil || g.Slope.Value != nil) {
				t.Errorf("%s: subgroup %+v", name, g)
			}
		}
	}
	if r := mustFit(t, tabletest.FromRecords(tabletest.Clinic(300, 22)), clinicSpec()); r.NoPredictor || warned(r, WarnNoPredictor) || *r.Metrics.Test.AUC == 0.5 {
		t.Errorf("predictors that say something are said to be unused")
	}
}

// TestNoPredictorElsewhere: on another file a constant ties all rows.
func TestNoPredictorElsewhere(t *testing.T) {
	r := mustFit(t, tabletest.FromRecords(noiseTable(263, 31, 5)), runspec.Spec{Outcome: "y", Positive: table.Levels{"1"}, Seed: 3, Model: fit.Spec{L2: fit.L2{Value: 4}}})
	records := noiseTable(90, 20, 8)
	var rows []map[string]any
	for _, cells := range records[1:] {
		row := map[string]any{}
		for k, name := range records[0] {
			row[name] = cells[k]
		}
		rows = append(rows, row)
	}
	_, e, err := external.EvaluateRows(t.Context(), r.Model, rows, external.EvaluateOptions{})
	if err != nil || *e.Performance.AUC.Value != 0.5 || e.Performance.AUC.Low != nil || e.Metrics.AUCLow != nil {
		t.Errorf("%+v, %v", e, err)
	}
}
