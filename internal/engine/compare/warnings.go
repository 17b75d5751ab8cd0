package compare

import (
	"fmt"
	"reflect"
	"strings"
)

// caveats lists possible problems in comparing a run with the baseline. Each is reported once,
// with the names of all runs that it concerns.
var caveats = []struct {
	code, text string // "%s" stands for the names
	holds      func(b *joined, i int) bool
}{
	{"data", "Other data than the baseline’s: %s. Values are shown side by side and not subtracted.",
		func(b *joined, i int) bool { return b.baseline().SHA256 != b.runs[i].SHA256 }},
	{"event", "Another outcome or event than the baseline’s: %s. Values are shown side by side and not subtracted.",
		func(b *joined, i int) bool { return b.pairs[i].reason == otherEvent }},
	{"reading", "The file was read another way: %s. The same row number names another row, so no rows are paired.",
		func(b *joined, i int) bool { return b.pairs[i].reason == otherReading }},
	{"apparent", "Only one of the runs was evaluated on its training rows: %s. Its values are optimistic and not " +
		"subtracted.",
		func(b *joined, i int) bool { return b.baseline().Result.Apparent != b.runs[i].Result.Apparent }},
	{"training", "Evaluated on its training rows, as the baseline was: %s. A model that fits these rows more closely " +
		"has better values there, also where it predicts new rows worse: differences have no interval and no verdict.",
		func(b *joined, i int) bool { return b.sameRows(i) && BothOnTraining(b.baseline(), b.runs[i]) }},
	{"validation", "Another kind of evaluation than the baseline’s: %s. Part of each difference is due to the split.",
		func(b *joined, i int) bool {
			return b.sameRows(i) && !reflect.DeepEqual(b.baseline().Spec.Validation, b.runs[i].Spec.Validation)
		}},
	{"seed", "Other folds than the baseline’s, since the seed or the groups differ: %s. Part of each difference is " +
		"due to the split.",
		func(b *joined, i int) bool {
			x, y := b.baseline().Spec, b.runs[i].Spec
			return b.sameRows(i) && (x.Seed != y.Seed || x.Group != y.Group)
		}},
	{"rows", "Different test rows: %s. Paired differences and reclassification use the rows that both runs tested.",
		func(b *joined, i int) bool {
			n := b.pairs[i].n
			return n > 0 && (n != len(b.samples[b.base].row) || n != len(b.samples[i].row))
		}},
	{"no-rows", "No row was tested by both runs: %s. Differences between different rows have no interval " +
		"and no verdict: they may be due to chance.",
		func(b *joined, i int) bool { return b.pairs[i].reason == noRows }},
	{"boundaries", "Other boundaries than the baseline’s: %s. The interval loss then measures something else, and " +
		"there is no reclassification table.",
		func(b *joined, i int) bool { return b.sameRows(i) && !sameBands(b.baseline(), b.runs[i]) }},
	{"cut", "Another threshold than the baseline’s: %s. Accuracy, sensitivity and specificity are not subtracted.",
		func(b *joined, i int) bool {
			return b.sameRows(i) && twoClasses(b.baseline()) && twoClasses(b.runs[i]) && !sameCut(b.baseline(), b.runs[i])
		}},
	{"labels", "Labels or rows other than the baseline’s, since a review changed or left out some: %s. " +
		"Values are on the labels of each run, so that agreeing with the model that was reviewed improves them, and are " +
		"not subtracted. Differences are on the labels as uploaded.",
		func(b *joined, i int) bool { return b.sameRows(i) && !sameLabels(b.baseline(), b.runs[i]) }},
	{"recalibrated", "This run or the baseline was recalibrated for another population: %s. These rows are not of " +
		"that population, so its losses, calibration and verdicts are left out, and only the AUC is subtracted.",
		func(b *joined, i int) bool {
			return b.sameRows(i) && (b.baseline().Result.IsRecalibrated() || b.runs[i].Result.IsRecalibrated())
		}},
	{"repeats", "The cross-validation was repeated: %s. Metrics are means over the repeats; paired differences and " +
		"reclassification are of the first.",
		func(b *joined, i int) bool {
			return b.sameRows(i) && max(b.baseline().Spec.Validation.Repeats, b.runs[i].Spec.Validation.Repeats) > 1
		}},
	{"optimistic", "λ was chosen on the evaluation folds in one run and inside them in the other: %s. The former is " +
		"optimistic.",
		func(b *joined, i int) bool { return b.baseline().Result.Optimistic != b.runs[i].Result.Optimistic }},
	{"task", "Another task than the baseline’s: %s. Only metrics that both have are subtracted.",
		func(b *joined, i int) bool { return twoClasses(b.baseline()) != twoClasses(b.runs[i]) }},
}

// sameRows reports whether run i predicts the baseline's event on the same data.
func (b *joined) sameRows(i int) bool {
	return b.baseline().SHA256 == b.runs[i].SHA256 && sameEvent(b.baseline(), b.runs[i])
}

func (b *joined) warnings() []Warning {
	list := []Warning{}
	for _, d := range caveats {
		w := Warning{Code: d.code}
		var names []string
		b.others(func(i int, r Run) {
			if d.holds(b, i) {
				w.Runs, names = append(w.Runs, r.ID), append(names, "‘"+r.Name+"’")
			}
		})
		if len(names) > 0 {
			w.Message = fmt.Sprintf(d.text, strings.Join(names, ", "))
			list = append(list, w)
		}
	}
	return list
}

// Warning is a limitation of the comparison, with the ids of the runs concerned.
type Warning struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Runs    []string `json:"runs"`
}
