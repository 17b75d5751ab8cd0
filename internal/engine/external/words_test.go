package external

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/model"
	"taper/internal/engine/odds"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// died is a two-class model with the predictors age and site.
func died() *model.Model {
	return &model.Model{Outcome: "state", Levels: []string{"alive", "died"}, Positive: table.Levels{"died"}, Negative: table.Levels{"alive"},
		Columns: []prep.Column{{Name: "age", Kind: prep.Number}, {Name: "site", Kind: prep.Category, Reference: "A", Levels: []string{"B"}}}}
}

// codes joins the codes of warnings.
func codes(all []table.Warning) string {
	var each []string
	for _, w := range all {
		each = append(each, w.Code)
	}
	return strings.Join(each, " ")
}

// TestKinship: from half of the rows on they are the training data, fewer are known rows, and
// rows of one class cannot be evaluated.
func TestKinship(t *testing.T) {
	same := func(n int) *int { return &n }
	several := func(abstained []int, confusion ...[]int) *stat.Classes {
		c := &stat.Classes{}
		c.Confusion, c.Abstained = confusion, abstained
		return c
	}
	for _, c := range []struct {
		name  string
		e     Evaluation
		codes string
		words string
	}{
		{"not compared", Evaluation{Rows: 4, Events: 2}, "", ""},
		{"none known", Evaluation{Rows: 4, Events: 2, Same: same(0)}, "", ""},
		{"one of four", Evaluation{Rows: 4, Events: 2, Same: same(1)}, WarnKnown, "1 evaluated row is equal"},
		{"half", Evaluation{Rows: 4, Events: 2, Same: same(2)}, WarnSameData, "2 of 4 evaluated rows are rows the model was trained on, by all " +
			"predictors and the outcome: not an external validation. Rows that occur more than once, in the training data or " +
			"here, are left out of this count."},
		{"all", Evaluation{Rows: 4, Events: 2, Same: same(4)}, WarnSameData, "4 of 4 evaluated rows are rows the model was " +
			"trained on, by all predictors and the outcome: not an external validation."},
		{"events alone", Evaluation{Rows: 4, Events: 4}, WarnOneClass, "Only ‘died’ is present in ‘state’"},
		{"no event", Evaluation{Rows: 4}, WarnOneClass, "Only ‘alive’ is present"},
		{"several classes", Evaluation{Rows: 4, Classes: several([]int{0, 0}, []int{1, 1}, []int{0, 2})}, "", ""},
		{"the second class alone", Evaluation{Rows: 4, Classes: several([]int{0, 0}, []int{0, 0}, []int{1, 3})}, WarnOneClass, "Only ‘died’"},
		{"one of them without an answer", Evaluation{Rows: 4, Classes: several([]int{1, 0}, []int{0, 0}, []int{1, 2})}, "", ""},
	} {
		got := c.e.kinship(died())
		if codes(got) != c.codes || c.words != "" && !strings.HasPrefix(got[0].Message, c.words) {
			t.Errorf("%s: %v, want %q %q", c.name, got, c.codes, c.words)
		}
	}
}

// TestWithhold: rows of one of three classes leave their counts alone, 3 of 4 answered with their class: its
// recall would be the accuracy.
func TestWithhold(t *testing.T) {
	m := &model.Model{Outcome: "stage", Levels: []string{"a", "b", "c"}}
	one := stat.Multiclass(stat.Answers{Levels: m.Levels, Label: []int{1, 1, 1, 1}, Predicted: []int{1, 1, 1, 2}})
	two := stat.Multiclass(stat.Answers{Levels: m.Levels, Label: []int{1, 1, 1, 2}, Predicted: []int{1, 1, 1, 2}})
	e := Evaluation{Rows: 4, Classes: &one, Cost: new(0.25)}
	e.withhold(m)
	b := e.Classes.PerClass[1]
	if e.Classes.Accuracy != nil || e.Classes.MacroF1 != nil || e.Cost != nil || b.Precision.Value != nil || b.F1 != nil {
		t.Errorf("accuracy %v, cost %v, of the class %+v", e.Classes.Accuracy, e.Cost, b)
	}
	if e.Classes.Confusion[1][1] != 3 || b.Recall.Value != nil {
		t.Errorf("%v, recall %v", e.Classes.Confusion, b.Recall.Value)
	}
	e = Evaluation{Rows: 4, Classes: &two, Cost: new(0.0)}
	if e.withhold(m); e.Classes.Accuracy == nil || *e.Classes.Accuracy != 1 || e.Cost == nil {
		t.Error("withheld with two classes")
	}
}

