package viz

import (
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/opts"
)

// lines draws means against x over bands for their intervals. A band is an area between two
// lines, the lower one invisible; both have the name of the mean's line, so that the legend
// toggles them together.
func (p *panel) lines() (Option, []LegendItem) {
	x, y := p.xScale(), p.yScale(true)
	c := newLine()
	styles := []object{}
	for i, s := range p.series {
		for _, b := range p.band(i, s, y.Min) {
			c.AddSeries(textName(s.name), points(s.x, b.y))
			styles = append(styles, b.style)
		}
	}
	for _, s := range p.series {
		c.AddSeries(textName(s.name), points(s.x, p.middles(s)))
		styles = append(styles, p.lineStyle(s))
	}
	patch := p.frame(x, y)
	patch["series"] = styles
	return option(c, patch), p.legend()
}

// bandLine is one of the two lines of a band.
type bandLine struct {
	y     []float64
	style object
}

// band returns the lower end of the intervals and, stacked on it, their width; nothing if no
// cell has an interval.
func (p *panel) band(i int, s series, edge float64) []bandLine {
	low, height := make([]float64, len(s.cells)), make([]float64, len(s.cells))
	any := false
	for k, c := range s.cells {
		lo, hi := p.drawnEnds(c, edge)
		low[k], height[k] = lo, hi-lo
		any = any || hi > lo
	}
	if !any {
		return nil
	}
	quiet := object{
		"stack": "band " + s.mark + string(rune('a'+i%26)), "stackStrategy": "all", "silent": true, "showSymbol": false,
		"symbol":  "none",
		"tooltip": object{"show": false}, "lineStyle": object{"opacity": 0}, "z": 1,
	}
	return []bandLine{
		{low, with(quiet, "itemStyle", object{"color": strokes[s.mark].ink})},
		{height, with(quiet, "itemStyle", object{"color": strokes[s.mark].ink}, "areaStyle",
			object{"color": strokes[s.mark].ink, "opacity": 0.16})},
	}
}

func (p *panel) middles(s series) []float64 {
	y := make([]float64, len(s.cells))
	for i, c := range s.cells {
		if y[i] = p.middle(c); p.Y.Log && y[i] <= 0 {
			y[i] = math.NaN()
		}
	}
	return y
}

// dotted is the number of points up to which a line marks them.
const dotted = 16

func (p *panel) lineStyle(s series) object {
	k := strokes[s.mark]
	z := 3
	if s.mark == "s1" {
		z = 5
	}
	style := object{
		"showSymbol": len(s.x) <= dotted, "symbol": "circle", "symbolSize": 5, "z": z, "connectNulls": false,
		"itemStyle": object{"color": k.ink}, "lineStyle": object{"color": k.ink, "type": k.dash, "width": k.width},
	}
	if s.mark == p.series[0].mark {
		p.addMarkLines(style)
	}
	return style
}

// addMarkLines adds the horizontal and vertical reference lines to the style of one series.
func (p *panel) addMarkLines(style object) {
	dashed := object{"color": "@ink-3", "width": 1.25, "type": []int{4, 4}}
	var data []any
	if at, ok := p.level(); ok {
		data = append(data, object{"yAxis": coord(at), "name": p.Baseline.Title, "lineStyle": dashed,
			"label": object{"show": true, "formatter": "{b}", "position": "insideEndTop", "color": "@ink-2", "fontSize": 12}})
	}
	for _, at := range p.uprights() { // labels would overlap; the sentence has them
		data = append(data, object{"xAxis": coord(at), "name": p.Uprights.Title, "lineStyle": dashed,
			"label": object{"show": false}})
	}
	if len(data) > 0 {
		style["markLine"] = object{"silent": true, "symbol": "none", "precision": -1, "data": data}
	}
}

// uprights are the vertical reference lines of this panel.
func (p *panel) uprights() []float64 {
	if p.Uprights == nil {
		return nil
	}
	if at, ok := p.Uprights.At[p.name]; ok {
		return at
	}
	return p.Uprights.At[""]
}

// level is the horizontal reference line of this panel.
func (p *panel) level() (float64, bool) {
	if p.Baseline == nil {
		return 0, false
	}
	if at, ok := p.Baseline.At[p.name]; ok {
		return at, true
	}
	at, ok := p.Baseline.At[""]
	return at, ok
}

func (p *panel) legend() (items []LegendItem) {
	for _, s := range p.series {
		if s.name != "" {
			items = append(items, LegendItem{Series: textName(s.name), Text: s.name, Mark: s.mark})
		}
	}
	return items
}

