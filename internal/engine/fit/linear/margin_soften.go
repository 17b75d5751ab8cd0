package linear

import (
	"taper/internal/engine/loss"
)

const softSteps = 6

// Soften returns the losses of a graduated start between the logistic loss and a loss of a family,
// equally spaced along the path that the family defines (loss.Family.Soften). It is nil where there is
// none.
func Soften(family string, v loss.Values) []loss.Margin {
	f, _ := loss.FamilyByID(family)
	if f.Soften == nil {
		return nil
	}
	at := f.Soften(v)
	if at == nil {
		return nil
	}
	path := make([]loss.Margin, softSteps-1)
	for k := range path {
		path[k] = at(float64(k+1) / softSteps)
	}
	return path
}

// rampWidths are the half-widths of the parabolas at the ramp's two kinks, relative to the distance
// between the kinks. At the last one the smoothed loss differs from the ramp by at most 1/2,000 of its
// height.
var rampWidths = [...]float64{0.5, 0.1, 0.02, 0.004, 0.001}

// smoothRamps returns ramps smoothed with decreasing widths.
func smoothRamps(r loss.Ramp) []loss.Margin {
	stages := make([]loss.Margin, len(rampWidths))
	for k, w := range rampWidths {
		stages[k] = smoothRamp{r.S, w * (1 - r.S)}
	}
	return stages
}

// smoothRamp is the ramp with a parabola over ±width at both kinks. Its slope is continuous, and it
// differs from the ramp by at most width/4.
type smoothRamp struct{ s, width float64 }

var _ loss.Margin = smoothRamp{}

func (r smoothRamp) Value(_, z float64) float64 { return r.bend(1-z) - r.bend(r.s-z) }

func (r smoothRamp) Slope(_, z float64) float64 { return r.tilt(r.s-z) - r.tilt(1-z) }

// bend is [u]_+ smoothed.
func (r smoothRamp) bend(u float64) float64 {
	switch {
	case u <= -r.width:
		return 0
	case u >= r.width:
		return u
	}
	return (u + r.width) * (u + r.width) / (4 * r.width)
}

// tilt is the derivative of bend.
func (r smoothRamp) tilt(u float64) float64 {
	return min(1, max(0, (u+r.width)/(2*r.width)))
}
