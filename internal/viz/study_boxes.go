package viz

import (
	"math"
	"slices"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"taper/internal/engine/stat"
)

// Boxes and dots are drawn side by side at positions −½ … n−½ of a hidden axis; the visible
// axis has their names.

// slot is the position of series i of n at place x, and half its width.
func slot(x float64, i, n int) (at, half float64) {
	const used = 0.8
	width := used / float64(n)
	return x - used/2 + width*(float64(i)+0.5), math.Min(0.16, 0.38*width)
}

// five are the numbers of a box plot of sorted values: whiskers, quartiles, median, and the
// values beyond the whiskers (Tukey 1977).
func five(sorted []float64) (low, q1, median, q3, high float64, beyond []float64) {
	q1, median, q3 = stat.Quartiles(sorted)
	reach := 1.5 * (q3 - q1)
	low, high = q1, q3
	for _, v := range sorted {
		if v < q1-reach || v > q3+reach {
			beyond = append(beyond, v)
			continue
		}
		low, high = math.Min(low, v), math.Max(high, v)
	}
	return low, q1, median, q3, high, beyond
}

// boxes draws a box plot of the replicates of each cell: per series one line with gaps in the
// series' colour, a heavier median, and points beyond the whiskers.
func (p *panel) boxes() (Option, []LegendItem) {
	y := p.yScale(false)
	c, outliers := newLine(), charts.NewScatter()
	styles, dots := []object{}, []object{}
	for i, s := range p.series {
		box, middle, beyond := p.boxPath(i, s)
		k := strokes[s.mark]
		c.AddSeries(textName(s.name), box)
		c.AddSeries(textName(s.name), middle)
		outliers.AddSeries(textName(s.name), beyond)
		quiet := object{"showSymbol": false, "connectNulls": false, "silent": true, "tooltip": object{"show": false},
			"xAxisIndex": 1, "itemStyle": object{"color": k.ink}}
		styles = append(styles,
			with(quiet, "lineStyle", object{"color": k.ink, "width": 1.25, "type": "solid"}),
			with(quiet, "lineStyle", object{"color": k.ink, "width": 3, "type": "solid"}))
		dots = append(dots, object{"xAxisIndex": 1, "symbol": symbolOf(s.mark), "symbolSize": 5,
			"itemStyle": object{"color": "@paper/0", "borderColor": k.ink, "borderWidth": 1}})
	}
	c.Overlap(outliers)
	patch := p.placed(y)
	patch["series"] = append(styles, dots...)
	legend := p.legend()
	for i := range legend {
		legend[i].SVG = boxSample(legend[i].Mark)
	}
	return option(c, patch), legend
}

// boxPath is the outline of the boxes of a series, their medians and the points beyond. Symbols
// distinguish the series without colour.
func (p *panel) boxPath(i int, s series) (box, middle []opts.LineData, beyond []opts.ScatterData) {
	pen := func(dst []opts.LineData, xy ...float64) []opts.LineData {
		for k := 0; k < len(xy); k += 2 {
			dst = append(dst, opts.LineData{Value: []any{coord(xy[k]), coord(xy[k+1])}})
		}
		return append(dst, opts.LineData{Value: []any{nil, nil}})
	}
	for k, c := range s.cells {
		sorted := values(c)
		slices.Sort(sorted)
		low, q1, median, q3, high, out := five(sorted)
		x, w := slot(s.x[k], i, len(p.series))
		box = pen(box, x-w, q1, x+w, q1, x+w, q3, x-w, q3, x-w, q1)
		box = pen(box, x, q1, x, low)
		box = pen(box, x, q3, x, high)
		box = pen(box, x-w/2, low, x+w/2, low)
		box = pen(box, x-w/2, high, x+w/2, high)
		middle = pen(middle, x-w, median, x+w, median)
		beyond = append(beyond, opts.ScatterData{Name: s.name, Value: []any{coord(x), coord(median)}, SymbolSize: 1})
		for _, v := range out {
			beyond = append(beyond, opts.ScatterData{Name: textName(s.name), Value: []any{coord(x), coord(v)}})
		}
	}
	return box, middle, beyond
}

// dots draws means or medians with intervals as whiskers.
func (p *panel) dots() (Option, []LegendItem) {
	y := p.yScale(true)
	c, marks := newLine(), charts.NewScatter()
	styles, points := []object{}, []object{}
	for i, s := range p.series {
		var whisker []opts.LineData
		var data []opts.ScatterData
		for k, cell := range s.cells {
			x, _ := slot(s.x[k], i, len(p.series))
			lo, hi := p.ends(cell)
			whisker = append(whisker, opts.LineData{Value: []any{coord(x), coord(lo)}},
				opts.LineData{Value: []any{coord(x), coord(hi)}}, opts.LineData{Value: []any{nil, nil}})
			data = append(data, opts.ScatterData{Name: textName(s.name), Value: []any{coord(x), coord(p.middle(cell))}})
		}
		k := strokes[s.mark]
		c.AddSeries(textName(s.name), whisker)
		marks.AddSeries(textName(s.name), data)
		styles = append(styles, object{"showSymbol": false, "connectNulls": false, "silent": true,
			"tooltip": object{"show": false}, "xAxisIndex": 1,
			"itemStyle": object{"color": k.ink}, "lineStyle": object{"color": k.ink, "width": 1.5, "type": "solid"}})
		points = append(points, object{"xAxisIndex": 1, "symbol": symbolOf(s.mark), "symbolSize": 8,
			"itemStyle": object{"color": k.ink}})
	}
	c.Overlap(marks)
	patch := p.placed(y)
	patch["series"] = append(styles, points...)
	legend := p.legend()
	for i := range legend {
		legend[i].SVG = symbolSample(legend[i].Mark)
	}
	return option(c, patch), legend
}

