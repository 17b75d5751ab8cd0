package viz

import (
	"fmt"
	"math"
	"strings"

	"github.com/go-echarts/go-echarts/v2/opts"

	"taper/internal/engine"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/stat"
)

// tuningPlan is the tuning curve against log₁₀ λ; the axis is labelled in powers of ten.
type tuningPlan struct {
	points []crossfit.TuningPoint
	x, y   Scale
	best   int
}

func planTuning(r *engine.Result) tuningPlan {
	p := tuningPlan{}
	lo, hi := math.Inf(1), math.Inf(-1)
	var xs []float64
	for _, t := range r.Tuning {
		if !(t.L2 > 0) || !Finite(t.Mean) || !Finite(t.L2) {
			continue
		}
		if !Finite(t.SE) {
			t.SE = 0
		}
		p.points = append(p.points, t)
		xs = append(xs, math.Log10(t.L2))
		lo, hi = math.Min(lo, t.Mean-t.SE), math.Max(hi, t.Mean+t.SE)
	}
	p.best = crossfit.Best(p.points)
	if lo == hi { // constant; no loss is negative
		lo, hi = 0, 2*hi
	}
	p.y = NewScale(lo, hi, 4)
	lo, hi, _ = extent(xs)
	if hi-lo < 1 {
		lo, hi = lo-0.5, hi+0.5
	}
	p.x = scale(lo, hi, math.Ceil((hi-lo)/6))
	return p
}

// TuningCurve draws the cross-validated criterion against the penalty, with the chosen λ and
// the largest λ within one standard error of the minimum.
func TuningCurve(r *engine.Result) Figure {
	p := planTuning(r)
	f := Figure{
		ID: "tuning", Title: "Choice of the penalty",
		Sentence: tuningSentence(r, p),
		Option:   p.option(r),
		Head:     []string{"λ", meanOf(criterion(r)), "Standard error", "Choice"},
		Legend: []LegendItem{
			{Series: "mean", Text: "mean over the folds", Mark: "s1"},
			{Series: "error", Text: "± one standard error", Mark: "step"},
		},
	}
	f.Label = f.Title + ". " + f.Sentence
	for i, t := range p.points {
		f.Rows = append(f.Rows, []string{Short(t.L2, 3), Number(t.Mean, 4), Number(t.SE, 4), p.choice(r, i)})
	}
	return f
}

// choice labels the rows of the table that the chart marks.
func (p tuningPlan) choice(r *engine.Result, i int) string {
	l2, s := p.points[i].L2, ""
	add := func(word string) {
		if s != "" {
			s += ", "
		}
		s += word
	}
	if i == p.best {
		add("lowest")
	}
	if r.L2OneSE != nil && l2 == *r.L2OneSE {
		add("one standard error")
	}
	if l2 == r.L2 {
		add("used")
	}
	return Unbroken(s)
}

// meanOf heads a column of means of a criterion, which may be a mean itself.
func meanOf(criterion string) string { return "Mean " + strings.TrimPrefix(criterion, "mean ") }

// criterion is the name of the criterion that λ was chosen by.
func criterion(r *engine.Result) string {
	if r.Classes != nil {
		return r.Classes.Criterion
	}
	id := "interval_loss"
	if r.Metrics.Test.LogLoss != nil {
		id = "log_loss"
	}
	return strings.ToLower(stat.ByID(id).Label)
}

func tuningSentence(r *engine.Result, p tuningPlan) string {
	if len(p.points) == 0 {
		return Unbroken("The penalty λ = " + Short(r.L2, 3) + " was given, not tuned.")
	}
	best := p.points[p.best]
	s := fmt.Sprintf("The cross-validated %s is lowest at λ = %s: %s ± %s.", criterion(r), Short(best.L2, 3),
		Number(best.Mean, 4), Number(best.SE, 4))
	if r.L2OneSE != nil && *r.L2OneSE != best.L2 {
		s += " The largest λ within one standard error of it is " + Short(*r.L2OneSE, 3) + "."
	}
	if r.L2 != best.L2 {
		s += " The model uses " + Short(r.L2, 3) + "."
	}
	return Unbroken(s)
}

func (p tuningPlan) option(r *engine.Result) Option {
	c := newLine()
	mean, spread := make([]opts.LineData, 0, len(p.points)), make([]opts.LineData, 0, 3*len(p.points))
	for _, t := range p.points {
		mean = append(mean, opts.LineData{Value: []any{coord(t.L2), coord(t.Mean)}})
		spread = append(spread,
			opts.LineData{Value: []any{coord(t.L2), coord(t.Mean - t.SE)}},
			opts.LineData{Value: []any{coord(t.L2), coord(t.Mean + t.SE)}},
			opts.LineData{Value: []any{nil, nil}})
	}
	c.AddSeries("error", spread)
	c.AddSeries("mean", mean)
	patch := base(true)
	patch["tooltip"] = hovered(patch)
	patch["grid"] = grid(50, 12, 40, 38)
	decades := make([]float64, len(p.x.Ticks))
	for i, t := range p.x.Ticks {
		decades[i] = math.Pow(10, t)
	}
	x := xAxis(Scale{Min: math.Pow(10, p.x.Min), Max: math.Pow(10, p.x.Max), Ticks: decades}, "penalty λ")
	delete(x, "interval")
	patch["xAxis"] = []object{with(x, "type", "log", "logBase", 10)}
	patch["yAxis"] = []object{yAxis(p.y, "")}
	patch["series"] = []object{
		{"showSymbol": false, "silent": true, "connectNulls": false, "tooltip": object{"show": false},
			"lineStyle": object{"color": "@ink-3", "width": 1.25}, "itemStyle": object{"color": "@ink-3"}},
		{"showSymbol": true, "symbol": "circle", "symbolSize": 5, "z": 3,
			"lineStyle": object{"color": "@s1", "width": 2.5}, "itemStyle": object{"color": "@s1"},
			"markLine": p.choices(r)},
	}
	return option(c, patch)
}

// choices marks the chosen λ and the one-standard-error λ. Precision −1 keeps ECharts from
// rounding a small λ to 0.00, which a log axis cannot show.
func (p tuningPlan) choices(r *engine.Result) object {
	lines := []any{}
	if r.L2 > 0 && Finite(r.L2) {
		lines = append(lines, p.choiceLine(r.L2, "used: "+Short(r.L2, 3), "@s1", []int{4, 4}, 18))
	}
	if v := r.L2OneSE; v != nil && *v > 0 && Finite(*v) && *v != r.L2 {
		lines = append(lines, p.choiceLine(*v, "1-SE rule: "+Short(*v, 3), "@ink-3", []int{1, 3}, 3))
	}
	return object{"silent": true, "symbol": "none", "precision": -1, "data": lines}
}

// choiceLine is one of these marks. Labels are at different heights, since the two may be
// close, and stay inside the plot.
func (p tuningPlan) choiceLine(at float64, name, ink string, dash []int, above int) object {
	align := "center"
	switch share := (math.Log10(at) - p.x.Min) / (p.x.Max - p.x.Min); {
	case share > 0.85:
		align = "right"
	case share < 0.1:
		align = "left"
	}
	return object{
		"xAxis": coord(at), "name": name,
		"lineStyle": object{"color": ink, "width": 1.25, "type": dash},
		"label": object{"show": true, "formatter": "{b}", "position": "end", "color": ink, "fontSize": 12,
			"distance": above, "align": align},
	}
}
