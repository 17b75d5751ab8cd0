package engine

import (
	"context"
	"encoding/csv"
	"iter"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Statistics are computed from the stored rows of a run with an event (docs/clinical.md, Statistics), so anyone
// with rows.csv can reproduce them.
type Statistics struct {
	Apparent   stat.Performance `json:"apparent"`
	Judged     stat.Performance `json:"judged"` // test rows; training rows of a run without validation
	Boundaries []stat.Boundary  `json:"boundaries"`
	Bands      []stat.BandRatio `json:"bands"`
	stat.Curves
	Calibration *stat.SmoothedCalibration `json:"calibration"` // null for a loss without probabilities
	// against logistic regression; null in runs of older versions
	Reclassified *stat.Reclassification `json:"reclassified"`
	// against logistic regression; null in runs of older versions
	AUC *stat.AUCDifference `json:"auc_difference"`
	// all losses, by a paired bootstrap; null in runs of older versions
	Paired     *stat.Comparison `json:"paired"`
	Ordered    *Ordering        `json:"ordered"` // null without levels that are only scored
	SampleSize stat.SampleSize  `json:"sample_size"`
	Inflation  []Inflation      `json:"inflation"`
}

// Ordering is a trend test of the score over groups in a stated order.
type Ordering struct {
	Levels []string           `json:"levels"`
	N      []int              `json:"n"`
	Median []*float64         `json:"median"`
	All    stat.OrderedGroups `json:"all"`
	// only groups that no model was trained on; null with fewer than two of them
	Unseen *stat.OrderedGroups `json:"unseen"`
}

// Evaluates reports whether a row counts in the evaluation: it is a test row, or the run has no validation.
func (r *RowScore) Evaluates(apparent bool) bool {
	return r.Split != "scored" && (apparent || r.Split != "train")
}

// Judged returns the rows that count in the evaluation of a run.
func Judged(spec runspec.Spec, rows []RowScore) []RowScore {
	var out []RowScore
	for _, row := range rows {
		if row.Evaluates(spec.Validation.Kind == "none") {
			out = append(out, row)
		}
	}
	return out
}

// SeenRows yields the table rows that any model of a run was trained on or evaluated with, and their outcomes.
func SeenRows(rows []RowScore) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range rows {
			if rows[i].Split != "scored" && !yield(rows[i].Row, rows[i].Outcome) {
				return
			}
		}
	}
}

// SeenBy is SeenRows of a run whose list leaves out training rows (Validation.Rows): they are selected again from its
// table.
func SeenBy(ctx context.Context, spec runspec.Spec, t *table.Table) (iter.Seq2[int, string], error) {
	of, err := spec.Select(ctx, t)
	if err != nil {
		return nil, err
	}
	return func(yield func(int, string) bool) {
		for _, row := range of.Cohort.Rows {
			if !yield(row, of.Cohort.Level(row)) {
				return
			}
		}
	}, nil
}

// ScoresOf converts rows to the form that package stat reads.
func (r *Result) ScoresOf(rows []RowScore) stat.Scores {
	s := stat.Scores{Pi: r.Boundaries}
	for _, row := range rows {
		s.Event = append(s.Event, r.Positive.Has(row.Outcome))
		score := row.Score
		if r.NoPredictor { // all scores are equal: the remaining differences come from the folds' intercepts
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

// Statistics evaluates a finished run from its rows. order lists the groups of the outcome from the lowest to
// the highest expected score; nil means the non-events, the levels that are only scored in the order of the
// spec, then the events.
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
		st.Apparent = r.Metrics.Train.Performance() // runs of older versions store only these about their training rows
		st.SampleSize, st.Inflation = r.sampleSize(st.Judged), []Inflation{}
	}
	return st
}

// sampleSize returns what the literature recommends for a model with this many parameters.
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

// KeptStatistics returns the part of Statistics that is stored with a run and needs no rows: performance,
// variance inflation and recommended sample size. ok is false for runs of versions that did not store it.
func (r *Result) KeptStatistics() (st Statistics, ok bool) {
	c := r.Clinical
	if c == nil {
		return st, false
	}
	st.Apparent, st.Judged, st.Reclassified, st.AUC, st.Paired = c.Apparent, c.Judged, c.Reclassified, c.AUC, c.Paired
	st.Inflation, st.SampleSize = present(c.Inflation), r.sampleSize(c.Judged)
	return st, true
}

// calibration returns the stored calibration curve or, if none was stored, computes it from the rows.
func (r *Result) calibration(s stat.Scores) *stat.SmoothedCalibration {
	if r.Pictures != nil && r.Pictures.Calibration != nil {
		return r.Pictures.Calibration
	}
	return stat.StoredCurve(s)
}

// ClassOf names the class of a level; a level of neither class is returned unchanged.
func (r *Result) ClassOf(level string) string {
	switch {
	case r.Positive.Has(level):
		return r.Positive.String()
	case r.Negative.Has(level):
		return r.Negative.String()
	}
	return level
}

// Groups are the groups of the outcome from the lowest to the highest expected score, unless another order is asked
// for.
func (r *Result) Groups(spec runspec.Spec) []string {
	return slices.Concat([]string{r.Negative.String()}, spec.ScoreOnly, []string{r.Positive.String()})
}

// WriteOrder writes names of groups for an address, separated by commas and quoted as in a line of CSV. No spreadsheet
// opens it, so names that begin like a formula stay as they are.
func WriteOrder(groups []string) string {
	all := make([]string, len(groups))
	for i, name := range groups {
		if all[i] = name; strings.ContainsAny(name, ",\"\r\n") || strings.TrimSpace(name) != name {
			all[i] = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return strings.Join(all, ",")
}

// ReadOrder reads what WriteOrder wrote, for Statistics: at least two groups of the outcome, each once; nil for "".
func (r *Result) ReadOrder(spec runspec.Spec, text string) ([]string, error) {
	if text == "" || len(spec.ScoreOnly) == 0 {
		return nil, nil
	}
	all := r.Groups(spec)
	order, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil {
		return nil, usererr.BadField("order", "must be names of groups, separated by commas and in quotation marks "+
			"where they have a comma (%s)", err)
	}
	for i, name := range order {
		if !slices.Contains(all, name) {
			return nil, usererr.BadField("order", "has no group %s: they are %s", phrase.Quote(name), phrase.List(all))
		}
		if slices.Contains(order[:i], name) {
			return nil, usererr.BadField("order", "names the group %s twice", phrase.Quote(name))
		}
	}
	if len(order) < 2 {
		return nil, usererr.BadField("order", "must name two groups or more")
	}
	return order, nil
}

// ordering tests for a trend of the score over the groups.
func (r *Result) ordering(spec runspec.Spec, rows []RowScore, order []string) *Ordering {
	if len(spec.ScoreOnly) == 0 || r.NoPredictor {
		return nil
	}
	if order == nil {
		order = r.Groups(spec)
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

// Subgroups evaluates the run within the levels of a column. A numeric column is cut at its terciles; rows with
// a missing value form a group of their own.
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
