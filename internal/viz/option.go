package viz

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// object is a part of an ECharts option.
type object = map[string]any

// chart is the common interface of go-echarts' builders.
type chart interface {
	Validate()
	JSON() map[string]interface{}
}

// option marshals a chart and merges patch into it. The builders give the structure. The patch
// sets what they cannot express: zeros (their fields are omitempty), dash lists, several axes.
// encoding/json escapes '<', '>' and '&'.
func option(c chart, patch object) Option {
	c.Validate()
	parts := c.JSON()
	// Points are most of an option, so they skip the decoding for the merge.
	series, _ := parts["series"].(charts.MultiSeries)
	series = slices.Clone(series)
	data := make([][]any, len(series))
	for i := range series {
		if data[i] = plain(series[i].Data); data[i] != nil {
			series[i].Data = nil
		}
	}
	if series != nil {
		parts["series"] = series
	}
	built, err := json.Marshal(parts)
	if err != nil {
		panic("viz: chart does not marshal: " + err.Error()) // coord replaces NaN
	}
	var tree object
	if err := json.Unmarshal(built, &tree); err != nil {
		panic("viz: chart is not an object: " + err.Error())
	}
	for _, unused := range []string{"title", "toolbox", "color", "dataset"} {
		delete(tree, unused)
	}
	slim(tree)
	for i, points := range data {
		if points != nil {
			tree["series"].([]any)[i].(object)["data"] = points
		}
	}
	out, err := json.Marshal(lay(tree, patch))
	if err != nil {
		panic("viz: option does not marshal: " + err.Error())
	}
	return out
}

// lay merges patch into base: objects key by key, lists of objects entry by entry; everything
// else is replaced.
func lay(base, patch any) any {
	if p, ok := patch.([]object); ok {
		list := make([]any, len(p))
		for i := range p {
			list[i] = p[i]
		}
		patch = list
	}
	switch p := patch.(type) {
	case object:
		b, ok := base.(object)
		if !ok {
			b = object{}
		}
		for k, v := range p {
			b[k] = lay(b[k], v)
		}
		return b
	case []any:
		b, _ := base.([]any)
		for i, v := range p {
			if _, isObject := v.(object); isObject && i < len(b) {
				p[i] = lay(b[i], v)
			}
		}
		return p
	}
	return patch
}

// plain are the values of data items that hold only a list of numbers and texts, in the form of
// slim; nil if an item holds more, or if there are none.
func plain(items any) (values []any) {
	list := reflect.ValueOf(items)
	if list.Kind() != reflect.Slice || list.Type().Elem().Kind() != reflect.Struct {
		return nil
	}
	value, ok := list.Type().Elem().FieldByName("Value")
	if !ok {
		return nil
	}
	for i := range list.Len() {
		item := list.Index(i)
		for k := range item.NumField() {
			if k != value.Index[0] && !item.Field(k).IsZero() {
				return nil
			}
		}
		point, ok := item.Field(value.Index[0]).Interface().([]any)
		if !ok {
			return nil
		}
		for _, v := range point {
			switch v.(type) {
			case nil, float64, int, string:
			default:
				return nil
			}
		}
		values = append(values, point)
	}
	return values
}

// slim replaces a data item that only holds a value by the value.
func slim(v any) any {
	switch t := v.(type) {
	case object:
		if val, ok := t["value"]; ok && len(t) == 1 {
			return val
		}
		for k := range t {
			t[k] = slim(t[k])
		}
	case []any:
		for i := range t {
			t[i] = slim(t[i])
		}
	}
	return v
}

// textName escapes a name from a file for an option, because the browser takes a leading "@"
// for a design token.
func textName(s string) string {
	if strings.HasPrefix(s, "@") {
		return "\u2060" + s // word joiner: invisible, prevents a break
	}
	return s
}

// newLine, newScatter and newBar return empty charts with two value axes.
func newLine() *charts.Line {
	c := charts.NewLine()
	c.SetGlobalOptions(charts.WithXAxisOpts(opts.XAxis{Type: "value"}), charts.WithYAxisOpts(opts.YAxis{Type: "value"}))
	return c
}

