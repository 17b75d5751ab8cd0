package engine

import (
	"context"
	"math"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
)

// TestRecalibrated: the moved model says logit P = a + b·logit p of the old one,
// for plain and scaled links and for kernels; its rows and coefficients go along
// and the parent stays as it was.
func TestRecalibrated(t *testing.T) {
	const a, b = -0.7, 1.3
	records := tabletest.Clinic(200, 12)
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	for _, m := range []fit.Spec{
		{Loss: "logistic", L2: fit.L2{Value: 0.02}}, {Loss: "alpha", Params: map[string]any{"alpha": 2.0}, L2: fit.L2{Value: 0.05}},
		{Kind: "kernel", Loss: "logistic", L2: fit.L2{Value: 0.1}, Kernel: &fit.Kernel{Name: "rbf", Gamma: 0.1}},
	} {
		spec := clinicSpec()
		spec.Model = m
		r, err := Fit(context.Background(), tabletest.FromRecords(records), spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		moved, err := Recalibrated(r, spec, r.Model, r.Rows, a, b)
		if err != nil {
			t.Fatal(err)
		}
		row := []map[string]any{{"age": 66.0, "marker": 0.4, "sex": "F", "site": "B"}, {"age": 45.0, "marker": nil, "sex": "M", "site": "A"}}
		old, err := model.PredictRows(r.Model, row)
		if err != nil {
			t.Fatal(err)
		}
		now, err := model.PredictRows(moved.Model, row)
		if err != nil {
			t.Fatal(err)
		}
		for i := range old {
			if want := a + b*logit(*old[i].Probability); !(math.Abs(logit(*now[i].Probability)-want) <= 1e-9) {
				t.Errorf("%s %s: logit %v, want %v", m.Kind, m.Loss, logit(*now[i].Probability), want)
			}
		}
		events := 0
		for i, was := range r.Rows {
			is := moved.Rows[i]
			if want := a + b*logit(*was.Probability); !(math.Abs(logit(*is.Probability)-want) <= 1e-9) {
				t.Fatalf("row %d: logit %v, want %v", i, logit(*is.Probability), want)
			}
			k := 0
			for _, pi := range spec.Boundaries {
				if *is.Probability > pi {
					k++
				}
			}
			if is.Stratum != k {
				t.Errorf("row %d in band %d, want %d", i, is.Stratum, k)
			}
			if k == 0 && is.Outcome == "died" {
				events++
			}
		}
		if moved.Strata[0].Events != events || moved.Strata[0].N == r.Strata[0].N {
			t.Errorf("lowest band holds %d events, by hand %d", moved.Strata[0].Events, events)
		}
		if w := moved.Warnings[0]; w.Code != WarnRecalibrated || !strings.Contains(w.Message, "logit P = −0.7 + 1.3 · logit p.") {
			t.Errorf("the run says %q", w.Message)
		}
		if m.Kind == "" && !(math.Abs(moved.Coefficients[1].Value-b*r.Coefficients[1].Value) <= 1e-12) {
			t.Errorf("coefficient %v of %v", moved.Coefficients[1].Value, r.Coefficients[1].Value)
		}
		if moved.Metrics.Test.AUC == nil || !(math.Abs(*moved.Metrics.Test.AUC-*r.Metrics.Test.AUC) <= 1e-12) {
			t.Error("the ranking changed")
		}
	}
	spec := clinicSpec()
	r, err := Fit(context.Background(), tabletest.FromRecords(records), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Recalibrated(r, spec, r.Model, r.Rows, a, b); !usererr.Is(err, usererr.Invalid) {
		t.Errorf("an interval model was moved: %v", err)
	}
	spec.Model.Loss = "logistic"
	if r, err = Fit(context.Background(), tabletest.FromRecords(records), spec, nil); err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][2]float64{{math.NaN(), 1}, {0, 0}, {0, -1}, {99, 1}} {
		if _, err := Recalibrated(r, spec, r.Model, r.Rows, bad[0], bad[1]); !usererr.Is(err, usererr.Invalid) {
			t.Errorf("%v was taken", bad)
		}
	}
}
