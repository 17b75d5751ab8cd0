package viz

import (
	"encoding/json"
	"math"
)

// names writes each curve's name beside it, where the other curves are
// farthest. A narrow screen leaves them out and shows the legend.
func (p Panel) names(drawn []polyLine, size pixels) trace {
	data := []object{}
	var taken [][3]float64 // left, right and height of the names so far, in pixels
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

// nameWidth estimates the width of a name in 12 px.
func nameWidth(text string, bold bool) float64 {
	w := 6.4
	if bold {
		w = 7.2
	}
	return w * float64(len([]rune(text)))
}

// room finds where the name of curve i, width px wide, stands clearest: left
// or right aligned above the curve.
func (p Panel) room(i int, drawn []polyLine, size pixels, width float64,
	taken *[][3]float64) (x, y float64, right, ok bool) {
	best := 9.0 // px of clearance that a name needs at least
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
