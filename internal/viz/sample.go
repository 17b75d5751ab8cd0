package viz

import (
	"encoding/json"
	"math"
	"slices"
	"sort"
	"strconv"
)

// maxPoints bounds the points of one line; more are invisible and slow down drawing.
const maxPoints = 150

// pixels is the size of a plot.
type pixels struct{ w, h float64 }

// view is the part of the plane that a plot shows.
type view struct{ x, y [2]float64 }

// sampled returns points of f in view, dense enough that no chord deviates by more than a third
// of a pixel, and both sides of each kink. If maxPoints do not suffice, the tolerance grows.
func sampled(f func(float64) float64, kinks []float64, v view, px pixels) (x, y []float64) {
	for tol := 0.3; ; tol *= 2 {
		s := sampler{f: f, v: v, px: px, tol: tol}
		s.run(kinks)
		if len(s.x) <= maxPoints || tol > 1e3 {
			return s.x, s.y
		}
	}
}

type sampler struct {
	f    func(float64) float64
	v    view
	px   pixels
	tol  float64
	x, y []float64
}

// run samples the axis in even steps, divided at the kinks.
func (s *sampler) run(kinks []float64) {
	const steps = 16
	lo, hi := s.v.x[0], s.v.x[1]
	knots := []float64{}
	for k := range steps + 1 {
		knots = append(knots, lo+(hi-lo)*float64(k)/steps)
	}
	side := 1e-9 * (hi - lo)
	for _, k := range kinks {
		if k > lo && k < hi {
			knots = append(knots, k-side, k+side)
		}
	}
	slices.Sort(knots)
	knots = slices.Compact(knots)
	a, fa := knots[0], s.f(knots[0])
	s.add(a, fa)
	for _, b := range knots[1:] {
		fb := s.f(b)
		s.refine(a, fa, b, fb, 6)
		s.add(b, fb)
		a, fa = b, fb
	}
	s.thin()
}

func (s *sampler) add(x, y float64) { s.x, s.y = append(s.x, x), append(s.y, y) }

// refine adds points between a and b until the chords are within tolerance.
func (s *sampler) refine(a, fa, b, fb float64, depth int) {
	if depth == 0 || b-a <= 1e-6*(s.v.x[1]-s.v.x[0]) {
		return
	}
	m := (a + b) / 2
	fm := s.f(m)
	if !s.visible(fa) && !s.visible(fb) && !s.visible(fm) || s.near(a, fa, m, fm, b, fb) &&
		s.near(a, fa, a+.3*(b-a), s.f(a+.3*(b-a)), b, fb) {
		return
	}
	s.refine(a, fa, m, fm, depth-1)
	s.add(m, fm)
	s.refine(m, fm, b, fb, depth-1)
}

// visible reports whether y is within the plot or a plot's height of it.
func (s *sampler) visible(y float64) bool {
	h := s.v.y[1] - s.v.y[0]
	return y >= s.v.y[0]-h && y <= s.v.y[1]+h
}

// near reports whether (m, fm) is within tol of the chord from a to b, measured perpendicular
// to it.
func (s *sampler) near(a, fa, m, fm, b, fb float64) bool {
	dx := (b - a) / (s.v.x[1] - s.v.x[0]) * s.px.w
	dy := (fb - fa) / (s.v.y[1] - s.v.y[0]) * s.px.h
	off := (fm - fa - (fb-fa)*(m-a)/(b-a)) / (s.v.y[1] - s.v.y[0]) * s.px.h
	return math.Abs(off)*dx <= s.tol*math.Hypot(dx, dy)
}

