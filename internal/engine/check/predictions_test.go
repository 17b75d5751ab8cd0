package check

import (
	"slices"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// TestPredictionsAreAskedAbout: probabilities that are called so are asked about once, and nothing else is.
func TestPredictionsAreAskedAbout(t *testing.T) {
	p := make([]float64, 40)
	age, share := make([]float64, 40), make([]float64, 40)
	for i := range p {
		p[i], age[i], share[i] = float64(i*17%40)/40, 40+float64(i*7%33)+.5, float64(i%3)/4
	}
	far := slices.Clone(p)
	far[3] = 1.2
	of := tabletest.ByHand(tabletest.Numbers("predicted_risk", p...), tabletest.Numbers("P(death), yhat", p...),
		tabletest.Numbers("pred_share", share...), tabletest.Numbers("prediction", far...), tabletest.Numbers("age", age...),
		tabletest.Numbers("fraction", p...))
	asked := func(o table.Options) (names []string) {
		for _, w := range Columns(of.WithOptions(o), o) {
			if w.Code == "prediction" && w.Level == "ask" {
				names = append(names, w.Column)
			}
		}
		return names
	}
	if got := asked(table.Options{}); !slices.Equal(got, []string{"predicted_risk", "P(death), yhat"}) {
		t.Errorf("asked about %v", got)
	}
	o := table.Options{Columns: []table.ColumnSpec{{Name: "predicted_risk", Role: table.Prediction}}}
	if got := asked(o); !slices.Equal(got, []string{"P(death), yhat"}) {
		t.Errorf("asked again about %v", got)
	}
	if slices.Contains(UsablePredictors(of.WithOptions(o), "", "", ""), "predicted_risk") {
		t.Error("a prediction to evaluate is a predictor")
	}
}
