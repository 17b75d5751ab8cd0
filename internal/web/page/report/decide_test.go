package report

import (
	"strings"
	"testing"

	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// TestFlaggedOfMaskedBands: the rows of a band stand in print where its events
// do not, so that rows per 100 above a boundary are certain, with their interval;
// the sensitivity there is not.
func TestFlaggedOfMaskedBands(t *testing.T) {
	pi := []float64{0.5, 0.75}
	run := judgedRun(pi, [2]int{243, 60}, [2]int{100, 60}, [2]int{50, 42})
	b := stat.Boundary{Threshold: 0.75, Flagged: stat.Proportion(50, 393), Sensitivity: stat.Proportion(42, 162)}
	for _, v := range []*float64{b.Flagged.Value, b.Flagged.Low, b.Flagged.High} {
		*v *= 100
	}
	p := New(run, store.Dataset{}, Clinical{Run: run, Result: run.Result, Known: true, Statistics: engine.Statistics{Boundaries: []stat.Boundary{{}, b}}})
	if p.Strata.Rows[2].Events.Shown() {
		t.Fatalf("events are shown: %v", p.Strata.Rows)
	}
	if c := p.atBoundary(b, 1, 4); c.Text != "12.7" || !strings.Contains(c.CI, "9.8") || !strings.Contains(c.CI, "16.4") {
		t.Errorf("flagged %q %q", c.Text, c.CI)
	}
	band := p.bandRatio(stat.BandRatio{RowsPer1000: stat.Proportion(50, 393), LR: stat.Estimate{Value: new(float64)}}, 2)
	if band[1].CI == "" || band[0].CI != "" {
		t.Errorf("the band prints %v", band)
	}
	if c := p.atBoundary(b, 1, 0); !strings.Contains(c.Text, "–") || c.CI != "" {
		t.Errorf("sensitivity %q %q", c.Text, c.CI)
	}
}

// TestRatioWithoutBounds: a range from 0 without an end says nothing.
func TestRatioWithoutBounds(t *testing.T) {
	for _, c := range []struct {
		a, b ends
		want string
	}{
		{ends{0, 1, true}, ends{0, 1, true}, "–"},
		{ends{0.001, 1, true}, ends{0, 0.5, true}, "–"},
		{ends{0.5, 1, true}, ends{0, 0.25, true}, "≥ 2.00"},
		{ends{0.5, 1, true}, ends{0.125, 0.25, true}, "2.00 – 8.00"},
	} {
		if got := ratioCell(c.a, c.b, viz.Ratio).Text; strings.ReplaceAll(got, format.NBSP, " ") != c.want {
			t.Errorf("%v / %v prints %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

// TestGroupTellsNoHiddenCount: a group hidden for another's sake says neither
// that it has too few events nor, by its AUC, that it has enough.
func TestGroupTellsNoHiddenCount(t *testing.T) {
	auc := .8
	for _, c := range []struct {
		name   string
		n      int
		events mask.Span
		said   string
		auc    bool
	}{
		{"few for certain", 60, mask.Span{Low: 1, High: 9}, "too few", false},
		{"few or not", 60, mask.Span{Low: 0, High: 40}, "0.0 – 66.7", false},
		{"enough for certain", 60, mask.Span{Low: 51, High: 59}, "85.0 – 98.3", true},
	} {
		m := mask.Row{N: mask.Span{Low: c.n, High: c.n}, Events: c.events, Others: mask.Span{Low: c.n - c.events.High, High: c.n - c.events.Low}}
		for _, few := range []bool{true, false} {
			g := stat.Subgroup{Level: "a", N: c.n, Suppressed: few, AUC: stat.Estimate{Value: &auc}}
			cells := groupRow(g, m).Cells
			if got := strings.ReplaceAll(cells[3].Text, format.NBSP, " "); got != c.said || (cells[4].Text == "0.800") != c.auc {
				t.Errorf("%s: %q and AUC %q", c.name, got, cells[4].Text)
			}
		}
	}
}
