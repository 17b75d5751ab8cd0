package report

import (
	"strconv"

	"taper/internal/doc"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// pairedTable are the differences to logistic regression over the rows that
// both judged, nil without any to print; what would tell masked counts is left out.
func (p Printed) pairedTable() *doc.Table {
	c := p.c.Statistics.Paired
	if c == nil {
		return nil
	}
	t := &doc.Table{Label: "Difference to logistic regression",
		Columns: []doc.Column{{Label: "Model less logistic regression"},
			{Label: "Difference", Unit: "95" + format.Pc + " CI", Number: true}, {Label: "Better is"}}}
	for _, s := range stat.Which(stat.Statistic.Paired) {
		e, better := c.Difference(s.ID), "below 0"
		if s.Better == stat.Higher {
			better = "above 0"
		}
		if s.ID == intervalLoss {
			s.Digits = min(s.Digits, p.decimals)
		}
		if e.Value == nil || s.Digits == 0 || p.tells(s) {
			continue
		}
		as := doc.Of(s)
		as.Signed = true
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: s.Label}, estimated(e, as), {Value: better}}})
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
