package stat

import (
	"math"
	"slices"
)

// Curves are what test rows of two classes draw as they are; calibration, which is
// smoothed, stands apart. The API and every page that shows statistics have them all.
type Curves struct {
	Decisions []NetBenefit `json:"decision_curve"` // at the boundaries alone for a model without probabilities
	Gains     []GainsPoint `json:"gains"`          // null where no predictor orders the rows
}

// GainsPoint is what calling the rows from some score on events would find: Flagged is
// their share of all rows, Found the share of the events among them.
type GainsPoint struct {
	Flagged float64 `json:"flagged"`
	Found   float64 `json:"found"`
}

// gainsPoints is how many points of a gains curve there are at most.
const gainsPoints = 200

// gains returns the cumulative gains curve: rows by falling score, rows of one score
// together, so that a tie is a straight line. With the share π of events, rows flagged
// are π·TPR + (1−π)·FPR of the ROC curve, whose corners it has; its area is
// (1−π)·AUC + π/2. There is none without rows of both classes.
func gains(score []float64, event []bool) (all []GainsPoint) {
	share := float64(count(event)) / float64(len(event))
	for _, p := range ROC(score, event, gainsPoints).Points {
		all = append(all, GainsPoint{Flagged: share*p.TPR + (1-share)*p.FPR, Found: p.TPR})
	}
	return all
}

// Draw returns the curves of rows. A score is flat where no predictor orders the rows.
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

// middles stands a row of each band at the middle of the band: enough to ask
// whether it lies above a boundary.
func middles(pi []float64, band []int) []float64 {
	ends := append(append([]float64{0}, pi...), 1)
	p := make([]float64, len(band))
	for i, k := range band {
		p[i] = (ends[k] + ends[k+1]) / 2
	}
	return p
}

// decisionGrid is the thresholds 1 % … 99 % and the boundaries.
func decisionGrid(pi []float64) []float64 {
	all := slices.Clone(pi)
	for k := 1; k < 100; k++ {
		all = append(all, float64(k)/100)
	}
	slices.Sort(all)
	return slices.CompactFunc(all, func(a, b float64) bool { return math.Abs(b-a) < 1e-9 })
}
