package resultview

import (
	"slices"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// TestMissingByClass: the table of predictors counts missing values by class; for results of earlier versions it
// has their sum.
func TestMissingByClass(t *testing.T) {
	quartiles := [][3]float64{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}
	s := Classes{Result: &engine.Result{Classes: &engine.ClassResult{
		Rows: []engine.ClassRows{{Level: "a", Scored: 60}, {Level: "b", Scored: 100}, {Level: "c", Scored: 200}},
		Table1: []engine.ClassTable1{{Name: "age", Classes: quartiles, Missing: 15, MissingIn: []int{12, 0, 3}},
			{Name: "dose", Classes: quartiles, MissingIn: []int{0, 0, 0}},
			{Name: "bmi", Classes: quartiles, Missing: 15}}}}}
	for i, want := range []string{"15 (12 · 0 · 3)", "0 ", "15 "} {
		row := s.predictors().Rows[i].Cells
		if got := row[4].Text() + " " + row[4].Note; got != want {
			t.Errorf("%s: %q, want %q", row[0].Text(), got, want)
		}
	}
}

// TestQuartilesThatAgree: quartiles are no confidence interval, and are shown where they are equal.
func TestQuartilesThatAgree(t *testing.T) {
	s := Classes{Result: &engine.Result{Classes: &engine.ClassResult{Rows: []engine.ClassRows{{Level: "a", Scored: 60}},
		Table1: []engine.ClassTable1{{Name: "barium", Classes: [][3]float64{{2, 2, 2}}}}}}}
	if got := s.predictors().Rows[0].Cells[1].Small(); got != "("+viz.Range("2", "2")+")" {
		t.Errorf("%q", got)
	}
}

// TestReferenceClassNamed: a class named 1 must not read as the odds ratio of no effect.
func TestReferenceClassNamed(t *testing.T) {
	s := Classes{Result: &engine.Result{Classes: &engine.ClassResult{Levels: []string{"1", "2"}},
		Coefficients: []engine.Coefficient{{Name: "age", Class: "1", Value: 1}, {Name: "age", Class: "2", Value: 2,
			OddsRatio: new(2.7)}}}}
	if got := s.Coefficients().Note; !strings.Contains(got, "relative to class ‘1’.") {
		t.Errorf("%q", got)
	}
}

// TestIntervalsNamed: the intervals of the answers' statistics and those of the compared losses are named with level
// and method.
func TestIntervalsNamed(t *testing.T) {
	m := stat.Multiclass(stat.Answers{Levels: []string{"a", "b", "c"}, Label: []int{0, 1, 2, 2}, Predicted: []int{0, 1, 2, 1},
		Ordinal: true})
	if got, want := ClassIntervals(m), "In brackets: 95"+format.Pc+" CI. Mean absolute error: normal interval of a mean. "+
		"Accuracy: Wilson. Macro F1: delta method, with the Wilson limits of classes whose F1 is 0 or 1. Quadratic weighted "+
		"kappa: delta method."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := ClassIntervals(stat.Average([]stat.Classes{m, m})), "In brackets: 95"+format.Pc+" CI, its limits too "+
		"as means over the repeats. Mean absolute error: normal interval of a mean. Accuracy: Wilson."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := ClassIntervals(stat.Classes{}); got != "" {
		t.Errorf("without intervals: %q", got)
	}

	if got := ClassIntervals(stat.Multiclass(stat.Answers{Levels: []string{"a", "b", "c"}, Label: []int{0, 0, 1},
		Predicted: []int{0, 2, 1}})); !strings.HasSuffix(got, " Macro F1 is the mean over 2 of 3 classes: c has no rows.") {
		t.Errorf("a class without rows: %q", got)
	}

	drawn := &engine.Result{Clinical: &engine.Clinical{Paired: &stat.Comparison{}},
		Beside: []engine.Beside{{ID: "model"}, {ID: "logistic", Difference: new(.1)}, {ID: "null", Difference: new(.2)}}}
	if got := (Bands{Result: drawn}).lossInterval(); got != "normal interval of a mean" {
		t.Errorf("without draws: %q", got)
	}
	drawn.Clinical.Paired.IntervalLoss.Difference.Low = new(-.1)
	if got := (Bands{Result: drawn}).lossInterval(); got !=
		"against logistic regression by percentile bootstrap, otherwise normal interval of a mean" {
		t.Errorf("with draws: %q", got)
	}
}

// TestInfiniteRatioOfBand: a band of events alone has an infinite likelihood ratio; also one with few rows.
func TestInfiniteRatioOfBand(t *testing.T) {
	event := make([]bool, 90)
	band := make([]int, 90)
	for i := range event {
		switch {
		case i < 40: // 10 events of 40
			event[i] = i < 10
		case i < 43:
			band[i], event[i] = 1, true
		default:
			band[i], event[i] = 2, true
		}
	}
	table := Strata(stat.Strata([]float64{.3, .5}, band, event), "illness", "")
	for k, want := range []string{"0.17 0.09\u00a0–\u2060\u00a00.28", "∞ (0.41\u00a0–\u2060\u00a0∞) ", "∞ (6.89\u00a0–\u2060\u00a0∞) "} {
		if got := table.Rows[k].Cells[6].Text() + " " + table.Rows[k].Cells[6].Small(); got != want {
			t.Errorf("the likelihood ratio of band %d is %q, want %s", k, got, want)
		}
	}
}

// TestRecallAmongAnswered: where rows got no answer, recall is not called that of all rows of the class.
func TestRecallAmongAnswered(t *testing.T) {
	for abstained, want := range map[int]string{0: "Recall", 8: "Recall among answered"} {
		table := PerClass(stat.Classes{Abstained: []int{0, abstained}})
		found := slices.ContainsFunc(table.Columns, func(c doc.Column) bool { return c.Label == want })
		if !found || strings.Contains(table.Note, "counted as missed") != (abstained > 0) {
			t.Errorf("%d abstained: no column %q, or the note is wrong: %s", abstained, want, table.Note)
		}
	}
}

// TestAccuracyOfFewAnswers: softmax regression answers 2 of 5 rows, both right; its 100 % says of how many.
func TestAccuracyOfFewAnswers(t *testing.T) {
	none := stat.Abstained
	m := stat.Multiclass(stat.Answers{Levels: []string{"a", "b"}, Label: []int{0, 1, 0, 1, 0},
		Predicted: []int{0, 1, none, none, none}, Abstain: true, Cost: 0.3})
	s := Classes{Result: &engine.Result{Classes: &engine.ClassResult{Task: "abstain", Criterion: "abstention loss",
		Beside: []engine.ClassBeside{{ID: "logistic", Title: "Softmax regression", Metrics: m}}}}}
	table := s.Beside()
	if c := table.Rows[0].Cells[s.ComparisonAccuracy()]; c.Value != "100.0" || c.Note != "of 2 rows" ||
		table.Columns[s.ComparisonAccuracy()].Unit != "% of answered" {
		t.Errorf("%v %q under %q", c.Value, c.Note, table.Columns[s.ComparisonAccuracy()].Unit)
	}
	if got := PerClass(m).Columns[1].Label; got != "Answered rows" {
		t.Errorf("rows of each class: %q", got)
	}
}

// TestTrainingRowsHaveNoInterval: beside models evaluated on the training rows stands no interval of a difference and no
// column for it, and a note says why.
func TestTrainingRowsHaveNoInterval(t *testing.T) {
	d, se := .04, .004
	for _, apparent := range []bool{true, false} {
		r := &engine.Result{Apparent: apparent, Beside: []engine.Beside{{ID: "logistic", Difference: &d, DifferenceSE: &se}},
			Classes: &engine.ClassResult{Beside: []engine.ClassBeside{{ID: "logistic", Difference: &d, DifferenceSE: &se}}}}
		r.DropRanks()
		if note := besideRow(r, r.Beside[0]).Cells[1].Note; (note == "") != apparent {
			t.Errorf("apparent %t: %q", apparent, note)
		}
		classes := Classes{Result: r}
		table := classes.Beside()
		if got := slices.ContainsFunc(table.Columns, func(c doc.Column) bool { return c.Label == "Difference" }); got == apparent {
			t.Errorf("apparent %t: %+v", apparent, table.Columns)
		}
		if got := table.Columns[classes.ComparisonAccuracy()].Label; got != "Accuracy" || len(table.Rows[0].Cells) != len(table.Columns) {
			t.Errorf("apparent %t: %q, %d cells in %d columns", apparent, got, len(table.Rows[0].Cells), len(table.Columns))
		}
		for _, note := range []string{Bands{Result: r}.besideNote(), table.Note} {
			if strings.Contains(note, engine.CloserFit) != apparent || strings.Contains(note, "paired 95") == apparent {
				t.Errorf("apparent %t: %q", apparent, note)
			}
		}
	}
}

// TestLabelOfValidation: no value repeats the word of its label, as in "Evaluated by: evaluated on a hold-out".
func TestLabelOfValidation(t *testing.T) {
	r := &engine.Result{Validation: "evaluated on a hold-out of 90 rows (30\u00a0%), stratified", Classes: &engine.ClassResult{}}
	for name, facts := range map[string]doc.Facts{"bands": Bands{Result: r}.fit(), "classes": Classes{Result: r}.Fit()} {
		found := false
		for _, f := range facts {
			found = found || f.Value == r.Validation
			if word, _, _ := strings.Cut(f.Label, " "); strings.HasPrefix(strings.ToLower(f.Value), strings.ToLower(word)) {
				t.Errorf("%s: %s: %s", name, f.Label, f.Value)
			}
		}
		if !found {
			t.Errorf("%s: no validation in %+v", name, facts)
		}
	}
}
