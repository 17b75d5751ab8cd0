package viz

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
)

// WeightFigure draws a histogram of the weights of training rows, clean and flipped, with the
// median of each role if rows have roles.
func WeightFigure(w study.Weights, name string) Figure {
	f := Figure{ID: "weights", Title: "Weight " + w.Symbol + " of the training rows, " + name, Sentence: weightSentence(w)}
	f.Label = f.Title + ". " + f.Sentence
	clean, flipped := make([]int, study.WeightBins), make([]int, study.WeightBins)
	f.Head = []string{"Rows", "Number", "Median " + w.Symbol}
	if w.Symbol == "ξ" {
		f.Head[2] += ", the largest 1"
	}
	for _, g := range w.Groups {
		counts := clean
		if g.Flipped {
			counts = flipped
		}
		for i, n := range g.Counts {
			counts[i] += n
		}
		f.Rows = append(f.Rows, []string{groupName(g), phrase.Int(g.N), NumberOf(g.Median, 3)})
	}
	f.Option = weightOption(w, clean, flipped)
	f.Legend = []LegendItem{
		{Series: "clean labels", Text: "clean labels", SVG: weightSample("bar-clean")},
		{Series: "flipped labels", Text: "flipped labels", SVG: weightSample("bar-flip")},
	}
	return f
}

func groupName(g study.WeightGroup) string {
	name := "clean label"
	if g.Flipped {
		name = "flipped label"
	}
	if g.Role != "" {
		return phrase.UpperFirst(g.Role) + ", " + name
	}
	return phrase.UpperFirst(name)
}

// GivenUp counts the rows with less than half of the largest weight, and all rows; clean first,
// then flipped.
func GivenUp(w study.Weights) (low, n [2]int) {
	for _, g := range w.Groups {
		k := 0
		if g.Flipped {
			k = 1
		}
		n[k] += g.N
		for _, c := range g.Counts[:study.WeightBins/2] {
			low[k] += c
		}
	}
	return low, n
}

// weightSentence says which rows are down-weighted.
func weightSentence(w study.Weights) string {
	low, n := GivenUp(w)
	share := func(k int) string {
		if low[k] == 0 {
			return "none"
		}
		return phrase.Share(low[k], n[k])
	}
	if n[1] == 0 {
		return fmt.Sprintf("No label is flipped. %s of the %s rows have weight below ½.", phrase.UpperFirst(share(0)),
			phrase.Int(n[0]))
	}
	return fmt.Sprintf("%s of the %s flipped rows and %s of the %s others have weight below ½ (first replicate).",
		phrase.UpperFirst(share(1)), phrase.Int(n[1]), share(0), phrase.Int(n[0]))
}

// weightOption stacks flipped rows on clean ones; groups differ by colour and fill, and lines
// mark the medians of the roles.
func weightOption(w study.Weights, clean, flipped []int) Option {
	c := charts.NewBar()
	names := make([]string, study.WeightBins)
	below, above := make([]opts.BarData, study.WeightBins), make([]opts.BarData, study.WeightBins)
	most := 0
	for i := range names {
		names[i] = Number((float64(i)+0.5)/study.WeightBins, 3)
		below[i], above[i] = bar(clean[i]), bar(flipped[i])
		most = max(most, clean[i]+flipped[i])
	}
	c.SetXAxis(names)
	c.AddSeries("clean labels", below)
	c.AddSeries("flipped labels", above)
	y := NewScale(0, float64(max(1, most)), 4)
	lines := roleLines(w, &y)
	patch := base(true)
	patch["grid"] = object{"left": 44, "right": 16, "top": 14, "bottom": 38, "containLabel": false}
	hidden := with(xAxis(NewScale(0, 1, 1), ""), "type", "category", "data", names, "show", false)
	for _, k := range []string{"min", "max", "interval"} {
		delete(hidden, k)
	}
	patch["xAxis"] = []object{hidden, with(xAxis(FrozenScale(0, 1, 5), "weight "+w.Symbol), "position", "bottom")}
	patch["yAxis"] = []object{yAxis(y, "")}
	patch["series"] = []object{
		{"stack": "rows", "barWidth": "88%", "itemStyle": object{"color": "@s2", "opacity": 0.55}},
		{"stack": "rows", "barWidth": "88%", "itemStyle": object{"color": "@paper", "borderColor": "@s1",
			"borderWidth": 1.5}},
		{"type": "line", "name": "", "data": []any{}, "xAxisIndex": 1, "silent": true, "markLine": object{
			"silent": true, "symbol": "none", "precision": -1, "data": lines}},
	}
	return option(c, patch)
}

