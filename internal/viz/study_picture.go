package viz

import (
	"fmt"
	"math"
	"strings"

	"taper/internal/engine/study"
)

// Size of the thumbnail of a study in pixels.
const (
	PictureWidth  = 104
	PictureHeight = 48
)

// pictureInks are fixed colours with a contrast of 3 to 5 on the background of both themes,
// because an image at its own address has neither the style sheets nor the theme of the page.
var pictureInks = []string{"#1C8C7B", "#C2552D", "#4A7BD0", "#9A5FB0", "#A27F35", "#3B8FB5"}

// referenceInk is the colour of the reference series.
const referenceInk = "#7F8883"

// pictureMarks bounds the points per series; more cannot be distinguished at this size.
const pictureMarks = 60

// StudyPicture draws the first panel of a study as a thumbnail without text, a self-contained
// SVG ("" if there is nothing to draw), and returns the panel's finding.
func StudyPicture(d study.Drawing, cells []study.Cell) (svg, finding string) {
	p, pairs := picturePanel(d, cells)
	if p == nil {
		return "", ""
	}
	inks := map[string]string{}
	next := 0
	for _, s := range p.series {
		if s.mark == "s2" {
			inks[s.name] = referenceInk
			continue
		}
		inks[s.name] = pictureInks[next%len(pictureInks)]
		next++
	}
	b := &strings.Builder{}
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" `+
		`fill="none" stroke-linecap="round" stroke-linejoin="round"><path stroke="%[3]s" d="M3.5 2V44.5H102"/>`,
		PictureWidth, PictureHeight, referenceInk)
	if pairs {
		p.pairMarks(b, inks)
	} else {
		p.pictureMarks(b, inks)
	}
	if !pairs {
		finding = Unbroken(p.finding())
	}
	return b.String() + "</svg>", finding
}

// picturePanel is the panel of the thumbnail; pairs says that its series hold the first metric
// of every replicate as x.
func picturePanel(d study.Drawing, cells []study.Cell) (p *panel, pairs bool) {
	if len(d.Metrics) == 0 {
		return nil, false
	}
	pairs = d.Kind == study.DrawScatter && d.X.Of == ""
	var own []study.Cell
	for _, c := range cells {
		if c.N > 0 && (c.Metric == d.Metrics[0].ID || pairs) {
			own = append(own, c)
		}
	}
	if len(own) == 0 {
		return nil, false
	}
	if d.Kind == study.DrawTable {
		if d.Kind = study.DrawLine; !numeric(d.X) {
			d.Kind = drawDots
		}
	}
	if pairs {
		d.X, d.Kind = study.Axis{Of: "data"}, drawDots
	}
	if d.Panels.Of == "metric" {
		d.Panels = study.Axis{}
	}
	p = panels(d, own)[0]
	p.metric = d.Metrics[0]
	return p, pairs
}

// pictureMarks draws means: as lines if x is numeric, as bars for counts, otherwise as dots
// with intervals.
func (p *panel) pictureMarks(b *strings.Builder, inks map[string]string) {
	x, y := p.xScale(), p.yScale(p.Kind != study.DrawScatter)
	across := func(v float64) float64 {
		if p.X.Log && x.Min > 0 && p.labels == nil {
			return Scale{Min: math.Log(x.Min), Max: math.Log(x.Max)}.At(math.Log(v), 8, 99)
		}
		return x.At(v, 8, 99)
	}
	up := func(v float64) float64 {
		if p.Y.Log {
			return Scale{Min: math.Log(y.Min), Max: math.Log(y.Max)}.At(math.Log(v), 42, 4)
		}
		return y.At(v, 42, 4)
	}
	for i, s := range p.series {
		step := max(1, len(s.cells)/pictureMarks)
		line, dots := "", ""
		for k := 0; k < len(s.cells); k += step {
			v := p.middle(s.cells[k])
			if !Finite(v) || p.Y.Log && v <= 0 {
				continue
			}
			at := s.x[k]
			if p.Kind == study.DrawBox || p.Kind == drawDots {
				at, _ = slot(at, i, len(p.series))
			}
			px0, py0 := px(across(at)), px(up(v))
			if line += "L" + px0 + " " + py0; p.Kind == study.DrawLine {
				continue
			}
			dots += "M" + px0 + " " + py0 + "h0"
			if lo, hi := p.drawnEnds(s.cells[k], y.Min); hi > lo && p.Kind != study.DrawHistogram {
				fmt.Fprintf(b, `<path stroke="%s" d="M%s %sV%s"/>`, inks[s.name], px0, px(up(lo)), px(up(hi)))
			}
		}
		switch {
		case p.Kind == study.DrawLine || p.Kind == study.DrawHistogram:
			if line != "" {
				fmt.Fprintf(b, `<path stroke="%s" stroke-width="1.5" d="M%s"/>`, inks[s.name], line[1:])
			}
		case dots != "":
			fmt.Fprintf(b, `<path stroke="%s" stroke-width="3.5" d="%s"/>`, inks[s.name], dots)
		}
	}
}

// pairMarks draws the replicates of each series as points.
func (p *panel) pairMarks(b *strings.Builder, inks map[string]string) {
	first, second := map[string]study.Cell{}, map[string]study.Cell{}
	var xs, ys []float64
	for _, s := range p.series {
		for _, c := range s.cells {
			if c.Metric == p.Metrics[0].ID {
				first[s.name], xs = c, append(xs, values(c)...)
			} else if c.Metric == p.Metrics[1].ID {
				second[s.name], ys = c, append(ys, values(c)...)
			}
		}
	}
	x0, x1, _ := extent(xs)
	y0, y1, _ := extent(ys)
	x, y := FrozenScale(x0, x1, 4), FrozenScale(y0, y1, 4)
	for _, s := range p.series {
		c, v := first[s.name], second[s.name]
		n := min(len(c.Values), len(v.Values))
		step, dots := max(1, n/pictureMarks), ""
		for k := 0; k < n; k += step {
			if c.Values[k] != nil && v.Values[k] != nil {
				dots += "M" + px(x.At(*c.Values[k], 8, 99)) + " " + px(y.At(*v.Values[k], 42, 4)) + "h0"
			}
		}
		if dots != "" {
			fmt.Fprintf(b, `<path stroke="%s" stroke-width="2.5" d="%s"/>`, inks[s.name], dots)
		}
	}
}

// values are the existing values of a cell.
func values(c study.Cell) (all []float64) {
	for _, v := range c.Values {
		if v != nil {
			all = append(all, *v)
		}
	}
	return all
}
