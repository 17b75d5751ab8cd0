package compare

import "taper/internal/engine/stat"

// Curves of a run's test rows; empty unless there are two classes and the model uses a
// predictor.
type Curves struct {
	Run         string            `json:"run"`
	ROC         []stat.ROCPoint   `json:"roc"`
	Calibration []stat.SmoothPair `json:"calibration"` // empty without probabilities, and of a recalibrated run
	ICI         *float64          `json:"ici"`         // mean distance of the calibration curve from the diagonal
}

const (
	rocPoints         = 100
	calibrationPoints = 60
)

func curves(r Run, s sample) Curves {
	c := Curves{Run: r.ID, ROC: []stat.ROCPoint{}, Calibration: []stat.SmoothPair{}}
	if s.scores.Event == nil || r.Result.NoPredictor {
		return c
	}
	if points := stat.ROC(s.scores.Score, s.scores.Event, rocPoints).Points; points != nil {
		c.ROC = points
	}
	if s.scores.Probability != nil && !r.Result.IsRecalibrated() {
		if smooth := stat.CalibrationCurve(s.scores.Probability, s.scores.Event, calibrationPoints,
			1); smooth.Points != nil {
			c.Calibration, c.ICI = smooth.Points, smooth.ICI
		}
	}
	return c
}
