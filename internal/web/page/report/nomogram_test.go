package report

import (
	"testing"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/model"
)

// TestOnePoint: one point is no plural.
func TestOnePoint(t *testing.T) {
	if got := pointsText(1.2) + ", " + pointsText(0) + ", " + pointsText(12.6); got != "1 point, 0 points, 13 points" {
		t.Error(got)
	}
}

// TestWhyNoNomogram: the page of a model without a nomogram has the reason in place of the drawing.
func TestWhyNoNomogram(t *testing.T) {
	c := Clinical{Result: &engine.Result{}, Model: &model.Model{Kind: "boost"}}
	for _, s := range c.ModelSections() {
		if s.ID != "points" {
			continue
		}
		if len(s.Body) != 1 || s.Body[0] != doc.Note("No nomogram: it adds up one number per predictor, which this model does not do.") {
			t.Errorf("%+v", s.Body)
		}
		return
	}
	t.Error("no section")
}
