package engine

import (
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/stat"
	"taper/internal/engine/usererr"
)

// WarnRecalibrated marks a run whose risks were moved for another population.
const WarnRecalibrated = "recalibrated"

// Recalibrated returns a finished run with its risks moved to logit P = a + b ·
// logit p, b > 0, for a population of another frequency: the score becomes b·f +
// a/scale under the same link and cut-offs, so that model.json scores as before.
// The rows are the run's own: their verdicts say what moved, not how the model
// does elsewhere. The arguments stay as they are.
func Recalibrated(r *Result, spec Spec, m *Model, rows []RowScore, a, b float64) (*Result, error) {
	switch {
	case m.Several() || m.Link != LinkLogistic && m.Link != LinkScaled:
		return nil, usererr.New(usererr.Invalid,
			"Only a model whose link is logistic can be recalibrated; this one’s link is %s.",
			LinkName(m.Link))
	case len(m.Trees) > 0:
		return nil, usererr.New(usererr.Invalid, "A model of trees has no intercept to move.")
	}
	if err := checkMove(a, b); err != nil {
		return nil, err
	}
	scale := 1.0
	if m.Link == LinkScaled {
		scale = m.LinkScale
	}
	shift := a / scale
	out := *r
	model := *m
	model.Weights, model.Coefficients = times(m.Weights, b), times(m.Coefficients, b)
	model.Intercept = b*m.Intercept + shift
	out.Model = &model
	scorer, err := model.Scorer()
	if err != nil {
		return nil, err
	}
	out.Rows = slices.Clone(rows)
	for i := range out.Rows {
		row := &out.Rows[i]
		row.Score = b*row.Score + shift
		band, p := scorer.reading.link.Band(scorer.reading.iv, row.Score)
		row.Stratum, row.Probability = band, &p
	}
	out.moved(r, b, shift, scale)
	out.rejudge(spec, scorer.reading, a, b)
	return &out, nil
}

// Recalibrates reports whether the model's risks can be moved.
func (m *Model) Recalibrates() bool {
	return !m.Several() && (m.Link == LinkLogistic || m.Link == LinkScaled) && len(m.Trees) == 0
}

// checkMove refuses an intercept or a slope beyond all sense.
func checkMove(a, b float64) error {
	switch {
	case math.IsNaN(a) || math.Abs(a) > 50:
		return usererr.BadField("intercept", "must be from −50 to 50")
	case !(b >= 0.01 && b <= 100):
		return usererr.BadField("slope", "must be from 0.01 to 100")
	}
	return nil
}

func times(v []float64, b float64) []float64 {
	w := slices.Clone(v)
	for i := range w {
		w[i] *= b
	}
	return w
}

// moved changes coefficients and densities; what held of the old risks alone
// goes.
func (r *Result) moved(old *Result, b, shift, scale float64) {
	r.Coefficients = slices.Clone(old.Coefficients)
	for k := range r.Coefficients {
		c := &r.Coefficients[k]
		c.Value, c.Standardized = b*c.Value, b*c.Standardized
		if k == 0 {
			c.Value, c.Standardized = c.Value+shift, c.Standardized+shift
		} else if c.OddsRatio != nil {
			c.OddsRatio = oddsRatio(scale, c.Value)
		}
	}
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

// rejudge counts the run's rows by their new bands.
func (r *Result) rejudge(spec Spec, how reading, a, b float64) {
	judged := Judged(spec, r.Rows)
	s := r.ScoresOf(judged)
	for i := range judged {
		s.Score[i] = judged[i].Score // the bands need the scores themselves, tied or not
	}
	seen := how.look(s.Score, s.Event, r.Cut)
	if r.NoPredictor {
		seen.metrics = withoutRanking(seen.metrics)
	}
	r.Metrics.Test, r.Strata, r.Monotone = seen.metrics, seen.strata, stat.Monotone(seen.strata)
	r.Beside = slices.Clone(r.Beside)
	for k := range r.Beside {
		r.Beside[k].Difference, r.Beside[k].DifferenceSE = nil, nil
		if r.Beside[k].ID == "model" {
			r.Beside[k].Metrics, r.Beside[k].Strata = seen.metrics, seen.strata
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
		"parent run, so rates and bands here need not agree.", signedText(a), signedText(b))
	r.Warnings = append([]Warning{{Code: WarnRecalibrated, Message: words}}, r.Warnings...)
}

func signedText(v float64) string {
	if v < 0 {
		return minus + rounded4(-v)
	}
	return rounded4(v)
}
