// Package card draws the verdict of a run as an image to share, in SVG and PNG, both from one
// list of marks. An exported image has no access to style sheets, themes or fonts of a page, so
// it uses the colours of the light theme and the metrics of the Go fonts.
package card

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"taper/internal/engine/phrase"
	"taper/internal/viz"
)

// Card is the content of the image.
type Card struct {
	Title     string
	Sentences []string // the verdict
	Head      string   // what the bands show
	Bands     []Band
	Foot      []string
}

// Band is a row of the strata. Low and High are its interval or, where Masked, the range of rates that masked counts
// allow, which is framed rather than drawn as an interval; nil if there is none.
type Band struct {
	Name, Rows, Rate, Verdict string
	Lower, Upper              float64
	Value, Low, High          *float64
	Masked                    bool
}

// Size of the SVG in pixels; the PNG has twice as many.
const (
	width  = 1200.0
	edge   = 56.0
	scale  = 2
	bandAt = 664.0 // start of the scale from 0 to 100 %
	bandTo = 1000.0
)

// The colours of the light theme.
var (
	paper = color.RGBA{255, 255, 255, 255}
	ink   = color.RGBA{25, 29, 27, 255}
	soft  = color.RGBA{98, 106, 102, 255}
	rule  = color.RGBA{220, 224, 220, 255}
	low   = color.RGBA{63, 134, 207, 255}
	high  = color.RGBA{224, 123, 40, 255}
)

// tint is the colour of a band, stronger the farther its midpoint is from one half.
func tint(from, to float64) color.RGBA {
	tenth := viz.BandTint(from, to)
	ink, strength := low, .64-.135*float64(tenth)
	if tenth > 4 {
		ink, strength = high, .10+.135*float64(tenth-5)
	}
	mix := func(c uint8) uint8 { return uint8(math.Round(255 + strength*(float64(c)-255))) }
	return color.RGBA{mix(ink.R), mix(ink.G), mix(ink.B), 255}
}

// mark is a rectangle, or a line of text on the baseline y, starting at x (or ending there, if
// end).
type mark struct {
	x, y, w, h float64
	ink        color.RGBA
	text       string
	size       float64
	bold, end  bool
}

// marks lays out the image from top to bottom and returns its height.
func (c Card) marks() (all []mark, height float64) {
	y := edge
	lines := func(text string, size float64, bold bool, ink color.RGBA) {
		for _, line := range wrap(text, size, bold, width-2*edge) {
			y += 1.32 * size
			all = append(all, mark{x: edge, y: y, text: line, size: size, bold: bold, ink: ink})
		}
	}
	y -= 20
	lines(c.Title, 40, true, ink)
	y += 14
	for _, s := range c.Sentences {
		lines(s, 25, false, ink)
		y += 6
	}
	y += 16
	if len(c.Bands) > 0 {
		lines(c.Head, 18, false, soft)
	}
	y += 10
	for i, b := range c.Bands {
		if i == 0 {
			all = append(all, mark{x: edge, y: y, w: width - 2*edge, h: 2, ink: ink})
		}
		base := y + 38
		at := func(share float64) float64 { return bandAt + (bandTo-bandAt)*share }
		text := func(x float64, s string, bold, end bool) {
			all = append(all, mark{x: x, y: base, text: s, size: 23, bold: bold, end: end, ink: ink})
		}
		all = append(all, mark{x: edge, y: base - 20, w: 26, h: 22, ink: tint(b.Lower, b.Upper)})
		text(edge+40, b.Name, true, false)
		text(edge+344, b.Rows, false, true)
		text(edge+588, b.Rate, false, true)
		all = append(all, mark{x: at(b.Lower), y: base - 22, w: at(b.Upper) - at(b.Lower), h: 26,
			ink: tint(b.Lower, b.Upper)})
		if b.Low != nil && b.High != nil && b.Masked {
			from, to := at(*b.Low), math.Max(at(*b.High), at(*b.Low)+4)
			for _, side := range []mark{{x: from, y: base - 17, w: to - from, h: 2}, {x: from, y: base - 3, w: to - from, h: 2},
				{x: from, y: base - 17, w: 2, h: 16}, {x: to - 2, y: base - 17, w: 2, h: 16}} {
				side.ink = ink
				all = append(all, side)
			}
		} else if b.Low != nil && b.High != nil {
			all = append(all, mark{x: at(*b.Low), y: base - 11, w: math.Max(2, at(*b.High)-at(*b.Low)), h: 3, ink: ink})
		}
		if b.Value != nil {
			all = append(all, mark{x: at(*b.Value) - 5, y: base - 15, w: 11, h: 11, ink: ink})
		}
		text(bandTo+24, b.Verdict, false, false)
		y += 54
		all = append(all, mark{x: edge, y: y, w: width - 2*edge, h: 1, ink: rule})
	}
	y += 14
	for _, s := range c.Foot {
		lines(s, 18, false, soft)
	}
	for i := range all {
		all[i].text = strings.ReplaceAll(all[i].text, phrase.Joiner, "") // the Go fonts would show a box
	}
	return all, math.Round(y + edge/2)
}

