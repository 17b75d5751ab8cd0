package viz

import (
	"math"
	"strings"

	"taper/internal/engine/phrase"
)

// Odds is one line of a forest plot.
type Odds struct {
	Name             string
	Value, Low, High float64 // NaN if undefined
}

// ForestOddsSVG draws odds ratios with intervals on a log scale around 1. Intervals that exceed
// the scale end in an arrow.
func ForestOddsSVG(all []Odds) string {
	const w, row, top, left, letter = 680.0, 22.0, 6.0, 216.0, 6.6
	right := 150.0
	for _, o := range all {
		right = max(right, 14+letter*float64(len([]rune(oddsText(o)))))
	}
	d := &drawing{w: w, h: top + row*float64(len(all)) + 38}
	x := oddsScale(all)
	base := top + row*float64(len(all)) + 4
	at := d.oddsAxis(x, left, w-right, top, base)
	d.text("ax-t", "middle", (left+w-right)/2, base+31, oddsAxisName)
	for i, o := range all {
		mid := top + row*(float64(i)+0.5)
		d.text("ax ink", "end", left-12, mid+4, phrase.Shorten(o.Name, 34))
		d.odds(o, at, x, mid)
		d.text("ax ink", "start", w-right+12, mid+4, oddsText(o))
	}
	return d.svg("forest-odds", oddsLabel(all))
}

// ForestOddsNarrowSVG is ForestOddsSVG for narrow screens: name and number are above each
// interval, with the name shortened if necessary.
func ForestOddsNarrowSVG(all []Odds) string {
	const w, row, top, edge, letter = 320.0, 38.0, 4.0, 8.0, 6.6
	d := &drawing{w: w, h: top + row*float64(len(all)) + 38}
	x := oddsScale(all)
	base := top + row*float64(len(all)) + 2
	at := d.oddsAxis(x, edge, w-edge, top, base)
	d.text("ax-t", "middle", w/2, base+31, oddsAxisName)
	for i, o := range all {
		y, text := top+row*float64(i), oddsText(o)
		room := int(math.Floor((w-8)/letter)) - len([]rune(text))
		d.text("ax ink halo", "start", 0, y+13, phrase.Shorten(o.Name, max(room, 4)))
		d.text("ax ink halo", "end", w, y+13, text)
		d.odds(o, at, x, y+25)
	}
	return d.svg("forest-odds", oddsLabel(all))
}

const oddsAxisName = "odds ratio per natural unit, log scale"

// oddsAxis draws the ticks and the line at 1, and returns the position of a ratio.
func (d *drawing) oddsAxis(x Scale, left, right, top, base float64) func(float64) float64 {
	at := func(v float64) float64 {
		return x.At(math.Max(x.Min, math.Min(x.Max, math.Log10(v))), left, right)
	}
	taken := math.Inf(-1)
	for _, t := range x.Ticks {
		v := math.Pow(10, t)
		d.line("grid", at(v), top, at(v), base)
		name := Short(v, 3)
		half := 3.4*float64(len([]rune(name))) + 2
		if mid := math.Max(half, math.Min(d.w-half, at(v))); mid-half >= taken {
			d.text("ax", "middle", mid, base+15, name)
			taken = mid + half
		}
	}
	d.line("ax-l", left, base, right, base)
	d.line("step", at(1), top, at(1), base)
	return at
}

// odds draws one interval with its ends.
func (d *drawing) odds(o Odds, at func(float64) float64, x Scale, mid float64) {
	if !(o.Value > 0) || !Finite(o.Value) {
		return
	}
	if o.Low > 0 && Finite(o.High) {
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

// oddsScale covers the points, and the intervals within a factor of 100 of them.
func oddsScale(all []Odds) Scale {
	lo, hi := 0.0, 0.0
	for _, o := range all {
		if v := math.Log10(o.Value); Finite(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	low, high := lo, hi
	for _, o := range all {
		if v := math.Log10(o.Low); Finite(v) {
			low = min(low, max(v, lo-1))
		}
		if v := math.Log10(o.High); Finite(v) {
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
	if len(s.Ticks) < 2 { // narrow range around 1: smaller steps
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
	if !Finite(o.Value) {
		return None
	}
	if !Finite(o.Low) || !Finite(o.High) {
		return OddsNumber(o.Value) + " (" + None + ")"
	}
	text, limits := Estimate(o.Value, o.Low, o.High, 1)
	return text + " (" + limits + ")"
}

// OddsNumber formats an odds ratio to three significant digits. Near 1 it writes four decimals, or as many as two
// digits of the effect take, because one more of a small unit (1 pg/mL) changes the odds very little.
func OddsNumber(v float64) string {
	if v > 0.9 && v < 1.1 {
		decimals := 4
		if effect := math.Abs(v - 1); effect > 0 {
			decimals = min(max(decimals, 1-int(math.Floor(math.Log10(effect)+1e-9))), 12)
		}
		return Number(v, decimals)
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
	return "Odds ratios with 95" + phrase.NBSP + "% intervals: " + strings.Join(each, "; ")
}
