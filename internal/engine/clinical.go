package engine

import (
	"context"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/prep"
	"taper/internal/engine/resample"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// mostTerms is the largest number of terms for which variance inflation factors are computed: each takes a
// regression on all other terms.
const mostTerms = 300

// clinical computes the statistics that a report needs and that cannot be derived from the rows alone.
func (j *eventRun) clinical(ctx context.Context, own task.BandResult) (*Clinical, error) {
	at := j.p.Judged()
	event := j.p.Events(at)
	c := &Clinical{Parameters: len(j.p.Final.Design.Pre.Terms)}
	trained := j.p.Events(j.p.Final.Train())
	c.Apparent = stat.Perform(j.own.Scores(j.apparent(trained), trained))
	if j.model.Final.Flat() {
		unrank(&c.Apparent)
	}
	if own.Constant {
		c.Judged = stat.Perform(j.own.Scores(own, event))
		unrank(&c.Judged)
	} else {
		var err error
		draws := stat.Draws{Replicates: stat.CurveDraws(len(at)), Seed: j.spec.Seed, Resample: j.resampled(at)}
		if c.Judged, err = stat.PerformDrawn(ctx, j.own.Scores(own, event), draws); err != nil {
			return nil, err
		}
	}
	if !j.spec.Plain() {
		plain := j.logits.Evaluate(j.held(j.plain)[0], event, j.cut)
		paired, err := stat.Compare(ctx, j.own.Scores(own, event), j.logits.Scores(plain, event), j.pairedDraws(at))
		if err != nil {
			return nil, err
		}
		if own.Constant { // a constant has no ranking to test
			paired.AUC = stat.AUCDifference{}
		}
		moves := stat.Reclassify(plain.Band, own.Band, event, len(j.iv.Pi)+1)
		c.Paired, c.Reclassified = &paired, &moves
		if !own.Constant {
			c.AUC = &paired.AUC
		}
	}
	if j.spec.Model.Given() { // terms are those of the regression beside it
		c.Parameters = 0
		return c, nil
	}
	x := j.p.Final.Design.Clean
	if j.model.Final.Fitted.Trees == nil && x.Cols <= mostTerms {
		c.Inflation = inflation(j.p.Final.Design.Pre, x)
	}
	return c, nil
}

// pairedDraws returns the bootstrap samples of the test rows.
func (j *eventRun) pairedDraws(at []int) stat.Draws {
	d := stat.PairedDraws(len(at), j.spec.Seed)
	d.Resample = j.resampled(at)
	return d
}

// resampled draws whole groups of the test rows, as rows of one group depend on each other; nil for single rows.
func (j *eventRun) resampled(at []int) *stat.Resample {
	if g := j.p.Cohort.Group; g != nil {
		r := stat.ResampleGroups(resample.Pick(g, at))
		return &r
	}
	return nil
}

// inflation returns the variance inflation factor of every term. The terms of a spline have one generalised
// factor, because their own factors depend on the basis and not on the data.
func inflation(pre *prep.Preprocessor, x linear.Matrix) []Inflation {
	var all []Inflation
	for k, v := range stat.VIF(x.Data, x.Rows, x.Cols) {
		t := pre.Terms[k]
		switch {
		case t.Kind == prep.Spline: // included with its linear term
			continue
		case pre.IsSplineTerm(k):
			end := k + 1
			for end < len(pre.Terms) && pre.Terms[end].Kind == prep.Spline && pre.Terms[end].Column == t.Column {
				end++
			}
			v = stat.GVIF(x.Data, x.Rows, x.Cols, k, end)
			t.Name += ", spline"
		}
		all = append(all, Inflation{t.Name, v})
	}
	return all
}

// unrank removes what has no meaning for a constant score: statistics that need a predictor are empty, and AUC
// is ½ without an interval.
func unrank(p *stat.Performance) {
	half := 0.5
	for _, s := range stat.Which(stat.Statistic.InPerformance) {
		if s.Needs&stat.NeedPredictor != 0 {
			p.Set(s.ID, stat.Estimate{})
		}
	}
	p.AUC = stat.Estimate{Value: &half}
}