// Text is the alternative text.
func (c Card) Text() string {
	all := append([]string{c.Title + "."}, c.Sentences...)
	if len(c.Bands) > 0 {
		all = append(all, c.Head+".")
	}
	for _, b := range c.Bands {
		rate := b.Rate
		if b.Masked {
			rate = "possible rates " + rate
		}
		all = append(all, b.Name+": "+b.Rows+", "+rate+", "+b.Verdict+".")
	}
	return strings.Join(append(all, c.Foot...), " ")
}

// SVG is the image as a self-contained file.
func (c Card) SVG() string {
	all, height := c.marks()
	hex := func(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %[1]g %[2]g" `+
		`role="img" aria-label="%[3]s" font-family="Go, 'Liberation Sans', Arial, sans-serif">`+
		`<title>%[4]s</title><rect width="%[1]g" height="%[2]g" fill="%[5]s"/>`,
		width, height, viz.Escape(c.Text()), viz.Escape(c.Title), hex(paper))
	for _, m := range all {
		if m.text == "" {
			fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, m.x, m.y, m.w, m.h, hex(m.ink))
			continue
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" font-size="%g" fill="%s"`, m.x, m.y, m.size, hex(m.ink))
		if m.bold {
			b.WriteString(` font-weight="700"`)
		}
		if m.end {
			b.WriteString(` text-anchor="end"`)
		}
		b.WriteString(">" + viz.Escape(m.text) + "</text>")
	}
	return b.String() + "</svg>\n"
}

// PNG is the same image in pixels. Characters missing from the Go fonts are drawn as boxes.
func (c Card) PNG() ([]byte, error) {
	all, height := c.marks()
	on := image.NewRGBA(image.Rect(0, 0, scale*int(width), scale*int(height)))
	draw.Draw(on, on.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	at := func(v float64) int { return int(math.Round(scale * v)) }
	for _, m := range all {
		if m.text == "" {
			draw.Draw(on, image.Rect(at(m.x), at(m.y), at(m.x+m.w), at(m.y+m.h)), image.NewUniform(m.ink), image.Point{},
				draw.Src)
			continue
		}
		face, err := faceOf(scale*m.size, m.bold)
		if err != nil {
			return nil, err
		}
		x := fixed.I(at(m.x))
		if m.end {
			x -= font.MeasureString(face, m.text)
		}
		pen := font.Drawer{Dst: on, Src: image.NewUniform(m.ink), Face: face, Dot: fixed.Point26_6{X: x, Y: fixed.I(at(m.y))}}
		pen.DrawString(m.text)
	}
	var b bytes.Buffer
	err := png.Encode(&b, on)
	return b.Bytes(), err
}

// fonts are the regular and the bold font, parsed once.
var fonts = sync.OnceValues(func() (both [2]*opentype.Font, err error) {
	for i, ttf := range [][]byte{goregular.TTF, gobold.TTF} {
		if both[i], err = opentype.Parse(ttf); err != nil {
			return both, err
		}
	}
	return both, nil
})

// faceOf is a font at a size in pixels of the PNG; a face must not be shared between
// goroutines.
func faceOf(size float64, bold bool) (font.Face, error) {
	both, err := fonts()
	if err != nil {
		return nil, err
	}
	f := both[0]
	if bold {
		f = both[1]
	}
	return opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
}

// wrap breaks a text into lines that also fit in a slightly wider font; a word that is too long
// is cut.
func wrap(text string, size float64, bold bool, most float64) (lines []string) {
	face, err := faceOf(size, bold)
	if err != nil {
		return []string{text}
	}
	fits := func(s string) bool { return float64(font.MeasureString(face, s))/64 < .96*most }
	line := ""
	for _, word := range strings.Split(text, " ") {
		for !fits(word) {
			cut := []rune(word)
			for !fits(string(cut) + "…") {
				cut = cut[:len(cut)-1]
			}
			word = string(cut) + "…"
		}
		switch {
		case line == "":
			line = word
		case fits(line + " " + word):
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}