// bar is a count; 0 has no bar, because its outline would be a line.
func bar(n int) opts.BarData {
	if n == 0 {
		return opts.BarData{Value: "-"}
	}
	return opts.BarData{Value: n}
}

// roleLines mark the medians of the roles. Each line ends at its name, in a row of its own above the bars, for which
// the axis is made longer. Names are right of the lines in the left part of the axis and left of them in the right
// part; the outer ones are higher, so that the lines of the inner ones end below them.
func roleLines(w study.Weights, y *Scale) []any {
	groups := slices.DeleteFunc(slices.Clone(w.Groups), func(g study.WeightGroup) bool { return g.Median == nil })
	lines := []any{}
	if !slices.ContainsFunc(w.Groups, func(g study.WeightGroup) bool { return g.Role != "" }) {
		return lines
	}
	const leftPart = .6
	inner := func(g study.WeightGroup) float64 {
		if *g.Median > leftPart {
			return 1 - *g.Median
		}
		return *g.Median
	}
	slices.SortStableFunc(groups, func(a, b study.WeightGroup) int { return cmp.Compare(inner(b), inner(a)) })
	bars, row := y.Max, .085*y.Max // 15 px where the plot with its names is smallest
	y.Max += row * float64(len(groups)+1)
	for i, g := range groups {
		ink, dash := "@ink-2", []int{4, 4}
		if g.Flipped {
			ink, dash = "@s1", []int{1, 3}
		}
		align := "left"
		if *g.Median > leftPart {
			align = "right"
		}
		text := g.Role
		if g.Flipped {
			text += ", flipped"
		}
		label := object{"show": true, "formatter": "{b}", "position": "end", "color": ink, "fontSize": 12, "distance": 0,
			"align": align}
		lines = append(lines, []any{
			object{"coord": []any{coord(*g.Median), 0}, "name": text, "label": plated(label),
				"lineStyle": object{"color": ink, "width": 1.25, "type": dash}},
			object{"coord": []any{coord(*g.Median), coord(bars + row*(float64(i)+.2))}},
		})
	}
	return lines
}

func weightSample(class string) string {
	d := &drawing{w: 16, h: 12}
	if class == "bar-flip" {
		class = "ln solid s1"
	}
	d.rect(class, 2, 2, 12, 8)
	return d.svg("", "")
}

// WithMarker adds a dotted vertical line at x, the position shown in another figure.
func WithMarker(f Figure, x float64) Figure {
	f.Option = marked(f.Option, x)
	return f
}

// marked adds an empty series with that line.
func marked(o Option, x float64) Option {
	var tree object
	if err := json.Unmarshal(o, &tree); err != nil {
		panic("viz: option does not read back: " + err.Error())
	}
	series, _ := tree["series"].([]any)
	tree["series"] = append(series, object{"type": "line", "name": "", "data": []any{}, "silent": true, "markLine": object{
		"silent": true, "symbol": "none", "precision": -1, "label": object{"show": false},
		"data": []any{object{"xAxis": coord(x)}}, "lineStyle": object{"color": "@ink", "width": 1, "type": []int{1, 3}}}})
	out, err := json.Marshal(tree)
	if err != nil {
		panic("viz: option does not marshal: " + err.Error())
	}
	return out
}