func newScatter() *charts.Scatter {
	c := charts.NewScatter()
	c.SetGlobalOptions(charts.WithXAxisOpts(opts.XAxis{Type: "value"}), charts.WithYAxisOpts(opts.YAxis{Type: "value"}))
	return c
}

// points pairs coordinates for a line, with a gap where one of them is not finite.
func points(x, y []float64) []opts.LineData {
	data := make([]opts.LineData, len(x))
	for i := range x {
		data[i].Value = []any{coord(x[i]), coord(y[i])}
	}
	return data
}

// base is common to all charts: no animation, legend in HTML, tooltips drawn on the canvas
// because the page allows no inline styles.
func base(axisName bool) object {
	bottom := 24
	if axisName {
		bottom = 38
	}
	return object{
		"animation": false,
		"legend":    object{"show": false},
		"textStyle": object{"color": "@ink-3", "fontSize": 12},
		"grid":      object{"left": 34, "right": 12, "top": 12, "bottom": bottom, "containLabel": false},
		"tooltip": object{
			"show": true, "trigger": "item", "renderMode": "richText", "confine": true,
			"backgroundColor": "@ink", "borderWidth": 0, "padding": []int{8, 10},
			"textStyle": object{"color": "@paper", "fontSize": 12},
		},
	}
}

// grid is the place of a plot. ECharts would move it for wide labels; held, it stays still while a
// slider moves, and the browser can paint the chart without ECharts (web/static/js/paint.js).
func grid(left, right, top, bottom int) object {
	return object{"left": left, "right": right, "top": top, "bottom": bottom, "containLabel": false,
		"outerBoundsMode": "none"}
}

// hovered sets the tooltip of a chart of curves, shown for a pointer anywhere above an x.
func hovered(o object) object {
	return with(o["tooltip"].(object), "trigger", "axis",
		"axisPointer", object{"type": "line", "lineStyle": object{"color": "@ink", "type": []int{1, 3}, "width": 1}})
}

// xAxis and yAxis style the axes for a scale. Ticks are given explicitly, because ECharts would
// count its interval from the end of the axis.
func xAxis(s Scale, name string) object {
	return object{
		"type": "value", "min": s.Min, "max": s.Max, "interval": s.Step,
		"name": name, "nameLocation": "middle", "nameGap": 24,
		"nameTextStyle": object{"color": "@ink-2", "fontSize": 12},
		"axisLine":      object{"show": true, "onZero": false, "lineStyle": object{"color": "@edge", "width": 1}},
		"axisTick":      object{"show": true, "length": 4, "lineStyle": object{"color": "@edge"}, "customValues": s.Ticks},
		"splitLine":     object{"show": false},
		"axisLabel":     object{"color": "@ink-3", "fontSize": 12, "customValues": s.Ticks},
	}
}

func yAxis(s Scale, name string) object {
	return object{
		"type": "value", "min": s.Min, "max": s.Max, "interval": s.Step,
		"name": name, "nameLocation": "middle", "nameGap": 26,
		"nameTextStyle": object{"color": "@ink-2", "fontSize": 12},
		"axisLine":      object{"show": false},
		"axisTick":      object{"show": false, "customValues": s.Ticks}, // where the grid lines go
		"splitLine":     object{"show": true, "lineStyle": object{"color": "@rule", "width": 1}},
		"axisLabel":     object{"color": "@ink-3", "fontSize": 12, "customValues": s.Ticks},
	}
}

// named puts the name of a y axis to the left edge of the canvas, left px from the plot.
func named(axis object, left int) object {
	return with(axis, "nameGap", left-20, "nameMoveOverlap", false)
}

// plated puts a label on a plate in the colour of the paper. An edge around the letters alone leaves lines below
// visible between them.
func plated(label object) object {
	return with(label, "backgroundColor", "@paper", "padding", []int{2, 3})
}

// with returns a copy of o with the given pairs set.
func with(o object, pairs ...any) object {
	out := make(object, len(o)+len(pairs)/2)
	for k, v := range o {
		out[k] = v
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}
