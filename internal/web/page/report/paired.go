package report

import (
	"strconv"

	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// pairedTable are the differences to logistic regression over the rows that
// both judged, nil without any to print; what would tell masked counts is left out.
func (p Printed) pairedTable() *templates.Table {
	c := p.c.Statistics.Paired
	if c == nil {
		return nil
	}
	t := &templates.Table{Label: "Difference to logistic regression",
		Columns: []templates.Column{{Label: "Model less logistic regression"},
			{Label: "Difference", Unit: "95" + format.Pc + " CI", Num: true}, {Label: "Better is"}}}
	for _, m := range []struct {
		label, better string
		e             stat.Estimate
		decimals      int
		shown         bool
	}{
		{"AUC", "above 0", c.AUC.Difference, 3, true},
		{"Interval loss", "below 0", c.IntervalLoss.Difference, p.decimals, p.decimals > 0},
		{"Brier score", "below 0", c.Brier.Difference, 4, p.Strata.Total.Events.Shown()},
		{"Scaled Brier", "above 0", c.ScaledBrier.Difference, 3, p.Strata.Total.Events.Shown()},
		{"Log loss", "below 0", c.LogLoss.Difference, 4, p.Strata.Total.Events.Shown()},
	} {
		if !m.shown || m.e.Value == nil {
			continue
		}
		cell := estimated(m.e, func(v float64) string { return viz.Signed(v, m.decimals) })
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{{Text: m.label}, cell, {Text: m.better}}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Note = "Over the rows that both judged, paired. AUC: DeLong; the others: percentiles of " + viz.Count(c.Draws) +
		" bootstrap draws" + p.drawn() +
		", seed " + strconv.FormatUint(p.run.Spec.Seed, 10) + "."
	return t
}

// drawn says what a draw draws.
func (p Printed) drawn() string {
	if g := p.run.Spec.Group; g != "" {
		return ", each drawing groups of " + g + " whole"
	}
	return ""
}