// TestRefuse: for the training file a single sentence says why, first in the list and replacing
// warnings about known rows.
func TestRefuse(t *testing.T) {
	e := Evaluation{Warnings: []table.Warning{{Code: WarnKnown}, {Code: WarnSkipped}}}
	if e.IsTrainingData() || e.Refusal() != "" {
		t.Errorf("known rows alone: %q", e.Refusal())
	}
	e.Refuse()
	if codes(e.Warnings) != WarnSameData+" "+WarnSkipped || !e.IsTrainingData() || !strings.HasPrefix(e.Refusal(), "This is the file") {
		t.Errorf("%+v", e.Warnings)
	}
	one := Evaluation{Warnings: []table.Warning{{Code: WarnOneClass, Message: "Only one."}}}
	if one.Refusal() != "Only one." || one.IsTrainingData() {
		t.Error("one class is no training data")
	}
}

// TestStrangers: empty cells and missing codes count as no outcome; an unknown level is named
// from ten rows on, in order, and rarer ones are summed up.
func TestStrangers(t *testing.T) {
	v := newEvaluator(died(), EvaluateOptions{})
	for level, n := range map[string]int{"moved": 10, "lost": 11, "rare": 9, "": 2, "NA": 3} {
		for range n {
			v.add(func(string) string { return level }, ".", model.Prediction{})
		}
	}
	want := []table.LevelRows{{Level: "lost", Rows: 11}, {Level: "moved", Rows: 10}, {Rows: 9}}
	if got := v.strangers(); !slices.Equal(got, want) || v.e.Skipped != 35 || v.e.NoOutcome != 5 || v.e.Read != 35 {
		t.Errorf("%+v of %d skipped, %d without outcome, want %+v", got, v.e.Skipped, v.e.NoOutcome, want)
	}
	v.e.Unknown = want
	if got := v.e.strangeWords(); got != ` Levels the model does not know: ‘lost’ (11), ‘moved’ (10) and rare levels (9).` {
		t.Errorf("%q", got)
	}
	one := newEvaluator(died(), EvaluateOptions{})
	one.add(func(string) string { return "moved" }, ".", model.Prediction{})
	if got := one.strangers(); !slices.Equal(got, []table.LevelRows{{Rows: 1}}) {
		t.Errorf("one row: %+v", got)
	}
	if none := (&Evaluation{}).strangeWords(); none != "" {
		t.Errorf("%q", none)
	}
}

// TestOutsideAlone: if every row of a known class is outside the data, the columns are named.
func TestOutsideAlone(t *testing.T) {
	v := newEvaluator(died(), EvaluateOptions{})
	far := model.Prediction{OutsideData: []prep.Issue{{Column: "age", Kind: prep.IssueRange}}}
	for _, state := range []string{"died", "alive", "died"} {
		v.add(func(string) string { return state }, ".", far)
	}
	_, err := v.result(t.Context())
	if err == nil || !strings.Contains(err.Error(), "‘age’ beyond its range: 3") || v.e.Outside != 3 || v.e.OutsideEvents != 2 {
		t.Errorf("%v; %+v", err, v.e)
	}
}

// TestShift: values by class with quartiles, training levels by name and others as one, missing
// cells and values outside the range counted.
func TestShift(t *testing.T) {
	m := died()
	age, site := newShifting(&m.Columns[0], 2), newShifting(&m.Columns[1], 2)
	for i := range 5 {
		age.add(prep.Cell{Number: float64(10 * i), Outside: i == 4}, 1) // 0 to 40, with quartiles 10, 20 and 30
	}
	age.add(prep.Cell{Missing: true}, 0)
	a := age.result()
	if a.Quartiles[0] != nil || *a.Quartiles[1] != [3]float64{10, 20, 30} || !slices.Equal(a.N, []int{0, 5}) || a.Missing != 1 || a.Outside != 1 {
		t.Errorf("%+v", a)
	}
	for _, c := range []struct {
		level   string
		outside bool
		class   int
	}{{"B", false, 0}, {"A", false, 1}, {"Z", true, 1}, {"Y", true, 0}, {"B", false, 0}} {
		site.add(prep.Cell{Level: c.level, Outside: c.outside}, c.class)
	}
	s := site.result()
	if got := fmt.Sprint(s.Levels); got != "[{A [0 1]} {B [2 0]} {(unseen) [1 1]}]" || s.Outside != 2 || !slices.Equal(s.N, []int{3, 2}) {
		t.Errorf("%s, %+v", got, s)
	}
}

