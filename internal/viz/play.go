package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Contour is one level line of a decision surface.
type Contour struct {
	Kind  string // "half", "boundary", "reject" or ""
	Label string
	Lines [][][2]float64
}

// SurfaceSVG draws what lies over a decision surface: frame, ticks, level
// lines with their names. The raster and the points are the page's.
func SurfaceSVG(x, y Scale, contours []Contour) string {
	f := &fluid{}
	f.surface(x, y, contours)
	return f.svg("")
}

// surface draws the frame, ticks and level lines.
func (f *fluid) surface(x, y Scale, contours []Contour) {
	f.under.WriteString(`<rect class="frame" width="100%" height="100%"/>`)
	f.xTicks(x, "")
	f.yTicks(y, false)
	var taken [][2]float64
	for _, c := range contours {
		class := "iso-2"
		if c.Kind == "half" || c.Kind == "boundary" {
			class = "iso"
		}
		var d strings.Builder
		best, most := [2]float64{}, 0.0
		for _, line := range c.Lines {
			xs, ys := make([]float64, len(line)), make([]float64, len(line))
			long := 0.0
			for i, p := range line {
				xs[i], ys[i] = p[0], p[1]
				if i > 0 {
					long += math.Hypot(x.At(xs[i], 0, 1)-x.At(xs[i-1], 0, 1), y.At(ys[i], 0, 1)-y.At(ys[i-1], 0, 1))
				}
			}
			d.WriteString(curvePath(x, y, xs, ys))
			if at, ok := labelPlace(x, y, line, taken); ok && long > most {
				best, most = at, long
			}
		}
		f.path(class, d.String())
		if c.Label != "" && most > .15 {
			taken = append(taken, best)
			f.text("ax ink halo", "middle", best[0], best[1], 0, 4, c.Label)
		}
	}
}

// labelPlace finds a place on a line that keeps clear of the frame and of
// other names: near the upper part of the picture first.
func labelPlace(x, y Scale, line [][2]float64, taken [][2]float64) (at [2]float64, ok bool) {
	best := math.Inf(1)
	for _, p := range dense(x, line) {
		u, v := x.At(p[0], 0, 1), y.At(p[1], 1, 0)
		if u < .07 || u > .93 || v < .05 || v > .95 {
			continue
		}
		clear := true
		for _, t := range taken {
			clear = clear && math.Hypot(1.2*(u-t[0]), 2*(v-t[1])) > .2
		}
		if miss := math.Abs(v - .1); clear && miss < best {
			best, at, ok = miss, [2]float64{u, v}, true
		}
	}
	return at, ok
}

// dense adds points to the long pieces of a line.
func dense(x Scale, line [][2]float64) [][2]float64 {
	var out [][2]float64
	for i, p := range line {
		if i > 0 {
			from := line[i-1]
			n := int(math.Min(50, 25*math.Hypot(p[0]-from[0], p[1]-from[1])/(x.Max-x.Min)))
			for k := 1; k <= n; k++ {
				t := float64(k) / float64(n+1)
				out = append(out, [2]float64{from[0] + t*(p[0]-from[0]), from[1] + t*(p[1]-from[1])})
			}
		}
		out = append(out, p)
	}
	return out
}

// LossPicture is a loss with the points sitting on it at their margins.
type LossPicture struct {
	Curves         []LossCurve // one, or one a class; none where the loss has none in one margin
	CleanZ, CleanV []float64
	FlipZ, FlipV   []float64
	Cap            float64 // 0 for none
	Steered        bool    // drawn in the accent, else in the reference's dash
	Axis           string
	Held           [3]float64 // least z, largest z, top: kept while the points fit; zero to fit anew
}

// LossCurve is a loss of the margin.
type LossCurve struct {
	Name string
	Z, V []float64
}

// Scales are the axes of a loss picture. What was held stays while it shows
// the points and is not far too large for them.
func (p LossPicture) Scales() (x, y Scale) {
	var zs [][]float64
	for _, c := range p.Curves {
		zs = append(zs, c.Z)
	}
	lo, hi := ends(append(zs, p.CleanZ, p.FlipZ)...)
	_, top := ends(p.CleanV, p.FlipV)
	top = math.Max(top, p.Cap) * 1.04
	if !(top > 0) || !finite(top) {
		top = 1
	}
	held := p.Held
	if held[2] >= top && held[2] <= 4*top && held[0] <= lo+.6 && held[1] >= hi-.6 && held[1]-held[0] < 3*(hi-lo) {
		return FrozenScale(held[0], held[1], 5), FrozenScale(0, held[2], 4)
	}
	return FrozenScale(lo, hi, 5), NewScale(0, top, 3)
}

// SVG draws the picture: clean points are strokes, flipped ones rings.
func (p LossPicture) SVG() string {
	f := &fluid{}
	x, y := p.Scales()
	f.yTicks(y, true)
	f.under.WriteString(`<line class="ax-l" x1="0" y1="100%" x2="100%" y2="100%"/>`)
	f.xTicks(x, p.Axis)
	if p.Cap > 0 && p.Cap <= y.Max {
		v := y.At(p.Cap, 1, 0)
		f.line("capline", 0, v, 1, v)
		f.text("ax t1 halo", "end", 1, v, -4, -5, "cap "+Number(p.Cap, 2))
	}
	for i, c := range p.Curves {
		f.path(p.class(i), curvePath(x, y, c.Z, c.V))
	}
	f.path("pg-clean", uprights(x, y, p.CleanZ, p.CleanV))
	f.rings(x, y, p.FlipZ, p.FlipV)
	return f.svg("pg-loss")
}

