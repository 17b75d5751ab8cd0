package report

import (
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/metric"
)

// TestShareTable: the table of the report tells no count of 1 to 9.
func TestShareTable(t *testing.T) {
	table := shareTable(metric.Classes{Levels: []string{"a", "b", "c"}, Abstained: []int{0, 0, 0}, Confusion: [][]int{{50, 0, 0}, {0, 47, 3}, {0, 3, 47}}})
	var texts []string
	for _, r := range table.Rows {
		for _, c := range r.Cells[1:] {
			texts = append(texts, strings.ReplaceAll(c.Text, "\u00a0", " "))
		}
	}
	// six are wrong in all: one to five of each of the two classes
	if want := []string{"100", "0", "0", "0", "0", "90 – 98", "2 – 10", "0", "0", "2 – 10", "90 – 98", "0"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
	if !strings.Contains(table.Note, "A range stands") {
		t.Error(table.Note)
	}
}
