package engine

import (
	"context"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/resample"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// ofEvent makes the result.
func (c *comparison) ofEvent(ctx context.Context) (*Result, error) {
	j := &eventRun{comparison: c, cut: cut(&c.spec), null: c.p.constant(c.p.prevalence)}
	j.own, j.logits = task.NewBandReader(c.how.Link, c.iv), task.NewBandReader(fit.Link{ID: loss.LinkLogistic, Scale: 1}, c.iv)
	return j.result(ctx)
}

// result puts together what the fits found of the event.
func (j *eventRun) result(ctx context.Context) (*Result, error) {
	p, c, r := j.p, j.p.cohort, j.comparison.result()
	r.Positive, r.Negative, r.Trials = c.Sides[1], c.Sides[0], j.model.trials
	for _, row := range p.about.table1 {
		r.Table1 = append(r.Table1, Table1Row{row.Name, row.Level, row.Classes[0], row.Classes[1], row.Missing})
	}
	r.Boundaries, r.Delta, r.Cut = j.iv.Pi, j.own.Interval.Delta, j.cut
	if j.model.oneSE != nil && j.spec.Model.L2.Tuned() {
		r.L2OneSE = &j.model.oneSE.L2
	}
	if j.spec.Model.GammaTuned() {
		for _, at := range j.model.chosen {
			r.FoldGamma = append(r.FoldGamma, at.Gamma)
		}
	}
	own := j.beside(r)
	j.train(r)
	j.final(r, j.model.final.Fitted)
	r.Density = j.density(own)
	if about := &p.about; len(about.pca[0]) > 0 {
		at := resample.Pick(p.judged(), about.sample)
		r.PCA = &PCA{Share: about.share, X: about.pca[0], Y: about.pca[1], Band: resample.Pick(own.Band, about.sample),
			Event: p.events(at), Row: resample.Pick(c.Rows, at)}
	}
	if p.traced {
		r.Pictures = j.pictures(own)
		var err error
		if r.Clinical, err = j.clinical(ctx, own); err != nil {
			return nil, err
		}
	}
	return j.finish(r, j.rows(), j.warnings(r)), nil
}

// present is an empty list in the place of none.
func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// beside judges the three models on the same folds and returns the model's own
// view.
func (j *eventRun) beside(r *Result) task.BandResult {
	own := j.average(j.model, j.own)
	plain, null := own, j.average(j.null, j.logits)
	if !j.spec.Plain() {
		plain = j.average(j.plain, j.logits)
	}
	r.Metrics.Test, r.Strata, r.NoPredictor = own.Metrics, own.Strata, own.Constant
	r.Metrics.Baselines = map[string]stat.Binary{"logistic": plain.Metrics, "null": null.Metrics}
	r.Monotone = stat.Monotone(own.Strata)
	if j.spec.Mode == "reject" {
		r.Reject = j.reject(own)
	}
	r.Beside = []Beside{{ID: "model", Title: r.Method, Metrics: own.Metrics, Strata: own.Strata}}
	if j.spec.Model.Penalised() {
		r.Beside[0].L2 = &j.model.setting.L2
	}
	if !j.spec.Plain() {
		r.Beside = append(r.Beside, j.compared(own, plain, Beside{ID: "logistic", Title: "Logistic, thresholded",
			L2: &j.plain.setting.L2}))
	}
	r.Beside = append(r.Beside, j.compared(own, null, Beside{ID: "null", Title: "No predictors"}))
	return own
}

// compared fills in a row of the comparison: its ℓ_π minus the model's, and
// the standard error of that mean over the rows of the first repeat.
func (j *eventRun) compared(own, other task.BandResult, b Beside) Beside {
	b.Metrics, b.Strata = other.Metrics, other.Strata
	d := stat.IntervalDifference(j.iv.Pi, other.Band, own.Band, j.p.events(j.p.judged()))
	b.Difference, b.DifferenceSE = d.Difference.Value, d.SE
	return b
}

// reject summarises mode reject. With boundaries c and 1 − c the cost is c and
// the loss ℓ_π; with others, rejecting an event and a non-event cost
// differently and Cost is their mean.
func (j *eventRun) reject(own task.BandResult) *stat.Reject {
	pi := j.iv.Pi
	event := j.p.events(j.p.judged())
	sum := stat.RejectSummary((pi[0]+1-pi[1])/2, own.Band, event)
	sum.Loss = stat.IntervalLoss(pi, own.Band, event)
	return &sum
}

// train judges the final fit on its own training rows.
func (j *eventRun) train(r *Result) {
	event := j.p.events(j.p.final.Train())
	r.Metrics.Train = j.own.Evaluate(j.model.train, event, j.cut).Metrics
}

// rows lists every row used. The weight of a row of either class goes by the label
// it trains with.
func (j *eventRun) rows() []RowScore {
	say := func(score []float64) func(r *RowScore, i, at int) {
		return func(r *RowScore, i, at int) {
			j.scored(r, score[i])
			if at >= 0 {
				r.Weight = j.how.Weight(sign(j.p.labelOf(at)), score[i])
			}
		}
	}
	judged := resample.Pick(j.model.repeats()[0], j.p.judged())
	return j.list(say(j.model.train), say(judged), say(j.model.extra))
}

func (j *eventRun) scored(r *RowScore, f float64) {
	band, prob := j.own.Link.Band(j.own.Interval, f)
	if r.Score, r.Stratum = f, band; j.own.Link.Has() {
		r.Probability = &prob
	}
}
