package viz

import (
	"fmt"
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// option draws the strip in a grid of its own above the curves.
func (p densityPlan) option() Option {
	c := newLine()
	series := []object{p.stripSeries(), p.cutSeries(0, 1)}
	blank := []opts.LineData{{Value: []any{coord(p.x.Min), 0}}}
	c.AddSeries("bands", blank)
	c.AddSeries("cut-offs", blank)
	for _, d := range p.curves {
		c.AddSeries(textName(d.Level), points(d.X, d.Y))
		series = append(series, curveStyle(d))
	}
	names := charts.NewScatter()
	names.AddSeries("names", p.peaks())
	c.Overlap(names)
	series = append(series, object{
		"silent": true, "symbolSize": 1, "itemStyle": object{"color": "transparent"},
		"label": object{"show": true, "position": "top", "formatter": "{b}", "color": "@ink", "fontSize": 12,
			"fontWeight": "bold", "textBorderColor": "@paper", "textBorderWidth": 3},
		"labelLayout": object{"moveOverlap": "shiftY"}, "tooltip": object{"show": false},
		"xAxisIndex": 0, "yAxisIndex": 0, "z": 10,
	})
	patch := base(true)
	patch["grid"] = []object{
		{"left": 34, "right": 12, "top": 20, "bottom": 38},
		{"left": 34, "right": 12, "top": 4, "height": 14},
	}
	hidden := object{"show": false, "type": "value", "gridIndex": 1}
	patch["xAxis"] = []object{
		with(xAxis(p.x, "score f(x), out of fold"), "gridIndex", 0),
		with(hidden, "min", p.x.Min, "max", p.x.Max),
	}
	patch["yAxis"] = []object{
		{"show": false, "type": "value", "gridIndex": 0, "min": 0, "max": coord(p.top)},
		with(hidden, "min", 0, "max", 1),
	}
	patch["series"] = series
	return option(c, patch)
}

func curveStyle(d curve) object {
	ink := fmt.Sprintf("@c%d", d.class)
	style := object{
		"showSymbol": false, "xAxisIndex": 0, "yAxisIndex": 0, "z": 3,
		"lineStyle": object{"color": ink, "width": 2, "type": classDash[d.class]},
		"itemStyle": object{"color": ink},
	}
	if d.class < 2 {
		style["areaStyle"] = object{"color": fmt.Sprintf("@p%d", 4+d.class), "opacity": 1}
	}
	return style
}

// peaks puts each group's name above its highest point.
func (p densityPlan) peaks() []opts.ScatterData {
	data := make([]opts.ScatterData, len(p.curves))
	for i, c := range p.curves {
		data[i] = opts.ScatterData{
			Name: textName(c.Level), Value: []any{coord(clamp(c.X[c.peak], p.x)), coord(math.Min(c.Y[c.peak], p.top))},
		}
	}
	return data
}

// stripSeries paints the bands; a name stands where there is room for it.
func (p densityPlan) stripSeries() object {
	var areas []any
	for j := 0; j <= len(p.cuts) && len(p.cuts) == len(p.pi); j++ {
		from, to := p.band(j)
		low, high := edges(p.pi, j)
		areas = append(areas, []any{
			object{
				"name": BandName(low, high), "xAxis": coord(from), "yAxis": 0,
				"itemStyle": object{"color": tintToken(low, high)},
				"label": object{
					"show": to-from > 0.16*(p.x.Max-p.x.Min), "position": "inside",
					"color": "@ink", "fontSize": 12,
				},
			},
			object{"xAxis": coord(to), "yAxis": 1},
		})
	}
	return with(p.cutSeries(1, 1), "markArea", object{"silent": true, "data": areas})
}

// cutSeries draws the cut-offs in one grid.
func (p densityPlan) cutSeries(grid int, width float64) object {
	cuts := []any{}
	for _, d := range p.cuts {
		if d >= p.x.Min && d <= p.x.Max {
			cuts = append(cuts, object{"xAxis": coord(d)})
		}
	}
	return object{
		"silent": true, "symbol": "none", "xAxisIndex": grid, "yAxisIndex": grid,
		"tooltip": object{"show": false},
		"markLine": object{
			"silent": true, "symbol": "none", "precision": -1, "label": object{"show": false}, "data": cuts,
			"lineStyle": object{"color": "@ink", "width": width, "type": "solid"},
		},
	}
}
