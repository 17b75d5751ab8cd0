package fluid

import (
	"math"
	"strings"

	"taper/internal/viz"
)

// LossPicture is a loss curve with the points at their margins.
type LossPicture struct {
	Curves         []LossCurve // one, or one per class; none if the loss is no function of one margin
	CleanZ, CleanV []float64
	FlipZ, FlipV   []float64
	Ends           [2]float64 // range of margins on the axis
	Top            float64    // largest loss on the axis, except for the bound
	Cap            float64    // loss bound; 0 = none
	Steered        bool       // drawn in the accent colour, otherwise in the dash of the reference
	Axis           string
	Held           [3]float64 // smallest z, largest z, top: used while Ends fit; zero = fit again
}

// LossCurve is a loss as a function of the margin.
type LossCurve struct {
	Name string
	Z, V []float64
}

// Scales are the axes of the picture. Held axes stay while they contain the ends and are not
// far too large for them.
func (p LossPicture) Scales() (x, y viz.Scale) {
	lo, hi := p.Ends[0], p.Ends[1]
	top := math.Max(p.Top, p.Cap) * 1.04
	if !(top > 0) || !viz.Finite(top) {
		top = 1
	}
	held := p.Held
	if held[2] >= top && held[2] <= 4*top && held[0] <= lo+.6 && held[1] >= hi-.6 && held[1]-held[0] < 3*(hi-lo) {
		return viz.FrozenScale(held[0], held[1], 5), viz.FrozenScale(0, held[2], 4)
	}
	return viz.FrozenScale(lo, hi, 5), viz.NewScale(0, top, 3)
}

// SVG draws the picture: clean points as ticks, flipped ones as rings.
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
		zs, vs := inside(c.Z, c.V, x.Min, x.Max)
		f.path(p.class(i), curvePath(x, y, zs, vs))
	}
	f.path("pg-clean", uprights(x, y, p.CleanZ, p.CleanV))
	f.rings(x, y, p.FlipZ, p.FlipV)
	return f.svg("pg-loss")
}

// inside is the part of a curve with ascending z between two ends.
func inside(z, v []float64, lo, hi float64) (zs, vs []float64) {
	for i := range z {
		for _, end := range []float64{lo, hi} {
			if i > 0 && z[i-1] < end && end < z[i] {
				zs, vs = append(zs, end), append(vs, v[i-1]+(end-z[i-1])/(z[i]-z[i-1])*(v[i]-v[i-1]))
			}
		}
		if z[i] >= lo && z[i] <= hi {
			zs, vs = append(zs, z[i]), append(vs, v[i])
		}
	}
	return zs, vs
}

// class is the CSS class of a curve, by class if there are two.
func (p LossPicture) class(i int) string {
	switch {
	case len(p.Curves) > 1:
		return []string{"ln c0l", "ln c1l"}[i%2]
	case p.Steered:
		return "ln s1"
	}
	return "ln s2"
}

// uprights mark the clean points by short vertical ticks on the curve.
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
