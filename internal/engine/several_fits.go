package engine

import (
	"context"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
	"taper/internal/engine/stat"
)

// severalPlan is how a fitter's settings are found.
type severalPlan struct {
	searches []*search   // the final fit's first; none without tuning
	of       [][]*search // of each judging fit
	work     float64     // fits, for progress
}

func (p *Prepared) planSeveral(ctx context.Context, f *fitter, tuning string) (severalPlan, error) {
	pl := severalPlan{work: 1}
	for _, parts := range p.parts {
		pl.work += float64(len(parts))
	}
	if !f.tuned() {
		return pl, nil
	}
	all, of, err := p.curves(ctx, tuning)
	if err != nil {
		return pl, err
	}
	twin := map[*curve]*search{}
	stages := float64(len(f.first()) + len(f.cross(make([]float64, 4), make([]float64, 4))))
	for _, c := range all {
		twin[c] = &search{curve: c}
		pl.searches = append(pl.searches, twin[c])
		pl.work += stages * float64(len(c.parts))
	}
	for _, row := range of {
		var copied []*search
		for _, c := range row {
			copied = append(copied, twin[c])
		}
		pl.of = append(pl.of, copied)
	}
	return pl, nil
}

// chosen is the setting that a search ends with.
func (f *fitter) chosen(c *search) setting {
	best, oneSE := c.choose()
	if f.l2.Mode == "cv-1se" {
		return oneSE
	}
	return best
}

// judgeSeveral tunes, fits every fold and all rows, and reads the answers.
func (p *Prepared) judgeSeveral(ctx context.Context, f *fitter, pl severalPlan, t *tracker) (*verdicts, error) {
	v := &verdicts{setting: setting{f.l2.Value, f.gamma}}
	if len(pl.searches) > 0 {
		if err := p.tuneSeveral(ctx, f, pl.searches, t); err != nil {
			return nil, err
		}
		c := pl.searches[0]
		_, oneSE := c.choose()
		v.setting, v.oneSE = f.chosen(c), &oneSE
		v.tuning = c.points(v.setting.gamma)
	}
	return v, p.fitSeveral(ctx, f, pl, v, t)
}

// fitSeveral makes the fits, the final one (the largest) first.
func (p *Prepared) fitSeveral(ctx context.Context, f *fitter, pl severalPlan, v *verdicts, t *tracker) error {
	type planned struct {
		part   *part
		repeat int // −1: the final fit
		at     setting
		model  *fit.Model
	}
	todo := []planned{{part: p.final, repeat: -1, at: v.setting}}
	for r, parts := range p.parts {
		v.repeat = append(v.repeat, p.blankAnswers())
		for k, q := range parts {
			at := v.setting
			if pl.of != nil {
				at = f.chosen(pl.of[r][k])
			}
			v.chosen = append(v.chosen, at)
			if q != p.final {
				todo = append(todo, planned{part: q, repeat: r, at: at})
			}
		}
	}
	read := make([]answers, len(todo))
	err := parallel.ForEach(ctx, len(todo), 0, func(i int) (err error) {
		j := &todo[i]
		d, err := p.designOf(ctx, j.part)
		if err != nil {
			return err
		}
		var o fit.Options
		if i == 0 && p.traced {
			v.trace = &tracing{}
			o.Trace = v.trace.add
		}
		started := time.Now()
		if j.model, err = f.fit(ctx, d, j.at, o); err != nil {
			return err
		}
		if i == 0 {
			v.seconds = time.Since(started).Seconds()
		}
		read[i] = f.reader(j.model).all(d.xt)
		t.step(1, "%sFitting fold %d of %d", f.what, i+1, len(todo))
		return nil
	})
	if err != nil {
		return err
	}
	k := p.cohort.classes()
	for i, j := range todo {
		for row, at := range j.part.test() {
			v.repeat[max(j.repeat, 0)].put(at, read[i], row, k)
		}
		if !settled(j.model) {
			v.uncertified++
		}
	}
	v.final = todo[0].model
	own, d := f.reader(v.final), p.final.design
	v.train = own.all(d.clean)
	v.extra = own.all(linear.Matrix{Rows: len(p.cohort.extra), Cols: d.x.Cols, Data: p.extra})
	return nil
}

// settled reports whether a fit reached its tolerance.
func settled(m *fit.Model) bool {
	return m.Potential.Stopped == "gap" || m.Potential.Stopped == "gradient"
}

// blankAnswers has room for every position.
func (p *Prepared) blankAnswers() answers {
	n, k := len(p.cohort.rows), p.cohort.classes()
	return answers{score: make([]float64, n*k), prob: make([]float64, n*k), class: repeated(stat.Abstained, n)}
}

// shares0 is the model without predictors: the shares of the classes among
// each fold's training rows, and the cheapest answer by them.
func (p *Prepared) shares0(t prices) *verdicts {
	k := t.classes()
	says := func(at []int) (share []float64, answer int) {
		share = make([]float64, k)
		total := p.mass(at)
		for _, i := range at {
			w := 1.0
			if p.cohort.weights != nil {
				w = p.cohort.weights[i]
			}
			share[p.labelOf(i)] += w / total
		}
		return share, t.best(share)
	}
	v := &verdicts{}
	for _, parts := range p.parts {
		a := p.blankAnswers()
		for _, q := range parts {
			share, answer := says(q.train())
			for _, at := range q.test() {
				a.class[at] = answer
				copy(a.prob[at*k:(at+1)*k], share)
			}
		}
		v.repeat = append(v.repeat, a)
	}
	share, answer := says(p.final.train())
	n := len(p.final.train())
	v.train = answers{score: make([]float64, n*k), class: repeated(answer, n)}
	for range n {
		v.train.prob = append(v.train.prob, share...)
	}
	return v
}