// frame is the option without the series.
func (p *panel) frame(x, y Scale) object {
	patch := base(true)
	patch["grid"] = object{"left": p.room(y), "right": 16, "top": 14, "bottom": 38, "containLabel": false}
	across := xAxis(x, p.xTitle())
	if p.X.Log && numeric(p.X) {
		delete(across, "interval")
		across = with(across, "type", "log", "logBase", 10)
	}
	up := yAxis(y, "")
	if p.Y.Log {
		delete(up, "interval")
		up = with(up, "type", "log", "logBase", 10)
	}
	patch["xAxis"], patch["yAxis"] = []object{across}, []object{up}
	return patch
}

// room is the width for the labels of y.
func (p *panel) room(y Scale) int {
	label := y.Label
	if p.Y.Log {
		label = func(t float64) string { return Short(t, 3) }
	}
	return max(34, 12+labelWidth(y, label))
}

// xScale covers the values of x.
func (p *panel) xScale() Scale {
	var all [][]float64
	for _, s := range p.series {
		all = append(all, s.x)
	}
	lo, hi, _ := extent(all...)
	switch {
	case p.labels != nil:
		return Scale{Min: -0.5, Max: float64(len(p.labels)) - 0.5}
	case p.X.Log && lo > 0:
		return logScale(lo, hi)
	}
	return FrozenScale(lo, hi, 6)
}

// yScale covers what is drawn: means with their intervals, or every value for boxes and points.
func (p *panel) yScale(intervals bool) Scale {
	lo, hi := math.Inf(1), math.Inf(-1)
	see := func(v float64) {
		if Finite(v) && (!p.Y.Log || v > 0) {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	for _, s := range p.series {
		for _, c := range s.cells {
			see(p.middle(c))
			if intervals {
				a, b := p.ends(c)
				see(a)
				see(b)
				continue
			}
			for _, v := range c.Values {
				if v != nil {
					see(*v)
				}
			}
		}
	}
	if at, ok := p.level(); ok {
		see(at)
	}
	if !(lo <= hi) {
		lo, hi = 0, 1
	}
	if p.Y.Log {
		return decades(lo, hi)
	}
	if p.metric.Higher && lo >= 0 && p.most() <= 1 {
		hi = math.Min(hi, 1) // an interval of a proportion may exceed 1
	}
	return NewScale(lo, hi, 4)
}

// most is the largest value drawn.
func (p *panel) most() float64 {
	most := math.Inf(-1)
	for _, s := range p.series {
		for _, c := range s.cells {
			most = math.Max(most, p.middle(c))
		}
	}
	return most
}

// logScale is a log axis from lo to hi, with ticks at 1, 2 and 5 times powers of ten.
func logScale(lo, hi float64) Scale {
	s := Scale{Min: lo, Max: hi}
	if hi > 1e4*lo {
		return decades(lo, hi)
	}
	for k := math.Floor(math.Log10(lo)); k <= math.Ceil(math.Log10(hi)); k++ {
		for _, m := range []float64{1, 2, 5} {
			if t := tidy(m*math.Pow(10, k), 1e-9); t >= lo*(1-1e-9) && t <= hi*(1+1e-9) {
				s.Ticks = append(s.Ticks, t)
			}
		}
	}
	return s
}

// scatter draws every value. If a study records pairs, the drawing's X says so, and metric "x"
// is drawn against metric "y".
func (p *panel) scatter() (Option, []LegendItem) {
	x, y := p.xScale(), p.yScale(false)
	c := newScatter()
	styles := []object{}
	for _, s := range p.series {
		var data []opts.ScatterData
		for i, cell := range s.cells {
			for _, v := range cell.Values {
				if v != nil {
					data = append(data, opts.ScatterData{Value: []any{coord(s.x[i]), coord(*v)}})
				}
			}
		}
		c.AddSeries(textName(s.name), data)
		styles = append(styles, object{"symbol": symbolOf(s.mark), "symbolSize": 5,
			"itemStyle": object{"color": strokes[s.mark].ink, "opacity": 0.85}})
	}
	patch := p.frame(x, y)
	patch["series"] = styles
	legend := p.legend()
	for i := range legend {
		legend[i].SVG = symbolSample(legend[i].Mark)
	}
	return option(c, patch), legend
}

// symbols of points, in the order of the palette.
var symbols = []string{"circle", "triangle", "rect", "diamond"}

func symbolOf(mark string) string {
	return symbols[max(0, slices.Index(palette, mark))%len(symbols)]
}

// symbolSample is the legend sample of a point.
func symbolSample(mark string) string {
	d := &drawing{w: 16, h: 12}
	d.path("fill-"+mark, outline(symbolOf(mark), 8, 6, 8))
	return d.svg("", "")
}
