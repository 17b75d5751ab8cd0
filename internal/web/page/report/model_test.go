package report

import (
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
)

func estimateOf(v, low, high float64) stat.Estimate {
	return stat.Estimate{Value: &v, Low: &low, High: &high}
}

// TestJudgedLoss: without masks the report prints the loss on test rows as the page does; with masks it is rounded
// and has no interval.
func TestJudgedLoss(t *testing.T) {
	for _, c := range []struct {
		few  int
		full bool
	}{{40, true}, {4, false}} {
		loss := 0.18462
		r := &engine.Result{Boundaries: []float64{0.5}, Strata: []stat.Stratum{{Upper: 0.5, N: 200, Events: c.few}, {Lower: 0.5, Upper: 1, N: 100, Events: 60}}}
		r.Metrics.Test.IntervalLoss = &loss
		clinical := Clinical{Run: store.Run{Result: r}, Result: r, Known: true}
		clinical.Statistics.Apparent.IntervalLoss = estimateOf(0.1675, 0.1404, 0.1946)
		clinical.Statistics.Judged.IntervalLoss = estimateOf(loss, 0.1556, 0.2135)
		p := New(store.Run{Result: r}, store.Dataset{}, clinical).printed()
		if p.strata.Hidden() == c.full {
			t.Fatalf("%d events: hidden %v", c.few, p.strata.Hidden())
		}
		var got doc.Cell
		table, _ := p.masked(clinical.Performance()).(doc.Table)
		for _, row := range table.Rows {
			got = row.Cells[2]
		}
		if full := got.Text() == "0.1846" && got.Small() == "("+viz.Range("0.1556", "0.2135")+")"; full != c.full || !full && got.Small() != "" {
			t.Errorf("%d events: loss printed as %q %q", c.few, got.Text(), got.Small())
		}
	}
}

// TestRefitted: an estimate and its limits have the same decimals; a term that too few bootstrap samples contain
// has a dash, explained by the note.
func TestRefitted(t *testing.T) {
	v, ratio := -0.0056, 0.9944
	r := &engine.Result{Coefficients: []engine.Coefficient{{Name: "(intercept)", Value: -11.33}, {Name: "age", Value: v, OddsRatio: &ratio}, {Name: "rare", Value: 1.311, OddsRatio: &ratio}}}
	c := Clinical{Run: store.Run{Result: r}, Result: r, Known: true, Model: &model.Model{}, Refits: &store.Bootstrap{Result: &engine.Bootstrap{Replicates: 100, Coefficients: []engine.CoefficientDraw{
		{Name: "(intercept)", Value: estimateOf(-11.33, -15, -5.22)},
		{Name: "age", Value: estimateOf(v, -1.609, 0.482), OddsRatio: estimateOf(ratio, 0.2, 1.62)},
		{Name: "rare", Value: stat.Estimate{Value: &v}, OddsRatio: stat.Estimate{Value: &ratio}}}}}}
	p := New(store.Run{Result: r}, store.Dataset{}, c).printed()
	table := p.coefficients()
	var got []string
	for _, row := range table.Rows {
		got = append(got, row.Cells[1].Text()+" "+row.Cells[1].Small()+" "+row.Cells[3].Text()+" "+row.Cells[3].Small())
	}
	want := strings.ReplaceAll("−11.3 (−15.0 – −5.2) –  | −0.01 (−1.61 – 0.48) 0.99 (0.20 – 1.62) | 1.311 (–) 0.9944 (–)", " – −", viz.Range("", "−"))
	want = strings.ReplaceAll(strings.ReplaceAll(want, "−1.61 – ", "−1.61"+viz.Range("", "")), "0.20 – ", "0.20"+viz.Range("", ""))
	if text := strings.Join(got, " | "); text != want {
		t.Errorf("coefficients\n%s\nwant\n%s", text, want)
	}
	if why := "(–): not estimable, because too many bootstrap samples lack the term (its category was absent, pooled or the reference)."; !strings.Contains(table.Note, why) || !strings.Contains(c.forestSay(), why) {
		t.Errorf("no word of the dash: %q, %q", table.Note, c.forestSay())
	}
}