// placed is the frame of a chart with named places and a hidden numeric axis.
func (p *panel) placed(y Scale) object {
	x := p.xScale()
	patch := p.frame(x, y)
	labels := p.shownLabels()
	names := make([]string, len(labels))
	for i, l := range labels {
		names[i] = textName(l)
	}
	across := with(xAxis(NewScale(0, 1, 1), p.xTitle()), "type", "category", "data", names,
		"axisLabel", object{"color": "@ink-3", "fontSize": 12, "interval": 0, "hideOverlap": true},
		"axisTick", object{"show": true, "length": 4, "lineStyle": object{"color": "@edge"}, "alignWithLabel": true})
	for _, k := range []string{"min", "max", "interval"} {
		delete(across, k)
	}
	switch {
	case longLabels(labels) && len(labels) <= 4:
		across["axisLabel"] = object{"color": "@ink-3", "fontSize": 12, "interval": 0, "width": 70, "overflow": "break",
			"lineHeight": 15}
		patch["grid"] = with(patch["grid"].(object), "bottom", 84)
		across["nameGap"] = 66
	case longLabels(labels):
		across["axisLabel"] = object{"color": "@ink-3", "fontSize": 12, "interval": 0, "rotate": 35}
		patch["grid"] = with(patch["grid"].(object), "bottom", 96)
		across["nameGap"] = 82
	}
	hidden := object{"type": "value", "show": false, "min": x.Min, "max": x.Max}
	patch["xAxis"] = []object{across, hidden}
	return patch
}

// shownLabels removes what all names of parts of the data have in common at the beginning and
// the end: with one dataset its name, with one kernel the kernel.
func (p *panel) shownLabels() []string {
	if p.X.Of != "data" || len(p.labels) == 0 {
		return p.labels
	}
	shared := p.labels[0]
	for _, l := range p.labels {
		for !strings.HasPrefix(l, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	cut := strings.LastIndex(shared, ", ") + 2
	if cut < 2 {
		cut = 0
	}
	end := lastPart(p.labels[0])
	if len(p.labels) == 1 || slices.ContainsFunc(p.labels, func(l string) bool {
		return len(l)-len(end) <= cut || !strings.HasSuffix(l, end)
	}) {
		end = ""
	}
	shown := make([]string, len(p.labels))
	for i, l := range p.labels {
		shown[i] = strings.TrimSuffix(l[cut:], end)
	}
	return shown
}

// lastPart is the part of a name from its last comma; "" if there is none.
func lastPart(name string) string {
	if i := strings.LastIndex(name, ", "); i >= 0 {
		return name[i:]
	}
	return ""
}

// longLabels reports whether the labels must be rotated.
func longLabels(labels []string) bool {
	long := 0
	for _, l := range labels {
		long += len([]rune(l))
	}
	return long > 60
}

// boxSample is the legend sample of a box.
func boxSample(mark string) string {
	d := &drawing{w: 16, h: 12}
	class := "ln " + mark + " solid"
	d.path(class, "M8 0V3M8 9V12M3 3H13V9H3z")
	return d.svg("", "")
}

// bars draws a histogram, with means stacked at their places.
func (p *panel) bars() (Option, []LegendItem) {
	c := charts.NewBar()
	names := make([]string, len(p.labels))
	for i, l := range p.labels {
		names[i] = textName(l)
	}
	c.SetXAxis(names)
	styles := []object{}
	total := make([]float64, len(p.labels))
	for i, s := range p.series {
		data := make([]opts.BarData, len(p.labels))
		for k := range data {
			data[k].Value = 0
		}
		for k, cell := range s.cells {
			at := int(s.x[k])
			if v := p.middle(cell); Finite(v) {
				data[at].Value = coord(v)
				total[at] += math.Max(0, v)
			}
		}
		c.AddSeries(textName(s.name), data)
		styles = append(styles, barStyle(s.mark, i))
	}
	y := NewScale(0, slices.Max(append(total, 1e-12)), 4)
	patch := p.placed(y)
	patch["xAxis"] = patch["xAxis"].([]object)[:1]
	across := patch["xAxis"].([]object)[0]
	across["axisLabel"] = object{"color": "@ink-3", "fontSize": 12, "hideOverlap": true}
	patch["grid"] = with(patch["grid"].(object), "bottom", 38)
	across["nameGap"] = 24
	patch["series"] = styles
	legend := p.legend()
	for i := range legend {
		legend[i].SVG = barSample(legend[i].Mark, i)
	}
	return option(c, patch), legend
}

// barStyle makes every second series hollow, so that colour is not the only distinction.
func barStyle(mark string, i int) object {
	item := object{"color": strokes[mark].ink, "opacity": 0.8}
	if i%2 == 1 {
		item = object{"color": "@paper", "borderColor": strokes[mark].ink, "borderWidth": 1.5}
	}
	return object{"stack": "all", "barWidth": "90%", "itemStyle": item}
}

func barSample(mark string, i int) string {
	d := &drawing{w: 16, h: 12}
	class := "fill-" + mark
	if i%2 == 1 {
		class = "ln solid " + mark
	}
	d.rect(class, 2, 2, 12, 8)
	return d.svg("", "")
}
