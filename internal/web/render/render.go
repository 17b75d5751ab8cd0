// Package render renders documents as pages: each kind of node by one component of web/templates, for screen and
// print.
package render

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/a-h/templ"

	"taper/internal/doc"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/web/templates"
)

// medium is the target of rendering. Charts of lines become static drawings on paper; everything else is the same.
type medium struct{ paper bool }

// Sections are the sections of a page; empty ones are left out.
func Sections(all []doc.Section) []templates.Section { return medium{}.sections(all) }

// Parts are the components of nodes. Content that print would mask is shown in full here: a document is masked
// before it is printed.
func Parts(body []doc.Node) []templ.Component { return medium{}.parts(body) }

// Report is a masked document as the report of a run: the first page if it has one, numbered sections, and lettered
// appendices.
func Report(d doc.Document, run string) templates.Report {
	d = doc.Paged(d)
	r := templates.Report{Run: run, Title: d.Title, Facts: Facts(d.Facts), Use: d.Use, Foot: d.Foot}
	appendices := 0
	for _, s := range d.Sections {
		if len(s.Body) == 0 {
			continue
		}
		v := medium{paper: true}.section(s)
		switch s.Level {
		case doc.Summary:
			r.Summary = append(r.Summary, v)
			continue
		case doc.Appendix:
			v.Number = "Appendix " + doc.Letter(appendices)
			appendices++
		default:
			v.Number = strconv.Itoa(len(r.Sections) + 1)
		}
		r.Sections = append(r.Sections, v)
	}
	return r
}

func (on medium) sections(all []doc.Section) (out []templates.Section) {
	for _, s := range all {
		if len(s.Body) > 0 {
			out = append(out, on.section(s))
		}
	}
	return out
}

func (on medium) section(s doc.Section) templates.Section {
	return templates.Section{ID: s.ID, Title: s.Title, Label: s.Label, Lower: s.Lower, Say: s.Say, Class: s.Class,
		Parts: on.parts(s.Body)}
}

// LiveParts are the parts of sections that a page replaces when its state changes, by id, and the places of the
// figures.
func LiveParts(all []doc.Section) (parts map[string]templ.Component, places []templates.Slot) {
	parts = map[string]templ.Component{}
	var walk func([]doc.Node)
	walk = func(body []doc.Node) {
		for _, n := range body {
			switch n := n.(type) {
			case doc.Section:
				walk(n.Body)
			case doc.Group:
				if n.ID == "" {
					walk(n.Body)
					continue
				}
				parts[n.ID] = templates.Together(Parts(n.Body)) // the group changes as a whole
			case doc.Pair:
				for _, column := range n {
					walk(column)
				}
			case doc.Figures:
				for _, f := range n {
					if f.Chart != nil && f.Place != "" {
						places = append(places, templates.Slot{ID: f.Place, Chart: chart(f)})
					}
				}
			}
		}
	}
	for _, s := range all {
		walk(s.Body)
	}
	return parts, places
}

func (on medium) parts(body []doc.Node) []templ.Component {
	parts := make([]templ.Component, 0, len(body))
	for _, n := range body {
		parts = append(parts, on.part(n))
	}
	return parts
}

func (on medium) part(n doc.Node) templ.Component {
	switch n := n.(type) {
	case doc.Section:
		return templates.SectionsView([]templates.Section{on.section(n)})
	case doc.Guarded:
		return on.part(n.Node)
	case doc.Table:
		return templates.TableView(Table(n))
	case doc.Verdict:
		return templates.ReportVerdict(n)
	case doc.Note:
		return templates.ReportNote(string(n))
	case doc.Say:
		return templates.Say(string(n))
	case doc.List:
		return templates.ReportList(n)
	case doc.Code:
		return templates.ReportCode(string(n))
	case doc.Facts:
		return templates.ReportFacts(Facts(n))
	case doc.Highlights:
		return templates.Highlights(Facts(n))
	case doc.Figure:
		return templates.FigureView(on.figures([]doc.Figure{n})[0])
	case doc.Figures:
		return templates.ReportFigures(on.figures(n))
	case doc.Pair:
		columns := make([][]templ.Component, 0, len(n))
		for _, column := range n {
			columns = append(columns, on.parts(column))
		}
		return templates.PairOf(columns)
	case doc.Block:
		return templates.Block(on.parts(n))
	case doc.Curves:
		return templates.CurvesView(on.parts(n))
	case doc.Reference:
		return templates.ReportReference(templates.Link{Label: n.Link, URL: "#" + n.To}, n.Text)
	case doc.Flow:
		var all []templates.ReportCount
		for _, s := range n {
			all = append(all, templates.ReportCount{Count: s.Count.CountText(), Lines: s.Lines})
		}
		return templates.ReportFlow(all)
	case doc.Icons:
		var all []templates.ReportIcon
		for _, i := range n {
			all = append(all, templates.ReportIcon(i))
		}
		return templates.ReportIcons(all)
	case doc.Group:
		return templates.GroupOf(n.ID, n.Class, on.parts(n.Body))
	case doc.Drawing:
		if n.Narrow == "" {
			return templates.WideFigure(n.Wide)
		}
		return templates.FittedFigure(n.Wide, n.Narrow)
	case doc.Part:
		return n.View
	case doc.Form:
		return n.View
	}
	panic(fmt.Sprintf("render: no component for a %T", n))
}

