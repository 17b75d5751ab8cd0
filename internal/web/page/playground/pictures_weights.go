package playground

import (
	"math"
	"strconv"

	"taper/internal/engine/phrase"
	"taper/internal/engine/playground"
	"taper/internal/viz"
	"taper/internal/viz/fluid"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/web/templates"
)

// weightFigure is the histogram of the weights of the points.
func weightFigure(k int, m *modelView, a *Answer, held []float64) *templates.PlayFigure {
	h := m.look.Histogram
	letter := string(rune('A' + k))
	p := fluid.Histogram{Edges: h.Edges, Clean: h.CleanCounts, Flipped: h.FlippedCounts, Brushed: -1, Axis: h.Symbol}
	if a.st.Brush.Model == k {
		p.Brushed = a.st.Brush.Bin
	}
	if len(held) == 1 {
		p.Top = held[0]
	}
	p.Marks = weightMarks(h, a)
	f := &templates.PlayFigure{ID: "pg-" + slots[k][:1] + "-weights", Title: letter + ": " + phrase.LowerFirst(h.Title),
		Bars: true, Say: weightCaption(h)}
	f.Drawing = templates.SVG(p.SVG(f.ID))
	f.Finding = f.Title + ". " + f.Say
	_, y := p.Scales()
	f.Held = form.Text(y.Max)
	clean, flipped := total(h.CleanCounts), total(h.FlippedCounts)
	f.Legend = []templates.LegendEntry{{Label: "clean, " + phrase.Int(clean),
		Sample: templates.SVG(viz.BarSVG(false))}}
	if flipped > 0 {
		f.Legend = append(f.Legend, templates.LegendEntry{Label: "flipped, " + phrase.Int(flipped),
			Sample: templates.SVG(viz.BarSVG(true))})
	}
	return f
}

func total(counts []int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

func weightCaption(h playground.Histogram) string {
	var text string
	switch h.Weight {
	case playground.WeightLead:
		text = "The margin shows how far each point lies on its label’s side; weights are not drawn for this loss."
	default:
		text = "1: full weight, 0: no influence."
		if h.Edges[len(h.Edges)-1] > 1 {
			text = "1: as under logistic loss, 0: no influence."
		}
	}
	if !math.IsNaN(h.MedianFlipped) && !math.IsNaN(h.MedianClean) {
		text = "Median " + viz.Number(h.MedianFlipped, 2) + " for flipped points and " + viz.Number(h.MedianClean, 2) +
			" for the others. " + text
	}
	return text + " Select a bar to highlight its points."
}

// weightMarks are the medians, or the support-vector roles.
func weightMarks(h playground.Histogram, a *Answer) []fluid.HistogramMark {
	if h.Roles != nil {
		var all []fluid.HistogramMark
		for r, counts := range h.Roles {
			if total(counts) > 0 {
				all = append(all, fluid.HistogramMark{At: halfway(h.Edges, counts), Label: a.bench.sample.Roles[r]})
			}
		}
		return all
	}
	var all []fluid.HistogramMark
	if !math.IsNaN(h.MedianFlipped) {
		all = append(all, fluid.HistogramMark{At: h.MedianFlipped, Label: "flipped, median " + viz.Number(h.MedianFlipped, 2),
			Steer: true})
		if !math.IsNaN(h.MedianClean) {
			all = append(all, fluid.HistogramMark{At: h.MedianClean, Label: "clean, median " + viz.Number(h.MedianClean, 2)})
		}
	}
	return all
}

// halfway is the middle of the bin that contains the median.
func halfway(edges []float64, counts []int) float64 {
	seen, all := 0, total(counts)
	for i, c := range counts {
		if seen += c; 2*seen >= all {
			return (edges[i] + edges[i+1]) / 2
		}
	}
	return edges[0]
}

func weightTable(h playground.Histogram, a *Answer, title string) templates.Table {
	t := templates.Table{Label: "Data of " + title, Class: "tbl-tight", Tall: true,
		Columns: []templates.Column{{Label: h.Symbol}, {Label: "Clean", Num: true}, {Label: "Flipped", Num: true}}}
	for r := range h.Roles {
		t.Columns = append(t.Columns, templates.Column{Label: phrase.UpperFirst(a.bench.sample.Roles[r]), Num: true})
	}
	for i := range h.CleanCounts {
		cells := []string{viz.Range(viz.Short(h.Edges[i], 3), viz.Short(h.Edges[i+1], 3)),
			strconv.Itoa(h.CleanCounts[i]), strconv.Itoa(h.FlippedCounts[i])}
		for _, counts := range h.Roles {
			cells = append(cells, strconv.Itoa(counts[i]))
		}
		t.Rows = append(t.Rows, control.Row(cells))
	}
	return t
}
