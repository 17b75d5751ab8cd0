package viz

import (
	"fmt"
	"math"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/metric"
)

// The pictures of a report (clinical.md §3). Text stays text, so that a reader
// can select it; classes carry the ink, so that a page has no style of its own.

// CalibrationSVG draws the smooth calibration curve with its band over the
// diagonal, and the predictions below: events upwards, the others downwards. A
// step above 1 rounds the counts up to its multiples, so that print tells no
// small ones.
func CalibrationSVG(c metric.Smooth, step int) string {
	const left, top, strip = 40.0, 8.0, 40.0
	base := figBase - strip - 6
	d := &drawing{w: figW, h: figH}
	x, y := scale(0, 1, 0.25), scale(0, 1, 0.25)
	d.yTicks(y, left, figW-figR, top, base)
	at := func(p float64) float64 { return x.At(p, left, figW-figR-8) }
	height := func(p float64) float64 { return y.At(math.Max(0, math.Min(1, p)), base, top) }
	d.line("cross", at(0), height(0), at(1), height(1))
	var xs, ys, around, edge []float64
	for _, p := range c.Points {
		xs, ys = append(xs, at(p.Predicted)), append(ys, height(p.Observed))
		around, edge = append(around, at(p.Predicted)), append(edge, height(p.High))
	}
	for i := len(c.Points) - 1; i >= 0; i-- {
		around, edge = append(around, at(c.Points[i].Predicted)), append(edge, height(c.Points[i].Low))
	}
	if len(xs) > 1 {
		d.path("conf", polyline(around, edge)+"z")
		d.path("ln s1", polyline(xs, ys))
	}
	d.predictions(c.Histogram, step, at, base+6+strip/2, strip/2-2)
	d.xTicks(x, left, figW-figR-8, figBase, "predicted risk")
	d.upright("ax-t", 9, (top+base)/2, "observed")
	return d.svg("", "Smooth calibration curve: observed against predicted risk, with its 95"+nbsp+"% band; below, how often each risk was predicted, events up, others down")
}

