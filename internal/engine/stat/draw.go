package stat

import (
	"math"
	"slices"
)

// Curves are the curves computed from test rows of two classes without smoothing; the calibration curve, which
// is smoothed, is kept separately. The API and all pages with statistics show the same curves.
type Curves struct {
	Decisions []NetBenefit `json:"decision_curve"` // only at the boundaries for a model without probabilities
	Gains     []GainsPoint `json:"gains"`          // null where no predictor orders the rows
}

// GainsPoint is the result of predicting an event for the rows above some score: Flagged is their share of all
// rows, Found the share of events among them.
type GainsPoint struct {
	Flagged float64 `json:"flagged"`
	Found   float64 `json:"found"`
}

// gainsPoints is the largest number of points of a gains curve.
const gainsPoints = 200

// gains returns the cumulative gains curve over rows by decreasing score. Tied rows are added together, so a
// tie is a straight line. With the event rate π, the share flagged is π·TPR + (1−π)·FPR of the ROC curve; both
// curves have the same corners, and the area here is (1−π)·AUC + π/2. There is no curve without rows of both
// classes.
func gains(score []float64, event []bool) (all []GainsPoint) {
	share := float64(count(event)) / float64(len(event))
	for _, p := range ROC(score, event, gainsPoints).Points {
		all = append(all, GainsPoint{Flagged: share*p.TPR + (1-share)*p.FPR, Found: p.TPR})
	}
	return all
}

// Draw returns the curves of rows; flat means that no predictor orders them.
func Draw(s Scores, flat bool) (c Curves) {
	if len(s.Event) == 0 {
		return c
	}
	risk, thresholds := s.Probability, decisionGrid(s.Pi)
	if risk == nil || flat {
		risk, thresholds = middles(s.Pi, s.Band), s.Pi
	}
	c.Decisions = DecisionCurve(risk, s.Event, thresholds)
	if !flat {
		c.Gains = gains(s.Score, s.Event)
	}
	return c
}

// middles returns for each row the middle of its band, which suffices to tell whether the row lies above a
// boundary.
func middles(pi []float64, band []int) []float64 {
	ends := append(append([]float64{0}, pi...), 1)
	p := make([]float64, len(band))
	for i, k := range band {
		p[i] = (ends[k] + ends[k+1]) / 2
	}
	return p
}

// decisionGrid returns the thresholds 1 % … 99 % and the boundaries.
func decisionGrid(pi []float64) []float64 {
	all := slices.Clone(pi)
	for k := 1; k < 100; k++ {
		all = append(all, float64(k)/100)
	}
	slices.Sort(all)
	return slices.CompactFunc(all, func(a, b float64) bool { return math.Abs(b-a) < 1e-9 })
}
