package fluid

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"taper/internal/viz"
)

// Histogram shows clean and flipped counts, stacked. Marks label positions on the axis.
type Histogram struct {
	Edges          []float64
	Clean, Flipped []int
	Marks          []HistogramMark
	Brushed        int    // highlighted bin; −1 = none
	Axis           string // axis title
	Top            float64
}

// HistogramMark is a labelled position, such as the median of a group.
type HistogramMark struct {
	At    float64
	Label string
	Steer bool // of the flipped points
}

// Scales are the axes of a histogram.
func (h Histogram) Scales() (x, y viz.Scale) {
	x = viz.FrozenScale(h.Edges[0], h.Edges[len(h.Edges)-1], 5)
	most := 4 // below it, ticks would be at fractions of a point
	for i := range h.Clean {
		most = max(most, h.Clean[i]+h.Flipped[i])
	}
	room := float64(most) * (1 + .13*float64(len(h.Marks))) // a line of text for each mark
	if h.Top >= room && h.Top <= 4*room {
		return x, viz.FrozenScale(0, h.Top, 5)
	}
	return x, viz.NewScale(0, room, 4)
}

// SVG draws the bars; each is a button that highlights its points.
func (h Histogram) SVG(id string) string {
	f := &fluid{}
	x, y := h.Scales()
	f.yTicks(y, true)
	fmt.Fprintf(&f.under, `<defs><pattern id="%s-hatch" width="6" height="6" patternUnits="userSpaceOnUse" `+
		`patternTransform="rotate(45)"><rect width="6" height="6" class="bar-flip"/>`+
		`<line class="hatch-p" x1="1.5" x2="1.5" y1="0" y2="6"/></pattern></defs>`, id)
	fmt.Fprint(&f.under, `<line class="ax-l" x1="0" y1="100%" x2="100%" y2="100%"/>`)
	f.xTicks(x, h.Axis)
	for i := range h.Clean {
		h.bar(f, id, i, x, y)
	}
	h.marks(f, x)
	s := f.svg("pg-hist")
	// The bars are buttons, so the drawing is a group for screen readers.
	return strings.Replace(s, ` aria-hidden="true"`, ` role="group" aria-label="Bars"`, 1)
}

// marks draws the labelled positions: lines first, then labels, each on its own line of text above the bars. A line
// ends at its label; where it passes another one, it does so under a plate.
func (h Histogram) marks(f *fluid, x viz.Scale) {
	shown := slices.DeleteFunc(slices.Clone(h.Marks), func(m HistogramMark) bool {
		u := x.At(m.At, 0, 1)
		return !(u >= 0 && u <= 1)
	})
	const line = 14
	for i, m := range shown {
		class, at := "medl", portion(x.At(m.At, 0, 1))
		if m.Steer {
			class = "capline"
		}
		fmt.Fprintf(&f.over, `<line class="%s" x1="%s" y1="%d" x2="%s" y2="100%%" pointer-events="none"/>`, class, at,
			line*i, at)
	}
	for i, m := range shown {
		u, text, anchor, dx := x.At(m.At, 0, 1), "ax", "start", 4.0
		if m.Steer {
			text = "ax t1"
		}
		wide := 6 * float64(len([]rune(m.Label)))
		from := dx - 2
		if u > .5 {
			anchor, dx, from = "end", -4, -2-wide
		}
		fmt.Fprintf(&f.over, `<rect class="fill-paper" x="%s" y="%d" width="%g" height="%d" transform="translate(%g)" `+
			`pointer-events="none"/>`, portion(u), line*i, math.Round(wide), line, math.Round(from))
		f.text(text, anchor, u, 0, dx, 11+line*float64(i), m.Label)
	}
}

func (h Histogram) bar(f *fluid, id string, i int, x, y viz.Scale) {
	from, to := x.At(h.Edges[i], 0, 1), x.At(h.Edges[i+1], 0, 1)
	clean, both := y.At(float64(h.Clean[i]), 0, 1), y.At(float64(h.Clean[i]+h.Flipped[i]), 0, 1)
	gap := .06 * (to - from)
	on := ""
	if i == h.Brushed {
		on = " is-on"
	}
	name := fmt.Sprintf("%s: %d clean, %d flipped", viz.Range(viz.Short(h.Edges[i], 3), viz.Short(h.Edges[i+1], 3)),
		h.Clean[i],
		h.Flipped[i])
	fmt.Fprintf(&f.under, `<g class="pg-bar%s" role="button" tabindex="%s" aria-pressed="%t" data-bin="%d" `+
		`aria-label="%s"><title>%s</title>`,
		on, tab(i == max(0, h.Brushed)), i == h.Brushed, i, viz.Escape(name), viz.Escape(name))
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

// tab makes the bars a single tab stop; arrow keys move between them.
func tab(first bool) string {
	if first {
		return "0"
	}
	return "-1"
}
