package fluid

import (
	"math"
	"strings"

	"taper/internal/viz"
)

// Contour is a level line of a decision surface.
type Contour struct {
	Kind  string // "half", "boundary", "reject" or ""
	Label string
	Lines [][][2]float64
}

// SurfaceSVG draws the overlay of a decision surface: frame, ticks, and level lines. The page
// draws the raster and the points. The names of the lines are a drawing of their own, since
// points lie on the lines but would hide the names.
func SurfaceSVG(x, y viz.Scale, contours []Contour) string {
	f, names := &fluid{}, &fluid{}
	f.surface(x, y, contours, names)
	if names.over.Len() == 0 {
		return f.svg("")
	}
	return f.svg("") + names.svg("names")
}

// surface draws the frame, ticks and level lines, and the names of the lines into another drawing.
func (f *fluid) surface(x, y viz.Scale, contours []Contour, names *fluid) {
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
			if at, ok := labelPlace(x, y, line, half(c.Label), taken); ok && long > most {
				best, most = at, long
			}
		}
		f.path(class, d.String())
		if c.Label != "" && most > .15 {
			taken = append(taken, best)
			names.text("ax ink halo", "middle", best[0], best[1], 0, 4, c.Label)
		}
	}
}

// half is half the width of a label as a share of a surface on a phone, 280 px wide.
func half(label string) float64 { return max(.07, 3.2*float64(len([]rune(label)))/280) }

// labelPlace finds a position on a line for a label of the given half width that does not touch
// the frame or other labels, preferably in the upper part.
func labelPlace(x, y viz.Scale, line [][2]float64, half float64, taken [][2]float64) (at [2]float64, ok bool) {
	best := math.Inf(1)
	for _, p := range dense(x, line) {
		u, v := x.At(p[0], 0, 1), y.At(p[1], 1, 0)
		if u < half || u > 1-half || v < .05 || v > .95 {
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

// dense adds points to the long segments of a line.
func dense(x viz.Scale, line [][2]float64) [][2]float64 {
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