// predictions draws the histogram about a middle line.
func (d *drawing) predictions(bins []metric.Bin, step int, at func(float64) float64, mid, room float64) {
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

// DecisionSVG draws a decision curve: the net benefit of acting by the model,
// on everybody and on nobody. Boundaries are marked. A grain above 0 rounds the
// benefit to its multiples.
func DecisionSVG(points []metric.NetBenefit, boundaries []float64, grain float64) string {
	const left, top = 44.0, 8.0
	d := &drawing{w: figW, h: figH}
	hi, lo := 0.01, 0.0
	round := func(v float64) float64 {
		if grain > 0 {
			return math.Round(v/grain) * grain
		}
		return v
	}
	var xs, model, all []float64
	for _, p := range points {
		if p.Model.Value == nil || p.All.Value == nil {
			continue
		}
		xs, model, all = append(xs, p.Threshold), append(model, round(*p.Model.Value)), append(all, *p.All.Value)
		hi, lo = max(hi, *p.Model.Value, *p.All.Value), min(lo, *p.Model.Value)
	}
	y := NewScale(max(lo, -0.3*hi), hi, 4)
	x := scale(0, 1, 0.25)
	d.yTicks(y, left, figW-figR, top, figBase)
	at := func(p float64) float64 { return x.At(p, left, figW-figR-8) }
	height := func(v float64) float64 { return y.At(v, figBase, top) }
	for _, pi := range boundaries {
		d.line("cutl", at(pi), top, at(pi), figBase)
	}
	d.line("step", at(0), height(0), at(1), height(0))
	d.path("ln s2", above(xs, all, y.Min, at, height))
	d.path("ln s1", above(xs, model, y.Min, at, height))
	d.xTicks(x, left, figW-figR-8, figBase, "threshold: risk from which one would act")
	d.upright("ax-t", 9, (top+figBase)/2, "net benefit, events per row")
	return d.svg("", "Decision curve: net benefit of the model, of acting on everybody and on nobody, by threshold")
}

// above is the path of a curve where it does not fall under a floor.
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

// LineSVG is the legend's sample of a curve of class s1, s2 …
func LineSVG(class string) string {
	d := drawing{w: 28, h: 12}
	d.line("ln "+class, 1, 6, 27, 6)
	return d.svg("", "")
}

// DotSVG is the legend's sample of the classes of a histogram.
func DotSVG(class string) string {
	d := drawing{w: 12, h: 12}
	d.rect(class, 1, 1, 10, 10)
	return d.svg("", "")
}

// Odds is one line of a forest plot.
type Odds struct {
	Name             string
	Value, Low, High float64 // NaN without
}

// ForestOddsSVG draws odds ratios with their intervals on a log scale about 1.
// What lies outside the scale ends in an arrow.
func ForestOddsSVG(all []Odds) string {
	const w, row, top, left, right = 680.0, 22.0, 6.0, 216.0, 150.0
	d := &drawing{w: w, h: top + row*float64(len(all)) + 38}
	x := oddsScale(all)
	at := func(v float64) float64 {
		return x.At(math.Max(x.Min, math.Min(x.Max, math.Log10(v))), left, w-right)
	}
	base := top + row*float64(len(all)) + 4
	for _, t := range x.Ticks {
		d.line("grid", at(math.Pow(10, t)), top, at(math.Pow(10, t)), base)
		d.text("ax", "middle", at(math.Pow(10, t)), base+15, Short(math.Pow(10, t), 3))
	}
	d.line("ax-l", left, base, w-right, base)
	d.line("step", at(1), top, at(1), base)
	d.text("ax-t", "middle", (left+w-right)/2, base+31, "odds ratio per natural unit, log scale")
	for i, o := range all {
		mid := top + row*(float64(i)+0.5)
		d.text("ax ink", "end", left-12, mid+4, cut(o.Name, 34))
		if o.Value > 0 && finite(o.Value) {
			d.odds(o, at, x, mid)
		}
		d.text("ax ink", "start", w-right+12, mid+4, oddsText(o))
	}
	return d.svg("forest-odds", oddsLabel(all))
}

// odds draws one interval with its ends.
func (d *drawing) odds(o Odds, at func(float64) float64, x Scale, mid float64) {
	if o.Low > 0 && finite(o.High) {
		lo, hi := at(o.Low), at(o.High)
		d.line("st-ink w15", lo, mid, hi, mid)
		d.oddsEnd(lo, mid, math.Log10(o.Low) < x.Min, -1)
		d.oddsEnd(hi, mid, math.Log10(o.High) > x.Max, 1)
	}
	d.rect("fill-ink", at(o.Value)-3.5, mid-3.5, 7, 7)
}

func (d *drawing) oddsEnd(x, mid float64, beyond bool, side float64) {
	if beyond {
		d.path("fill-none st-ink w15", polyline([]float64{x - 5*side, x, x - 5*side}, []float64{mid - 4, mid, mid + 4}))
		return
	}
	d.line("st-ink w15", x, mid-4, x, mid+4)
}

// oddsScale holds the points and, within a factor of 100 about them, the
// intervals.
func oddsScale(all []Odds) Scale {
	lo, hi := 0.0, 0.0
	for _, o := range all {
		if v := math.Log10(o.Value); finite(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	low, high := lo, hi
	for _, o := range all {
		if v := math.Log10(o.Low); finite(v) {
			low = min(low, max(v, lo-1))
		}
		if v := math.Log10(o.High); finite(v) {
			high = max(high, min(v, hi+1))
		}
	}
	reach := max(high-low, 0.1)
	s := Scale{Min: low - 0.04*reach, Max: high + 0.04*reach}
	for _, step := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		s.Ticks = s.Ticks[:0]
		for e := math.Floor(s.Min); e <= s.Max; e++ {
			for _, m := range step {
				if t := e + math.Log10(m); t >= s.Min && t <= s.Max {
					s.Ticks = append(s.Ticks, t)
				}
			}
		}
		if len(s.Ticks) <= 7 {
			break
		}
	}
	if len(s.Ticks) < 2 { // narrow: about 1, in steps of its own
		s.Ticks = s.Ticks[:0]
		for _, v := range NewScale(math.Pow(10, s.Min), math.Pow(10, s.Max), 4).Ticks {
			if t := math.Log10(v); t >= s.Min && t <= s.Max {
				s.Ticks = append(s.Ticks, t)
			}
		}
	}
	return s
}

func oddsText(o Odds) string {
	if !finite(o.Value) {
		return None
	}
	if !finite(o.Low) || !finite(o.High) {
		return OddsNumber(o.Value) + " (" + None + ")"
	}
	text, limits := Estimate(o.Value, o.Low, o.High, 1)
	return text + " (" + limits + ")"
}

// OddsNumber writes an odds ratio without limits to three digits, near 1 to four, where the
// effect of one small unit shows.
func OddsNumber(v float64) string {
	if v > 0.9 && v < 1.1 {
		return Number(v, 4)
	}
	if v >= 1 && v < 9.995 {
		return Number(v, 2)
	}
	return Short(v, 3)
}

func oddsLabel(all []Odds) string {
	var each []string
	for _, o := range all {
		each = append(each, o.Name+" "+oddsText(o))
	}
	return "Odds ratios with 95" + nbsp + "% intervals: " + strings.Join(each, "; ")
}

// PointScale is one predictor of a points chart: what each of its values adds.
type PointScale struct {
	Name   string
	Labels []string
	Points []float64
}

// PointsSVG draws a points chart: each predictor is a line on which its values
// stand at what they add, in points of 0 to 100; the last line maps the sum to
// the cut-offs. With it the model can be worked out by hand.
func PointsSVG(scales []PointScale, total PointScale, most float64) string {
	const w, row, left, right = 680.0, 34.0, 150.0, 20.0
	d := &drawing{w: w, h: row*float64(len(scales)+2) + 26}
	points := scale(0, 100, 20)
	at := func(v float64) float64 { return points.At(v, left, w-right) }
	d.text("note-b", "end", left-14, 18, "Points")
	d.axis(points.Ticks, labels(points), at, 14)
	for i, s := range scales {
		y := row*float64(i+1) + 14
		d.text("ax ink", "end", left-14, y+4, cut(s.Name, 22))
		d.axis(s.Points, s.Labels, at, y)
	}
	y := row*float64(len(scales)+1) + 14
	sum := NewScale(0, most, 8)
	sum.Max = most
	to := func(v float64) float64 { return left + v/most*(w-right-left) }
	d.text("note-b", "end", left-14, y+4, "Sum of points")
	ticks := sum.Ticks[:0:0]
	for _, t := range sum.Ticks {
		if t <= most {
			ticks = append(ticks, t)
		}
	}
	sum.Ticks = ticks
	d.axis(ticks, labels(sum), to, y)
	for i, v := range total.Points {
		if v >= 0 && v <= most {
			d.line("cutl", to(v), y-12, to(v), y)
			d.text("ax ink t1", side(to(v)*figW/w), to(v), y-14, total.Labels[i])
		}
	}
	return d.svg("forest-odds", "Points chart: what each value of each predictor adds, and the sums at which the bands begin")
}

func labels(s Scale) []string {
	all := make([]string, len(s.Ticks))
	for i, t := range s.Ticks {
		all[i] = s.Label(t)
	}
	return all
}

// axis draws marks with labels below, leaving out labels that would touch.
func (d *drawing) axis(values []float64, names []string, at func(float64) float64, y float64) {
	if len(values) == 0 {
		return
	}
	lo, hi := values[0], values[0]
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	d.line("ax-l", at(lo), y, at(hi), y)
	var taken [][2]float64
	for i, v := range values {
		d.line("ax-l", at(v), y-4, at(v), y)
		name := cut(names[i], 18)
		half := 3.2*float64(len([]rune(name))) + 2
		free := true
		for _, t := range taken {
			free = free && (at(v)-half > t[1] || at(v)+half < t[0])
		}
		if free {
			taken = append(taken, [2]float64{at(v) - half, at(v) + half})
			d.text("ax", "middle", at(v), y+13, name)
		}
	}
}

// BenefitText writes a net benefit per 100 rows.
func BenefitText(v *float64) string {
	if v == nil {
		return None
	}
	return fmt.Sprint(Number(100**v, 1))
}

// GiveUpSVG draws the give-up factors of the rows, events upwards, the others
// downwards; counts are rounded up to multiples of step.
func GiveUpSVG(g *engine.GiveUp, step int) string {
	const left, h = 14.0, 150.0
	d := &drawing{w: figW, h: h}
	x := scale(0, 1, 0.25)
	var bins []metric.Bin
	for _, b := range g.Bins {
		x.Max = math.Max(x.Max, b.Upper)
		bins = append(bins, metric.Bin{Lower: b.Lower, Upper: b.Upper, Events: b.Events, Others: b.Others})
	}
	at := func(v float64) float64 { return x.At(v, left, figW-figR) }
	d.predictions(bins, step, at, 58, 52)
	d.xTicks(x, left, figW-figR, h-36, "give-up factor g")
	return d.svg("", "Histogram of the give-up factors, events up, others down")
}