// Facts are values with labels.
func Facts(all []doc.Fact) (out []templates.Fact) {
	for _, f := range all {
		out = append(out, templates.Fact{Label: f.Label, Value: f.Value, Mono: f.Mono})
	}
	return out
}

func (on medium) figures(all []doc.Figure) (out []templates.ReportFigure) {
	for _, f := range all {
		switch {
		case f.Lines != nil && f.SVG != "" && on.paper:
			f.Lines = nil
		case f.Lines != nil && on.paper:
			f = drawn(f)
		case f.Lines != nil:
			f.SVG, f.Legend = "", nil // the chart has its own
		}
		v := templates.ReportFigure{Title: f.Title, Say: f.Say, SVG: f.SVG, Place: f.Place}
		for _, m := range f.Legend {
			v.Legend = append(v.Legend, templates.ReportMark(m))
		}
		if f.Table != nil {
			t := Table(*f.Table)
			v.Table = &t
		}
		if f.Chart != nil || f.Lines != nil {
			c := chart(f)
			v.Chart, v.Place = &c, cmp.Or(f.Place, "fig-"+c.ID)
		}
		out = append(out, v)
	}
	return out
}

// drawn converts a figure of lines to a static drawing.
func drawn(f doc.Figure) doc.Figure {
	o := *f.Lines
	f.Title, f.Say, f.SVG, f.Lines = o.Title, o.Sentence, viz.OverlaySVG(o), nil
	for _, l := range o.Legend() {
		f.Legend = append(f.Legend, doc.Mark{SVG: viz.LineSVG(l.Mark), Text: l.Text})
	}
	return f
}

func chart(f doc.Figure) templates.Chart {
	if f.Lines != nil {
		drawn := viz.Overlaid(*f.Lines)
		f.Chart = &drawn
	}
	c := control.Figure(*f.Chart)
	c.Height, c.Fit = f.Height, f.Fit
	return c
}

// Table formats the numbers of a table.
func Table(t doc.Table) templates.Table {
	t = t.Shown()
	out := templates.Table{ID: t.ID, Caption: t.Caption, Label: t.Label, Class: t.Class, Tall: t.Tall, Note: t.Note,
		Head: columns(t.Head), Columns: columns(t.Columns), Foot: cells(t.Foot)}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, templates.Row{Class: r.Class, Cells: cells(r.Cells)})
	}
	return out
}

func columns(all []doc.Column) (out []templates.Column) {
	for _, c := range all {
		out = append(out, templates.Column{Label: c.Label, Unit: c.Unit, Num: c.Number, Class: c.Class, Span: c.Span,
			Axis: templates.SVG(c.SVG), Content: c.View, Band: c.Band, Stack: c.Stack})
	}
	return out
}

func cells(all []doc.Cell) (out []templates.Cell) {
	for _, c := range all {
		v := templates.Cell{CI: c.Small(), Class: c.Class, Swatch: templates.SVG(c.Swatch), Mark: c.Mark, Verdict: c.Verdict,
			Spoken: c.Spoken, Content: c.View, Band: c.Band}
		switch {
		case c.Chip != "":
			v.Content = templates.ChipView(templates.Verdict(c.Chip))
		case c.View == nil:
			v.Text = c.Text()
		}
		out = append(out, v)
	}
	return out
}
