package viz

import (
	"math"

	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
)

// The figures of a report (docs/clinical.md, The report). Text stays text, so that a reader can
// select it; colours come from classes, because the page allows no inline styles.

// CalibrationSVG draws the smooth calibration curve with its band, the diagonal, and below it a
// histogram of the predictions: events upwards, others downwards. Counts are rounded up to
// multiples of step, if above 1, so that a printed report reveals no small counts.
func CalibrationSVG(c stat.SmoothedCalibration, step int) string {
	const left, top = 44.0, 8.0
	strip, base := 40.0, figBase-46
	if len(c.Histogram) == 0 {
		base = figBase
	}
	d := &drawing{w: figW, h: figH}
	x, y := scale(0, 1, 0.25), scale(0, 1, 0.25)
	d.yTicks(y, left, figW-figR, top, base)
	at := func(p float64) float64 { return x.At(p, left, figW-figR-8) }
	height := func(p float64) float64 { return y.At(math.Max(0, math.Min(1, p)), base, top) }
	d.line("cross", at(0), height(0), at(1), height(1))
	var xs, ys, low, high []float64
	for _, p := range c.Points {
		xs, ys = append(xs, at(p.Predicted)), append(ys, height(p.Observed))
		low, high = append(low, height(p.Low)), append(high, height(p.High))
	}
	if len(xs) > 1 {
		d.path("conf", between(xs, low, high))
		d.path("ln s1", polyline(xs, ys))
	}
	label := ""
	if len(c.Histogram) > 0 {
		d.predictions(c.Histogram, step, at, base+6+strip/2, strip/2-2)
		label = "; below, how often each risk was predicted, events up, others down"
	}
	d.xTicks(x, left, figW-figR-8, figBase, "predicted risk")
	d.upright("ax-t", 9, (top+base)/2, "observed")
	return d.svg("", "Smooth calibration curve: observed against predicted risk, with its 95"+phrase.NBSP+
		"% band"+label)
}

// predictions draws the two-sided histogram around a middle line.
func (d *drawing) predictions(bins []stat.Bin, step int, at func(float64) float64, mid, room float64) {
	up := func(n int) int { return (n + step - 1) / step * step }
	most := 1
	for _, b := range bins {
		most = max(most, up(b.Events), up(b.Others))
	}
	d.line("ax-l", at(0), mid, at(1), mid)
	for _, b := range bins {
		w := at(b.Upper) - at(b.Lower) - 1
		if h := room * float64(up(b.Events)) / float64(most); h > 0 {
			d.rect("c1", at(b.Lower)+0.5, mid-h, w, h)
		}
		if h := room * float64(up(b.Others)) / float64(most); h > 0 {
			d.rect("c0", at(b.Lower)+0.5, mid, w, h)
		}
	}
}

// DecisionLines is the decision curve of DecisionSVG with its numbers, for the screen.
func DecisionLines(points []stat.NetBenefit, boundaries []float64) Overlay {
	o := Overlay{ID: "decision", Title: "Decision curve",
		X:    Axis{Name: "threshold, %: risk from which one would act", Ends: [2]float64{0, 100}},
		Head: []string{"Threshold, %", "Net benefit", "Acting on all"}}
	model, all := Trace{Name: "this model", Mark: "s1"}, Trace{Name: "act on all", Mark: "s2"}
	hi, lo := 0.01, 0.0
	for _, p := range points {
		if p.Model.Value == nil || p.All.Value == nil {
			continue
		}
		hi, lo = max(hi, *p.Model.Value, *p.All.Value), min(lo, *p.Model.Value)
		model.X, model.Y = append(model.X, 100*p.Threshold), append(model.Y, *p.Model.Value)
		all.X, all.Y = append(all.X, 100*p.Threshold), append(all.Y, *p.All.Value)
		if twentieths := 20 * p.Threshold; math.Abs(twentieths-math.Round(twentieths)) < 1e-9 {
			o.Rows = append(o.Rows, []string{Percent(p.Threshold, 0), Number(*p.Model.Value, 3), Number(*p.All.Value, 3)})
		}
	}
	y := NewScale(lowestBenefit(lo, hi), hi, 4)
	o.Y = Axis{Name: "net benefit", Ends: [2]float64{y.Min, y.Max}}
	for _, pi := range boundaries {
		o.Cuts = append(o.Cuts, 100*pi)
	}
	o.Lines = []Trace{model, all, {Name: "act on none", Mark: "step", X: []float64{0, 100}, Y: []float64{0, 0}}}
	return o
}

// lowestBenefit bounds the axis of a decision curve from below: where few patients would be acted on, acting on all
// costs far more than any model gains.
func lowestBenefit(lo, hi float64) float64 { return max(lo, -0.3*hi) }

// DecisionSVG draws a decision curve: the net benefit of acting according to the model, on
// everybody and on nobody. Boundaries are marked. A grain above 0 rounds the benefit at
// threshold t to multiples of grain/(1−t), which hides small counts: for a known number of rows
// above t, one event changes n times the benefit by 1/(1−t).
func DecisionSVG(points []stat.NetBenefit, boundaries []float64, grain float64) string {
	hi, lo := 0.01, 0.0
	var xs, model, all []float64
	for _, p := range points {
		if p.Model.Value == nil || p.All.Value == nil {
			continue
		}
		xs, model, all = append(xs, p.Threshold), append(model, *p.Model.Value), append(all, *p.All.Value)
	}
	at := xs
	if grain > 0 {
		at, model = grained(xs, model, grain)
	}
	for _, v := range model {
		hi, lo = max(hi, v), min(lo, v)
	}
	for _, v := range all {
		hi = max(hi, v)
	}
	p := planDecisions(lo, hi, boundaries)
	p.d.path("ln s2", above(xs, all, p.y.Min, p.at, p.height))
	p.d.path("ln s1", above(at, model, p.y.Min, p.at, p.height))
	return p.d.svg("", "Decision curve: net benefit of the model, of acting on everybody and on nobody, by threshold")
}

