package report

import (
	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// askedSay names the external validation behind a recalibrated run, as a clause.
func (c Clinical) askedSay() string {
	o := c.Origin
	switch {
	case o == nil || o.Evaluation == "":
		return ""
	case o.How == "":
		return ", asked for at the external validation " + o.Evaluation
	}
	return ", fitted on the rows of the external validation " + o.Evaluation
}

// askedSection shows what recalibration changed on the rows that asked for it.
// Another prevalence leaves nothing to show: the rows are not kept.
func (c Clinical) askedSection() doc.Section {
	s := doc.Section{ID: "asked", Title: "On the file it was recalibrated by",
		Body: []doc.Node{doc.Form{View: templates.LinkTo(templates.Link{Label: "External validation: " + c.Asked.Name,
			URL: "/evaluations/" + c.Asked.ID})}}}
	if c.Origin.How == "" {
		s.Say = "It was moved to another prevalence from there. What that changed on the rows of the file is not known: " +
			"they were not kept."
		return s
	}
	s.Say = "Before and after, on the rows that the numbers were fitted to: apparent."
	x := External{e: c.Asked.Result, p: Printed{decimals: 3}}
	if x.e.Movement(c.Origin.How) != nil && x.e.Performance != nil {
		s.Body = append(s.Body, x.moved(c.Origin.How))
		s.Body = append(s.Body, movedBands(x.e, x.e.Movement(c.Origin.How)))
	}
	return s
}

// movedBands sets the bands before and after side by side.
func movedBands(e *engine.Evaluation, m *engine.Moved) doc.Table {
	t := doc.Table{Label: "Bands before and after", Columns: []doc.Column{{Label: "Band"},
		{Label: "Rows", Unit: "as it was", Number: true},
		{Label: format.Narrow("rate"), Unit: "%, as it was", Number: true},
		{Label: "Rows", Unit: "recalibrated", Number: true},
		{Label: format.Narrow("rate"), Unit: "%, recalibrated", Number: true},
		{Label: "Verdict", Unit: "before → after"}}}
	for k, was := range e.Strata {
		is := m.Strata[k]
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: viz.BandName(was.Lower, was.Upper)},
			{Value: viz.Count(was.N)}, observed(was), {Value: viz.Count(is.N)}, observed(is),
			{Value: was.Verdict + " → " + is.Verdict}}})
	}
	return t
}

// observed is the rate of a band with its interval.
func observed(s stat.Stratum) doc.Cell {
	return estimated(stat.Estimate{Value: s.Observed, Low: s.Low, High: s.High}, inPercent)
}
