package viz

import (
	"math"

	"taper/internal/engine"
	"taper/internal/engine/phrase"
)

// SplinePlot is the partial effect of one column: its contribution to the score relative to its
// median (docs/clinical.md, Statistics).
type SplinePlot struct {
	Curve    engine.SplineCurve
	Band     *engine.SplineBand // nil without a bootstrap
	From, To float64            // drawn range
	Step     int                // counts of values are rounded up to its multiples
}

// splineSide bounds the drawn part of a band, in heights of the curve, because at an end
// without values it may be much wider than elsewhere.
const splineSide = 1

// SplineSVG draws the curve with its band, the knots on the axis, and a histogram of the values
// below.
func SplineSVG(p SplinePlot) string {
	const left, top, strip = 42.0, 10.0, 24.0
	right, floor := figW-figR, figBase-strip-4
	if p.Curve.Scale > 0 {
		right = figW - 46
	}
	s := p.points()
	d := &drawing{w: figW, h: figH}
	y := s.scale()
	x := FrozenScale(p.From, p.To, 5)
	at := func(v float64) float64 { return x.At(v, left, right) }
	height := func(v float64) float64 { return y.At(math.Max(y.Min, math.Min(y.Max, v)), floor, top) }
	d.yTicks(y, left, right, top, floor)
	if p.Curve.Scale > 0 {
		d.oddsTicks(y, p.Curve.Scale, right, top, floor)
	}
	d.line("step", left, height(0), right, height(0))
	if at(p.Curve.Reference) >= left {
		d.line("cross", at(p.Curve.Reference), top, at(p.Curve.Reference), floor)
	}
	if len(s.low) > 0 {
		d.path("conf", between(each(s.x, at), each(s.low, height), each(s.high, height)))
	}
	d.path("ln s1", polyline(each(s.x, at), each(s.y, height)))
	for _, k := range p.Curve.Knots {
		if k >= p.From && k <= p.To {
			d.path("fill-ink", outline("triangle", at(k), floor-4, 8))
		}
	}
	d.line("ax-l", left, floor, right, floor)
	d.values(p, at, strip-2)
	d.xTicks(x, left, right, figBase, phrase.Shorten(p.name(), 40))
	d.upright("ax-t", 9, (top+floor)/2, "added to the score")
	return d.svg("", p.label())
}

// splinePoints are the points of a curve within the drawn range; low and high are empty if the
// band is not known throughout.
type splinePoints struct{ x, y, low, high []float64 }

func (p SplinePlot) points() splinePoints {
	var s splinePoints
	for i, x := range p.Curve.X {
		if x < p.From || x > p.To {
			continue
		}
		s.x, s.y = append(s.x, x), append(s.y, p.Curve.Effect[i])
		if b := p.Band; b != nil && b.Low[i] != nil && b.High[i] != nil {
			s.low, s.high = append(s.low, *b.Low[i]), append(s.high, *b.High[i])
		}
	}
	if len(s.low) < len(s.x) {
		s.low, s.high = nil, nil
	}
	return s
}

// scale covers the curve, 0, and the part of the band near them.
func (s splinePoints) scale() Scale {
	lo, hi := 0.0, 0.0
	for _, v := range s.y {
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	side := splineSide * math.Max(hi-lo, 0.05)
	low, high := lo, hi
	for i := range s.low {
		low = math.Min(low, math.Max(s.low[i], lo-side))
		high = math.Max(high, math.Min(s.high[i], hi+side))
	}
	if high-low < 0.1 { // keep a flat curve visibly flat
		low, high = low-0.05, high+0.05
	}
	return NewScale(low, high, 5)
}

// oddsTicks labels the right axis with odds ratios relative to the median.
func (d *drawing) oddsTicks(y Scale, scale, right, top, floor float64) {
	d.line("ax-l", right, top, right, floor)
	var ticks []float64
	for _, steps := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		ticks = nil
		for e := -12; e <= 12; e++ {
			for _, m := range steps {
				if v := m * math.Pow(10, float64(e)); math.Log(v)/scale >= y.Min && math.Log(v)/scale <= y.Max {
					ticks = append(ticks, v)
				}
			}
		}
		if len(ticks) <= 6 {
			break
		}
	}
	if len(ticks) < 2 {
		ticks = NewScale(math.Exp(scale*y.Min), math.Exp(scale*y.Max), 4).Ticks
	}
	for _, v := range ticks {
		h := y.At(math.Log(v)/scale, floor, top)
		if v <= 0 || h < top-1 || h > floor+1 {
			continue
		}
		d.line("ax-l", right, h, right+4, h)
		d.text("ax", "start", right+6, h+4, Short(v, 3))
	}
	d.upright("ax-t", figW-4, (top+floor)/2, "odds ratio")
}

// values draws the histogram of the values above figBase.
func (d *drawing) values(p SplinePlot, at func(float64) float64, room float64) {
	c := p.Curve
	first, last := c.X[0], c.X[len(c.X)-1]
	width := (last - first) / float64(len(c.Bins))
	step, most := max(p.Step, 1), 1
	up := func(n int) int { return (n + step - 1) / step * step }
	for _, n := range c.Bins {
		most = max(most, up(n))
	}
	for i, n := range c.Bins {
		from, to := first+width*float64(i), first+width*float64(i+1)
		from, to = math.Max(from, p.From), math.Min(to, p.To)
		if h := room * float64(up(n)) / float64(most); h > 0 && to > from {
			h = math.Max(h, 1)
			d.rect("rug", at(from), figBase-h, math.Max(at(to)-at(from)-0.6, 0.6), h)
		}
	}
}

// name is the label of the axis; a date is in days.
func (p SplinePlot) name() string {
	if o := p.Curve.Origin; o != nil {
		return p.Curve.Column + ", days since " + phrase.Date(*o)
	}
	return p.Curve.Column
}

func (p SplinePlot) label() string {
	text := "What " + p.Curve.Column + " adds to the score, relative to its median " +
		SplineValue(p.Curve, p.Curve.Reference)
	if p.Band != nil {
		text += ", with its 95" + phrase.NBSP + "% band over refits"
	}
	return text + "; triangles mark the knots; below, how many rows have each value"
}

// SplineValue formats a value of a curve's column, a date as a date.
func SplineValue(c engine.SplineCurve, v float64) string {
	if c.Origin != nil {
		return phrase.Date(v + *c.Origin)
	}
	return Short(v, 4)
}

// KnotSVG is the legend sample of a knot, RugSVG that of the values.
func KnotSVG() string {
	d := drawing{w: 12, h: 12}
	d.path("fill-ink", outline("triangle", 6, 6, 8))
	return d.svg("", "")
}

func RugSVG() string { return DotSVG("rug") }

// BandSVG is the legend sample of a band.
func BandSVG() string {
	d := drawing{w: 28, h: 12}
	d.rect("conf", 1, 1, 26, 10)
	return d.svg("", "")
}

func each(v []float64, of func(float64) float64) []float64 {
	w := make([]float64, len(v))
	for i := range v {
		w[i] = of(v[i])
	}
	return w
}
