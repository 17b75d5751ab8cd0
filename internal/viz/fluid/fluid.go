// Package fluid draws SVGs that adapt to the width of their container: surfaces, losses and
// histograms of the playground and of compared runs. One drawing fits every screen and is
// visible before any script runs.
//
// Conventions: positions are fractions of the container, x to the right and y downwards;
// letters, marks and strokes keep their size in pixels. As in package viz, whose scales and
// number formats it uses, colours are classes of the style sheets, and the same input gives the
// same bytes.
package fluid

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/viz"
)

// fluid collects an SVG that adapts to the width of its container. Positions are fractions,
// while letters, marks and strokes keep their size. Curves are in an inner unit square that is
// stretched, with strokes that are not.
type fluid struct {
	under  strings.Builder // below the curves
	curves strings.Builder // coordinates from 0 to 1, y downwards
	over   strings.Builder // above the curves
}

// portion formats a position as a percentage of the container.
func portion(v float64) string {
	if !viz.Finite(v) {
		v = 0
	}
	s := strconv.FormatFloat(math.Round(v*1e4)/100, 'f', -1, 64)
	if s == "-0" {
		s = "0"
	}
	return s + "%"
}

// unit formats a position inside the curves.
func unit(v float64) string {
	if !viz.Finite(v) {
		v = 0
	}
	s := strconv.FormatFloat(math.Round(v*1e4)/1e4, 'f', -1, 64)
	if s == "-0" {
		return "0"
	}
	return strings.Replace(s, "0.", ".", 1)
}

func (f *fluid) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&f.under, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, portion(x1), portion(y1),
		portion(x2), portion(y2))
}

// text writes s at (x, y), shifted by dx, dy pixels.
func (f *fluid) text(class, anchor string, x, y, dx, dy float64, s string) {
	fmt.Fprintf(&f.over, `<text class="%s" x="%s" y="%s" dx="%g" dy="%g"`, class, portion(x), portion(y), dx, dy)
	if anchor != "start" {
		fmt.Fprintf(&f.over, ` text-anchor="%s"`, anchor)
	}
	fmt.Fprintf(&f.over, `>%s</text>`, viz.Escape(s))
}

func (f *fluid) path(class, d string) {
	if d != "" {
		fmt.Fprintf(&f.curves, `<path class="%s" d="%s"/>`, class, d)
	}
}

// fewDots is the number of rings up to which each is drawn whole, over the ones before.
const fewDots = 120

// rings marks points by strokes of zero length, whose round caps keep their size in pixels,
// with a smaller one on each. If there are many, overlapping rings merge into one outline.
func (f *fluid) rings(x, y viz.Scale, xs, ys []float64) {
	// A browser takes much longer for a hundred paths than for ten, so rings that do not touch
	// share a pair of paths. In the smallest picture, 240 × 98 px, rings touch that are nearer
	// than these shares of its width and height.
	const across, up = 8.4 / 240, 8.4 / 98
	var layers []string
	in := [][][2]float64{} // the rings of each layer
	for i := range xs {
		u, v := x.At(xs[i], 0, 1), y.At(ys[i], 1, 0)
		if !(u >= 0 && u <= 1 && v >= -.001 && v <= 1.001) {
			continue
		}
		free := slices.IndexFunc(in, func(rings [][2]float64) bool {
			return len(xs) > fewDots || !slices.ContainsFunc(rings, func(r [2]float64) bool {
				return math.Hypot((u-r[0])/across, (v-r[1])/up) < 1
			})
		})
		if free < 0 {
			free = len(in)
			in, layers = append(in, nil), append(layers, "")
		}
		in[free] = append(in[free], [2]float64{u, v})
		layers[free] += "M" + unit(u) + " " + unit(v) + "h0"
	}
	for _, d := range layers {
		f.path("pg-ring", d)
		f.path("pg-hole", d)
	}
}

// xTicks labels the axis below the plot.
func (f *fluid) xTicks(s viz.Scale, name string) {
	for _, t := range s.Ticks {
		u := s.At(t, 0, 1)
		fmt.Fprintf(&f.under, `<line class="ax-l" x1="%s" y1="100%%" x2="%s" y2="100%%" transform="translate(0 4)"/>`,
			portion(u), portion(u))
		anchor := "middle"
		if u > .98 { // half of it would be outside the frame, which has no room at its right
			anchor = "end"
		}
		f.text("ax", anchor, u, 1, 0, 17, s.Label(t))
	}
	if name != "" {
		f.text("ax-t", "middle", .5, 1, 0, 33, name)
	}
}

// yTicks labels the axis beside the plot, optionally with grid lines.
func (f *fluid) yTicks(s viz.Scale, lines bool) {
	for _, t := range s.Ticks {
		v := s.At(t, 1, 0)
		if lines {
			f.line("grid", 0, v, 1, v)
		}
		f.text("ax", "end", 0, v, -6, 4, s.Label(t))
	}
}

// svg wraps the elements; its size is set by the parent.
func (f *fluid) svg(class string) string {
	return `<svg class="fluid ` + class + `" width="100%" height="100%" aria-hidden="true" focusable="false">` +
		f.under.String() +
		`<svg width="100%" height="100%" viewBox="0 0 1 1" preserveAspectRatio="none" overflow="visible">` +
		f.curves.String() + `</svg>` + f.over.String() + `</svg>`
}

// curvePath is the path through points on two axes, clipped at the top and bottom; it has gaps
// at non-finite values.
func curvePath(x, y viz.Scale, xs, ys []float64) string {
	var d strings.Builder
	pen := false // whether the pen is down
	for i := range xs {
		u, v := x.At(xs[i], 0, 1), y.At(ys[i], 1, 0)
		if !viz.Finite(u) || !viz.Finite(v) {
			pen = false
			continue
		}
		if i > 0 {
			if cu, cv, ok := crossing(x.At(xs[i-1], 0, 1), y.At(ys[i-1], 1, 0), u, v); ok {
				cmd := "M"
				if pen {
					cmd = "L"
				}
				d.WriteString(cmd + unit(cu) + " " + unit(cv))
				pen = true
			}
		}
		if v < 0 || v > 1 {
			pen = false
			continue
		}
		cmd := "M"
		if pen {
			cmd = "L"
		}
		d.WriteString(cmd + unit(u) + " " + unit(v))
		pen = true
	}
	return d.String()
}

// crossing is where a segment with one end inside the plot leaves it.
func crossing(u0, v0, u1, v1 float64) (u, v float64, ok bool) {
	in := func(v float64) bool { return v >= 0 && v <= 1 }
	if !viz.Finite(u0) || !viz.Finite(v0) || in(v0) == in(v1) {
		return 0, 0, false
	}
	out := v0
	if in(v0) {
		out = v1
	}
	side := 0.0
	if out > 1 {
		side = 1
	}
	return u0 + (side-v0)/(v1-v0)*(u1-u0), side, true
}
