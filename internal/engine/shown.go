package engine

import "taper/internal/engine/stat"

// Shown are the figures of a fit that a page showed before the fit was validated. They are stored with the
// validated run so that its report can compare both.
type Shown struct {
	How     string             `json:"how"` // how the figures were obtained, as a sentence
	L2      *float64           `json:"l2,omitempty"`
	Rows    *int               `json:"rows,omitempty"`  // rows in bands whose interval lies within the band's limits
	Bands   *int               `json:"bands,omitempty"` // number of such bands
	Metrics map[string]float64 `json:"metrics"`         // keyed by the id of the statistic
}

// shownStatistics are the ids of the statistics that a page of a fit shows first: for tasks with an event, and
// for multiclass tasks.
var shownStatistics = [2][]string{{"auc", "interval_loss", "brier"}, {"log_loss", "mae", "abstention_loss", "accuracy"}}

// Shown returns the figures of a result.
func (r *Result) Shown(how string) *Shown {
	s := &Shown{How: how, Metrics: map[string]float64{}}
	if r.L2 > 0 {
		s.L2 = new(r.L2)
	}
	ids := shownStatistics[0]
	if r.Classes != nil {
		ids = shownStatistics[1]
	} else {
		agree := r.bands(stat.Inside)
		s.Rows, s.Bands = new(agree.rows), new(len(agree.bands))
	}
	for _, id := range ids {
		if v := r.Judged(id); v != nil {
			s.Metrics[id] = *v
		}
	}
	return s
}

// Judged returns a statistic of the test rows by its id, for any task; nil if the result has none.
func (r *Result) Judged(id string) *float64 {
	if r.Classes != nil {
		return r.Classes.Metrics.Test.Of(id).Value
	}
	return r.Metrics.Test.Of(id).Value
}
