package viz

import (
	"cmp"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/opts"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
)

// pairFigures draws replicates as points, panel by panel: the first metric of a drawing on the
// horizontal axis, the second on the vertical one.
func pairFigures(d study.Drawing, cells []study.Cell) (figures []Figure) {
	var names []string
	of := map[string][]study.Cell{}
	for _, c := range cells {
		name := part(d.Panels, c)
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], c)
	}
	for i, name := range names {
		figures = append(figures, pairFigure(d, i, name, of[name]))
	}
	return figures
}

func pairFigure(d study.Drawing, i int, name string, cells []study.Cell) Figure {
	f := Figure{ID: "study-" + strconv.Itoa(i), Title: d.Metrics[0].Title + " and " + lower(d.Metrics[1].Title),
		Head: []string{cmp.Or(d.Series.Title, "Series"), "Points", "Mean " + lower(d.Metrics[0].Title), "Mean " +
			lower(d.Metrics[1].Title)}}
	if name != "" {
		f.Title += ", " + lower(d.Panels.Title) + " " + name
	}
	p := panel{Drawing: d, name: name}
	all := map[string][2]study.Cell{}
	for _, c := range cells {
		name := part(d.Series, c)
		pair, known := all[name]
		switch c.Metric {
		case d.Metrics[0].ID:
			pair[0] = c
		case d.Metrics[1].ID:
			pair[1] = c
		}
		if all[name] = pair; !known {
			p.series = append(p.series, series{name: name})
		}
	}
	p.marks()
	c := newScatter()
	styles := []object{}
	var xs, ys []float64
	for _, s := range p.series {
		var data []opts.ScatterData
		a, b := all[s.name][0], all[s.name][1]
		for i := range min(len(a.Values), len(b.Values)) {
			if x, y := a.Values[i], b.Values[i]; x != nil && y != nil && a.Replicates[i] == b.Replicates[i] {
				data = append(data, opts.ScatterData{Value: []any{coord(*x), coord(*y)}})
				xs, ys = append(xs, *x), append(ys, *y)
			}
		}
		c.AddSeries(textName(s.name), data)
		styles = append(styles, object{"symbol": symbolOf(s.mark), "symbolSize": 6,
			"itemStyle": object{"color": strokes[s.mark].ink, "opacity": 0.8, "borderColor": "@paper", "borderWidth": 0.5}})
		f.Rows = append(f.Rows, []string{s.name, phrase.Int(len(data)), NumberOf(a.Mean, 2), NumberOf(b.Mean, 2)})
	}
	f.Sentence = "Each of the " + phrase.Int(len(xs)) + " marks is a row; its shape and colour show its " +
		lower(cmp.Or(d.Series.Title, "group")) + "."
	if words := p.uprightWords(); words != "" {
		f.Sentence += " " + words
	}
	f.Label = f.Title + ". " + f.Sentence
	x0, x1, _ := extent(xs)
	y0, y1, _ := extent(ys)
	p.X.Title = d.Metrics[0].Title
	patch := p.frame(NewScale(x0, x1, 6), NewScale(y0, y1, 5))
	if len(styles) > 0 {
		p.addMarkLines(styles[0])
	}
	patch["series"] = styles
	f.Option, f.Legend = option(c, patch), p.legend()
	for i := range f.Legend {
		f.Legend[i].SVG = symbolSample(f.Legend[i].Mark)
	}
	return f
}
