package engine

import (
	"iter"
	"math"
	"slices"

	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// Statistics is what the stored rows of a run of two classes say (docs/clinical.md
// §2). Anybody with rows.csv can work it out again.
type Statistics struct {
	Apparent   stat.Performance `json:"apparent"`
	Judged     stat.Performance `json:"judged"` // on rows not seen in training, unless the run had none
	Boundaries []stat.Boundary  `json:"boundaries"`
	Bands      []stat.BandRatio `json:"bands"`
	stat.Curves
	Calibration  *stat.SmoothedCalibration `json:"calibration"`    // null without probabilities
	Reclassified *stat.Reclassification    `json:"reclassified"`   // from logistic regression; of runs kept since it is
	AUC          *stat.AUCDifference       `json:"auc_difference"` // to logistic regression; so too
	Paired       *stat.Comparison          `json:"paired"`         // so too, with the losses by a paired bootstrap
	Ordered      *Ordering                 `json:"ordered"`        // null without groups that are scored only
	SampleSize   stat.SampleSize           `json:"sample_size"`
	Inflation    []Inflation               `json:"inflation"`
}

// Ordering is the score over groups in an order that somebody states.
type Ordering struct {
	Levels []string            `json:"levels"`
	N      []int               `json:"n"`
	Median []*float64          `json:"median"`
	All    stat.OrderedGroups  `json:"all"`
	Unseen *stat.OrderedGroups `json:"unseen"` // groups that no model trained on; null under two
}

// Evaluates reports whether a row evaluates its run: it was held out, or the run is
// apparent and has nothing else to go by.
func (r *RowScore) Evaluates(apparent bool) bool {
	return r.Split != "scored" && (apparent || r.Split != "train")
}

// Judged returns the rows that evaluate a run of a spec.
func Judged(spec runspec.Spec, rows []RowScore) []RowScore {
	var out []RowScore
	for _, row := range rows {
		if row.Evaluates(spec.Validation.Kind == "none") {
			out = append(out, row)
		}
	}
	return out
}

// SeenRows are the rows of the table, with their outcomes, that any model of a run was
// trained on or evaluated by.
func SeenRows(rows []RowScore) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range rows {
			if rows[i].Split != "scored" && !yield(rows[i].Row, rows[i].Outcome) {
				return
			}
		}
	}
}

// ScoresOf gathers rows as metric wants them.
func (r *Result) ScoresOf(rows []RowScore) stat.Scores {
	s := stat.Scores{Pi: r.Boundaries}
	for _, row := range rows {
		s.Event = append(s.Event, r.Positive.Has(row.Outcome))
		score := row.Score
		if r.NoPredictor { // rows tie: what is left between them is their folds'
			score = 0
		}
		s.Score = append(s.Score, score)
		s.Band = append(s.Band, row.Stratum)
		if row.Probability != nil {
			s.Probability = append(s.Probability, *row.Probability)
		}
	}
	return s
}

// Statistics evaluates a finished run by its rows. Order lists the groups of the
// outcome from the least to the most; nil is the other class, those scored only
// as the spec lists them, the event.
func (r *Result) Statistics(spec runspec.Spec, rows []RowScore, order []string) Statistics {
	s := r.ScoresOf(Judged(spec, rows))
	st, kept := r.KeptStatistics()
	st.Boundaries, st.Bands = stat.Boundaries(s.Pi, s.Band, s.Event), stat.BandRatios(s.Pi, s.Band, s.Event)
	st.Ordered = r.ordering(spec, rows, order)
	st.Curves = stat.Draw(s, r.NoPredictor)
	if s.Probability != nil && !r.NoPredictor {
		st.Calibration = r.calibration(s)
	}
	if !kept {
		if st.Judged = stat.Perform(s); r.NoPredictor {
			unrank(&st.Judged)
		}
		st.Apparent = r.Metrics.Train.Performance() // what older runs keep of their training rows
		st.SampleSize, st.Inflation = r.sampleSize(st.Judged), []Inflation{}
	}
	return st
}

