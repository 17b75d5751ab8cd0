package engine

import (
	"context"
	"math"
	"time"

	"taper/internal/engine/method"
	"taper/internal/engine/train"
)

// assessment is one kind of model on all the folds: scores of rows it did not
// see, and its final fit.
type assessment struct {
	score [][]float64 // by repeat, of each position; NaN where not judged
	l2    []float64   // λ of each judging fit, by repeat, then by fold

	final   *method.Fitted
	train   []float64 // scores of the final fit's own training rows
	extra   []float64 // and of the rows scored only
	finalL2 float64
	oneSE   *float64
	tuning  []TuningPoint
	seconds float64 // of the final fit

	uncertified int // judging fits that missed their tolerance
}

// plan is how λ is found: fixed, or by the curves.
type plan struct {
	rule   L2
	curves []*curve   // the final fit's first
	of     [][]*curve // of each judging fit
}

func (p *Prepared) newPlan(ctx context.Context, rule L2, sameFolds bool) (plan, error) {
	pl := plan{rule: rule}
	var err error
	if rule.Tuned() {
		pl.curves, pl.of, err = p.curves(ctx, sameFolds)
	}
	return pl, err
}

// blank returns the plan for another learner: the same folds, nothing found.
func (pl plan) blank() plan {
	twin := map[*curve]*curve{}
	other := plan{rule: pl.rule}
	for _, c := range pl.curves {
		copied := *c
		copied.loss = nil
		twin[c] = &copied
		other.curves = append(other.curves, &copied)
	}
	for _, row := range pl.of {
		var copied []*curve
		for _, c := range row {
			copied = append(copied, twin[c])
		}
		other.of = append(other.of, copied)
	}
	return other
}

// work counts the fits of the plan, for progress.
func (p *Prepared) work(pl plan) float64 {
	fits := 1
	for _, c := range pl.curves {
		fits += len(c.parts) * len(grid())
	}
	for _, parts := range p.parts {
		for _, q := range parts {
			if q != p.final {
				fits++
			}
		}
	}
	return float64(fits)
}

// chosen returns λ by a curve.
func (pl plan) chosen(c *curve) float64 {
	best, oneSE := c.choose()
	if pl.rule.Mode == "cv-1se" {
		best = oneSE
	}
	return grid()[best]
}

// assess tunes, fits every fold and all rows, and scores. Nothing is kept from
// an earlier call: a warm start would change the last bits.
func (p *Prepared) assess(ctx context.Context, l method.Learner, pl plan, t *tracker, what string) (*assessment, error) {
	a := &assessment{finalL2: pl.rule.Value}
	if len(pl.curves) > 0 {
		if err := p.tune(ctx, l, pl.curves, t, what); err != nil {
			return nil, err
		}
		c := pl.curves[0]
		_, oneSE := c.choose()
		a.finalL2, a.tuning, a.oneSE = pl.chosen(c), c.points(grid()), &grid()[oneSE]
	}
	return a, p.judgeFolds(ctx, l, pl, a, t, what)
}

// judgement is one fit to make: a judging fold, or the final one.
type judgement struct {
	part   *part
	repeat int // −1: the final fit
	l2     float64
	fit    *method.Fitted
}

// judgeFolds makes the fits, the final one (the largest) first.
func (p *Prepared) judgeFolds(ctx context.Context, l method.Learner, pl plan, a *assessment, t *tracker, what string) error {
	todo := []judgement{{part: p.final, repeat: -1, l2: a.finalL2}}
	for r, parts := range p.parts {
		a.score = append(a.score, repeated(math.NaN(), len(p.cohort.rows)))
		for k, q := range parts {
			l2 := pl.rule.Value
			if pl.of != nil {
				l2 = pl.chosen(pl.of[r][k])
			}
			a.l2 = append(a.l2, l2)
			if q != p.final {
				todo = append(todo, judgement{part: q, repeat: r, l2: l2})
			}
		}
	}
	err := parallel(ctx, len(todo), func(i int) error {
		j := &todo[i]
		if err := p.fitOne(ctx, l, a, j); err != nil {
			return err
		}
		t.step(1, "%sFitting fold %d of %d", what, i+1, len(todo))
		return nil
	})
	for _, j := range todo {
		if j.fit != nil && !certified(j.fit) {
			a.uncertified++
		}
	}
	return err
}

// fitOne fits a fold and scores its judged rows; the final fit scores its own
// rows and those scored only, too.
func (p *Prepared) fitOne(ctx context.Context, l method.Learner, a *assessment, j *judgement) error {
	d, err := p.designOf(ctx, j.part)
	if err != nil {
		return err
	}
	started := time.Now()
	fits, err := l.Path(ctx, d.data(), []float64{j.l2}, func(float64) {})
	if err != nil {
		return err
	}
	j.fit = fits[0]
	seconds := time.Since(started).Seconds()
	for i, at := range j.part.test {
		a.score[max(j.repeat, 0)][at] = j.fit.Score(d.xt.Row(i))
	}
	if j.repeat >= 0 {
		return nil
	}
	a.final, a.seconds = j.fit, seconds
	a.train = scores(make([]float64, d.x.Rows), j.fit, d.clean)
	n := len(p.cohort.extra)
	a.extra = scores(make([]float64, n), j.fit, train.Matrix{Rows: n, Cols: d.x.Cols, Data: p.extra})
	return nil
}

// certified reports whether a fit reached its tolerance; trees have none to
// reach.
func certified(fit *method.Fitted) bool {
	return fit.Trees != nil || fit.Stopped == "gap" || fit.Stopped == "gradient" || fit.Stopped == "stationary"
}

// null is the model without predictors: the prevalence of each fold's training
// rows, as a logit.
func (p *Prepared) null() *assessment {
	a := &assessment{}
	base := method.Logit(p.prevalence(p.final.train))
	a.train = repeated(base, len(p.final.train))
	for _, parts := range p.parts {
		score := repeated(math.NaN(), len(p.cohort.rows))
		for _, q := range parts {
			f := method.Logit(p.prevalence(q.train))
			for _, at := range q.test {
				score[at] = f
			}
		}
		a.score = append(a.score, score)
	}
	return a
}

// prevalence is the weighted share of events among the positions.
func (p *Prepared) prevalence(at []int) float64 {
	events, total := 0.0, 0.0
	for _, i := range at {
		w := 1.0
		if p.cohort.weights != nil {
			w = p.cohort.weights[i]
		}
		total += w
		if p.label(i) > 0 {
			events += w
		}
	}
	return events / total
}
