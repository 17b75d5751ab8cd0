package stat

// Performance is what a report says of a model on rows that it did not see,
// each number with its 95 % interval; nil where a model has no probability, no
// boundaries, or the rows do not allow it.
type Performance struct {
	N                    int      `json:"n"`
	Events               int      `json:"events"`
	Rate                 Estimate `json:"rate"`                  // of events, Wilson
	AUC                  Estimate `json:"auc"`                   // DeLong
	Brier                Estimate `json:"brier"`                 // analytic
	ScaledBrier          Estimate `json:"scaled_brier"`          // delta method
	LogLoss              Estimate `json:"log_loss"`              // analytic
	CalibrationIntercept Estimate `json:"calibration_intercept"` // Wald
	CalibrationSlope     Estimate `json:"calibration_slope"`     // Wald
	ObservedExpected     Estimate `json:"observed_expected"`     // log-normal
	IntervalLoss         Estimate `json:"interval_loss"`         // analytic
	ICI                  Estimate `json:"ici"`                   // percentile bootstrap, when asked for
	E50                  Estimate `json:"e50"`                   // so too
	E90                  Estimate `json:"e90"`                   // so too
	CoxSnell             *float64 `json:"cox_snell_r2"`
}

// Perform measures a model. The errors of calibration get intervals from
// Draws.Replicates bootstrap samples, refitting the curve; none at 0.
func Perform(s Scores, d Draws) Performance {
	s.check()
	r := Performance{N: len(s.Event), Events: count(s.Event)}
	r.Rate = Proportion(r.Events, r.N)
	r.AUC = estimate(AUC(s.Score, s.Event))
	if s.Band != nil {
		r.IntervalLoss = BandLoss(s.Pi, s.Band, s.Event)
	}
	if s.Probability != nil {
		r.probabilities(s.Probability, s.Event, d)
	}
	return r
}

// probabilities fills in what needs P(event).
func (r *Performance) probabilities(p []float64, event []bool, d Draws) {
	r.Brier, r.ScaledBrier, r.LogLoss = Brier(p, event), ScaledBrier(p, event), LogLoss(p, event)
	c := Recalibrate(p, event)
	r.CalibrationIntercept, r.CalibrationSlope = c.Intercept, c.Slope
	r.ObservedExpected = ObservedExpected(p, event)
	r.CoxSnell = finite(CoxSnell(p, event))
	e := CalibrationErrors(p, event)
	draws := d.run(len(p), 3, func(rows []int) []float64 {
		e := CalibrationErrors(at(p, rows), at(event, rows))
		return e[:3]
	})
	for k, to := range []*Estimate{&r.ICI, &r.E50, &r.E90} {
		low, high := Percentiles(draws[k])
		*to = estimate(e[k], low, high)
	}
}

// at returns the values of the rows.
func at[T any](v []T, rows []int) []T {
	u := make([]T, len(rows))
	for i, row := range rows {
		u[i] = v[row]
	}
	return u
}
