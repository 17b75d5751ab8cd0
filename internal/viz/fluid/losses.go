package fluid

import (
	"math"
	"strings"

	"taper/internal/viz"
)

// LossPicture is a loss with the points sitting on it at their margins.
type LossPicture struct {
	Curves         []LossCurve // one, or one a class; none where the loss has none in one margin
	CleanZ, CleanV []float64
	FlipZ, FlipV   []float64
	Cap            float64 // 0 for none
	Steered        bool    // drawn in the accent, else in the reference's dash
	Axis           string
	Held           [3]float64 // least z, largest z, top: kept while the points fit; zero to fit anew
}

// LossCurve is a loss of the margin.
type LossCurve struct {
	Name string
	Z, V []float64
}

// Scales are the axes of a loss picture. What was held stays while it shows
// the points and is not far too large for them.
func (p LossPicture) Scales() (x, y viz.Scale) {
	var zs [][]float64
	for _, c := range p.Curves {
		zs = append(zs, c.Z)
	}
	lo, hi := ends(append(zs, p.CleanZ, p.FlipZ)...)
	_, top := ends(p.CleanV, p.FlipV)
	top = math.Max(top, p.Cap) * 1.04
	if !(top > 0) || !viz.Finite(top) {
		top = 1
	}
	held := p.Held
	if held[2] >= top && held[2] <= 4*top && held[0] <= lo+.6 && held[1] >= hi-.6 && held[1]-held[0] < 3*(hi-lo) {
		return viz.FrozenScale(held[0], held[1], 5), viz.FrozenScale(0, held[2], 4)
	}
	return viz.FrozenScale(lo, hi, 5), viz.NewScale(0, top, 3)
}

// SVG draws the picture: clean points are strokes, flipped ones rings.
func (p LossPicture) SVG() string {
	f := &fluid{}
	x, y := p.Scales()
	f.yTicks(y, true)
	f.under.WriteString(`<line class="ax-l" x1="0" y1="100%" x2="100%" y2="100%"/>`)
	f.xTicks(x, p.Axis)
	if p.Cap > 0 && p.Cap <= y.Max {
		v := y.At(p.Cap, 1, 0)
		f.line("capline", 0, v, 1, v)
		f.text("ax t1 halo", "end", 1, v, -4, -5, "cap "+viz.Number(p.Cap, 2))
	}
	for i, c := range p.Curves {
		f.path(p.class(i), curvePath(x, y, c.Z, c.V))
	}
	f.path("pg-clean", uprights(x, y, p.CleanZ, p.CleanV))
	f.rings(x, y, p.FlipZ, p.FlipV)
	return f.svg("pg-loss")
}

// class is the look of a curve: by class where there are two.
func (p LossPicture) class(i int) string {
	switch {
	case len(p.Curves) > 1:
		return []string{"ln c0l", "ln c1l"}[i%2]
	case p.Steered:
		return "ln s1"
	}
	return "ln s2"
}

// uprights mark the clean points by short upright strokes through the curve.
func uprights(x, y viz.Scale, xs, ys []float64) string {
	const half = .045
	var d strings.Builder
	seen := map[int]bool{}
	for i := range xs {
		u, v := x.At(xs[i], 0, 1), y.At(ys[i], 1, 0)
		cell := int(u * 600)
		if !viz.Finite(u) || u < 0 || u > 1 || seen[cell] {
			continue
		}
		seen[cell] = true
		d.WriteString("M" + unit(u) + " " + unit(v-half) + "V" + unit(v+half))
	}
	return d.String()
}

func ends(all ...[]float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, vs := range all {
		for _, v := range vs {
			if viz.Finite(v) {
				lo, hi = math.Min(lo, v), math.Max(hi, v)
			}
		}
	}
	return lo, hi
}
