package engine

import (
	"context"
	"math"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
)

// assessment is one kind of model on all the folds: scores of rows it did not
// see, and its final fit.
type assessment struct {
	score [][]float64 // by repeat, of each position; NaN where not judged
	l2    []float64   // λ of each judging fit, by repeat, then by fold

	final   *fit.Fitted
	train   []float64 // scores of the final fit's own training rows
	extra   []float64 // and of the rows scored only
	finalL2 float64
	oneSE   *float64
	tuning  []TuningPoint
	seconds float64 // of the final fit

	finalGamma float64       // of a kernel whose γ was tuned; else 0
	gamma      []float64     // the same of each judging fit, as l2
	trials     []TuningPoint // of γ and λ together
	trace      *tracing      // of the final fit; nil where nobody asked

	uncertified int  // judging fits that missed their tolerance
	flat        bool // no fit that scored rows uses a predictor
}

// plan is how λ is found, and the γ of a kernel: fixed, or by the curves.
type plan struct {
	rule   L2
	gamma  bool       // is open too
	curves []*curve   // the final fit's first
	of     [][]*curve // of each judging fit
}

func (p *Prepared) newPlan(ctx context.Context, rule L2, gamma bool, tuning string) (plan, error) {
	pl := plan{rule: rule, gamma: gamma}
	var err error
	if rule.Tuned() || gamma {
		pl.curves, pl.of, err = p.curves(ctx, tuning)
	}
	return pl, err
}

// blank returns the plan for another learner: the same folds, nothing found.
func (pl plan) blank() plan {
	twin := map[*curve]*curve{}
	other := plan{rule: pl.rule}
	for _, c := range pl.curves {
		copied := *c
		copied.loss, copied.tried = nil, nil
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
		fits += len(c.parts) * pl.trials()
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

// trials is the number of settings that each fold of a curve is fitted with.
func (pl plan) trials() int {
	switch {
	case !pl.gamma:
		return len(grid())
	case pl.rule.Tuned():
		return trialsBoth
	}
	return trialsGamma
}

// chosen returns the setting by a curve.
func (pl plan) chosen(c *curve) trial {
	best, oneSE := c.choose()
	if pl.rule.Mode == "cv-1se" {
		return oneSE
	}
	return best
}

// at is the learner with the γ of a setting.
func at(l fit.Learner, s trial) fit.Learner {
	if k, ok := l.(fit.Kernelled); ok && k.Open() {
		return k.At(s.gamma)
	}
	return l
}

// assess tunes, fits every fold and all rows, and scores. Nothing is kept from
// an earlier call: a warm start would change the last bits.
func (p *Prepared) assess(ctx context.Context, l fit.Learner, pl plan, t *tracker,
	what string) (*assessment, error) {
	a := &assessment{finalL2: pl.rule.Value}
	if len(pl.curves) > 0 {
		if err := p.tune(ctx, l, pl, t, what); err != nil {
			return nil, err
		}
		c := pl.curves[0]
		_, oneSE := c.choose()
		s := pl.chosen(c)
		a.finalL2, a.finalGamma = s.l2, s.gamma
		a.tuning, a.trials = c.points(s.gamma)
		if pl.rule.Tuned() {
			a.oneSE = &oneSE.l2
		}
	}
	return a, p.judgeFolds(ctx, l, pl, a, t, what)
}

// judgement is one fit to make: a judging fold, or the final one.
type judgement struct {
	part   *part
	repeat int // −1: the final fit
	trial
	fit *fit.Fitted
}

// judgeFolds makes the fits, the final one (the largest) first.
func (p *Prepared) judgeFolds(ctx context.Context, l fit.Learner, pl plan, a *assessment, t *tracker,
	what string) error {
	todo := []judgement{{part: p.final, repeat: -1, trial: trial{a.finalGamma, a.finalL2}}}
	for r, parts := range p.parts {
		a.score = append(a.score, repeated(math.NaN(), len(p.cohort.rows)))
		for k, q := range parts {
			s := trial{l2: pl.rule.Value}
			if pl.of != nil {
				s = pl.chosen(pl.of[r][k])
			}
			a.l2 = append(a.l2, s.l2)
			if pl.gamma {
				a.gamma = append(a.gamma, s.gamma)
			}
			if q != p.final {
				todo = append(todo, judgement{part: q, repeat: r, trial: s})
			}
		}
	}
	err := parallel.ForEach(ctx, len(todo), 0, func(i int) error {
		j := &todo[i]
		if err := p.fitOne(ctx, l, a, j); err != nil {
			return err
		}
		t.step(1, "%sFitting fold %d of %d", what, i+1, len(todo))
		return nil
	})
	a.flat = err == nil
	for _, j := range todo {
		if j.fit != nil && !certified(j.fit) {
			a.uncertified++
		}
		judges := j.repeat >= 0 || len(j.part.test()) > 0 || len(p.parts) == 0 // the final fit does of a split, or alone
		a.flat = a.flat && (!judges || j.fit.Flat())
	}
	return err
}

// fitOne fits a fold and scores its judged rows; the final fit scores its own
// rows and those scored only, too.
func (p *Prepared) fitOne(ctx context.Context, l fit.Learner, a *assessment, j *judgement) error {
	d, err := p.designOf(ctx, j.part)
	if err != nil {
		return err
	}
	l = at(l, j.trial)
	if j.repeat < 0 && p.traced {
		a.trace = &tracing{}
		l = fit.Traced(l, a.trace.add)
	}
	started := time.Now()
	fits, err := l.Path(ctx, d.data(), []float64{j.l2}, func(float64) {})
	if err != nil {
		return err
	}
	j.fit = fits[0]
	seconds := time.Since(started).Seconds()
	f := scores(j.fit, d.xt)
	for i, at := range j.part.test() {
		a.score[max(j.repeat, 0)][at] = f[i]
	}
	if j.repeat >= 0 {
		return nil
	}
	a.final, a.seconds = j.fit, seconds
	a.train = scores(j.fit, d.clean)
	n := len(p.cohort.extra)
	a.extra = scores(j.fit, linear.Matrix{Rows: n, Cols: d.x.Cols, Data: p.extra})
	return nil
}

// certified reports whether a fit reached its tolerance; trees have none to
// reach.
func certified(fit *fit.Fitted) bool {
	return fit.Trees != nil || fit.Stopped == "gap" || fit.Stopped == "gradient" || fit.Stopped == "stationary"
}

// null is the model without predictors: the prevalence of each fold's training
// rows, as a logit.
func (p *Prepared) null() *assessment {
	a := &assessment{flat: true}
	base := fit.Logit(p.prevalence(p.final.train()))
	a.train = repeated(base, len(p.final.train()))
	for _, parts := range p.parts {
		score := repeated(math.NaN(), len(p.cohort.rows))
		for _, q := range parts {
			f := fit.Logit(p.prevalence(q.train()))
			for _, at := range q.test() {
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
