package compare

import "taper/internal/engine/metric"

// Curves are what a run's judged rows draw; empty without two classes, and where
// no predictor is used.
type Curves struct {
	Run         string              `json:"run"`
	ROC         []metric.ROCPoint   `json:"roc"`
	Calibration []metric.SmoothPair `json:"calibration"` // none without probabilities
	ICI         *float64            `json:"ici"`         // mean distance of the calibration curve from the diagonal
}

const (
	rocPoints         = 100
	calibrationPoints = 60
)

func curves(r Run, s sample) Curves {
	c := Curves{Run: r.ID, ROC: []metric.ROCPoint{}, Calibration: []metric.SmoothPair{}}
	if s.scores.Event == nil || r.Result.NoPredictor {
		return c
	}
	if points := metric.ROC(s.scores.Score, s.scores.Event, rocPoints).Points; points != nil {
		c.ROC = points
	}
	if s.scores.Probability != nil {
		if smooth := metric.CalibrationCurve(s.scores.Probability, s.scores.Event, calibrationPoints,
			1); smooth.Points != nil {
			c.Calibration, c.ICI = smooth.Points, smooth.ICI
		}
	}
	return c
}
