package report

import (
	"testing"

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
	table := ShowSmall.eachClass(stat.Multiclass(a), []string{"30", "40"})
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
	if n := len(ShowSmall.eachClass(stat.Multiclass(a), []string{"30", "40"}).Columns); n != 4 {
		t.Errorf("%d columns where each row has an answer", n)
	}
}
