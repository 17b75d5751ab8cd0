// Package control makes parts of pages that several packages use: figures, rows of text, sliders.
package control

import (
	"taper/internal/viz"
	"taper/web/templates"
)

// topics are the help topics of charts by their ids. A chart of the explorer has none here: the element around it
// names its topic.
var topics = map[string]string{"roc": "roc", "calibration": "calibration-curve", "decision": "decision-curve",
	"lift": "gains", "giveup": "give-up", "convergence": "convergence", "manystarts": "starts", "tuning": "penalty",
	"choice": "penalty", "gammas": "gamma"}

// Figure shows a chart of internal/viz with its sentence, legend and table.
func Figure(f viz.Figure) templates.Chart {
	c := templates.Chart{ID: f.ID, Title: f.Title, Sentence: f.Sentence, Finding: f.Label, Option: f.Option,
		Help: topics[f.ID]}
	for _, l := range f.Legend {
		c.Legend = append(c.Legend, templates.LegendEntry{Series: l.Series, Label: l.Text, Mark: l.Mark,
			Sample: templates.SVG(l.SVG)})
	}
	if len(f.Rows) > 0 {
		c.Table = &templates.Table{Label: "Data of " + f.Title, Class: "tbl-tight", Tall: true}
		for i, head := range f.Head {
			c.Table.Columns = append(c.Table.Columns, templates.Column{Label: head, Num: i > 0})
		}
		if len(f.Head) > 4 {
			c.Table.Class += " stacks stacks-wide"
		}
		for _, r := range f.Rows {
			c.Table.Rows = append(c.Table.Rows, Row(r))
		}
	}
	return c
}

// Row is a row of plain texts.
func Row(cells []string) templates.Row {
	var r templates.Row
	for _, text := range cells {
		r.Cells = append(r.Cells, templates.Cell{Text: text})
	}
	return r
}
