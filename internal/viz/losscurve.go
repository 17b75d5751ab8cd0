package viz

import (
	"cmp"
	"encoding/json"
	"math"
)

// Lines draws a panel.
func Lines(p Panel) Plot {
	size := pixels{600, 290}
	if p.Short {
		size.h = 130
	}
	v := view{p.X, p.Y}
	var traces []trace
	drawn := make([]polyLine, len(p.Curves))
	for i, c := range p.Curves {
		x, y := sampled(c.F, c.Kinks, v, size)
		drawn[i] = polyLine{x, y}
		x, y = clipped(x, y, v)
		traces = append(traces, curveTrace(c, pairs(x, y, v)))
	}
	traces = append(traces, p.rules(), p.dots())
	if !p.NoCross {
		traces = append(traces, p.cross())
	}
	if p.Inline {
		traces = append(traces, p.names(drawn, size))
	}
	return seal(Figure{ID: p.ID, Title: p.Title, Sentence: p.Sentence, Label: p.Label}, p.frame(), traces)
}

func (p Panel) frame() object {
	o := base(p.XName != "")
	top := 10
	if !p.Short {
		top = 24
	}
	bottom := 24
	if p.XName != "" {
		bottom = 38
	}
	n := 6
	if p.Short {
		n = 2
	}
	o["grid"] = grid(34, 12, top, bottom)
	o["xAxis"] = []object{xAxis(FrozenScale(p.X[0], p.X[1], 8), p.XName)}
	o["yAxis"] = []object{yAxis(FrozenScale(p.Y[0], p.Y[1], n), "")}
	o["tooltip"] = hovered(o)
	return o
}

func curveTrace(c Curve, data json.RawMessage) trace {
	s := strokes[c.Mark]
	z := 3
	if c.Mark == "s1" {
		z = 5
	}
	return trace{c.ID, object{
		"name": c.Name, "type": "line", "showSymbol": false, "symbol": "none", "z": z,
		"itemStyle": object{"color": s.ink},
		"lineStyle": object{"color": s.ink, "type": s.dash, "width": s.width},
	}, data}
}

// rules is an empty series with marks for the bound, the flags and the shaded ranges.
func (p Panel) rules() trace {
	lines := []any{}
	if p.Cap != nil {
		lines = append(lines, object{"yAxis": coord(p.Cap.At), "name": p.Cap.Text,
			"label": object{"show": true, "formatter": "{b}", "position": "insideEndTop", "color": "@accent",
				"fontSize": 12},
			"lineStyle": object{"color": "@accent", "type": []int{4, 4}, "width": 1.25}})
	}
	for _, f := range p.Flags {
		ink := f.ink()
		lines = append(lines, []any{
			object{"coord": []any{coord(f.At), p.Y[0]}, "symbol": "none", "name": f.Text,
				"label": object{"show": f.Text != "", "formatter": "{b}", "position": "end", "color": ink, "fontSize": 12,
					"textBorderColor": "@paper", "textBorderWidth": 4, "distance": 4, "rotate": 0},
				"lineStyle": object{"color": ink, "type": []int{3, 3}, "width": 1.25}},
			object{"coord": []any{coord(f.At), coord(f.Height)}, "symbol": "none"},
		})
	}
	areas := []any{}
	rows := p.rangeRows()
	for k, r := range p.Ranges {
		areas = append(areas, []any{
			object{"xAxis": coord(r.At), "name": r.Text, "itemStyle": object{"color": r.ink() + "/.12"},
				"label": object{"show": r.Text != "" && rows[k] >= 0, "formatter": "{b}", "position": "insideTop",
					"distance": 5 + 14*max(rows[k], 0), "color": "@ink-2", "fontSize": 12}},
			object{"xAxis": coord(r.To)},
		})
	}
	return trace{"rules", object{
		"name": "", "type": "line", "silent": true, "tooltip": object{"show": false},
		"markLine": object{"silent": true, "animation": false, "symbol": "none", "precision": -1, "data": lines},
		"markArea": object{"silent": true, "animation": false, "data": areas},
	}, json.RawMessage("[]")}
}

// rangeRows places the names of the shaded ranges below each other where the ranges are narrower than a name. The
// short panel of a phone has room for four rows, and a name of two characters takes a twentieth of its width.
func (p Panel) rangeRows() []int {
	middles := make([]float64, len(p.Ranges))
	for k, r := range p.Ranges {
		middles[k] = (r.At + r.To) / 2
	}
	return NameRows(middles, 0.05*(p.X[1]-p.X[0]), 4)
}

func (r Rule) ink() string {
	if r.Mark != "" {
		return r.Mark
	}
	return "@accent"
}

// dots marks hinges and other points.
func (p Panel) dots() trace {
	data := []object{}
	for _, d := range p.Dots {
		data = append(data, object{"value": []any{coord(d.X), coord(d.Y)}, "name": d.Text,
			"itemStyle": object{"color": "@paper", "borderColor": d.Mark, "borderWidth": 1.75}})
	}
	return trace{"dots", object{"name": "", "type": "scatter", "symbol": "circle", "symbolSize": 7, "z": 6,
		"silent": true, "tooltip": object{"show": false}}, json.RawMessage(encoded(data))}
}

