package viz

import (
	"fmt"
	"strconv"
)

// ColourBarSVG is the colour scale of probability surfaces.
func ColourBarSVG(ends [3]string) string {
	const w, h = 128.0, 12.0 // two fit beside each other on a small screen
	d := &drawing{w: w + 16, h: 28}
	for i := range 10 {
		d.rect("p"+strconv.Itoa(i), 8+w/10*float64(i), 0, w/10, h)
	}
	d.rect("frame", 8, .5, w, h)
	for i, s := range ends {
		u := 8 + w*float64(i)/2
		d.line("ax-l", u, h, u, h+4)
		d.text("ax", []string{"start", "middle", "end"}[i], []float64{2, u, w + 14}[i], h+15, s)
	}
	return d.svg("", "")
}

// TintSVG is the swatch of a band or class, hatched for abstention.
func TintSVG(class string, pale, hatched bool) string {
	d := &drawing{w: 16, h: 12}
	if pale {
		class += " pale"
	}
	if hatched {
		d.hatch(.5, .5, 15, 11)
	} else {
		d.rect(class, .5, .5, 15, 11)
	}
	d.rect("frame", .5, .5, 15, 11)
	return d.svg("swatch", "")
}

// PointSVG is the legend sample of a point: solid for the first four classes, hollow for the
// next.
func PointSVG(class int, flipped, held bool) string {
	m := classMark(class)
	d := &drawing{w: 18, h: 18}
	name := "pt c" + strconv.Itoa(class%4)
	if class%8 >= 4 {
		name = m.Class
	}
	if held {
		name += " pg-held"
	}
	d.path(name, outline(m.Symbol, 9, 9, 8))
	if flipped {
		fmt.Fprint(d, `<circle class="ring" cx="9" cy="9" r="6.5"/>`)
	}
	return d.svg("", "")
}

// BarSVG is the legend sample of a bar.
func BarSVG(flipped bool) string {
	d := &drawing{w: 14, h: 12}
	if !flipped {
		d.rect("bar-clean", 0, 0, 14, 12)
		return d.svg("", "")
	}
	d.rect("bar-flip", 0, 0, 14, 12)
	d.path("hatch-p", "M0 5L5 0M0 11L11 0M3 14L14 3M9 14L14 9")
	return d.svg("", "")
}
