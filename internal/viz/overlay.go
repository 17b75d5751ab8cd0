package viz

import (
	"math"

	"github.com/go-echarts/go-echarts/v2/opts"
)

// Trace is one line of an Overlay, with the mark of its run.
type Trace struct {
	Name         string    `json:"name"`
	Mark         string    `json:"mark"` // class of its stroke: s1…s7, ref2, c0l, c1l
	X            []float64 `json:"x"`
	Y            []float64 `json:"y"`
	Continuation bool      `json:"twin,omitempty"` // a second line with the same name: not in the legend
	Dot          bool      `json:"dot,omitempty"`  // its points are marked
}

// Overlay draws one line per run in common axes. Kept reports store it as JSON.
type Overlay struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Sentence string `json:"sentence"`

	Lines    []Trace    `json:"lines"`
	X        Axis       `json:"x"`
	Y        Axis       `json:"y"`
	Diagonal string     `json:"diagonal,omitempty"` // name of the diagonal line in the legend; "" = none
	Cuts     []float64  `json:"cuts,omitempty"`     // vertical lines
	Dots     bool       `json:"dots,omitempty"`     // points are marked
	Steps    bool       `json:"steps,omitempty"`    // outline of a histogram
	Above    string     `json:"above,omitempty"`    // label above the level 0; "" = none
	Below    string     `json:"below,omitempty"`    // label below it
	Head     []string   `json:"head,omitempty"`
	Rows     [][]string `json:"rows,omitempty"`
}

// Axis is an axis of an Overlay. Without ends its range is that of the data.
type Axis struct {
	Name string     `json:"name,omitempty"`
	Ends [2]float64 `json:"ends,omitzero"`
	Log  bool       `json:"log,omitempty"`  // powers of ten
	Bare bool       `json:"bare,omitempty"` // without labels
}

// Overlaid draws an Overlay.
func Overlaid(o Overlay) Figure {
	f := Figure{ID: o.ID, Title: o.Title, Sentence: o.Sentence, Label: o.Title + ". " + o.Sentence, Head: o.Head,
		Rows: o.Rows}
	x, y := o.axes()
	c := newLine()
	series := []object{}
	for _, l := range o.Lines {
		c.AddSeries(textName(l.Name), points(l.X, l.Y))
		series = append(series, o.style(l))
	}
	f.Legend = o.Legend()
	c.AddSeries("", []opts.LineData{})
	series = append(series, o.rules(x, y))
	patch := base(true)
	patch["tooltip"] = hovered(patch)
	up, left := o.Y.drawn(y, false), 44
	switch {
	case o.Y.Name != "":
		left = 60
		up = named(with(up, "name", o.Y.Name), left)
	case o.Y.Bare:
		left = 12
	}
	patch["grid"] = grid(left, 16, 14, 38)
	patch["xAxis"] = []object{o.X.drawn(x, true)}
	patch["yAxis"] = []object{up}
	patch["series"] = series
	f.Option = option(c, patch)
	return f
}

// diagonalMark is the stroke of the diagonal.
const diagonalMark = "step"

// Legend names the lines. The diagonal is named here and not in the plot: a curve of a good model runs along it with
// its confidence limits, so that a name near it would seem to belong to one of these.
func (o Overlay) Legend() (items []LegendItem) {
	for _, l := range o.Lines {
		if l.Continuation {
			continue
		}
		item := LegendItem{Series: textName(l.Name), Text: l.Name, Mark: l.Mark}
		if l.Dot && len(l.X) == 1 {
			item.SVG = dotSample(l.Mark)
		}
		items = append(items, item)
	}
	if o.Diagonal != "" {
		items = append(items, LegendItem{Text: o.Diagonal, Mark: diagonalMark})
	}
	return items
}

// dotSample is the legend sample of a single point.
func dotSample(mark string) string {
	d := &drawing{w: 12, h: 12}
	d.path("fill-"+mark, outline("circle", 6, 6, 10))
	return d.svg("", "")
}

