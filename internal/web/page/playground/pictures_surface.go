package playground

import (
	"fmt"
	"math"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/playground"
	"taper/internal/viz"
	"taper/internal/viz/fluid"
	"taper/internal/web/control"
	"taper/web/templates"
)

func surfaceLines(m *modelView) []fluid.Contour {
	var all []fluid.Contour
	for _, c := range m.Contours {
		line := fluid.Contour{Kind: c.Kind, Label: c.Label, Lines: c.Lines}
		switch c.Kind {
		case playground.LineQuarter:
			line.Kind = ""
		case playground.LineClass:
			line.Kind, line.Label = "boundary", ""
		case playground.LineReject:
			line.Kind, line.Label = "", "no answer"
		}
		all = append(all, line)
	}
	return all
}

// surfaceFinding is the description of a surface for screen readers.
func surfaceFinding(badge string, m *modelView, a *Answer) string {
	n := len(a.bench.sample.Class)
	text := fmt.Sprintf("Surface of %s, %s, over %s and %s, with %s points.", badge, m.Title, a.Axes.X.Name,
		a.Axes.Y.Name, phrase.Int(n))
	if v := shareOf(m.verdict.CleanAccuracy); m.verdict.Answered < m.verdict.Rows {
		text += " " + m.answering("It") + "." // accuracy over all points would count no answer as wrong
	} else if !math.IsNaN(v) {
		text += " Accuracy on clean points: " + viz.Percent(v, 1) + phrase.NBSP + "%."
	}
	return text
}

// surfaceGrid tabulates a surface at nine by nine positions.
func surfaceGrid(m *modelView, a *Answer) templates.Table {
	texts := map[int]string{}
	for _, l := range m.Surface.Legend {
		texts[l.Level] = l.Text
		if _, after, ok := strings.Cut(l.Text, " = "); ok {
			texts[l.Level] = after
		}
	}
	what := map[string]string{playground.KindProbability: "Probability of the event", playground.KindScore: "Score",
		playground.KindBands: "Band", playground.KindClasses: "Class"}[m.Surface.Kind]
	t := templates.Table{Label: what + " of " + m.Title, Class: "tbl-tight tbl-grid", Note: what +
		" on a grid of the plane.", Columns: []templates.Column{{Label: a.Axes.Y.Name + " \\ " + a.Axes.X.Name, Num: true}}}
	const places = 9
	at := func(i int) int { return i * (playground.Side - 1) / (places - 1) }
	value := func(ax axis, i int) string {
		return viz.Number(ax.Min+float64(at(i))/(playground.Side-1)*(ax.Max-ax.Min), 2)
	}
	for i := range places {
		t.Columns = append(t.Columns, templates.Column{Label: value(a.Axes.X, i), Num: true})
	}
	for j := places - 1; j >= 0; j-- {
		cells := []string{value(a.Axes.Y, j)}
		for i := range places {
			cells = append(cells, texts[int(m.Surface.Levels[at(j)*playground.Side+at(i)])])
		}
		t.Rows = append(t.Rows, control.Row(cells))
	}
	return t
}
