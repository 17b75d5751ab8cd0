package engine

import (
	"fmt"
	"math"

	"taper/internal/engine/check"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
)

// warnings lists what is doubtful about the model and its numbers.
func (b *classRun) warnings(r *Result) []Warning {
	var all []Warning
	add := func(code, format string, args ...any) { all = append(all, check.Note(code, "", format, args...)) }
	all = append(all, b.warned(r)...)
	if b.model.uncertified > 0 {
		add(WarnNotCertified, "%s stopped before the tolerance was reached.", phrase.Plural(b.model.uncertified, "fit", "fits"))
	}
	for _, text := range b.model.final.Potential.Warnings {
		add(WarnLoss, "%s", text)
	}
	if text := scattered(r.Starts); text != "" {
		add(WarnStarts, "%s", text)
	}
	for _, row := range r.Classes.Metrics.Test.PerClass {
		if row.Predicted == 0 && row.Support > 0 {
			add(WarnNeverPredicted, "No row is answered with %q.", row.Level)
		}
	}
	for _, c := range r.Classes.Rows {
		if c.Trained < fewRows {
			add(WarnFewInClass, "%s of class %q to train on: its numbers are exploratory only.",
				phrase.Plural(c.Trained, "row", "rows"), c.Level)
		}
	}
	for _, other := range r.Classes.Beside {
		if other.ID == "logistic" && other.Difference != nil && *other.Difference < 0 {
			text := fmt.Sprintf("Softmax regression has the lower %s: %s against %s", r.Classes.Criterion, loss3(&other.Cost),
				loss3(&r.Classes.Cost))
			if math.Abs(*other.Difference) <= stat.Z95**other.DifferenceSE {
				text += ", a difference within the noise"
			}
			add(WarnLogisticBetter, "%s.", text)
		}
	}
	return all
}

// fewRows is the number below which a class says little.
const fewRows = 10
