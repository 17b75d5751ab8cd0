package engine

import (
	"fmt"
	"slices"

	"taper/internal/engine/check"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// WarnRecalibrated marks a run whose risks were recalibrated for another population.
const WarnRecalibrated = "recalibrated"

// Recalibrated returns a finished run with its risks changed to logit P = a + b · logit p, b > 0, for a
// population with another event rate. The score becomes b·f + a/scale under the same link and cut-offs, so
// scoring with model.json needs no new step. The rows are the run's own, so their verdicts say how the bands
// change, not how the model performs elsewhere. The arguments are not modified.
func Recalibrated(r *Result, spec runspec.Spec, m *model.Model, rows []RowScore, a, b float64) (*Result, error) {
	moved, shift, err := m.Recalibrate(a, b)
	if err != nil {
		return nil, err
	}
	scorer, err := moved.Scorer()
	if err != nil {
		return nil, err
	}
	reader, out := scorer.Bands(), *r
	out.Model = moved
	out.Rows = slices.Clone(rows)
	for i := range out.Rows {
		row := &out.Rows[i]
		row.Score = b*row.Score + shift
		band, p := reader.Link.Band(reader.Interval, row.Score)
		row.Stratum, row.Probability = band, &p
	}
	out.moved(r, b, shift, m.LogitScale())
	out.rejudge(spec, reader, a, b)
	return &out, nil
}

// moved updates coefficients, curves and densities, and removes what is valid for the old risks only.
func (r *Result) moved(old *Result, b, shift, scale float64) {
	r.Coefficients = slices.Clone(old.Coefficients)
	for k := range r.Coefficients {
		c := &r.Coefficients[k]
		add := 0.0
		if k == 0 {
			add = shift
		}
		c.Value = b*c.Value + add
		if v := c.Standardized; v != nil {
			c.Standardized = new(b**v + add)
		}
		if k > 0 && c.OddsRatio != nil {
			c.OddsRatio = oddsRatio(scale, c.Value)
		}
		c.OddsRatioCI = nil // its interval belongs to the maximum of the parent's likelihood
	}
	r.OddsRatioNote, r.Before = "", nil
	r.Splines = movedSplines(old.Splines, b, scale)
	r.Density = slices.Clone(old.Density)
	for k := range r.Density {
		d := &r.Density[k]
		d.X, d.Y, d.Median = times(d.X, b), times(d.Y, 1/b), b*d.Median+shift
		for i := range d.X {
			d.X[i] += shift
		}
	}
	r.Clinical, r.Pictures, r.Trace, r.Metrics.Train = nil, nil, nil, stat.Binary{}
}

// rejudge recomputes the strata and metrics of the run's rows for their new bands.
func (r *Result) rejudge(spec runspec.Spec, how task.BandReader, a, b float64) {
	judged := Judged(spec, r.Rows)
	s := r.ScoresOf(judged)
	for i := range judged {
		s.Score[i] = judged[i].Score // with NoPredictor ScoresOf ties all scores, but the bands need the values
	}
	seen := how.Evaluate(s.Score, s.Event, r.Cut)
	if r.NoPredictor {
		seen = seen.WithoutRanking()
	}
	r.Metrics.Test, r.Strata, r.Monotone = seen.Metrics, seen.Strata, stat.Monotone(seen.Strata)
	r.Beside = slices.Clone(r.Beside)
	for k := range r.Beside {
		r.Beside[k].Difference, r.Beside[k].DifferenceSE = nil, nil
		if r.Beside[k].ID == "model" {
			r.Beside[k].Metrics, r.Beside[k].Strata = seen.Metrics, seen.Strata
		}
	}
	if r.PCA != nil {
		pca := *r.PCA
		pca.Band = slices.Clone(pca.Band)
		bands := map[int]int{}
		for _, row := range judged {
			bands[row.Row] = row.Stratum
		}
		for i, row := range pca.Row {
			pca.Band[i] = bands[row]
		}
		r.PCA = &pca
	}
	if r.Reject != nil {
		sum := stat.RejectSummary(r.Reject.Cost, s.Band, s.Event)
		sum.Loss = stat.IntervalLoss(r.Boundaries, s.Band, s.Event)
		r.Reject = &sum
	}
	words := fmt.Sprintf("Recalibrated for another population: logit P = %s + %s · logit p. The rows are those of the "+
		"parent run, so observed rates can differ from the limits of the "+
		"bands.", phrase.Significant(a, 4), phrase.Significant(b, 4))
	r.Warnings = append([]Warning{{Code: WarnRecalibrated, Message: words}}, r.Warnings...)
	r.DropParentVerdicts()
}

// DropParentVerdicts removes from a recalibrated result the verdicts on its bands and the warnings about bands and
// losses of the parent: its risks lie in other bands, and the rows are of the parent's population. Earlier versions
// stored them with such runs, so the store drops them from each result it reads.
func (r *Result) DropParentVerdicts() {
	if !r.IsRecalibrated() {
		return
	}
	r.Warnings = slices.DeleteFunc(slices.Clone(r.Warnings), func(w Warning) bool {
		return slices.Contains([]string{WarnOneBand, WarnNeverPredicted, WarnLogisticBetter, check.WarnFewInStratum,
			check.WarnNotMonotone}, w.Code)
	})
	unjudged := func(bands []stat.Stratum) []stat.Stratum {
		bands = slices.Clone(bands)
		for k := range bands {
			bands[k].Verdict = stat.NoVerdict
		}
		return bands
	}
	r.Strata = unjudged(r.Strata)
	for k, b := range r.Beside {
		if b.ID == "model" {
			r.Beside[k].Strata = unjudged(b.Strata)
		}
	}
}

func times(v []float64, b float64) []float64 {
	w := slices.Clone(v)
	for i := range w {
		w[i] *= b
	}
	return w
}
