// Package fluid draws pictures that take the width of their box: the planes,
// losses and histograms of the playground and of compared runs. One drawing fits
// every screen and stands before any script runs.
//
// Conventions: positions are shares of the box, x to the right and y downwards;
// letters, marks and strokes keep their size in pixels. Like package viz, whose
// scales and numbers it takes, it writes classes of the style sheets, and the same
// input gives the same bytes.
package fluid

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"taper/internal/viz"
)

// fluid collects an SVG that takes the width of its box: positions are shares
// of the box, while letters, marks and strokes keep their size. Curves lie in
// an inner picture of one by one that is stretched; its strokes are not.
type fluid struct {
	under  strings.Builder // before the curves
	curves strings.Builder // coordinates from 0 to 1, y downwards
	over   strings.Builder // after them
}

// portion writes a position as a percentage of the box.
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

// unit writes a position inside the curves.
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

// text writes s at (x, y), moved by dx, dy pixels.
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

// fewDots is how many dots are drawn one by one, each over the last.
const fewDots = 120

// rings marks points: strokes of no length, whose round ends are drawn in
// pixels whatever the stretch of the picture, and a smaller one on each. Of
// many, rings that touch become one outline.
func (f *fluid) rings(x, y viz.Scale, xs, ys []float64) {
	var each []string
	for i := range xs {
		if u, v := x.At(xs[i], 0, 1), y.At(ys[i], 1, 0); u >= 0 && u <= 1 && v >= -.001 && v <= 1.001 {
			each = append(each, "M"+unit(u)+" "+unit(v)+"h0")
		}
	}
	if len(each) > fewDots {
		each = []string{strings.Join(each, "")}
	}
	for _, d := range each {
		f.path("pg-ring", d)
		f.path("pg-hole", d)
	}
}

// xTicks labels the axis under the box.
func (f *fluid) xTicks(s viz.Scale, name string) {
	for _, t := range s.Ticks {
		u := s.At(t, 0, 1)
		fmt.Fprintf(&f.under, `<line class="ax-l" x1="%s" y1="100%%" x2="%s" y2="100%%" transform="translate(0 4)"/>`,
			portion(u), portion(u))
		f.text("ax", "middle", u, 1, 0, 17, s.Label(t))
	}
	if name != "" {
		f.text("ax-t", "middle", .5, 1, 0, 33, name)
	}
}

// yTicks labels the axis beside the box, with split lines when asked for.
func (f *fluid) yTicks(s viz.Scale, lines bool) {
	for _, t := range s.Ticks {
		v := s.At(t, 1, 0)
		if lines {
			f.line("grid", 0, v, 1, v)
		}
		f.text("ax", "end", 0, v, -6, 4, s.Label(t))
	}
}

// svg wraps the elements; the box is the parent's.
func (f *fluid) svg(class string) string {
	return `<svg class="fluid ` + class + `" width="100%" height="100%" aria-hidden="true" focusable="false">` +
		f.under.String() +
		`<svg width="100%" height="100%" viewBox="0 0 1 1" preserveAspectRatio="none" overflow="visible">` +
		f.curves.String() + `</svg>` + f.over.String() + `</svg>`
}

// curvePath is the path through points of two axes, cut at the upper and lower
// side of the box; a gap is left where a value is not finite.
func curvePath(x, y viz.Scale, xs, ys []float64) string {
	var d strings.Builder
	pen := false // is down
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

// crossing is where a piece of which one end lies in the box leaves it.
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