// sampleSize is what the literature asks for a model of so many parameters.
func (r *Result) sampleSize(judged stat.Performance) stat.SampleSize {
	parameters, r2 := len(r.Coefficients)-1, math.NaN()
	if r.Clinical != nil {
		parameters = r.Clinical.Parameters
	}
	if v := judged.CoxSnell; v != nil {
		r2 = *v
	}
	return stat.Riley(r.Flow.Trained, r.Flow.TrainedEvents, max(parameters, 0), r2)
}

// KeptStatistics are what of Statistics is kept with a run and needs no rows: its performance, the
// inflation of its terms, and what its size asks. A run of before they were kept has none.
func (r *Result) KeptStatistics() (st Statistics, ok bool) {
	c := r.Clinical
	if c == nil {
		return st, false
	}
	st.Apparent, st.Judged, st.Reclassified, st.AUC, st.Paired = c.Apparent, c.Judged, c.Reclassified, c.AUC, c.Paired
	st.Inflation, st.SampleSize = present(c.Inflation), r.sampleSize(c.Judged)
	return st, true
}

// calibration is the curve kept with the run, else made from its rows.
func (r *Result) calibration(s stat.Scores) *stat.SmoothedCalibration {
	if r.Pictures != nil && r.Pictures.Calibration != nil {
		return r.Pictures.Calibration
	}
	return stat.StoredCurve(s)
}

// ClassOf names the class of a level; a level of neither is its own.
func (r *Result) ClassOf(level string) string {
	switch {
	case r.Positive.Has(level):
		return r.Positive.String()
	case r.Negative.Has(level):
		return r.Negative.String()
	}
	return level
}

// ordering tests whether the score rises over the groups.
func (r *Result) ordering(spec runspec.Spec, rows []RowScore, order []string) *Ordering {
	if len(spec.ScoreOnly) == 0 || r.NoPredictor {
		return nil
	}
	if order == nil {
		order = slices.Concat([]string{r.Negative.String()}, spec.ScoreOnly, []string{r.Positive.String()})
	}
	o := &Ordering{Levels: order, N: make([]int, len(order)), Median: make([]*float64, len(order))}
	var group []int
	var score []float64
	each := make([][]float64, len(order))
	for _, row := range rows {
		if k := slices.Index(order, r.ClassOf(row.Outcome)); k >= 0 {
			group, score = append(group, k), append(score, row.Score)
			each[k] = append(each[k], row.Score)
		}
	}
	unseen := 0
	for k, v := range each {
		if o.N[k] = len(v); len(v) > 0 {
			o.Median[k] = stat.Finite(stat.Median(v))
		}
		if slices.Contains(spec.ScoreOnly, order[k]) && len(v) > 0 {
			unseen++
		}
	}
	o.All = stat.Trend(group, score)
	if unseen > 1 {
		var g []int
		var v []float64
		for i, k := range group {
			if slices.Contains(spec.ScoreOnly, order[k]) {
				g, v = append(g, k), append(v, score[i])
			}
		}
		only := stat.Trend(g, v)
		o.Unseen = &only
	}
	return o
}

// Subgroups evaluates the run within the levels of a column. A number is cut at
// its thirds; rows without a value are a group of their own.
func (r *Result) Subgroups(spec runspec.Spec, rows []RowScore, c *table.Column) []stat.Subgroup {
	rows = slices.DeleteFunc(Judged(spec, rows), func(row RowScore) bool {
		return row.Row >= max(len(c.Num), len(c.Code))
	})
	at := make([]int, len(rows))
	for i, row := range rows {
		at[i] = row.Row
	}
	names, group := c.Groups(at)
	all := stat.SubgroupsOf(names, at, group, r.ScoresOf(rows))
	if r.NoPredictor {
		for k := range all {
			all[k].Slope = stat.Estimate{}
		}
	}
	return all
}