// cross is the crosshair: a dotted line labelled with its margin, and a dot on every curve.
func (p Panel) cross() trace {
	data := []object{}
	for _, c := range p.Curves {
		y := c.F(p.Cross)
		if c.Quiet || !Finite(y) || y < p.Y[0] || y > p.Y[1] {
			continue
		}
		data = append(data, object{"value": []any{coord(p.Cross), coord(y)},
			"itemStyle": object{"color": strokes[c.Mark].ink}})
	}
	return trace{"cross", object{
		"name": "", "type": "scatter", "symbol": "circle", "symbolSize": 8, "z": 7, "silent": true,
		"tooltip":   object{"show": false},
		"itemStyle": object{"borderColor": "@paper", "borderWidth": 1.5},
		"markLine": object{"silent": true, "animation": false, "symbol": "none", "precision": -1,
			"lineStyle": object{"color": "@ink", "type": []int{1, 3}, "width": 1},
			"label": object{"show": !p.Short, "formatter": "{b}", "color": "@ink-2", "fontSize": 12, "position": "end",
				"distance": 4},
			"data": []any{object{"xAxis": coord(p.Cross), "name": cmp.Or(p.CrossName, "z") + " = " + Number(p.Cross, 2)}}},
	}, json.RawMessage(encoded(data))}
}

// names labels each curve where the other curves are farthest away. On a narrow screen the
// legend is shown instead.
func (p Panel) names(drawn []polyLine, size pixels) trace {
	data := []object{}
	var taken [][3]float64 // left, right and height of the names placed so far, in pixels
	for i, c := range p.Curves {
		if c.Label == "-" {
			continue
		}
		text := c.Label
		if text == "" {
			text = c.Name
		}
		x, y, right, ok := p.room(i, drawn, size, nameWidth(text, c.Mark == "s1"), &taken)
		if !ok {
			continue
		}
		weight := "normal"
		if c.Mark == "s1" {
			weight = "bold"
		}
		ink := strokes[c.Mark].ink
		if ink == "@s2" || ink == "@ink-3" {
			ink = "@ink-2"
		}
		align := "left"
		if right {
			align = "right"
		}
		data = append(data, object{"value": []any{coord(x), coord(y)}, "name": text,
			"label": object{"color": ink, "fontWeight": weight, "align": align}})
	}
	return trace{"names", object{
		"name": "", "type": "scatter", "wide": true, "symbolSize": 1, "silent": true, "z": 8,
		"tooltip":   object{"show": false},
		"itemStyle": object{"color": "@paper/0"},
		"label": object{"show": true, "formatter": "{b}", "position": "top", "distance": 4, "fontSize": 12,
			"textBorderColor": "@paper", "textBorderWidth": 4},
	}, json.RawMessage(encoded(data))}
}

// nameWidth estimates the width of a name at 12 px.
func nameWidth(text string, bold bool) float64 {
	w := 6.4
	if bold {
		w = 7.2
	}
	return w * float64(len([]rune(text)))
}

// room finds the position, left- or right-aligned above the curve, at which the name of curve
// i, width px wide, is farthest from other curves.
func (p Panel) room(i int, drawn []polyLine, size pixels, width float64,
	taken *[][3]float64) (x, y float64, right, ok bool) {
	best := 9.0 // least clearance of a name in px
	px := func(x float64) float64 { return (x - p.X[0]) / (p.X[1] - p.X[0]) * size.w }
	py := func(y float64) float64 { return (y - p.Y[0]) / (p.Y[1] - p.Y[0]) * size.h }
	span := width / size.w * (p.X[1] - p.X[0])
	const steps = 32
	for k := 0; k <= steps; k++ {
		at := p.X[0] + (p.X[1]-p.X[0])*(float64(k)+.15)/(steps+.3)
		for _, r := range []bool{false, true} {
			from, to := at, at+span
			if r {
				from, to = at-span, at
			}
			h := drawn[i].at(at)
			if from < p.X[0] || to > p.X[1] || !(h >= p.Y[0]) || py(h) > size.h-14 {
				continue
			}
			room := 40.0
			middle := py(h) + 11
			for _, u := range []float64{from, (from + to) / 2, to} {
				for j := range drawn {
					o := drawn[j].at(u)
					if !Finite(o) {
						continue
					}
					room = min(room, math.Abs(py(o)-middle)+2)
				}
			}
			for _, t := range *taken {
				if math.Abs(t[2]-middle) < 15 && px(from) < t[1]+6 && px(to) > t[0]-6 {
					room = 0
				}
			}
			if p.Cap != nil {
				room = min(room, math.Abs(py(p.Cap.At)-middle)+2)
			}
			if !p.NoCross && from < p.Cross && to > p.Cross {
				room -= 6
			}
			if room > best+.5 {
				best, x, y, right, ok = room, at, h, r, true
			}
		}
	}
	if ok {
		left := px(x)
		if right {
			left -= width
		}
		*taken = append(*taken, [3]float64{left, left + width, py(y) + 11})
	}
	return x, y, right, ok
}
