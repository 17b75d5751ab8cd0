package viz

import (
	"fmt"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"taper/internal/engine"
	"taper/internal/engine/stat"
)

// ShortList are the statistics shown first; the first of them is drawn.
var ShortList = []stat.Statistic{stat.ByID("interval_loss"), stat.ByID("auc"), stat.ByID("brier")}

// LossBars compares the interval loss ℓ_π of the models evaluated on the same folds.
func LossBars(r *engine.Result) Figure {
	f := Figure{
		ID: "losses", Title: ShortList[0].Label + " of the compared models",
		Sentence: lossSentence(r.Beside),
		Option:   lossOption(r.Beside),
		Head:     []string{"Model"},
	}
	f.Label = f.Title + ". " + f.Sentence
	for _, s := range ShortList {
		f.Head = append(f.Head, s.Label)
	}
	for _, b := range r.Beside {
		row := []string{b.Title}
		for _, s := range ShortList {
			row = append(row, NumberOf(b.Metrics.Of(s.ID).Value, s.Digits))
		}
		f.Rows = append(f.Rows, row)
	}
	return f
}

// lossSentence names the model with the lowest loss.
func lossSentence(beside []engine.Beside) string {
	var parts []string
	best := -1
	for i, b := range beside {
		v := b.Metrics.IntervalLoss
		if v == nil {
			continue
		}
		if best < 0 || *v < *beside[best].Metrics.IntervalLoss {
			best = i
		}
		parts = append(parts, b.Title+" "+Number(*v, 4))
	}
	if best < 0 {
		return "No interval loss: the run has no boundaries."
	}
	return fmt.Sprintf("‘%s’ has the lowest loss. The losses on the same rows are: %s. Lower is better.",
		beside[best].Title, strings.Join(parts, "; "))
}

func lossOption(beside []engine.Beside) Option {
	var names []string
	var bars []opts.BarData
	top := 0.0
	for i := len(beside) - 1; i >= 0; i-- { // the first model is at the top
		b := beside[i]
		v := b.Metrics.IntervalLoss
		if v == nil || !Finite(*v) {
			continue
		}
		names = append(names, textName(b.Title))
		top = max(top, *v)
		ink := "@s2"
		if b.ID == "model" {
			ink = "@s1"
		}
		bars = append(bars, opts.BarData{
			Name: textName(b.Title), Value: coord(*v), ItemStyle: &opts.ItemStyle{Color: ink},
			Label: &opts.Label{Show: opts.Bool(true), Position: "right", Formatter: Number(*v, 4), Color: "@ink"},
		})
	}
	c := charts.NewBar()
	name := strings.ToLower(ShortList[0].Label)
	c.AddSeries(name, bars)
	patch := base(true)
	patch["grid"] = object{"left": 8, "right": 56, "top": 8, "bottom": 38, "containLabel": true}
	patch["xAxis"] = []object{with(xAxis(NewScale(0, top, 4), name+", lower is better"), "axisLine",
		object{"show": true, "lineStyle": object{"color": "@edge"}})}
	patch["yAxis"] = []object{{
		"type": "category", "data": names, "axisTick": object{"show": false}, "axisLine": object{"show": false},
		"axisLabel": object{"color": "@ink-2", "fontSize": 12},
	}}
	patch["series"] = []object{{"barMaxWidth": 18}}
	return option(c, patch)
}
