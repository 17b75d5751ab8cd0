package engine

import (
	"context"

	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/parallel"
	"taper/internal/engine/resample"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// ofEvent builds the result of a task with an event.
func (c *comparison) ofEvent(ctx context.Context) (*Result, error) {
	j := &eventRun{comparison: c, cut: cut(&c.spec)}
	if j.own = task.NewBandReader(c.how.Link, c.iv); c.cuts != nil {
		j.own.Interval.Delta = c.cuts.Band
	}
	j.logits = task.NewBandReader(fit.Link{ID: loss.LinkLogistic, Scale: 1}, c.iv)
	return j.result(ctx)
}

// result combines what the fits found.
func (j *eventRun) result(ctx context.Context) (*Result, error) {
	p, c, r := j.p, j.p.Cohort, j.comparison.result()
	r.Positive, r.Negative, r.Trials = c.Sides[1], c.Sides[0], j.model.Trials
	for _, row := range p.about.table1 {
		r.Table1 = append(r.Table1, Table1Row{row.Name, row.Level, row.Classes[0], row.Classes[1], row.Missing,
			row.MissingIn})
	}
	r.Boundaries, r.Delta, r.Cut = j.iv.Pi, j.own.Interval.Delta, j.cut
	if j.model.OneSE != nil && j.spec.Model.L2.Tuned() {
		r.L2OneSE = &j.model.OneSE.L2
	}
	if j.spec.Model.GammaTuned() {
		for _, at := range j.model.Chosen {
			r.FoldGamma = append(r.FoldGamma, at.Gamma)
		}
	}
	own, err := j.evaluated(ctx, r)
	if err != nil {
		return nil, err
	}
	if j.spec.Model.Given() {
		j.given(r)
	} else {
		j.final(r, j.model.Final.Fitted)
	}
	r.Density = j.density(own)
	if about := &p.about; len(about.pca[0]) > 0 {
		at := resample.Pick(p.Judged(), about.sample)
		r.PCA = &PCA{Share: about.share, X: about.pca[0], Y: about.pca[1], Band: resample.Pick(own.Band, about.sample),
			Event: p.Events(at), Row: resample.Pick(c.Rows, at), Few: about.few}
	}
	if p.Traced {
		r.Pictures = j.pictures(own)
		if r.Clinical, err = j.clinical(ctx, own); err != nil {
			return nil, err
		}
	}
	return j.finish(r, j.rows(), j.warnings(r)), nil
}

// evaluated evaluates the model on its training rows, and it and its baselines on the same folds, side by side: of
// millions of rows each takes as long as several readings. It fills the metrics and the comparison table of r, and
// returns the model's own evaluation.
func (j *eventRun) evaluated(ctx context.Context, r *Result) (own task.BandResult, err error) {
	list := j.task.Baselines()
	baselines, results := make([]*crossfit.Assessment, len(list)), make([]task.BandResult, len(list))
	err = parallel.ForEach(ctx, 2+len(list), 0, func(i int) error {
		switch i {
		case 0: // the most rows
			r.Metrics.Train = j.apparent(j.p.Events(j.p.Final.Train())).Metrics
		case 1:
			own = j.average(j.model, j.own, nil)
		default:
			if baselines[i-2] = j.baselines[i-2](); baselines[i-2] != j.model {
				results[i-2] = j.average(baselines[i-2], j.logits, j.p.metricsOf)
			}
		}
		return nil
	})
	if err == nil {
		j.beside(r, own, baselines, results)
	}
	return own, err
}

// beside fills the comparison table and the metrics of r from the evaluations of the model and of its baselines.
func (j *eventRun) beside(r *Result, own task.BandResult, baselines []*crossfit.Assessment,
	results []task.BandResult) {
	event := j.p.Events(j.p.Judged())
	r.Metrics.Test, r.Strata, r.NoPredictor = own.Metrics, own.Strata, own.Constant
	r.Metrics.Baselines, r.Monotone = map[string]stat.Binary{}, stat.Monotone(own.Strata)
	if j.spec.Mode == "reject" {
		r.Reject = j.reject(own)
	}
	r.Beside = []Beside{{ID: "model", Title: r.Method, Metrics: own.Metrics, Strata: own.Strata}}
	if j.spec.Model.Penalised() {
		r.Beside[0].L2 = j.model.Penalty()
	}
	for i, line := range j.task.Baselines() {
		a, v := baselines[i], results[i]
		if a == j.model {
			r.Metrics.Baselines[line.ID] = own.Metrics
			continue
		}
		r.Metrics.Baselines[line.ID] = v.Metrics
		d := stat.IntervalDifference(j.iv.Pi, v.Band, own.Band, event)
		r.Beside = append(r.Beside, Beside{ID: line.ID, Title: line.Title, Metrics: v.Metrics, Strata: v.Strata,
			L2: a.Penalty(), Difference: d.Difference.Value, DifferenceSE: d.SE})
	}
}

// reject summarises mode reject (a symmetric reject option). With boundaries c and 1 − c the cost of a
// rejection is c, and the loss is ℓ_π. With other boundaries, rejecting an event and rejecting a non-event cost
// differently, and Cost is the mean of the two.
func (j *eventRun) reject(own task.BandResult) *stat.Reject {
	pi := j.iv.Pi
	event := j.p.Events(j.p.Judged())
	sum := stat.RejectSummary((pi[0]+1-pi[1])/2, own.Band, event)
	sum.Loss = stat.IntervalLoss(pi, own.Band, event)
	return &sum
}

// rows returns every row used. A row's weight depends on the label it was trained with, which injected noise
// may have flipped.
func (j *eventRun) rows() []RowScore {
	say := func(score []float64) func(r *RowScore, i, at int) {
		return func(r *RowScore, i, at int) {
			j.scored(r, score[i])
			if at >= 0 {
				r.Weight = j.how.Weight(sign(j.p.LabelOf(at)), score[i])
			}
		}
	}
	judged := say(j.held(j.model)[0])
	if len(j.model.Held) > 0 {
		judged = j.placed(judged)
	}
	return j.list(say(j.model.Train), judged, say(j.model.Extra))
}

func (j *eventRun) scored(r *RowScore, f float64) {
	band, prob := j.own.Link.Band(j.own.Interval, f)
	if r.Score, r.Stratum = f, band; j.own.Link.Has() {
		r.Probability = &prob
	}
}
