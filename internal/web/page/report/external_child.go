package report

import (
	"github.com/a-h/templ"

	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
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
func (c Clinical) askedSection() templates.Section {
	s := templates.Section{ID: "asked", Title: "On the file it was recalibrated by",
		Parts: []templ.Component{templates.LinkTo(templates.Link{Label: "External validation: " + c.Asked.Name,
			URL: "/evaluations/" + c.Asked.ID})}}
	if c.Origin.How == "" {
		s.Say = "It was moved to another prevalence from there. What that changed on the rows of the file is not known: " +
			"they were not kept."
		return s
	}
	s.Say = "Before and after, on the rows that the numbers were fitted to: apparent."
	x := External{e: c.Asked.Result, p: Printed{decimals: 3}}
	if x.e.Movement(c.Origin.How) != nil && x.e.Performance != nil {
		s.Parts = append(s.Parts, templates.TableView(x.moved(c.Origin.How)))
		s.Parts = append(s.Parts, templates.TableView(movedBands(x.e, x.e.Movement(c.Origin.How))))
	}
	return s
}

// movedBands sets the bands before and after side by side.
func movedBands(e *engine.Evaluation, m *engine.Moved) templates.Table {
	t := templates.Table{Label: "Bands before and after", Columns: []templates.Column{{Label: "Band"},
		{Label: "Rows", Unit: "as it was", Num: true}, {Label: "Observed rate", Unit: "%, as it was", Num: true},
		{Label: "Rows", Unit: "recalibrated", Num: true}, {Label: "Observed rate", Unit: "%, recalibrated", Num: true},
		{Label: "Verdict", Unit: "before → after"}}}
	for k, was := range e.Strata {
		is := m.Strata[k]
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{{Text: viz.BandName(was.Lower, was.Upper)},
			{Text: viz.Count(was.N)}, observed(was), {Text: viz.Count(is.N)}, observed(is),
			{Text: was.Verdict + " → " + is.Verdict}}})
	}
	return t
}

// observed is the rate of a band with its interval.
func observed(s stat.Stratum) templates.Cell {
	return estimated(stat.Estimate{Value: s.Observed, Low: s.Low, High: s.High}, inPercent)
}
