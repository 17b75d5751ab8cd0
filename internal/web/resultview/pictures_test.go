package resultview

import (
	"math"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/runspec/spectest"
	"taper/internal/engine/table/tabletest"
)

// TestDotOnROC: the point of the threshold lies on the ROC curve, also where the metrics are means of repeats.
func TestDotOnROC(t *testing.T) {
	for _, repeats := range []int{1, 5} {
		spec := spectest.Clinic()
		spec.Validation = runspec.Validation{Kind: "cv", Folds: 4, Repeats: repeats}
		p, err := engine.Prepare(t.Context(), tabletest.FromRecords(tabletest.Clinic(240, 41)), spec)
		if err != nil {
			t.Fatal(err)
		}
		p.Traced = true
		r, err := p.Run(t.Context(), spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		lines := Bands{Result: r, Spec: spec}.roc(r.Pictures.ROC).Lines
		curve, dot := lines[0], lines[1]
		if off := distance(curve.X, curve.Y, dot.X[0], dot.Y[0]); off > 1e-9 {
			t.Errorf("%d repeats: the dot (%v, %v) lies %v beside the curve", repeats, dot.X[0], dot.Y[0], off)
		}
		if x := r.Metrics.Test; repeats > 1 && distance(curve.X, curve.Y, 100*(1-*x.Specificity), 100**x.Sensitivity) < 1e-3 {
			t.Error("the means of the repeats lie on the curve, so this test shows nothing")
		}
	}
}

// distance is that of a point from a line of segments.
func distance(x, y []float64, atX, atY float64) float64 {
	least := math.Inf(1)
	for i := 1; i < len(x); i++ {
		dx, dy := x[i]-x[i-1], y[i]-y[i-1]
		share := 0.0
		if n := dx*dx + dy*dy; n > 0 {
			share = min(max(((atX-x[i-1])*dx+(atY-y[i-1])*dy)/n, 0), 1)
		}
		least = min(least, math.Hypot(x[i-1]+share*dx-atX, y[i-1]+share*dy-atY))
	}
	return least
}

// TestDefaultDate: the default of a date before 1970 with a time is its own day.
func TestDefaultDate(t *testing.T) {
	origin := -10.0 // 1969-12-22
	if got := ValueOf(prep.Column{Kind: prep.Number, Origin: &origin, Median: .5}, 0, nil); got != "1969-12-22" {
		t.Errorf("noon of 1969-12-22 is filled in as %s", got)
	}
}
