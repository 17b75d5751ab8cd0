package check

import (
	"slices"

	"taper/internal/engine/table"
)

// predictionWords are words of headers by which programs call what a model predicts.
var predictionWords = table.WordSet(`pred preds predicted prediction predictions predprob phat yhat proba prob
	probability vorhersage vorhersagewahrscheinlichkeit`)

// fewestPredictions is the number of different values from which a column holds probabilities and no shares of a few
// things.
const fewestPredictions = 10

// predictions asks about columns that look like what a model of elsewhere says: as a predictor such a column carries
// that model into the new one.
func (d *checker) predictions() {
	for _, c := range d.t.Columns {
		if c.Name == d.outcome || c.Spec.Role != "" || c.Type != table.Number || !usable(d.t, c) ||
			c.Distinct < fewestPredictions {
			continue
		}
		words := table.HeaderWords(c.Name)
		if !predictionWords[table.JoinedHeader(c.Name)] &&
			!slices.ContainsFunc(words, func(w string) bool { return predictionWords[w] }) {
			continue
		}
		if slices.ContainsFunc(c.Num, func(v float64) bool { return v < 0 || v > 1 }) { // NaN is neither
			continue
		}
		d.ask(question{code: "prediction", column: c.Name,
			fact: c.Name + " looks like the prediction of a model.",
			ask:  "Evaluate it, in place of using it as a predictor?", kept: "Used as a predictor.",
			choices: []table.Choice{{Label: "A prediction to evaluate",
				Column: &table.ColumnSpec{Name: c.Name, Role: table.Prediction}}, {Label: "Keep it as a predictor"}}})
	}
}
