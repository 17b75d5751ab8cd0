package report

import (
	"strconv"

	"taper/internal/doc"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

func (p Printed) strataParts() []doc.Node {
	if len(p.r.Strata) == 0 {
		return nil
	}
	parts := []doc.Node{doc.Part{View: templates.ReportStrataTable(p.strataTable())}}
	if f := p.figures(); len(f) > 0 {
		parts = append(parts, f)
	}
	parts = append(parts, doc.Part{View: templates.ReportIcons(p.icons())})
	if p.c.Known && p.c.Statistics.Ordered != nil {
		parts = append(parts, p.c.ordered())
	}
	if p.r.Reject != nil && len(p.r.Strata) == 3 {
		parts = append(parts, doc.Note(p.rejectNote()))
	}
	return parts
}

func (p Printed) strataTable() templates.ReportStrata {
	t := templates.ReportStrata{Event: p.event(), Axis: viz.ForestAxisSVG()}
	hidden := false
	for j := range p.r.Strata {
		b := p.band(j)
		hidden = hidden || b.Masked
		t.Bands = append(t.Bands, b)
	}
	t.Total = p.total()
	t.Notes = []string{p.howJudged(), "Wilson 95" + format.Pc +
		" CI. Inside: the whole CI lies in the band; outside: no part of it does; compatible: the rate lies in the band; " +
		"unclear: the rate lies outside and the CI touches the band. Too few (greyed): the CI settles nothing, of under " +
		"30 rows, or under 5 events or non-events."}
	if hidden {
		t.Mask = "Counts of 1 to 9 and their complements are masked; the range of possible rates is given and hatched, " +
			"and a verdict only where all of the range has the same."
	}
	return t
}

func (p Printed) howJudged() string {
	switch {
	case p.r.Apparent:
		return "Apparent: every row was scored by a model that had seen it."
	case p.split():
		return "Held out: rows the model had not seen."
	}
	if p.r.Optimistic || len(p.r.FoldL2) < 2 || !p.run.Spec.Model.L2.Tuned() {
		return "Out of fold: every row was scored by a model that had not seen it."
	}
	return "Out of fold: every row was scored by a model that had not seen it, with λ chosen inside each fold."
}

func (p Printed) band(j int) templates.ReportBand {
	s, m := p.r.Strata[j], p.Strata.Rows[j]
	b := templates.ReportBand{
		Band: viz.BandName(s.Lower, s.Upper), Rows: m.N.CountText(), Events: m.Events.CountText(),
		Share: viz.None, Rate: viz.None,
		Swatch: viz.SwatchSVG(s.Lower, s.Upper), Forest: viz.ForestSVG(s),
		Verdict: templates.Verdict(p.word(j)), Few: p.word(j) == stat.TooFew,
		Masked: !m.N.Shown() || !m.Events.Shown(),
	}
	if all := p.Strata.Total.N; m.N.Shown() && all.Shown() && all.Low > 0 {
		b.Share = viz.Percent(float64(m.N.Low)/float64(all.Low), 1)
	}
	switch {
	case b.Masked:
		low, high, ok := m.Rates()
		b.Forest = viz.MaskedForestSVG(s.Lower, s.Upper, low, high, b.Few)
		if ok && (low > 0 || high < 1) {
			b.Rate = viz.Range(viz.Percent(low, 1), viz.Percent(high, 1))
		}
	case s.Observed != nil && s.Low != nil && s.High != nil:
		b.Rate = viz.Percent(*s.Observed, 1)
		b.CI = viz.Range(viz.Percent(*s.Low, 1), viz.Percent(*s.High, 1))
	}
	return b
}

// total is the last row; its rate is the prevalence.
func (p Printed) total() templates.ReportBand {
	all := p.Strata.Total
	b := templates.ReportBand{Band: "All", Rows: all.N.CountText(), Share: "100.0", Events: all.Events.CountText(),
		Rate: viz.None}
	if all.N.Shown() && all.Events.Shown() && all.N.Low > 0 {
		low, high := stat.Wilson(all.Events.Low, all.N.Low)
		b.Rate = viz.Percent(float64(all.Events.Low)/float64(all.N.Low), 1)
		b.CI = viz.Range(viz.Percent(low, 1), viz.Percent(high, 1))
	}
	return b
}

// figures are the density and, where there is one, the plane of the first two
// components.
func (p Printed) figures() doc.Figures {
	var out doc.Figures
	if len(p.r.Density) > 0 {
		out = append(out, doc.Figure{
			Title: "Score by group, with the cut-offs", Say: p.densitySay(), SVG: viz.DensitySVG(p.r, leastRows),
		})
	}
	if p.r.PCA != nil && len(p.r.PCA.X) > 0 {
		hidden := map[int]bool{}
		f := doc.Figure{Title: "Rows by band",
			Say: "Places where rows of a band lie, not single rows: positions are rounded to a grid and each is marked once."}
		for j, m := range p.Strata.Rows {
			if hidden[j] = !m.N.Shown(); !hidden[j] && m.N.Low > 0 {
				f.Legend = append(f.Legend, doc.Mark{SVG: viz.MarkSVG(p.r.Boundaries, j), Text: p.bandName(j)})
			}
		}
		f.SVG = viz.PCASVG(p.r, hidden)
		out = append(out, f)
	}
	return out
}

func (p Printed) bandName(j int) string {
	return viz.BandName(p.r.Strata[j].Lower, p.r.Strata[j].Upper)
}

// densitySay names the lines, and the groups that are too small to draw.
func (p Printed) densitySay() string {
	say := "Vertical lines: cut-offs. Solid: " + p.r.Negative.String() + "; dashed: " + p.r.Positive.String()
	var others, few []string
	for _, d := range p.r.Density {
		switch {
		case d.N < leastRows:
			few = append(few, d.Level)
		case d.Level != p.r.Negative.String() && d.Level != p.r.Positive.String():
			others = append(others, d.Level)
		}
	}
	if len(others) > 0 {
		say += "; other dashes, scored only: " + format.List(others)
	}
	if len(few) > 0 {
		say += ". Too few rows to draw: " + format.List(few)
	}
	return say + "."
}

// rejectNote summarises the rule that may answer "don't know", from the masked
// counts: band 0 answers no, band 2 yes.
func (p Printed) rejectNote() string {
	rows := p.Strata.Rows
	errors, accepted := plus(rows[0].Events, rows[2].Others), plus(rows[0].N, rows[2].N)
	text := "Reject rule: " + accepted.CountText() + " rows get an answer"
	if accepted.Shown() && p.Strata.Total.N.Shown() && p.Strata.Total.N.Low > 0 {
		text += " (" + viz.Percent(p.r.Reject.Rate, 1) + format.Pc + ")"
	}
	text += ", " + errors.CountText() + " of them wrong"
	if e := p.r.Reject.ErrorRate; e != nil && errors.Shown() && accepted.Shown() {
		text += " (" + viz.Percent(*e, 1) + format.Pc + ")"
	}
	return text + "; " + rows[1].Events.CountText() + " events are among the rejected. Cost of rejecting one row: " +
		viz.Short(p.r.Reject.Cost, 3) + "."
}

// icons draw each band as a hundred people; a masked band says its range
// instead.
func (p Printed) icons() []templates.ReportIcon {
	var out []templates.ReportIcon
	for j, s := range p.r.Strata {
		if s.N == 0 {
			continue
		}
		i := templates.ReportIcon{Name: p.bandName(j)}
		b := p.band(j)
		if events, ok := iconsOf(s); ok && !b.Masked {
			i.Text = strconv.Itoa(events) + " of 100"
			i.SVG = viz.IconsSVG(events, b.Few, i.Text+" in the band "+i.Name)
		} else {
			i.Text = "masked: " + b.Rate + " of 100"
		}
		out = append(out, i)
	}
	return out
}