// TestSubgroupColumn: up to twelve texts are levels, more must be numbers; empty cells and
// missing codes have no level.
func TestSubgroupColumn(t *testing.T) {
	gather := func(texts ...string) *levels {
		l := &levels{place: map[string]int32{}, decimal: ","}
		for _, text := range texts {
			l.add(text)
		}
		return l
	}
	few, err := gather("b", "a", "", "NA", "b").column("site")
	if err != nil || !slices.Equal(few.Levels, []string{"b", "a"}) || !slices.Equal(few.Code, []int32{0, 1, -1, -1, 0}) {
		t.Errorf("%+v, %v", few, err)
	}
	var numbers, names []string
	for i := range 13 {
		numbers, names = append(numbers, fmt.Sprintf("%d,5", i)), append(names, fmt.Sprint("site ", i))
	}
	if twelve, err := gather(names[:12]...).column("site"); err != nil || len(twelve.Levels) != 12 {
		t.Errorf("twelve levels: %+v, %v", twelve, err)
	}
	many, err := gather(append(numbers, "")...).column("age")
	if err != nil || many.Num[0] != .5 || many.Num[12] != 12.5 || !math.IsNaN(many.Num[13]) {
		t.Errorf("%+v, %v", many, err)
	}
	if _, err := gather(names...).column("site"); err == nil || !strings.Contains(err.Error(), "at most 12 levels: ‘site’ has 13") {
		t.Errorf("thirteen names: %v", err)
	}
}

// TestRecalibratedBands: a risk equal to a boundary stays in the band below, and nothing is
// computed where a or b could not be estimated or is implausible.
func TestRecalibratedBands(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	s := stat.Scores{Event: []bool{false, true, true}, Score: []float64{-1, 0, 1}, Probability: []float64{.2, .5, .8},
		Band: []int{0, 0, 1}, Pi: []float64{.5}}
	var e Evaluation
	e.addRecalibrated(s, RecalibrateIntercept, nil, at(1))
	e.addRecalibrated(s, RecalibrateIntercept, at(0), nil)
	e.addRecalibrated(s, RecalibrateIntercept, at(51), at(1))
	if len(e.Recalibrated) > 0 {
		t.Errorf("%+v", e.Recalibrated)
	}
	e.addRecalibrated(s, RecalibrateIntercept, at(0), at(1))
	e.addRecalibrated(s, RecalibrateSlope, at(odds.Logit(.6)), at(1)) // .5 becomes .6, .2 stays below
	for how, want := range map[string][2]int{RecalibrateIntercept: {2, 1}, RecalibrateSlope: {1, 2}} {
		got := e.RecalibratedModel(how)
		if got == nil || got.Strata[0].N != want[0] || got.Strata[1].N != want[1] {
			t.Errorf("%s: %+v, want bands of %d rows", how, got, want)
		}
	}
	if e.RecalibratedModel("other") != nil {
		t.Error("another way was made")
	}
}

// TestKnownRowsOfATable: rows of an unknown class and rows beyond the table are skipped; a
// table that lacks a column, or has it with another kind, gives no known rows.
func TestKnownRowsOfATable(t *testing.T) {
	age, site := tabletest.Numbers("age", 50, 60, 60), tabletest.Texts("site", "A", "B", "B")
	rows := func(yield func(int, string) bool) {
		for i, outcome := range []string{"died", "alive", "alive", "died"} {
			if !yield(i, outcome) {
				return
			}
		}
	}
	k := KnownRows(died(), tabletest.ByHand(age, site), rows)
	if k == nil || len(k.rows) != 2 {
		t.Fatalf("%+v, want the row of 50 once and that of 60 twice", k)
	}
	for _, n := range k.rows {
		if n != 1 && n != 2 {
			t.Errorf("%d rows of one key", n)
		}
	}
	for name, cols := range map[string][]*table.Column{
		"a column less": {age}, "a text for a number": {tabletest.Texts("age", "a", "b", "c"), site},
		"a number for a text": {age, tabletest.Numbers("site", 1, 2, 3)},
	} {
		if got := KnownRows(died(), tabletest.ByHand(cols...), rows); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
