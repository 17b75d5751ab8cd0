package stat

import (
	"math"
	"slices"
)

// Curves are what judged rows of two classes draw as they are; calibration, which is
// smoothed, stands apart. The API and every page that shows statistics have them all.
type Curves struct {
	Decisions []NetBenefit `json:"decision_curve"` // at the boundaries alone for a model without probabilities
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