// axes determines the range of both axes.
func (o Overlay) axes() (x, y Scale) {
	var xs, ys [][]float64
	for _, l := range o.Lines {
		xs, ys = append(xs, l.X), append(ys, l.Y)
	}
	return o.X.scale(xs, 6), o.Y.scale(ys, 4)
}

func (a Axis) scale(lists [][]float64, n int) Scale {
	if a.Ends[0] < a.Ends[1] {
		return FrozenScale(a.Ends[0], a.Ends[1], n)
	}
	lo, hi, ok := extent(lists...)
	if !ok {
		lo, hi = 0, 1
	}
	if a.Log {
		return decades(lo, hi)
	}
	return NewScale(lo, hi, n)
}

// decades is a logarithmic scale; lo and hi are positive.
func decades(lo, hi float64) Scale {
	from, to := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	if to-from < 1 {
		to = from + 1
	}
	step := math.Ceil((to - from) / 6)
	from = to - step*math.Ceil((to-from)/step) // the lowest line is as far from the next one as the others
	s := Scale{Min: math.Pow(10, from), Max: math.Pow(10, to), Step: step}
	for k := from; k <= to; k += step {
		s.Ticks = append(s.Ticks, math.Pow(10, k))
	}
	return s
}

func (a Axis) drawn(s Scale, across bool) object {
	axis := yAxis(s, "")
	if across {
		axis = xAxis(s, a.Name)
	}
	if a.Log {
		axis = with(axis, "type", "log", "logBase", 10, "interval", s.Step) // in powers of ten
		// At the grid lines, which ECharts places by the interval on a log axis.
		for _, part := range []string{"axisLabel", "axisTick"} {
			axis[part] = with(axis[part].(object))
			delete(axis[part].(object), "customValues")
		}
	}
	if a.Bare {
		axis["axisLabel"] = object{"show": false}
		axis["splitLine"] = object{"show": false}
	}
	return axis
}

func (o Overlay) style(l Trace) object {
	s := strokes[l.Mark]
	z := 3
	if l.Mark == "s1" {
		z = 5
	}
	style := object{
		"showSymbol": o.Dots || l.Dot, "symbol": "circle", "symbolSize": l.size(), "z": z, "connectNulls": false,
		"itemStyle": object{"color": s.ink}, "lineStyle": object{"color": s.ink, "type": s.dash, "width": s.width},
	}
	if o.Steps {
		style["step"] = "end"
	}
	return style
}

// size of the points; a single point is larger.
func (l Trace) size() int {
	if l.Dot {
		return 10
	}
	return 5
}

// rules draws the diagonal, vertical lines, and the level 0 with its labels.
func (o Overlay) rules(x, y Scale) object {
	lines := []any{}
	thin := object{"color": "@ink-3", "type": "solid", "width": 1}
	diagonal := object{"color": strokes[diagonalMark].ink, "type": "solid", "width": strokes[diagonalMark].width}
	word := object{"show": true, "formatter": "{b}", "color": "@ink-2", "fontSize": 12}
	if o.Diagonal != "" {
		lines = append(lines, []any{
			object{"coord": []any{coord(x.Min), coord(y.Min)}, "lineStyle": diagonal, "label": object{"show": false}},
			object{"coord": []any{coord(x.Max), coord(y.Max)}},
		})
	}
	for _, at := range o.Cuts {
		lines = append(lines, object{"xAxis": coord(at), "lineStyle": with(thin, "color", "@ink"),
			"label": object{"show": false}})
	}
	if o.Above != "" {
		lines = append(lines,
			object{"yAxis": 0, "name": o.Above, "lineStyle": thin, "label": with(word, "position", "insideStartTop", "distance",
				6)},
			object{"yAxis": 0, "name": o.Below, "lineStyle": thin, "label": with(word, "position", "insideStartBottom",
				"distance", 6)})
	}
	return object{
		"silent": true, "showSymbol": false, "tooltip": object{"show": false}, "z": 6,
		"markLine": object{"silent": true, "animation": false, "symbol": "none", "precision": -1, "data": lines},
	}
}
