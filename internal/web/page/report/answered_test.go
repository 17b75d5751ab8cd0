package report

import (
	"slices"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/stat"
)

// TestAnsweredBesideRecall: of 30 rows of class a 20 have an answer, 15 of them right: recall among answered is 75 %, and
// the table says of how many rows.
func TestAnsweredBesideRecall(t *testing.T) {
	a := stat.Answers{Levels: []string{"a", "b"}, Abstain: true, Cost: 0.3}
	for label, counts := range [][3]int{{15, 5, 10}, {10, 20, 10}} {
		for answer, n := range counts {
			for range n {
				a.Label, a.Predicted = append(a.Label, label), append(a.Predicted, [3]int{0, 1, stat.Abstained}[answer])
			}
		}
	}
	table := ShowSmall.eachClass(stat.Multiclass(a), []string{"30", "40"}, true)
	row := table.Rows[0].Cells
	if table.Columns[2].Label != "Answered" || row[1].Value != "30" || row[2].Value != "20" {
		t.Errorf("%s: %v of %v rows", table.Columns[2].Label, row[2].Value, row[1].Value)
	}
	a.Abstain = false
	for i, answer := range a.Predicted {
		if answer == stat.Abstained {
			a.Predicted[i] = 1
		}
	}
	if n := len(ShowSmall.eachClass(stat.Multiclass(a), []string{"30", "40"}, true).Columns); n != 4 {
		t.Errorf("%d columns where each row has an answer", n)
	}
}

// TestAnsweredMasked: where an answer is masked, the number of answered rows is the range of the printed answers, which
// a reader could otherwise subtract from the rows; where none is, it is exact.
func TestAnsweredMasked(t *testing.T) {
	for _, c := range []struct {
		name   string
		counts [2][3]int // of class 0 and 1: answered 0, answered 1, not answered
		want   []string
	}{
		{"none masked", [2][3]int{{50, 10, 20}, {10, 40, 30}}, []string{"60", "50"}},
		{"three wrong", [2][3]int{{50, 3, 27}, {12, 40, 28}}, nil},
		{"three without an answer", [2][3]int{{50, 27, 3}, {12, 40, 28}}, nil},
	} {
		a := stat.Answers{Levels: []string{"a", "b"}, Abstain: true, Cost: 0.3}
		for label, counts := range c.counts {
			for answer, n := range counts {
				for range n {
					a.Label, a.Predicted = append(a.Label, label), append(a.Predicted, [3]int{0, 1, stat.Abstained}[answer])
				}
			}
		}
		m := stat.Multiclass(a)
		table := MaskSmall.eachClass(m, []string{"80", "80"}, true)
		if table.Columns[2].Label != "Answered" || len(table.Rows[0].Cells) != len(table.Columns) {
			t.Fatalf("%s: %+v", c.name, table.Columns)
		}
		spans, _ := MaskSmall.answers(answersOf(m, true))
		for k, row := range table.Rows {
			got := row.Cells[2].Text()
			if c.want != nil && got != c.want[k] {
				t.Errorf("%s: class %d has %s answers, want %s", c.name, k, got, c.want[k])
			}
			low, high := spans[k][0].Low+spans[k][1].Low, spans[k][0].High+spans[k][1].High
			if want := (mask.Span{Low: low, High: high}).CountText(); got != want {
				t.Errorf("%s: class %d has %s answers, the printed ones leave %s", c.name, k, got, want)
			}
		}
		if row := table.Rows[0].Cells[2].Text(); c.want == nil && !strings.Contains(row, "–") {
			t.Errorf("%s: %s answered rows disclose the masked count", c.name, row)
		}
	}
}

// TestAnswersComparedInPrint: the comparison counts the answered rows of each model, which with the rows would give a
// masked number of abstentions: a masked report leaves the counts out, one that shows small counts has them.
func TestAnswersComparedInPrint(t *testing.T) {
	a := stat.Answers{Levels: []string{"a", "b"}, Abstain: true, Cost: 0.3}
	for label, counts := range [][3]int{{50, 10, 20}, {10, 40, 30}} {
		for answer, n := range counts {
			for range n {
				a.Label, a.Predicted = append(a.Label, label), append(a.Predicted, [3]int{0, 1, stat.Abstained}[answer])
			}
		}
	}
	p := classRun(80, 80)
	p.r.Classes.Metrics.Test = stat.Multiclass(a)
	for k := range p.r.Classes.Beside {
		p.r.Classes.Beside[k].Metrics = p.r.Classes.Metrics.Test
	}
	for _, small := range []SmallCounts{MaskSmall, ShowSmall} {
		p.Small = small
		var notes []string
		for _, n := range p.classRobustness() {
			if table, ok := n.(doc.Table); ok {
				for _, r := range table.Rows {
					notes = append(notes, r.Cells[p.classes().ComparisonAccuracy()].Note)
				}
			}
		}
		want := map[SmallCounts]string{MaskSmall: "", ShowSmall: "of 110 rows"}[small]
		if len(notes) != 3 || slices.ContainsFunc(notes, func(s string) bool { return s != want }) {
			t.Errorf("small counts shown %v: %q, want three times %q", small, notes, want)
		}
	}
}
