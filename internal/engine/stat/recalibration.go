package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

var calibration = []Statistic{
	{ID: "calibration_intercept", Label: "Calibration intercept", Better: BestAtZero, Digits: 3, Averaged: true,
		Reveals: Total, Pinned: true, Needs: NeedProbability | NeedPredictor,
		Text:   "The a of logit P = a + logit p: above 0 if the predicted risks are too low on average.",
		Source: "Cox 1958", How: "Wald",
		of: func(r *scored) Estimate { return r.recalibrated().Intercept }},
	{ID: "calibration_slope", Label: "Calibration slope", Short: "Slope", Better: BestAtOne, Digits: 3, Averaged: true,
		Reveals: Total, Pinned: true, Skewed: true, Needs: NeedProbability | NeedPredictor,
		Text: "The b of logit P = a + b·logit p: below 1 if the predicted risks are too extreme (overfitting), above 1 " +
			"if not extreme enough.",
		Source: "Cox 1958", How: "Wald",
		of: func(r *scored) Estimate { return r.recalibrated().Slope }},
	{ID: "observed_expected", Label: "Observed / expected", Short: "O / E", Better: BestAtOne, Digits: 3,
		Reveals: Total, Pinned: true, Contrast: ByRatio, Needs: NeedProbability,
		Text:   "Observed events over the sum of predicted risks.",
		Source: "Debray et al. 2017; its interval: Cochran 1977", How: "log-normal, standard error by linearisation",
		of: func(r *scored) Estimate { return ObservedExpected(r.Probability, r.Event) }},
	curveError("ici", "ICI", "The mean distance of the smooth calibration curve (logistic regression on a restricted "+
		"cubic spline of logit p, up to five knots) from the diagonal. It is above 0 for perfect calibration, too, and in "+
		"resampled rows larger, so its interval does not reach 0.", 0, false),
	{ID: ChanceICI, Label: "ICI by chance", Better: NoDirection, Digits: 4, Contrast: NoContrast,
		Reveals: Total, // of nearly equal risks it follows from their sum
		Needs:   NeedProbability | NeedPredictor,
		Text: "The mean ICI of outcomes drawn at random with exactly the predicted risks, thus of perfect calibration with " +
			"as many rows.",
		Source: "a parametric bootstrap (Davison and Hinkley 1997)", How: "the middle 95\u00a0% of the outcomes drawn",
		of: func(*scored) Estimate { return Estimate{} }}, // PerformDrawn draws the outcomes
	curveError("e50", "E50", "The median of the same distance.", 1, true),
	curveError("e90", "E90", "Its 90th percentile.", 2, true),
}

// curveError is the statistic for entry k of CalibrationErrors.
func curveError(id, label, text string, k int, unlisted bool) Statistic {
	return Statistic{ID: id, Label: label, Better: BestAtZero, Digits: 4, Reveals: Nothing, Pinned: true,
		Unlisted: unlisted, Contrast: NoContrast, Text: text, Source: "Austin and Steyerberg 2019", How: Resampled,
		Needs: NeedProbability | NeedPredictor, resampled: true,
		of: func(r *scored) Estimate { return Estimate{Value: Finite(r.curveErrors()[k])} }}
}

// Recalibration holds the two recalibration models logit P = Intercept + logit p and logit P = JointIntercept +
// Slope·logit p. Intercept is 0 when the mean risk is right. Slope is 1 when the spread of the risks is right
// and below 1 when they are too extreme.
type Recalibration struct {
	Intercept      Estimate `json:"intercept"` // 0 is best
	Slope          Estimate `json:"slope"`     // 1 is best
	JointIntercept *float64 `json:"joint_intercept"`
}

// Recalibrate returns Cox's recalibration (1958) with Wald intervals from the information at the optimum, as
// R's glm with confint.default does. All parts are nil without rows of both classes. There is no slope when p
// is constant or separates the classes up to rounding, since the likelihood then has no finite maximum. Risks
// of 0 and 1 are replaced by the nearest doubles inside (0, 1); rms::val.prob omits such rows, which gives the
// same result where those predictions were right.
func Recalibrate(p []float64, event []bool) (r Recalibration) {
	x, ok := logits(p, event)
	if !ok {
		return r
	}
	r.Intercept = normal(offset(x, event))
	l := line(x, event)
	r.JointIntercept, r.Slope = Finite(l.intercept), normal(l.slope, l.slopeSE)
	return r
}

// ObservedExpected returns events/Σp with a log-normal interval. The standard error is that of a ratio of two sums
// over the same rows, √(n/(n−1)·Σ(y − r·p)²)/events (Cochran 1977, 6.3). √((1−ȳ)/events), as often
// printed, is the error of as many rows that all have the same risk: the better the risks discriminate, the
// more it is too large. There is no interval without events or without non-events: such rows do not show how far
// outcomes vary.
func ObservedExpected(p []float64, event []bool) Estimate {
	sameLength(len(p), len(event))
	n, events := float64(len(p)), float64(count(event))
	ratio := events / floats.Sum(p)
	sum := 0.0
	for i, risk := range p {
		off := -ratio * risk
		if event[i] {
			off++
		}
		sum += off * off
	}
	if events == 0 || events == n {
		return Estimate{Value: Finite(ratio)}
	}
	return logNormal(math.Log(ratio), math.Sqrt(n/(n-1)*sum)/events)
}
