package viz

import (
	"fmt"
	"math"

	"taper/internal/engine/phrase"
)

// The plot of a density chart on the smallest screen, in pixels. Names that are apart there are apart on a larger one.
const namesW, namesH = 282.0, 202.0

// Sizes of a curve's name, in pixels: its foot is nameGap above a point.
const nameGap, nameHigh = 5.0, 13.0

// headRoom is the room for names between the bands and the plot of an SVG, in pixels.
const headRoom = 24.0

// nameFar is how far a name may stand beside its peak, in pixels.
const nameFar = 40.0

// curveName is the name of a curve above a point of the plot.
type curveName struct {
	text   string
	class  int
	x, y   float64
	plated bool // a line runs through it
}

// names places the names of the curves in a plot of w by h pixels with some room above it: each as close to the
// highest point of its curve as it can be without meeting another name, a curve or a cut-off. If there is no such place
// nearby, a cut-off passes under the plate of the name, and a curve only in need. A name that would meet another one is
// left out; the legend has it.
func (p densityPlan) names(w, h, room float64) (all []curveName) {
	heights := make([][]float64, len(p.curves)) // by pixels from the left
	for i, c := range p.curves {
		line := polyLine{c.X, c.Y}
		heights[i] = make([]float64, int(w)+1)
		for k := range heights[i] {
			heights[i][k] = h - math.Min(1, line.at(p.x.Min+(p.x.Max-p.x.Min)*float64(k)/w)/p.top)*h
		}
	}
	var taken []textBox
	for i, c := range p.curves {
		name := curveName{text: phrase.Shorten(c.Level, 24), class: c.class}
		half := 3.6*float64(len([]rune(name.text))) + 3
		peak := p.x.At(clamp(c.X[c.peak], p.x), 0, w)
		best, at := math.Inf(1), textBox{}
		for x := math.Ceil(half); x <= w-half; x += 2 {
			if math.Abs(x-peak) > half+nameFar {
				continue // under another curve it would be read as the name of that
			}
			for raised := 0.0; raised < 40; raised += 6 {
				foot := heights[i][int(x)] - raised - nameGap
				b := textBox{x - half, foot - nameHigh, x + half, foot}
				if !(b.top >= -room) || b.meetsAny(taken) { // also where the curve has no point
					continue
				}
				curves, cuts := p.crossed(b, heights, w)
				cost := math.Abs(x-peak) + 1.5*raised + 150*float64(curves) + 40*float64(cuts)
				if cost < best {
					best, at, name.plated = cost, b, curves+cuts > 0
					name.x, name.y = p.x.Min+(p.x.Max-p.x.Min)*x/w, (h-foot-nameGap)/h*p.top
				}
			}
		}
		if Finite(best) {
			taken, all = append(taken, at), append(all, name)
		}
	}
	return all
}

// crossed counts the curves and the cut-offs that pass through a box.
func (p densityPlan) crossed(b textBox, heights [][]float64, w float64) (curves, cuts int) {
	for _, ys := range heights {
		for k := int(b.left); k < int(math.Min(b.right, w-1)); k++ {
			if math.Max(ys[k], ys[k+1]) >= b.top && math.Min(ys[k], ys[k+1]) <= b.bottom+nameGap/2 {
				curves++
				break
			}
		}
	}
	for _, c := range p.cuts {
		if x := p.x.At(c, 0, w); x >= b.left && x <= b.right {
			cuts++
		}
	}
	return curves, cuts
}

// textBox is the place of a text, in pixels.
type textBox struct{ left, top, right, bottom float64 }

func (b textBox) meetsAny(others []textBox) bool {
	for _, o := range others {
		if b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom {
			return true
		}
	}
	return false
}

// nameSeries is the series of the names in an option.
func (p densityPlan) nameSeries() object {
	data := []object{}
	for _, n := range p.names(namesW, namesH, 0) {
		label := object{"color": fmt.Sprintf("@c%d", n.class)}
		if n.plated {
			label = plated(label)
		}
		data = append(data, object{"name": textName(n.text), "value": []any{coord(n.x), coord(n.y)}, "label": label})
	}
	return object{
		"silent": true, "symbolSize": 1, "itemStyle": object{"color": "@paper/0", "opacity": 1}, "data": data,
		"label": object{"show": true, "position": "top", "distance": nameGap, "formatter": "{b}", "fontSize": 12,
			"fontWeight": "bold", "textBorderColor": "@paper", "textBorderWidth": 3},
		"tooltip": object{"show": false}, "xAxisIndex": 0, "yAxisIndex": 0, "z": 10,
	}
}

// curveNames draws the names in an SVG.
func (d *drawing) curveNames(p densityPlan, left, top float64) {
	w, h := figW-figR-left, figBase-top
	for _, n := range p.names(w, h, headRoom) {
		x, y := p.x.At(n.x, left, figW-figR), figBase-n.y/p.top*h-nameGap-2
		if half := 3.6*float64(len([]rune(n.text))) + 2; n.plated {
			d.rect("fill-paper", x-half, y-nameHigh+3, 2*half, nameHigh+1)
		}
		d.text(fmt.Sprintf("note-b halo c%d", n.class), "middle", x, y, n.text)
	}
}
