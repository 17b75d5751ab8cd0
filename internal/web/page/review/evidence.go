package review

import (
	"cmp"
	"math"
	"strings"

	"taper/internal/app/datasets"
	"taper/internal/engine/audit"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// evidence is the prediction for the row by the model that was fitted without it.
func (v *Page) evidence(c *templates.AuditCard, row audit.Row) {
	a := &v.Queue.Audit.Summary
	add := func(label, value string) {
		c.Evidence = append(c.Evidence, templates.Fact{Label: label, Value: value})
	}
	if a.Basis == audit.ByProbability {
		add("Suspicion s = 1 − p", viz.Number(row.Suspicion(), 4))
		add("P(recorded label)", viz.Percent(row.Probability, 1)+format.Pc)
	}
	add("Margin for recorded label", numberOrNone(row.Margin, 3))
	switch {
	case a.Median == nil:
		add("Weight g", "none: this loss does not down-weight rows")
	case math.IsNaN(row.Weight):
		add("Weight g", viz.None)
	default:
		add("Weight g", viz.Short(row.Weight, 3))
		if *a.Median > 0 {
			add("ξ / median", viz.Short(row.Weight / *a.Median, 3))
		}
	}
	add("Fold", phrase.Int(row.Fold+1)+" of 5")
	if v.Queue.Label(row.Row) != a.Classes[row.Label] {
		add("Audited as", a.Classes[row.Label]+", by an earlier review")
	}
}

// made explains the score: the columns with the largest contributions and, for additive models, the sum of the
// others.
func (v *Page) made(c *templates.AuditCard, row audit.Row, e *audit.Explanation) {
	if e == nil {
		c.PartsNote = "The contributions to this score were not kept. Re-rank the labels to see the columns that " +
			"contribute most; a note under ‘How rows were ranked’ says where that cannot be done."
		return
	}
	own, other := v.Queue.Audit.Summary.Classes[row.Label], v.Queue.Audit.Summary.Classes[row.Other]
	t := templates.Table{Caption: "Contributes most", Class: "tbl-tight", Note: partsNote(e, own, other),
		Columns: []templates.Column{
			{Label: "Column"}, {Label: "Value", Num: true}, {Label: "Toward", Unit: other, Num: true}}}
	add := func(name, value string, toward float64) {
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{{Text: name, Class: "wrap"},
			{Text: value, Class: "wrap"}, {Text: viz.Signed(toward, 3)}}})
	}
	shown := e.Spoken[:min(cardParts, len(e.Spoken))]
	for _, s := range shown {
		value := viz.None
		if column := v.Queue.Table.Column(s.Column); column != nil {
			value = cmp.Or(datasets.CellText(column, row.Row), "missing")
		}
		add(s.Column, value, s.Toward)
	}
	if e.Start != nil {
		rest, sum := 0.0, *e.Start
		for i, s := range e.Spoken {
			if sum += s.Toward; i >= len(shown) {
				rest += s.Toward
			}
		}
		if n := len(e.Spoken) - len(shown); n > 0 {
			add(phrase.Count(n, "other column"), "", rest)
		}
		add("Baseline: mean of the training rows", "", *e.Start)
		add("Total", "", sum)
	}
	c.Parts = &t
}

// partsNote explains the contributions to a score.
func partsNote(e *audit.Explanation, own, other string) string {
	sum := " The total is the margin of " + other + " over " + own + ", the margin for the recorded label with " +
		"the opposite sign."
	switch e.How {
	case audit.ByTrees:
		return "Shapley values of the trees, by a model that was not trained on the row (path-dependent TreeSHAP; " +
			"Lundberg, Erion, Lee 2018), the levels of a category as one column." + sum
	case audit.ByReference:
		return "How far the score moves toward " + other +
			" by this value, against the column’s median or most common level with all other columns as they are; by a " +
			"model that was not trained on the row. Columns act together in a kernel, so these parts do not add up to the score."
	}
	return "Coefficient × distance from the mean of the training rows, summed over the terms of a column, by a model " +
		"that was not trained on the row." + sum
}

// linkName is the name of a link for a sentence.
func linkName(id string) string { return strings.TrimSpace(model.LinkName(id)) }
