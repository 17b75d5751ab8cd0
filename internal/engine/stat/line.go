package stat

import (
	"taper/internal/engine/odds"

	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// overlap reports whether the ranges of the two classes overlap by more than a boundary point, so that the
// likelihood has a finite maximum (Albert and Anderson 1984).
func overlap(a, b []float64) bool {
	return slices.Min(a) < slices.Max(b) && slices.Min(b) < slices.Max(a)
}

// fitted is the logistic regression of event on one variable.
type fitted struct {
	intercept, slope, slopeSE float64
}

// line returns the logistic regression of event on x, NaN where the likelihood has no finite maximum. It
// applies Newton's method to the standardised x. A step that decreases the likelihood is halved, unless it is
// so small that rounding hides the gain.
func line(x []float64, event []bool) fitted {
	if !overlap(split(x, event)) {
		return fitted{math.NaN(), math.NaN(), math.NaN()}
	}
	mean, sd := stat.PopMeanStdDev(x, nil)
	z := make([]float64, len(x))
	for i, v := range x {
		z[i] = (v - mean) / sd
	}
	a, b := odds.Logit(share(event)), 0.0
	best := logLik(a, b, z, event)
	for range steps {
		da, db := newton(a, b, z, event)
		if math.IsInf(da-db, 0) || math.IsNaN(da-db) { // the information underflowed to 0
			return fitted{math.NaN(), math.NaN(), math.NaN()}
		}
		l := logLik(a+da, b+db, z, event)
		for !(l >= best) && math.Abs(da)+math.Abs(db) > 1e-5*(1+math.Abs(a)+math.Abs(b)) {
			da, db = da/2, db/2
			l = logLik(a+da, b+db, z, event)
		}
		a, b, best = a+da, b+db, l
		if math.Abs(da)+math.Abs(db) <= 1e-13*(1+math.Abs(a)+math.Abs(b)) {
			break
		}
	}
	return fitted{a - b*mean/sd, b / sd, slopeSE(a, b, z, event) / sd}
}

// newton returns the Newton step of the log likelihood of a + b·z.
func newton(a, b float64, z []float64, event []bool) (da, db float64) {
	ga, gb, haa, hab, hbb := derivatives(a, b, z, event)
	det := haa*hbb - hab*hab
	return (hbb*ga - hab*gb) / det, (haa*gb - hab*ga) / det
}

// slopeSE returns the standard error of b from the information at a + b·z.
func slopeSE(a, b float64, z []float64, event []bool) float64 {
	_, _, haa, hab, hbb := derivatives(a, b, z, event)
	return math.Sqrt(haa / (haa*hbb - hab*hab))
}

// derivatives returns the gradient of the log likelihood of a + b·z and the
// information.
func derivatives(a, b float64, z []float64, event []bool) (ga, gb, haa, hab, hbb float64) {
	for i, v := range z {
		r, w := residual(a+b*v, event[i])
		ga, gb = ga+r, gb+r*v
		haa, hab, hbb = haa+w, hab+w*v, hbb+w*v*v
	}
	return ga, gb, haa, hab, hbb
}

// residual returns y − σ(f) and σ(f)σ(−f), without cancellation for large |f|.
func residual(f float64, event bool) (r, w float64) {
	return residualOf(f, math.Exp(-math.Abs(f)), event)
}

// residualOf is residual for a known e = exp(−|f|).
func residualOf(f, e float64, event bool) (r, w float64) {
	small, large := e/(1+e), 1/(1+e) // σ(−|f|), σ(|f|)
	w = small * large
	switch {
	case event == (f > 0):
		r = small
	default:
		r = large
	}
	if !event {
		r = -r
	}
	return r, w
}

// logLik returns Σ log P(observed outcome) at scores a + b·z.
func logLik(a, b float64, z []float64, event []bool) (l float64) {
	for i, v := range z {
		f := a + b*v
		if event[i] {
			f = -f
		}
		l -= odds.Softplus(f)
	}
	return l
}

// steps is the largest number of Newton iterations, far more than bisection or halving needs for finite data.
const steps = 500

// share returns the event rate.
func share(event []bool) float64 {
	return float64(count(event)) / float64(len(event))
}
