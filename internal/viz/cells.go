package viz

import (
	"fmt"
	"math"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
)

// Size of the forest column; rates from 0 to 100 % lie between forestL and forestR pixels.
const (
	forestW, forestH = 176.0, 26.0
	forestL, forestR = 12.0, 164.0
)

func forestX(p float64) float64 { return forestL + p*(forestR-forestL) }

// ForestAxisSVG is the axis at the head of the forest column.
func ForestAxisSVG() string {
	d := drawing{w: forestW, h: 14}
	for _, t := range []float64{0, 25, 50, 75, 100} {
		d.text("ax", "middle", forestX(t/100), 11, Number(t, 0))
	}
	return d.svg("forest", "")
}

// ForestSVG draws one band's rate and Wilson interval over the band's range; a band with too
// few rows gets an open square.
func ForestSVG(s stat.Stratum) string {
	d := forestBed(s.Lower, s.Upper, few(s))
	if s.Observed == nil || s.Low == nil || s.High == nil {
		return d.svg("forest", "no rows")
	}
	ink, fill := "st-ink w15", "fill-ink"
	if few(s) {
		ink, fill = "st-edge w15", "fill-paper st-edge w15"
	}
	lo, hi, at, mid := forestX(*s.Low), forestX(*s.High), forestX(*s.Observed), forestH/2
	d.line(ink, lo, mid, hi, mid)
	d.line(ink, lo, mid-4, lo, mid+4)
	d.line(ink, hi, mid-4, hi, mid+4)
	d.rect(fill, at-3.5, mid-3.5, 7, 7)
	return d.svg("forest", fmt.Sprintf("%s%s%%, 95%s%% interval %s", rate(s.Observed), phrase.NBSP, phrase.NBSP,
		rateRange(s.Low, s.High)))
}

// MaskedForestSVG draws the possible range of the rate of a band whose counts are masked.
func MaskedForestSVG(lower, upper, low, high float64, few bool) string {
	d := forestBed(lower, upper, few)
	x, w, mid := forestX(low), math.Max(4, forestX(high)-forestX(low)), forestH/2
	x = math.Min(x, forestR-w+2)
	d.hatch(x, mid-5, w, 10)
	d.rect("fill-none st-ink", x, mid-5, w, 10)
	return d.svg("forest", "masked: possible rates "+Range(Percent(low, 1), Percent(high, 1))+phrase.NBSP+"%")
}

// forestBed draws the tinted range of the band and the grid lines.
func forestBed(lower, upper float64, few bool) *drawing {
	d := &drawing{w: forestW, h: forestH}
	for _, t := range []float64{0, 0.25, 0.5, 0.75, 1} {
		d.line("grid", forestX(t), 0, forestX(t), forestH)
	}
	class := tintClass(lower, upper)
	if few {
		class += " op-few"
	}
	d.rect(class, forestX(lower), 4, forestX(upper)-forestX(lower), forestH-8)
	return d
}

// whiskerSample is the legend sample of a rate with its interval.
func whiskerSample() string {
	d := drawing{w: 28, h: 12}
	d.line("st-ink w15", 2, 6, 26, 6)
	d.rect("fill-ink", 10.5, 2.5, 7, 7)
	return d.svg("", "")
}

// SwatchSVG is a square in a band's tint.
func SwatchSVG(lower, upper float64) string {
	d := drawing{w: 12, h: 12}
	d.rect(tintClass(lower, upper), 0.5, 0.5, 11, 11)
	return d.svg("swatch", "")
}

// BandStripSVG shows the bands on the probability scale, numbered I, II, …
func BandStripSVG(pi []float64) string {
	d := drawing{w: 240, h: 18}
	for j := 0; j <= len(pi); j++ {
		low, high := edges(pi, j)
		d.rect(tintClass(low, high), low*d.w, 0, (high-low)*d.w, d.h)
		if numeral := roman(j + 1); (high-low)*d.w > 7*float64(len(numeral))+4 {
			d.text("note ink", "middle", (low+high)/2*d.w, 13, numeral)
		}
	}
	return d.svg("track", "Bands: "+strings.Join(BandNames(pi), ", "))
}

// roman writes 1 … 100.
func roman(n int) string {
	var b strings.Builder
	for _, r := range []struct {
		v int
		s string
	}{{100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= r.v; n -= r.v {
			b.WriteString(r.s)
		}
	}
	return b.String()
}

// IconsSVG draws an icon array of 100 people: events first, as triangles, others as circles;
// pale if the band has too few rows.
func IconsSVG(events int, few bool, label string) string {
	const step = 11.0
	events = min(100, max(0, events))
	d := drawing{w: 10 * step, h: 10 * step}
	var filled, open strings.Builder
	for i := 0; i < 100; i++ {
		x, y := step*(float64(i%10)+0.5), step*(float64(i/10)+0.5)
		if i < events {
			filled.WriteString(outline("triangle", x, y, 9))
		} else {
			open.WriteString(outline("circle", x, y, 7))
		}
	}
	pale := ""
	if few {
		pale = " op-few"
	}
	if events > 0 {
		d.path("c1"+pale, filled.String())
	}
	if events < 100 {
		d.path("icn"+pale, open.String())
	}
	return d.svg("", label)
}

// HistogramSVG draws a column's small histogram. The bar with index highlight, if any, is
// marked as questionable.
func HistogramSVG(bins []int, highlight int) string {
	d := drawing{w: 96, h: 24}
	top := 0
	for _, n := range bins {
		top = max(top, n)
	}
	if top == 0 {
		return d.svg("", "no values")
	}
	w := d.w / float64(len(bins))
	for i, n := range bins {
		if n <= 0 {
			continue
		}
		h := math.Max(1, float64(n)/float64(top)*(d.h-1)) // a bar of one row must be visible
		class := "hbar"
		if i == highlight {
			class = "hbad"
		}
		d.rect(class, float64(i)*w+0.5, d.h-h, math.Max(1, w-1), h)
	}
	return d.svg("", fmt.Sprintf("histogram of %d bars, the tallest of %s", len(bins), phrase.Count(top, "row")))
}

// PrevalenceSVG draws the proportion of events as a part of a bar.
func PrevalenceSVG(events, n int) string {
	d := drawing{w: 160, h: 10}
	d.rect("fill-well", 0, 0, d.w, d.h)
	if n <= 0 {
		return d.svg("", "no rows")
	}
	share := math.Max(0, math.Min(1, float64(events)/float64(n)))
	d.rect("hev", 0, 0, share*d.w, d.h)
	return d.svg("", fmt.Sprintf("%d of %d rows are events, %s%s%%", events, n, Percent(share, 1), phrase.NBSP))
}
