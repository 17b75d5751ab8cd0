package viz

import (
	"fmt"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"taper/internal/engine"
)

// LossBars compares the theoretical loss ℓ_π of the models that were judged on
// the same folds.
func LossBars(r *engine.Result) Figure {
	f := Figure{
		ID: "losses", Title: "Interval loss beside its rivals",
		Sentence: lossSentence(r.Beside),
		Option:   lossOption(r.Beside),
		Head:     []string{"Model", "Interval loss", "AUC", "Brier score"},
	}
	f.Label = f.Title + ". " + f.Sentence
	for _, b := range r.Beside {
		f.Rows = append(f.Rows, []string{b.Title, NumberOf(b.Metrics.IntervalLoss, 4), NumberOf(b.Metrics.AUC, 3),
			NumberOf(b.Metrics.Brier, 4)})
	}
	return f
}

// lossSentence names the lowest.
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
	return fmt.Sprintf("Lowest: %s. On the same folds: %s. Lower is better.", beside[best].Title,
		strings.Join(parts, ", "))
}

func lossOption(beside []engine.Beside) Option {
	var names []string
	var bars []opts.BarData
	top := 0.0
	for i := len(beside) - 1; i >= 0; i-- { // the first model stands on top
		b := beside[i]
		v := b.Metrics.IntervalLoss
		if v == nil || !finite(*v) {
			continue
		}
		names = append(names, textName(b.Title))
		top = max(top, *v)
		bars = append(bars, opts.BarData{
			Name: textName(b.Title), Value: coord(*v), ItemStyle: &opts.ItemStyle{Color: barInk(b.ID)},
			Label: &opts.Label{Show: opts.Bool(true), Position: "right", Formatter: Number(*v, 4), Color: "@ink"},
		})
	}
	c := charts.NewBar()
	c.AddSeries("interval loss", bars)
	patch := base(true)
	patch["grid"] = object{"left": 8, "right": 56, "top": 8, "bottom": 38, "containLabel": true}
	patch["xAxis"] = []object{with(xAxis(NewScale(0, top, 4), "interval loss, lower is better"), "axisLine",
		object{"show": true, "lineStyle": object{"color": "@edge"}})}
	patch["yAxis"] = []object{{
		"type": "category", "data": names, "axisTick": object{"show": false}, "axisLine": object{"show": false},
		"axisLabel": object{"color": "@ink-2", "fontSize": 12},
	}}
	patch["series"] = []object{{"barMaxWidth": 18}}
	return option(c, patch)
}

func barInk(id string) string {
	if id == "model" {
		return "@s1"
	}
	return "@s2"
}
