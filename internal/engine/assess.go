package engine

import (
	"context"
	"math"
	"slices"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/odds"
	"taper/internal/engine/parallel"
	"taper/internal/engine/tune"
)

// assess tunes, fits every fold and all rows, and scores. Nothing is kept from
// an earlier call: a warm start would change the last bits.
func (p *Prepared) assess(ctx context.Context, c *candidate, pl plan, t *tracker) (*assessment, error) {
	a := &assessment{setting: c.space.Given}
	if len(pl.curves) > 0 {
		if err := p.tune(ctx, c, pl, t); err != nil {
			return nil, err
		}
		_, oneSE := c.search().Chosen(&pl.curves[0].Curve)
		a.setting, a.oneSE = c.chosen(pl.curves[0]), &oneSE
		a.tuning, a.trials = pl.curves[0].points(a.setting.Gamma)
	}
	return a, p.fitFolds(ctx, c, pl, a, t)
}

// work is a candidate on its folds.
type work struct {
	p *Prepared
	*candidate
	to *(*assessment)
}

// assessAll assesses candidates one after the other, each on as many cores as there
// are.
func assessAll(ctx context.Context, all []work, tuning string, t *tracker) error {
	plans, total := make([]plan, len(all)), 0.0
	for i, w := range all {
		var err error
		if plans[i], err = w.p.newPlan(ctx, w.candidate, tuning); err != nil {
			return err
		}
		total += plans[i].work
	}
	t.expect(total)
	for i, w := range all {
		a, err := w.p.assess(ctx, w.candidate, plans[i], t)
		if err != nil {
			return err
		}
		*w.to = a
	}
	return nil
}

// foldFit is one fit to make: a fold's, or the final one.
type foldFit struct {
	part   *part
	repeat int // −1: the final fit
	tune.Setting
	fit *fit.Model
	raw []float64 // of the rows that the part holds out
}

// fitFolds makes the fits, the final one (the largest) first.
func (p *Prepared) fitFolds(ctx context.Context, c *candidate, pl plan, a *assessment, t *tracker) error {
	todo := []foldFit{{part: p.final, repeat: -1, Setting: a.setting}}
	for r, parts := range p.parts {
		for k, q := range parts {
			s := c.space.Given
			if pl.of != nil {
				s = c.chosen(pl.of[r][k])
			}
			a.chosen = append(a.chosen, s)
			if q != p.final {
				todo = append(todo, foldFit{part: q, repeat: r, Setting: s})
			}
		}
	}
	err := parallel.ForEach(ctx, len(todo), 0, func(i int) error {
		if err := p.fitOne(ctx, c, a, &todo[i]); err != nil {
			return err
		}
		t.step(1, "%sFitting fold %d of %d", c.what, i+1, len(todo))
		return nil
	})
	if err != nil {
		return err
	}
	outputs := a.final.Outputs()
	for range p.parts {
		a.raw = append(a.raw, repeated(math.NaN(), len(p.cohort.Rows)*outputs))
	}
	a.flat = true
	for _, j := range todo {
		for i, at := range j.part.Test() {
			copy(a.raw[max(j.repeat, 0)][at*outputs:(at+1)*outputs], j.raw[i*outputs:])
		}
		if !j.fit.Certified() {
			a.uncertified++
		}
		judges := j.repeat >= 0 || len(j.part.Test()) > 0 || len(p.parts) == 0 // the final fit does of a split, or alone
		a.flat = a.flat && (!judges || j.fit.Flat())
	}
	return nil
}

// fitOne fits a fold and scores the rows it holds out; the final fit scores its own
// rows and those scored only, too.
func (p *Prepared) fitOne(ctx context.Context, c *candidate, a *assessment, j *foldFit) error {
	d, err := p.designOf(ctx, j.part)
	if err != nil {
		return err
	}
	var o fit.Options
	if j.repeat < 0 && p.traced {
		a.trace = &tracing{}
		o.Trace = a.trace.add
	}
	started := time.Now()
	if j.fit, err = c.at(j.Setting).Fit(ctx, d.data(), j.L2, o); err != nil {
		return err
	}
	seconds := time.Since(started).Seconds()
	if j.raw = scores(j.fit, d.xt); j.repeat >= 0 {
		return nil
	}
	a.final, a.seconds = j.fit, seconds
	a.train = scores(j.fit, d.clean)
	n := len(p.cohort.Extra)
	a.extra = scores(j.fit, linear.Matrix{Rows: n, Cols: d.x.Cols, Data: p.extra})
	return nil
}

// scores returns the fit's outputs for every row of x.
func scores(f *fit.Model, x linear.Matrix) []float64 {
	return fit.Scores([]*fit.Model{f}, x)[0]
}

// held returns the outputs for the judged rows in order, by repeat: out of fold, or
// apparent without validation.
func (c *comparison) held(a *assessment) [][]float64 {
	if len(a.raw) == 0 {
		return [][]float64{a.train}
	}
	var all [][]float64
	for _, raw := range a.raw {
		k := len(raw) / len(c.p.cohort.Rows)
		judged := make([]float64, 0, len(raw))
		for _, at := range c.p.judged() {
			judged = append(judged, raw[at*k:(at+1)*k]...)
		}
		all = append(all, judged)
	}
	return all
}

// constant is the model without predictors: every row gets the prevalence, as a logit, or
// the shares of the classes among the training rows of its fold.
func (p *Prepared) constant() *assessment {
	of := p.shares
	if p.cohort.Target.Event {
		of = p.prevalence
	}
	given := of(p.final.Train())
	a := &assessment{flat: true, train: slices.Repeat(given, len(p.final.Train()))}
	k := len(given)
	for _, parts := range p.parts {
		raw := repeated(math.NaN(), k*len(p.cohort.Rows))
		for _, q := range parts {
			given := of(q.Train())
			for _, at := range q.Test() {
				copy(raw[at*k:], given)
			}
		}
		a.raw = append(a.raw, raw)
	}
	return a
}

// prevalence is the weighted share of events among the positions, as a logit.
func (p *Prepared) prevalence(at []int) []float64 {
	events := 0.0
	for _, i := range at {
		if p.labelOf(i) > 0 {
			events += p.weight(i)
		}
	}
	return []float64{odds.Logit(events / p.mass(at))}
}

// shares are the weighted shares of the classes among the positions.
func (p *Prepared) shares(at []int) []float64 {
	share, total := make([]float64, p.cohort.Classes()), p.mass(at)
	for _, i := range at {
		share[p.labelOf(i)] += p.weight(i) / total
	}
	return share
}

// mass is the sum of the weights of the positions.
func (p *Prepared) mass(at []int) (sum float64) {
	for _, i := range at {
		sum += p.weight(i)
	}
	return sum
}

// weight is that of a position in training.
func (p *Prepared) weight(at int) float64 {
	if p.cohort.Weights == nil {
		return 1
	}
	return p.cohort.Weights[at]
}
