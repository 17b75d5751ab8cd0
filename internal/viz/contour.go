package viz

import (
	"encoding/json"
	"math"
	"slices"
)

// Field is a function of two variables, drawn by contour lines.
type Field struct {
	ID, Title, Sentence, Label string

	F            func(x, y float64) float64
	X, Y         [2]float64
	XName, YName string
	Levels       []float64 // ascending
	Decimals     int       // of the labels
	Mark         string    // s1 or s2: class of the lines
	Cells        int       // per side of the grid; 0 = 48

	Points  []Spot                     // marked points
	Drag    bool                       // the first of them can be dragged
	Overlay func(x, y float64) float64 // its zero contour is drawn on top, dashed
	Rays    []Ray                      // lines through the origin
}

// Ray is a line through the origin.
type Ray struct {
	ID, Name, Mark string
	DX, DY         float64 // direction
}

// Spot is a marked point of a field.
type Spot struct {
	X, Y   float64
	Text   string
	Symbol string // circle, triangle, rect, diamond
	Ink    string // design token
	Hollow bool
	Left   bool // the label is on the left
}

// Contours draws a field. Every level is one series, whose pieces are separated by gaps.
func Contours(f Field) Plot {
	v := view{f.X, f.Y}
	n := f.Cells
	if n == 0 {
		n = 48
	}
	grid := newRaster(f.F, v, n)
	var traces []trace
	labels, named := []object{}, labelPlaces{}
	for k, level := range f.Levels {
		lines := grid.lines(level)
		traces = append(traces, f.level(k, level, lines, v))
		if at, ok := longest(lines); ok {
			if x, y, free := named.place(lines[at], v); free {
				labels = append(labels, object{"value": []any{coord(x), coord(y)}, "name": Number(level, f.Decimals)})
			}
		}
	}
	if f.Overlay != nil {
		over := newRaster(f.Overlay, v, 2*n)
		t := f.level(len(f.Levels), math.NaN(), over.lines(0), v)
		t.id, t.style["lineStyle"] = "overlay", object{"color": "@ink-2", "width": 1.25, "type": []int{3, 3}}
		traces = append(traces, t)
	}
	for _, r := range f.Rays {
		far := 2 * max(f.X[1]-f.X[0], f.Y[1]-f.Y[0]) / max(math.Hypot(r.DX, r.DY), 1e-300)
		t := curveTrace(Curve{ID: r.ID, Name: r.Name, Mark: r.Mark},
			pairs([]float64{-far * r.DX, far * r.DX}, []float64{-far * r.DY, far * r.DY}, v))
		t.style["silent"] = true
		traces = append(traces, t)
	}
	traces = append(traces, trace{"levels", object{
		"name": "", "type": "scatter", "symbolSize": 1, "silent": true, "z": 6,
		"itemStyle": object{"color": "@paper/0", "opacity": 1}, // of the label too, whose plate hides the line
		"label": plated(object{"show": true, "formatter": "{b}", "position": "inside", "fontSize": 12,
			"color": "@ink-2"}),
	}, json.RawMessage(encoded(labels))}, f.spots())
	return seal(Figure{ID: f.ID, Title: f.Title, Sentence: f.Sentence, Label: f.Label}, f.frame(), traces)
}

func (f Field) frame() object {
	o := base(true)
	o["grid"] = grid(56, 12, 10, 38)
	o["xAxis"] = []object{xAxis(FrozenScale(f.X[0], f.X[1], 6), f.XName)}
	o["yAxis"] = []object{with(named(yAxis(FrozenScale(f.Y[0], f.Y[1], 6), f.YName), 56),
		"splitLine", object{"show": false},
		"axisLine", object{"show": true, "onZero": false, "lineStyle": object{"color": "@edge", "width": 1}})}
	o["tooltip"] = with(o["tooltip"].(object), "show", false)
	return o
}

// level is the series of one level: all its pieces, with gaps between them.
func (f Field) level(k int, level float64, lines []polyLine, v view) trace {
	data := []byte{'['}
	for i, l := range lines {
		if i > 0 {
			data = append(data, ",[null,null],"...)
		}
		part := pairs(l.x, l.y, v)
		data = append(data, part[1:len(part)-1]...)
	}
	data = append(data, ']')
	ink := strokes[f.Mark].ink
	width := 1.25
	if level == math.Round(level) {
		width = 2
	}
	return trace{"level" + Number(float64(k), 0), object{
		"name": "", "type": "line", "showSymbol": false, "symbol": "none", "silent": true, "z": 2, "connectNulls": false,
		"itemStyle": object{"color": ink}, "lineStyle": object{"color": ink, "width": width, "type": "solid"},
	}, data}
}

// spots is the series of marked points; the first is the one that can be dragged.
func (f Field) spots() trace {
	data := []object{}
	for k, s := range f.Points {
		size, fill, edge := 9, s.Ink, "@paper"
		if k == 0 && f.Drag {
			size = 14
		}
		if s.Hollow {
			fill, edge = "@paper", s.Ink
		}
		side := "right"
		if s.Left {
			side = "left"
		}
		data = append(data, object{"value": []any{coord(s.X), coord(s.Y)}, "name": s.Text, "symbol": s.Symbol,
			"symbolSize": size,
			"itemStyle":  object{"color": fill, "borderColor": edge, "borderWidth": 2, "opacity": 1},
			"label": plated(object{"show": s.Text != "", "formatter": "{b}", "position": side, "color": "@ink",
				"fontSize": 12})})
	}
	return trace{"spots", object{"name": "", "type": "scatter", "z": 8, "silent": true, "cursor": "grab"},
		json.RawMessage(encoded(data))}
}

// longest is the longest line, by points, if it is long enough for a label.
func longest(lines []polyLine) (at int, ok bool) {
	best := 0.0
	for i, l := range lines {
		if d := l.length(); d > best {
			at, best = i, d
		}
	}
	return at, best > 0
}

func (l polyLine) length() float64 {
	d := 0.0
	for k := 1; k < len(l.x); k++ {
		d += math.Hypot(l.x[k]-l.x[k-1], l.y[k]-l.y[k-1])
	}
	return d
}

// labelPlaces are the positions of labels, as shares of the axes.
type labelPlaces [][2]float64

// place finds a position for the label of a line: its middle, or where else it keeps clear of the labels placed before.
// Where lines crowd there is none; the data table has all levels.
func (p *labelPlaces) place(l polyLine, v view) (x, y float64, ok bool) {
	const wide, high = .13, .06 // of a label on a small screen
	for _, share := range []float64{.5, .35, .65, .2, .8, .1, .9} {
		x, y = l.along(share)
		at := [2]float64{(x - v.x[0]) / (v.x[1] - v.x[0]), (y - v.y[0]) / (v.y[1] - v.y[0])}
		if !slices.ContainsFunc(*p, func(o [2]float64) bool {
			return math.Abs(at[0]-o[0]) < wide && math.Abs(at[1]-o[1]) < high
		}) {
			*p = append(*p, at)
			return x, y, true
		}
	}
	return 0, 0, false
}

// along is the point at a share of the length of a line.
func (l polyLine) along(share float64) (x, y float64) {
	half := share * l.length()
	for k := 1; k < len(l.x); k++ {
		d := math.Hypot(l.x[k]-l.x[k-1], l.y[k]-l.y[k-1])
		if half <= d && d > 0 {
			t := half / d
			return l.x[k-1] + t*(l.x[k]-l.x[k-1]), l.y[k-1] + t*(l.y[k]-l.y[k-1])
		}
		half -= d
	}
	return l.x[0], l.y[0]
}
