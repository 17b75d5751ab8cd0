package external

import (
	"strings"
	"testing"

	"taper/internal/engine/model"
	"taper/internal/engine/prep"
)

// TestOutsideWords: five columns are named, the others counted, and the verb agrees.
func TestOutsideWords(t *testing.T) {
	e := Evaluation{Outside: 1, OutsideEvents: 1}
	for _, c := range []struct {
		columns int
		want    string
	}{
		{1, "(‘a’ beyond its range: 1200)"},
		{2, "‘a’ beyond its range: 1200; ‘b’ an unseen level: 1200)"},
		{5, "‘e’ beyond its range: 1200)"},
		{6, "‘e’ beyond its range: 1200; 1 more column)"},
		{8, "‘e’ beyond its range: 1200; 3 more columns)"},
	} {
		e.OutsideBy = nil
		for k := range c.columns {
			kind := []string{prep.IssueRange, prep.IssueUnseen}[k%2]
			e.OutsideBy = append(e.OutsideBy, model.IssueCount{Column: string(rune('a' + k)), Kind: kind, Rows: 1200})
		}
		if got := e.outside(&model.Model{}); !strings.Contains(got, c.want) || !strings.HasPrefix(got, "1 row with a known outcome (1 event) lies outside") {
			t.Errorf("%d columns: %s", c.columns, got)
		}
	}
	e.Outside, e.OutsideEvents = 2, 0
	if got := e.outside(&model.Model{Task: "multiclass"}); !strings.HasPrefix(got, "2 rows with a known outcome lie outside") ||
		!strings.HasSuffix(got, "they get no prediction and are excluded from all figures.") {
		t.Error(got)
	}
}
