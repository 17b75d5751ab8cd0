package sheet

import (
	"encoding/json"
	"math"

	"taper/web/templates"
)

// curve is one line of a chart.
type curve struct {
	name, mark string
	f          func(z float64) float64
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// Losses is a line chart as internal/viz writes them, with a cap line.
func Losses() templates.Chart {
	c := curves(templates.Chart{ID: "losses", Title: "α-loss", Sentence: "The larger α, the earlier it redescends.",
		Group: "margin", Fit: true,
		Table: &templates.Table{Label: "α-loss at some margins", Class: "tbl-tight",
			Columns: []templates.Column{{Label: "Margin z", Num: true}, {Label: "Loss", Unit: "α = 4", Num: true}},
			Rows: []templates.Row{{Cells: []templates.Cell{{Text: "−2"}, {Text: "1.05"}}},
				{Cells: []templates.Cell{{Text: "2"}, {Text: "0.12"}}}}}},
		4, curve{"α = 1", "s2", func(z float64) float64 { return math.Log1p(math.Exp(-z)) }},
		curve{"α = 4", "s1", func(z float64) float64 { return 4. / 3 * (1 - math.Pow(sigmoid(z), .75)) }})
	return c
}

// Slopes is a second chart with the same axis, which shares the crosshair.
func Slopes() templates.Chart {
	return curves(templates.Chart{ID: "slopes", Title: "Influence", Sentence: "What one row can do to the fit.",
		Group: "margin", Height: "s"},
		1, curve{"α = 1", "s2", func(z float64) float64 { return 1 - sigmoid(z) }},
		curve{"α = 4", "s1", func(z float64) float64 { return math.Pow(sigmoid(z), .75) * (1 - sigmoid(z)) }})
}

func curves(c templates.Chart, top float64, cs ...curve) templates.Chart {
	var series []any
	for _, a := range cs {
		var points [][2]float64
		for z := -6.; z <= 6; z += .25 {
			points = append(points, [2]float64{z, a.f(z)})
		}
		line := map[string]any{"name": a.name, "type": "line", "symbol": "none", "data": points,
			"lineStyle": map[string]any{"color": "@" + a.mark, "type": "@" + a.mark + "-dash", "width": "@s-width"},
			"itemStyle": map[string]any{"color": "@" + a.mark}}
		if a.mark == "s1" {
			line["z"] = 3
		}
		if a.mark == "s1" && top == 4 {
			line["markLine"] = map[string]any{"silent": true, "symbol": "none", "data": []any{map[string]any{"yAxis": 4. / 3}},
				"lineStyle": map[string]any{"color": "@accent", "type": []int{4, 4}, "width": 1.25},
				"label": map[string]any{"formatter": "cap 1.33 = α/(α − 1)", "position": "insideEndTop",
					"color": "@accent"}}
		}
		series = append(series, line)
		c.Legend = append(c.Legend, templates.LegendEntry{Series: a.name, Mark: a.mark})
	}
	c.Option = option("margin z", "", -6, 6, 0, top, series, "axis")
	return c
}

// Points is a scatter chart with two kinds of mark.
func Points() templates.Chart {
	kinds := []struct {
		name, mark, symbol string
		dx                 float64
	}{{"non-event", "c0", "circle", -2}, {"event", "c1", "triangle", 2}}
	c := templates.Chart{ID: "points", Title: "Rows by band",
		Sentence: "The uncertain bands form a thin strip between two clouds.",
		Finding:  "Two clouds of points, non-events left and events right"}
	var series []any
	for _, k := range kinds {
		var points [][2]float64
		for i := range 40 {
			a := float64(i)
			points = append(points, [2]float64{k.dx + 1.6*math.Sin(a*1.7), 1.6 * math.Cos(a*2.3)})
		}
		series = append(series, map[string]any{"name": k.name, "type": "scatter", "symbol": k.symbol, "symbolSize": 8,
			"data":      points,
			"itemStyle": map[string]any{"color": "@" + k.mark, "borderColor": "@paper", "borderWidth": 1}})
		c.Legend = append(c.Legend, templates.LegendEntry{Series: k.name, Mark: k.mark})
	}
	c.Option = option("first component", "second", -6, 6, -2, 2, series, "item")
	return c
}

func option(xName, yName string, x0, x1, y0, y1 float64, series []any, trigger string) json.RawMessage {
	text := map[string]any{"color": "@ink-3", "fontSize": 12, "fontFamily": "@sans"}
	raw, err := json.Marshal(map[string]any{
		"grid": map[string]any{"left": 34, "right": 12, "top": 12, "bottom": 38},
		"xAxis": map[string]any{"type": "value", "min": x0, "max": x1, "name": xName, "nameLocation": "middle",
			"nameGap": 24, "nameTextStyle": text, "axisLabel": text,
			"axisLine": map[string]any{"onZero": false, "lineStyle": map[string]any{"color": "@edge"}},
			"axisTick": map[string]any{"length": 4}, "splitLine": map[string]any{"show": false}},
		"yAxis": map[string]any{"type": "value", "min": y0, "max": y1, "name": yName, "axisLabel": text,
			"axisLine": map[string]any{"show": false}, "axisTick": map[string]any{"show": false},
			"splitLine": map[string]any{"lineStyle": map[string]any{"color": "@rule"}}},
		"tooltip": map[string]any{"trigger": trigger, "axisPointer": map[string]any{"type": "line",
			"lineStyle": map[string]any{"color": "@ink", "type": []int{1, 3}, "width": 1}}},
		"series": series,
	})
	if err != nil {
		panic(err) // the values above are finite
	}
	return raw
}
