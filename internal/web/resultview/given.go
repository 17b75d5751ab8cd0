package resultview

import (
	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// evaluated takes the place of the terms for a model that is not known.
func evaluated(g *engine.Given) doc.Section {
	return doc.Section{ID: "coef", Title: "What is evaluated", Class: "sec",
		Body: []doc.Node{doc.List(g.Unknown())}}
}

// Cutoffs are the cut-offs of a given score at each boundary, with this many significant digits; 0 means all. nil
// for other results.
func Cutoffs(r *engine.Result, digits int) *doc.Table {
	if r.Given == nil || len(r.Given.Cutoffs) == 0 {
		return nil
	}
	number := phrase.Number
	if digits > 0 {
		number = func(v float64) string { return viz.Short(v, digits) }
	}
	side, other := "above", "at most"
	if r.Given.Falls {
		side, other = "below", "at least"
	}
	t := &doc.Table{Label: "Cut-offs of the score", Columns: []doc.Column{{Label: "Risk"}, {Label: "Score", Number: true},
		{Label: "95" + format.Pc + " interval", Number: true}}}
	for _, c := range r.Given.Cutoffs {
		interval := viz.None
		if c.Low != nil && c.High != nil {
			interval = viz.Range(number(*c.Low), number(*c.High))
		}
		value := side + " " + number(c.Value)
		switch c.Beyond {
		case stat.BeyondAbove:
			value += ": no row"
		case stat.BeyondBelow:
			value += ": every row"
		}
		t.Rows = append(t.Rows, doc.TextRow([]string{"above " + phrase.Percent(c.Boundary) + format.Pc, value, interval}))
	}
	t.Note = "The cut-offs at which the interval loss on these rows is least; a row with a score " + other + " the " +
		"cut-off lies below the boundary. Intervals: percentiles of a bootstrap, which for a score of many values are too " +
		"narrow. The bands above are cut without the rows that they hold, fold by fold."
	if r.Given.Falls {
		t.Note += " The score falls with the risk; figures show it with its sign changed."
	}
	return t
}
