package viz

import "encoding/json"

// rules carries the cap, the flags and the shaded ranges: an empty line with
// marks.
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
	for _, r := range p.Ranges {
		areas = append(areas, []any{
			object{"xAxis": coord(r.At), "name": r.Text, "itemStyle": object{"color": r.ink() + "/.12"},
				"label": object{"show": r.Text != "", "formatter": "{b}", "position": "insideTop", "color": "@ink-2",
					"fontSize": 12}},
			object{"xAxis": coord(r.To)},
		})
	}
	return trace{"rules", object{
		"name": "", "type": "line", "silent": true, "tooltip": object{"show": false},
		"markLine": object{"silent": true, "animation": false, "symbol": "none", "precision": -1, "data": lines},
		"markArea": object{"silent": true, "animation": false, "data": areas},
	}, json.RawMessage("[]")}
}

func (r Rule) ink() string {
	if r.Mark != "" {
		return r.Mark
	}
	return "@accent"
}

// dots are the hinges and other points.
func (p Panel) dots() trace {
	data := []object{}
	for _, d := range p.Dots {
		data = append(data, object{"value": []any{coord(d.X), coord(d.Y)}, "name": d.Text,
			"itemStyle": object{"color": "@paper", "borderColor": d.Mark, "borderWidth": 1.75}})
	}
	return trace{"dots", object{"name": "", "type": "scatter", "symbol": "circle", "symbolSize": 7, "z": 6,
		"silent": true, "tooltip": object{"show": false}}, json.RawMessage(encoded(data))}
}

// cross is the crosshair: a dotted line with its margin above, and a dot on
// every curve.
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
			"data": []any{object{"xAxis": coord(p.Cross), "name": p.crossName() + " = " + Number(p.Cross, 2)}}},
	}, json.RawMessage(encoded(data))}
}

func (p Panel) crossName() string {
	if p.CrossName != "" {
		return p.CrossName
	}
	return "z"
}