// thin drops inner points on the line between their neighbours.
func (s *sampler) thin() {
	keepX, keepY := s.x[:1:1], s.y[:1:1]
	for i := 1; i+1 < len(s.x); i++ {
		k := len(keepX) - 1
		if s.x[i+1] > keepX[k] && s.tight(keepX[k], keepY[k], s.x[i], s.y[i], s.x[i+1], s.y[i+1]) {
			continue
		}
		keepX, keepY = append(keepX, s.x[i]), append(keepY, s.y[i])
	}
	n := len(s.x) - 1
	s.x, s.y = append(keepX, s.x[n]), append(keepY, s.y[n])
}

// tight is near with a hundredth of the tolerance, for straight pieces.
func (s *sampler) tight(a, fa, m, fm, b, fb float64) bool {
	t := *s
	t.tol = .003
	return t.near(a, fa, m, fm, b, fb)
}

// clipped cuts a line slightly above and below the view and leaves gaps, because a canvas
// spends time on strokes outside of it, dash by dash.
func clipped(x, y []float64, v view) (cx, cy []float64) {
	room := .02 * (v.y[1] - v.y[0])
	lo, hi := v.y[0]-room, v.y[1]+room
	add := func(u, w float64) { cx, cy = append(cx, u), append(cy, w) }
	for i := range x {
		inside := y[i] >= lo && y[i] <= hi
		if i > 0 {
			for _, end := range crossings(x[i-1], y[i-1], x[i], y[i], lo, hi) {
				add(end[0], end[1])
			}
		}
		if inside {
			add(x[i], y[i])
		} else if len(cy) > 0 && Finite(cy[len(cy)-1]) {
			add(x[i], math.NaN())
		}
	}
	return cx, cy
}

// crossings are the points where the chord from a to b crosses lo and hi, in order.
func crossings(ax, ay, bx, by, lo, hi float64) (out [][2]float64) {
	levels := [2]float64{lo, hi}
	if by < ay {
		levels = [2]float64{hi, lo}
	}
	for _, level := range levels {
		if (ay < level) != (by < level) && Finite(ay) && Finite(by) && ay != level && by != level {
			out = append(out, [2]float64{ax + (bx-ax)*(level-ay)/(by-ay), level})
		}
	}
	return out
}

// pairs encodes points as [[x,y],…], rounded to a thousandth of the view; non-finite values
// become gaps.
func pairs(x, y []float64, v view) json.RawMessage {
	px, py := places(v.x), places(v.y)
	out := make([]byte, 0, 14*len(x)+2)
	out = append(out, '[')
	for i := range x {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, '[')
		out = appendNumber(out, x[i], px)
		out = append(out, ',')
		out = appendNumber(out, y[i], py)
		out = append(out, ']')
	}
	return append(out, ']')
}

// places is the number of decimals that resolve a ten-thousandth of a range.
func places(r [2]float64) int {
	return max(0, int(math.Ceil(4-math.Log10(r[1]-r[0]))))
}

func appendNumber(out []byte, v float64, decimals int) []byte {
	if !Finite(v) {
		return append(out, "null"...)
	}
	at := len(out)
	if math.Abs(v) >= 1e7 {
		return strconv.AppendFloat(out, v, 'g', 5, 64)
	}
	out = strconv.AppendFloat(out, v, 'f', decimals, 64)
	if decimals > 0 {
		for out[len(out)-1] == '0' {
			out = out[:len(out)-1]
		}
		if out[len(out)-1] == '.' {
			out = out[:len(out)-1]
		}
	}
	if string(out[at:]) == "-0" {
		out = append(out[:at], '0')
	}
	return out
}

// polyLine is a sampled curve.
type polyLine struct{ x, y []float64 }

// at interpolates linearly; NaN outside.
func (l polyLine) at(x float64) float64 {
	i := sort.SearchFloat64s(l.x, x)
	switch {
	case i == len(l.x) || i == 0 && x < l.x[0]:
		return math.NaN()
	case i == 0 || l.x[i] == l.x[i-1]:
		return l.y[i]
	}
	return l.y[i-1] + (l.y[i]-l.y[i-1])*(x-l.x[i-1])/(l.x[i]-l.x[i-1])
}
