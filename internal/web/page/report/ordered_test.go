package report

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/stat"
)

// TestTrendIntervalsNamed: the note of the trend test gives the level and the methods of its intervals, of those alone
// that exist.
func TestTrendIntervalsNamed(t *testing.T) {
	group, value := []int{0, 0, 0, 1, 1, 1, 2, 2, 2}, []float64{1, 2, 4, 3, 5, 6, 4, 8, 9}
	both := "95 % CI in brackets: of the share " + stat.ConcordanceInterval + "; of ρ " + stat.SpearmanInterval + "."
	for _, c := range []struct {
		rows int
		ends string
	}{
		{9, both},
		{7, "95 % CI in brackets: of ρ " + stat.SpearmanInterval + "."}, // a group of one row
		{1, "Spearman’s ρ = –."},
	} {
		r := &engine.Result{}
		o := &engine.Ordering{All: stat.Trend(group[:c.rows], value[:c.rows])}
		note := (Clinical{Result: r, Statistics: engine.Statistics{Ordered: o}}).ordered().Note
		if note = strings.NewReplacer("\u00a0", " ", "\u2060", "", "\u202f", " ").Replace(note); !strings.HasSuffix(note, c.ends) {
			t.Errorf("%d rows: %q", c.rows, note)
		}
	}
}
