package engine

import "taper/internal/engine/stat"

// Shown are the numbers of a fit as a page showed them before it was validated: they are
// kept with the run that validates it, so that its own can be held against them.
type Shown struct {
	How     string             `json:"how"` // how they were come by, in words
	L2      *float64           `json:"l2,omitempty"`
	Rows    *int               `json:"rows,omitempty"`  // in bands whose observed rate agrees with their label
	Bands   *int               `json:"bands,omitempty"` // such bands
	Metrics map[string]float64 `json:"metrics"`         // by the id of a statistic
}

// shownStatistics are the ids that a page of a fit leads with, of two classes and of
// several.
var shownStatistics = [2][]string{{"auc", "interval_loss", "brier"}, {"log_loss", "mae", "abstention_loss", "accuracy"}}

// Shown are the numbers of a result.
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

// Judged is a statistic of the test rows, of two classes or of several; nil without.
func (r *Result) Judged(id string) *float64 {
	if r.Classes != nil {
		return r.Classes.Metrics.Test.Of(id).Value
	}
	return r.Metrics.Test.Of(id).Value
}