// grained rounds a decision curve and keeps the midpoint of each stretch with the same
// multiple, and both ends. The steps widen with the threshold, so the rounded benefit rises
// within a stretch; drawn in full, the curve would be a sawtooth.
func grained(xs, benefit []float64, grain float64) (at, rounded []float64) {
	multiple := func(i int) float64 { return math.Round(benefit[i] * (1 - xs[i]) / grain) }
	for from, to := 0, 0; from < len(xs); from = to {
		for to = from; to < len(xs) && multiple(to) == multiple(from); to++ {
		}
		keep := []int{(from + to - 1) / 2}
		switch {
		case from == 0:
			keep[0] = 0
		case to == len(xs) && multiple(from) == 0: // constant, as if nobody were above the threshold
			keep = append(keep, to-1)
		case to == len(xs):
			keep[0] = to - 1
		}
		for _, i := range keep {
			at, rounded = append(at, xs[i]), append(rounded, multiple(i)*grain/(1-xs[i]))
		}
	}
	return at, rounded
}

// BenefitRange is the possible range of the net benefit at a threshold.
type BenefitRange struct{ Threshold, Low, High float64 }

// DecisionRangesSVG is DecisionSVG for a model of which only ranges of the benefit are known.
func DecisionRangesSVG(points []stat.NetBenefit, ranges []BenefitRange) string {
	const tick = 3.0
	hi, lo := 0.01, 0.0
	var xs, all, boundaries []float64
	for _, p := range points {
		if p.All.Value != nil {
			xs, all = append(xs, p.Threshold), append(all, *p.All.Value)
			hi = max(hi, *p.All.Value)
		}
	}
	for _, r := range ranges {
		hi, lo, boundaries = max(hi, r.High), min(lo, r.Low), append(boundaries, r.Threshold)
	}
	p := planDecisions(lo, hi, boundaries)
	p.d.path("ln s2", above(xs, all, p.y.Min, p.at, p.height))
	for _, r := range ranges {
		x, low, high := p.at(r.Threshold), p.height(max(r.Low, p.y.Min)), p.height(max(r.High, p.y.Min))
		p.d.line("ln s1", x, low, x, high)
		for _, end := range []float64{low, high} {
			p.d.line("ln s1", x-tick, end, x+tick, end)
		}
	}
	return p.d.svg("", "Range of the net benefit of the model at each boundary, with that of acting on everybody "+
		"and on nobody")
}

// decisionPlan is the frame of a decision curve: axes, boundaries, and the line of acting on
// nobody.
type decisionPlan struct {
	d          *drawing
	y          Scale
	at, height func(float64) float64
}

func planDecisions(lo, hi float64, boundaries []float64) decisionPlan {
	const left, top = 44.0, 8.0
	d := &drawing{w: figW, h: figH}
	y := NewScale(lowestBenefit(lo, hi), hi, 4)
	x := scale(0, 1, 0.25)
	d.yTicks(y, left, figW-figR, top, figBase)
	at := func(p float64) float64 { return x.At(p, left, figW-figR-8) }
	height := func(v float64) float64 { return y.At(v, figBase, top) }
	for _, pi := range boundaries {
		d.line("cutl", at(pi), top, at(pi), figBase)
	}
	d.line("step", at(0), height(0), at(1), height(0))
	d.xTicks(x, left, figW-figR-8, figBase, "threshold: risk from which one would act")
	d.upright("ax-t", 9, (top+figBase)/2, "net benefit, events per row")
	return decisionPlan{d: d, y: y, at: at, height: height}
}

// above is the path of a curve where it is not below a floor.
func above(xs, ys []float64, floor float64, at, height func(float64) float64) string {
	var px, py []float64
	for i, v := range ys {
		if v < floor {
			px, py = append(px, math.NaN()), append(py, math.NaN())
			continue
		}
		px, py = append(px, at(xs[i])), append(py, height(v))
	}
	return polyline(px, py)
}

// LineSVG is the legend sample of a curve with a class such as s1.
func LineSVG(class string) string {
	d := drawing{w: 28, h: 12}
	d.line("ln "+class, 1, 6, 27, 6)
	return d.svg("", "")
}

// DotSVG is the legend sample of a histogram's classes.
func DotSVG(class string) string {
	d := drawing{w: 12, h: 12}
	d.rect(class, 1, 1, 10, 10)
	return d.svg("", "")
}

// GiveUpSVG draws a histogram of the rows' weight factors, events upwards, others downwards;
// counts are rounded up to multiples of step.
func GiveUpSVG(g *engine.GiveUp, step int) string {
	const left, h = 14.0, 150.0
	d := &drawing{w: figW, h: h}
	x := scale(0, 1, 0.25)
	var bins []stat.Bin
	for _, b := range g.Bins {
		x.Max = math.Max(x.Max, b.Upper)
		bins = append(bins, stat.Bin{Lower: b.Lower, Upper: b.Upper, Events: b.Events, Others: b.Others})
	}
	at := func(v float64) float64 { return x.At(v, left, figW-figR) }
	d.predictions(bins, step, at, 58, 52)
	d.xTicks(x, left, figW-figR, h-36, "weight g in the fit")
	return d.svg("", "Histogram of the weights in the fit, events up, non-events down")
}
