package engine

import (
	"math"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table/tabletest"
)

// TestPictures holds the pictures to the metrics, which are computed apart from
// them, and to the rows, counted here by hand.
func TestPictures(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(300, 12))
	for _, m := range []fit.Spec{{Loss: "alpha", Params: map[string]any{"alpha": 4.0}}, {Loss: "interval"}, {Loss: "dwd"}, {Loss: "tempered"}} {
		s := clinicSpec()
		m.L2 = fit.L2{Value: 0.02}
		s.Model, s.Noise = m, runspec.Noise{Kind: "symmetric", Rate: 0.1}
		r := mustFit(t, tab, s)
		p := r.Pictures
		test := r.Metrics.Test
		if *p.ROC.AUC.Value != *test.AUC || *p.Confusion.Accuracy != *test.Accuracy {
			t.Errorf("%s: AUC %v and accuracy %v, the metrics say %v and %v", r.Method, *p.ROC.AUC.Value, *p.Confusion.Accuracy, *test.AUC, *test.Accuracy)
		}
		if *p.Confusion.PerClass[1].Recall.Value != *test.Sensitivity || *p.Confusion.PerClass[0].Recall.Value != *test.Specificity || p.Confusion.PerClass[1].Level != "died" {
			t.Errorf("%s: %+v", r.Method, p.Confusion.PerClass)
		}
		if (p.Calibration != nil) != (test.Brier != nil) || (p.GiveUp != nil) != (m.Loss == "alpha" || m.Loss == "tempered") {
			t.Fatalf("%s: calibration %v, give-up %v", r.Method, p.Calibration != nil, p.GiveUp != nil)
		}
		if p.GiveUp == nil {
			continue
		}
		var want [pictureBins]int
		half, flipped, got := 0, 0, 0
		for _, row := range r.Rows {
			k := 0
			for *row.Weight > float64(k+1)/pictureBins && k < pictureBins-1 {
				k++
			}
			want[k]++
			if *row.Weight < 0.5 {
				half++
			}
			if row.Flipped {
				flipped++
			}
		}
		for k, b := range p.GiveUp.Bins {
			if b.Events+b.Others != want[k] || !(math.Abs(b.Upper-b.Lower-0.05) <= 1e-12) {
				t.Errorf("%s: bin %d %+v, want %d rows", r.Method, k, b, want[k])
			}
			got += b.Flipped
		}
		if p.GiveUp.Half != half || got != flipped || flipped == 0 {
			t.Errorf("%s: %d rows below ½ and %d flipped, want %d and %d", r.Method, p.GiveUp.Half, got, half, flipped)
		}
	}
}
