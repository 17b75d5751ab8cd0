package viz

import "encoding/json"

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
	o["grid"] = object{"left": 34, "right": 12, "top": top, "bottom": bottom, "containLabel": false,
		"outerBoundsMode": "none"}
	o["xAxis"] = []object{xAxis(FrozenScale(p.X[0], p.X[1], 8), p.XName)}
	o["yAxis"] = []object{yAxis(FrozenScale(p.Y[0], p.Y[1], n), "")}
	o["tooltip"] = with(o["tooltip"].(object), "trigger", "axis",
		"axisPointer", object{"type": "line", "lineStyle": object{"color": "@ink", "type": []int{1, 3}, "width": 1}})
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
