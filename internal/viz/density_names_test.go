package viz

import (
	"math"
	"testing"

	"taper/internal/engine"
)

// TestDensityNames: on screens of any width the names of four curves that overlap are apart, in the plot, and a cut-off
// or a curve runs through one only under its plate.
func TestDensityNames(t *testing.T) {
	p := planDensity(&engine.Result{Density: []engine.Density{bell("NC", -2.6, 1.8), bell("sMCI", -1.4, 2), bell("pMCI", 1.2, 2.2), bell("AD", 3, 1.6)},
		Boundaries: []float64{.25, .5, .75}, Delta: []float64{-1.1, 0, 1.1}}, Axes{})
	names := p.names(namesW, namesH, 0)
	if len(names) != 4 {
		t.Fatalf("%d names of 4 curves", len(names))
	}
	for _, w := range []float64{namesW, 374, 520, 1160} {
		var heights [][]float64
		for _, c := range p.curves {
			ys, line := make([]float64, int(w)+1), polyLine{c.X, c.Y}
			for k := range ys {
				ys[k] = namesH * (1 - line.at(p.x.Min+(p.x.Max-p.x.Min)*float64(k)/w)/p.top)
			}
			heights = append(heights, ys)
		}
		var placed []textBox
		for _, n := range names {
			half := 3.6*float64(len(n.text)) + 3
			x, foot := p.x.At(n.x, 0, w), namesH*(1-n.y/p.top)-nameGap
			b := textBox{x - half, foot - nameHigh, x + half, foot}
			if b.meetsAny(placed) || b.left < 0 || b.right > w || b.top < -.01 {
				t.Errorf("%v px: %s is at %.0f, among %.0f", w, n.text, b, placed)
			}
			if curves, cuts := p.crossed(b, heights, w); curves > 0 || cuts > 0 && !n.plated {
				t.Errorf("%v px: %d curves and %d cut-offs run through %s", w, curves, cuts, n.text)
			}
			placed = append(placed, b)
		}
	}
}

// TestHighestNamed: in print the name of the highest curve stands above its peak, in the room over the plot, and not
// under its neighbour.
func TestHighestNamed(t *testing.T) {
	p := planDensity(&engine.Result{Density: []engine.Density{bell("benign", -2.6, .7), bell("malignant", 2, 2.5)},
		Boundaries: []float64{.5}, Delta: []float64{.2}}, Axes{})
	names := p.names(396, 120, headRoom)
	if len(names) != 2 || math.Abs(names[0].x+2.6) > .3 || math.Abs(names[1].x-2) > 1.5 {
		t.Errorf("%+v", names)
	}
}

// bell is the density of a normal distribution.
func bell(level string, mean, sd float64) engine.Density {
	d := engine.Density{Level: level, N: 100, Median: mean}
	for x := -11.0; x <= 11; x += .1 {
		d.X, d.Y = append(d.X, x), append(d.Y, math.Exp(-(x-mean)*(x-mean)/(2*sd*sd))/sd)
	}
	return d
}
