package viz

import "encoding/json"

// Game is the matrix game of an adversarial loss at one point: the mixed strategies of the
// adversary over the classes and of the predictor over the options.
type Game struct {
	ID, Title, Sentence, Label string

	Options []string  // of the predictor: the classes, perhaps then "abstain"
	Q       []float64 // adversary, one per class; shorter than Options if the predictor may abstain
	P       []float64 // predictor
}

// GameBars draws both strategies side by side.
func GameBars(g Game) Plot {
	text := object{"show": true, "position": "top", "color": "@ink-2", "fontSize": 12, "formatter": "{b}"}
	bars := func(v []float64) json.RawMessage {
		data := make([]object, len(g.Options))
		for i := range g.Options {
			data[i] = object{"value": nil}
			if i < len(v) {
				data[i] = object{"value": coord(v[i]), "name": Number(v[i], 2)}
			}
		}
		return json.RawMessage(encoded(data))
	}
	o := base(false)
	o["grid"] = grid(34, 12, 22, 24)
	o["xAxis"] = []object{{"type": "category", "data": g.Options, "axisTick": object{"show": false},
		"axisLine":  object{"show": true, "lineStyle": object{"color": "@edge", "width": 1}},
		"axisLabel": object{"color": "@ink-2", "fontSize": 12}}}
	o["yAxis"] = []object{yAxis(FrozenScale(0, 1, 2), "")}
	o["tooltip"] = with(o["tooltip"].(object), "show", false)
	traces := []trace{
		{"q", object{"name": "adversary q*", "type": "bar", "barMaxWidth": 32, "barGap": "12%",
			"itemStyle": object{"color": "@s1"}, "label": text}, bars(g.Q)},
		{"p", object{"name": "predictor p*", "type": "bar", "barMaxWidth": 32,
			"itemStyle": object{"color": "@paper", "borderColor": "@s2", "borderWidth": 1.5,
				"decal": object{"symbol": "rect", "dashArrayX": []any{1, 0}, "dashArrayY": []int{2, 4}, "rotation": -0.785,
					"color": "@s2"}}, "label": text}, bars(g.P)},
	}
	p := seal(Figure{ID: g.ID, Title: g.Title, Sentence: g.Sentence, Label: g.Label}, o, traces)
	p.Legend = []LegendItem{
		{Series: "", Text: "adversary q*: the label it would play", Mark: "bar-q", SVG: swatch("t1", false)},
		{Series: "", Text: "predictor p*: what to answer", Mark: "bar-p", SVG: swatch("fill-paper s2b", true)},
	}
	return p
}

func swatch(class string, hatched bool) string {
	d := drawing{w: 14, h: 12}
	d.rect(class, 1.5, 1.5, 11, 9)
	if hatched {
		d.hatch(1.5, 1.5, 11, 9)
	}
	return d.svg("swatch", "")
}
