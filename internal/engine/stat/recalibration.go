package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Recalibration is what would make predicted risks right: logit P = Intercept +
// logit p, and logit P = JointIntercept + Slope·logit p.
type Recalibration struct {
	Intercept      Estimate `json:"intercept"` // 0 is best
	Slope          Estimate `json:"slope"`     // 1 is best
	JointIntercept *float64 `json:"joint_intercept"`
}

// Recalibrate returns Cox's recalibration (1958) with Wald intervals from the
// information at the optimum, as R's glm with confint.default gives them. What
// Calibration leaves undefined is nil.
func Recalibrate(p []float64, event []bool) (r Recalibration) {
	x, ok := logits(p, event)
	if !ok {
		return r
	}
	r.Intercept = normal(offset(x, event))
	l := line(x, event)
	r.JointIntercept, r.Slope = finite(l.intercept), normal(l.slope, l.slopeSE)
	return r
}

// ObservedExpected returns events over Σp with the interval of its logarithm,
// whose standard error is √((1−ȳ)/events): the expected number counts as fixed
// (Debray et al. 2017, BMJ 356:i6460, appendix). No interval without events.
func ObservedExpected(p []float64, event []bool) Estimate {
	sameLength(len(p), len(event))
	events := float64(count(event))
	ratio := events / floats.Sum(p)
	e := logNormal(math.Log(ratio), math.Sqrt((1-share(event))/events))
	e.Value = finite(ratio)
	return e
}
