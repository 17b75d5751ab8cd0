package viz

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
)

// drawing collects the elements of one SVG. Coordinates have one decimal, so that the same
// numbers give the same text on every machine.
type drawing struct {
	strings.Builder
	w, h float64
}

// px formats a coordinate.
func px(v float64) string {
	if !Finite(v) {
		v = 0 // callers pass finite numbers; stay well-formed regardless
	}
	s := strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
	if s == "-0" {
		return "0"
	}
	return s
}

// Escape makes a text safe in an element and in a quoted attribute, and removes control
// characters that XML forbids.
func Escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, s)
	return html.EscapeString(s)
}

// svg wraps the elements. With a label it is an image of that name, without one it is
// decoration.
func (d *drawing) svg(class, label string) string {
	role := ` aria-hidden="true" focusable="false"`
	if label != "" {
		role = ` role="img" aria-label="` + Escape(label) + `"`
	}
	if class != "" {
		class = ` class="` + class + `"`
	}
	return fmt.Sprintf(`<svg%s width="%s" height="%s" viewBox="0 0 %s %s"%s>%s</svg>`,
		class, px(d.w), px(d.h), px(d.w), px(d.h), role, d.String())
}

func (d *drawing) rect(class string, x, y, w, h float64) {
	fmt.Fprintf(d, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, px(x), px(y), px(math.Max(0, w)),
		px(math.Max(0, h)))
}

// tint is the part of a scale that belongs to band j of the boundaries pi. It is numbered as in
// tables, so that it is highlighted with its band.
func (d *drawing) tint(pi []float64, j int, x, y, w, h float64) {
	low, high := edges(pi, j)
	fmt.Fprintf(d, `<rect class="%s" data-band="%d" x="%s" y="%s" width="%s" height="%s"/>`, tintClass(low, high), j+1,
		px(x), px(y), px(math.Max(0, w)), px(math.Max(0, h)))
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(d, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, px(x1), px(y1), px(x2), px(y2))
}

func (d *drawing) path(class, p string) { fmt.Fprintf(d, `<path class="%s" d="%s"/>`, class, p) }

// text writes s at (x, y); anchor is "start", "middle" or "end".
func (d *drawing) text(class, anchor string, x, y float64, s string) {
	fmt.Fprintf(d, `<text class="%s" x="%s" y="%s"`, class, px(x), px(y))
	if anchor != "start" {
		fmt.Fprintf(d, ` text-anchor="%s"`, anchor)
	}
	fmt.Fprintf(d, `>%s</text>`, Escape(s))
}

// upright writes s rotated by 90°, reading upwards, centred at (x, y).
func (d *drawing) upright(class string, x, y float64, s string) {
	fmt.Fprintf(d, `<text class="%s" text-anchor="middle" transform="translate(%s %s) rotate(-90)">%s</text>`, class,
		px(x), px(y), Escape(s))
}

// hatch draws 45° lines inside a rectangle, clipped by arithmetic. Patterns and clip paths
// would need ids, which clash on a page with many figures.
func (d *drawing) hatch(x, y, w, h float64) {
	const gap = 4.0
	var p strings.Builder
	for c := gap; c < w+h; c += gap { // the line u + v = c, with u from the left, v from the top
		u0, u1 := math.Max(0, c-h), math.Min(w, c)
		if u1 > u0 {
			fmt.Fprintf(&p, "M%s %sL%s %s", px(x+u0), px(y+c-u0), px(x+u1), px(y+c-u1))
		}
	}
	d.path("hatch", p.String())
}

// outline is the path of a symbol of the given size centred at (x, y).
func outline(symbol string, x, y, size float64) string {
	r := size / 2
	switch symbol {
	case "rect":
		r *= 0.9
		return "M" + px(x-r) + " " + px(y-r) + "H" + px(x+r) + "V" + px(y+r) + "H" + px(x-r) + "z"
	case "diamond":
		r *= 1.15
		return "M" + px(x) + " " + px(y-r) + "L" + px(x+r) + " " + px(y) + "L" + px(x) + " " + px(y+r) + "L" + px(x-r) +
			" " + px(y) + "z"
	case "triangle":
		return "M" + px(x) + " " + px(y-r) + "L" + px(x+r) + " " + px(y+0.8*r) + "H" + px(x-r) + "z"
	}
	return "M" + px(x-r) + " " + px(y) + "a" + px(r) + " " + px(r) + " 0 1 0 " + px(size) + " 0a" + px(r) + " " + px(r) +
		" 0 1 0 -" + px(size) + " 0z"
}

// polyline is the path through points, with gaps at non-finite values.
func polyline(x, y []float64) string {
	var p strings.Builder
	cmd := "M"
	for i := range x {
		if !Finite(x[i]) || !Finite(y[i]) {
			cmd = "M"
			continue
		}
		p.WriteString(cmd + px(x[i]) + " " + px(y[i]))
		cmd = "L"
	}
	return p.String()
}

// between is the path around the area between two curves of finite points: along the upper one
// and back along the lower one.
func between(x, low, high []float64) string {
	around, edge := slices.Clone(x), slices.Clone(high)
	for i := len(x) - 1; i >= 0; i-- {
		around, edge = append(around, x[i]), append(edge, low[i])
	}
	return polyline(around, edge) + "z"
}

// xTicks draws an x axis along y = base from left to right.
func (d *drawing) xTicks(s Scale, left, right, base float64, name string) {
	d.xTicksAs(s, left, right, base, name, s.Label)
}

// xTicksAs is xTicks with custom labels.
func (d *drawing) xTicksAs(s Scale, left, right, base float64, name string, label func(float64) string) {
	d.line("ax-l", left, base, right, base)
	for _, t := range s.Ticks {
		x := s.At(t, left, right)
		d.line("ax-l", x, base, x, base+4)
		d.text("ax", "middle", x, base+15, label(t))
	}
	d.text("ax-t", "middle", (left+right)/2, base+30, name)
}

// yTicks draws grid lines and their labels.
func (d *drawing) yTicks(s Scale, left, right, top, base float64) {
	for _, t := range s.Ticks {
		y := s.At(t, base, top)
		d.line("grid", left, y, right, y)
		d.text("ax", "end", left-6, y+4, s.Label(t))
	}
}

// lineSample is the legend sample of a class's line.
func lineSample(class int) string {
	d := drawing{w: 28, h: 12}
	d.line(fmt.Sprintf("ln dens%d fill-none", class), 1, 6, 27, 6)
	return d.svg("", "")
}

// markSample is the legend sample of a mark.
func markSample(m mark) string {
	d := drawing{w: 16, h: 12}
	d.path(m.Class, outline(m.Symbol, 8, 6, m.Size+2))
	return d.svg("", "")
}
