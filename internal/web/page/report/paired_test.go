package report

import (
	"testing"

	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/store"
)

// TestPairedTableMasks: differences to logistic regression that would reveal masked counts are left out of the
// report.
func TestPairedTableMasks(t *testing.T) {
	e := func(v float64) stat.Estimate {
		low, high := v-.01, v+.02
		return stat.Estimate{Value: &v, Low: &low, High: &high}
	}
	loss := func(v float64) stat.LossDifference { return stat.LossDifference{Difference: e(v)} }
	paired := &stat.Comparison{AUC: stat.AUCDifference{Difference: e(.03)}, IntervalLoss: loss(-.02), Brier: loss(-.01), ScaledBrier: loss(.04), LogLoss: loss(-.05), Draws: 2000}
	r := &engine.Result{}
	p := New(store.Run{Result: r}, store.Dataset{}, Clinical{Result: r, Known: true, Statistics: engine.Statistics{Paired: paired}}).printed()
	p = p.with(mask.Released{bands: {Total: mask.Row{Events: mask.Span{Low: 30, High: 30}}}}, bands)
	if rows := p.pairedTable().Rows; len(rows) != 5 || rows[0].Cells[1].Text() != "−0.020" {
		t.Errorf("with all counts the table has %d rows: %+v", len(rows), rows)
	}
	p = p.with(mask.Released{bands: {Total: mask.Row{Events: mask.Span{Low: 1, High: 9}}}}, bands)
	p.decimals = -1
	if rows := p.pairedTable().Rows; len(rows) != 1 || rows[0].Cells[0].Text() != "AUC ↑" {
		t.Errorf("with masked events the table has %d rows", len(rows))
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{{-.0178, -.0017, "worse"}, {.0017, .0178, "better"}, {-.0098, .0017, "no significant difference"}} {
		p.c.Statistics.Paired.AUC.Difference.Low, p.c.Statistics.Paired.AUC.Difference.High = &c.low, &c.high
		if got := p.pairedTable().Rows[0].Cells[2].Text(); got != c.want {
			t.Errorf("beside %v – %v stands %q", c.low, c.high, got)
		}
	}
}