// class is the look of a curve: by class where there are two.
func (p LossPicture) class(i int) string {
	switch {
	case len(p.Curves) > 1:
		return []string{"ln c0l", "ln c1l"}[i%2]
	case p.Steered:
		return "ln s1"
	}
	return "ln s2"
}

// uprights mark the clean points by short upright strokes through the curve.
func uprights(x, y Scale, xs, ys []float64) string {
	const half = .045
	var d strings.Builder
	seen := map[int]bool{}
	for i := range xs {
		u, v := x.At(xs[i], 0, 1), y.At(ys[i], 1, 0)
		cell := int(u * 600)
		if !finite(u) || u < 0 || u > 1 || seen[cell] {
			continue
		}
		seen[cell] = true
		d.WriteString("M" + unit(u) + " " + unit(v-half) + "V" + unit(v+half))
	}
	return d.String()
}

func ends(all ...[]float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, vs := range all {
		for _, v := range vs {
			if finite(v) {
				lo, hi = math.Min(lo, v), math.Max(hi, v)
			}
		}
	}
	return lo, hi
}

// Histogram is clean against flipped, stacked. Marks name places on the axis.
type Histogram struct {
	Edges          []float64
	Clean, Flipped []int
	Marks          []HistogramMark
	Brushed        int    // bin that is lit, −1 for none
	Axis           string // name under it
	Unit           string // what a bar counts: "points"
	Top            float64
}

// HistogramMark is a named place, as the median of a group.
type HistogramMark struct {
	At    float64
	Label string
	Steer bool // of the flipped points
}

// Scales are the axes of a histogram.
func (h Histogram) Scales() (x, y Scale) {
	x = FrozenScale(h.Edges[0], h.Edges[len(h.Edges)-1], 5)
	most := 1
	for i := range h.Clean {
		most = max(most, h.Clean[i]+h.Flipped[i])
	}
	room := float64(most) * (1 + .13*float64(len(h.Marks))) // a line of letters for each name
	if h.Top >= room && h.Top <= 4*room {
		return x, FrozenScale(0, h.Top, 5)
	}
	return x, NewScale(0, room, 4)
}

// SVG draws the bars; each is a button that lights its points.
func (h Histogram) SVG(id string) string {
	f := &fluid{}
	x, y := h.Scales()
	f.yTicks(y, true)
	fmt.Fprintf(&f.under, `<defs><pattern id="%s-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" class="bar-flip"/><line class="hatch-p" x1="1.5" x2="1.5" y1="0" y2="6"/></pattern></defs>`, id)
	fmt.Fprint(&f.under, `<line class="ax-l" x1="0" y1="100%" x2="100%" y2="100%"/>`)
	f.xTicks(x, h.Axis)
	for i := range h.Clean {
		h.bar(f, id, i, x, y)
	}
	h.marks(f, x)
	s := f.svg("pg-hist")
	// The bars are buttons: the drawing is a group to a screen reader.
	return strings.Replace(s, ` aria-hidden="true"`, ` role="group" aria-label="Bars"`, 1)
}

// marks draws the named places: the lines first, then the names, each on a line
// of letters of its own above the bars.
func (h Histogram) marks(f *fluid, x Scale) {
	shown := slices.DeleteFunc(slices.Clone(h.Marks), func(m HistogramMark) bool {
		u := x.At(m.At, 0, 1)
		return !(u >= 0 && u <= 1)
	})
	for _, m := range shown {
		class, at := "medl", portion(x.At(m.At, 0, 1))
		if m.Steer {
			class = "capline"
		}
		fmt.Fprintf(&f.over, `<line class="%s" x1="%s" y1="0" x2="%s" y2="100%%" pointer-events="none"/>`, class, at, at)
	}
	for i, m := range shown {
		u, text, anchor, dx := x.At(m.At, 0, 1), "ax halo", "start", 4.0
		if m.Steer {
			text = "ax t1 halo"
		}
		if u > .5 {
			anchor, dx = "end", -4
		}
		f.text(text, anchor, u, 0, dx, 11+float64(i)*14, m.Label)
	}
}

func (h Histogram) bar(f *fluid, id string, i int, x, y Scale) {
	from, to := x.At(h.Edges[i], 0, 1), x.At(h.Edges[i+1], 0, 1)
	clean, both := y.At(float64(h.Clean[i]), 0, 1), y.At(float64(h.Clean[i]+h.Flipped[i]), 0, 1)
	gap := .06 * (to - from)
	on := ""
	if i == h.Brushed {
		on = " is-on"
	}
	name := fmt.Sprintf("%s: %d clean, %d flipped", Range(Short(h.Edges[i], 3), Short(h.Edges[i+1], 3)), h.Clean[i],
		h.Flipped[i])
	fmt.Fprintf(&f.under, `<g class="pg-bar%s" role="button" tabindex="%s" aria-pressed="%t" data-bin="%d" aria-label="%s"><title>%s</title>`,
		on, tab(i == max(0, h.Brushed)), i == h.Brushed, i, esc(name), esc(name))
	fmt.Fprintf(&f.under, `<rect class="pg-hit" x="%s" y="0" width="%s" height="100%%"/>`, portion(from), portion(to-from))
	box := func(fill string, low, high float64) {
		if high > low {
			fmt.Fprintf(&f.under, `<rect %s x="%s" y="%s" width="%s" height="%s"/>`, fill, portion(from+gap), portion(1-high),
				portion(to-from-2*gap), portion(high-low))
		}
	}
	box(`class="bar-clean"`, 0, clean)
	box(`class="pg-flip" fill="url(#`+id+`-hatch)"`, clean, both)
	f.under.WriteString(`</g>`)
}

// tab makes the bars one stop of the Tab key; arrows go on from there.
func tab(first bool) string {
	if first {
		return "0"
	}
	return "-1"
}
