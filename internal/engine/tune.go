package engine

import (
	"context"
	"fmt"
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
	"taper/internal/engine/usererr"
)

// innerFolds choose λ inside a training part; fewer when a class has fewer
// rows.
const innerFolds = 5

// grid is the λ tried, from the largest down: 2^10 … 2^−15 (paper 004 §6).
func grid() []float64 {
	var l2s []float64
	for e := 10; e >= -15; e-- {
		l2s = append(l2s, math.Ldexp(1, e))
	}
	return l2s
}

// curve is one cross-validation of λ: its folds, and what it found.
type curve struct {
	name          string // for progress
	from          fold   // whose training positions are divided
	repeat, outer int    // stream of the division; outer 0 = the final fit
	parts         []*part
	tried         []trial
	loss          [][]float64 // criterion by fold and trial
}

// point returns mean and standard error over the folds for trial m; a single
// fold has no error to tell.
func (c *curve) point(m int) (mean, se float64) {
	k := float64(len(c.loss))
	for _, fold := range c.loss {
		mean += fold[m]
	}
	mean /= k
	for _, fold := range c.loss {
		se += (fold[m] - mean) * (fold[m] - mean)
	}
	return mean, math.Sqrt(se / max(k-1, 1) / k)
}

// tie is the relative difference below which two losses are one: the same rows
// in the same bands, added in another order.
const tie = 1e-12

// Tried is a setting that tuning tried: γ is 0 where it is not tuned, and the loss
// has its mean over the folds and the standard error of that.
type Tried struct{ Gamma, L2, Mean, SE float64 }

// OneSE returns the place of the one-standard-error choice: the largest λ, at the γ
// of the best setting, whose mean is within one standard error of the best's
// (Breiman et al. 1984). γ stays, because the rule prefers the simpler of two models
// and of two γ neither is simpler at another λ. Runs of two classes and of several,
// audits and studies all choose by it.
func OneSE(tried []Tried, best int) int {
	b, at := tried[best], best
	limit := b.Mean + b.SE + tie*math.Abs(b.Mean)
	for m, s := range tried {
		if s.Gamma == b.Gamma && s.L2 > tried[at].L2 && s.Mean <= limit {
			at = m
		}
	}
	return at
}

// choose returns the best trial and, with its γ, the one of the largest λ
// within one standard error of it. Of equals the largest λ wins, and of equal λ
// the smallest γ.
func (c *curve) choose() (best, oneSE trial) {
	least, slack, at := math.Inf(1), 0.0, 0
	tried := make([]Tried, len(c.tried))
	for m, s := range c.tried {
		mean, se := c.point(m)
		tried[m] = Tried{s.gamma, s.l2, mean, se}
		switch {
		case m > 0 && mean > least+slack, m > 0 && mean >= least-slack && !s.simpler(c.tried[at]):
			continue
		case m == 0 || mean < least-slack:
			least, slack = mean, tie*math.Abs(mean)
		}
		at = m
	}
	return c.tried[at], c.tried[OneSE(tried, at)]
}

// Best returns the position of the λ chosen from points in ascending λ: the
// largest of those that are lowest but for rounding. −1 for no points.
func Best(points []TuningPoint) int {
	least, best := math.Inf(1), len(points)-1
	for _, p := range points {
		least = min(least, p.Mean)
	}
	for i, p := range points {
		if p.Mean <= least+tie*math.Abs(least) {
			best = i
		}
	}
	return best
}

// tune fills the curves: for one γ every fold of every curve is one piece of
// work for the pool, a path down the λ in which each fit starts from the one
// before. An open γ is tuned with λ in two stages.
func (p *Prepared) tune(ctx context.Context, l fit.Learner, pl plan, t *tracker, what string) error {
	if k, ok := l.(fit.Kernelled); ok && k.Open() {
		return p.tuneGamma(ctx, k, pl, t, what)
	}
	return p.try(ctx, pl.curves, func(c *curve) []attempt { return []attempt{{learner: l, l2s: grid()}} }, t, what)
}

// attempt is a path of λ that descend, at one γ.
type attempt struct {
	learner fit.Learner
	gamma   float64
	l2s     []float64
}

// try adds attempts to the curves.
func (p *Prepared) try(ctx context.Context, curves []*curve, of func(*curve) []attempt, t *tracker, what string) error {
	type task struct {
		attempt
		c     *curve
		j, at int // fold, and where its losses go
	}
	var todo []task
	for _, c := range curves {
		if c.loss == nil {
			c.loss = make([][]float64, len(c.parts))
		}
		for _, a := range of(c) {
			at := len(c.tried)
			for _, l2 := range a.l2s {
				c.tried = append(c.tried, trial{a.gamma, l2})
			}
			for j := range c.parts {
				c.loss[j] = append(c.loss[j], make([]float64, len(a.l2s))...)
				todo = append(todo, task{a, c, j, at})
			}
		}
	}
	return parallel.ForEach(ctx, len(todo), 0, func(i int) error {
		k := todo[i]
		s := t.steps(len(k.l2s), what+k.c.name)
		defer s.finish()
		return p.path(ctx, k.c.loss[k.j][k.at:], k.learner, k.c.parts[k.j], k.l2s, s.reach)
	})
}

// path stores the criterion of every λ on the judged rows of a part.
func (p *Prepared) path(ctx context.Context, dst []float64, l fit.Learner, q *part, l2s []float64,
	step func(float64)) error {
	d, err := p.designOf(ctx, q)
	if err != nil {
		return err
	}
	fits, err := l.Path(ctx, d.data(), l2s, step)
	if err != nil {
		return err
	}
	y := pick(p.cohort.y, q.test())
	for m, f := range fit.Scores(fits, d.xt) {
		dst[m] = l.Criterion(f, y)
	}
	return nil
}

// scores returns the fit's score of every row of x.
func scores(f *fit.Fitted, x linear.Matrix) []float64 {
	return fit.Scores([]*fit.Fitted{f}, x)[0]
}

// curves returns the cross-validations of λ that the spec asks for, the final
// fit's first, and the one that serves each judging fit.
func (p *Prepared) curves(ctx context.Context, tuning string) (all []*curve, of [][]*curve, err error) {
	if tuning == TuningSame {
		for r, parts := range p.parts {
			c := &curve{name: p.place(r, -1), parts: parts}
			all = append(all, c)
			of = append(of, repeated(c, len(parts)))
		}
		return all, of, nil
	}
	final := &curve{name: "Final fit", from: p.final.fold}
	if p.spec.Validation.Kind == "cv" && p.spec.Validation.Folds == innerFolds {
		final.parts = p.parts[0] // the same division, already prepared
		if tuning == TuningSet {
			final.parts = final.parts[:1]
		}
	}
	all = append(all, final)
	for r, parts := range p.parts {
		row := repeated(final, len(parts))
		for k, q := range parts {
			if q != p.final {
				row[k] = &curve{name: p.place(r, k), from: q.fold, repeat: r, outer: k + 1}
				all = append(all, row[k])
			}
		}
		of = append(of, row)
	}
	return all, of, parallel.ForEach(ctx, len(all), 0, func(i int) error { return p.inner(ctx, all[i], tuning) })
}

// inner divides the training part of a curve; with fewer folds where groups,
// kept together, leave one without both classes.
func (p *Prepared) inner(ctx context.Context, c *curve, tuning string) error {
	if c.parts != nil {
		return nil
	}
	at := c.from.train()
	most, _ := p.cohort.most(at)
	for k := min(innerFolds, most); k >= 2; k-- {
		folds, err := p.cohort.folds(ctx, at, k, source(p.spec.Seed, forFolds, c.repeat, c.outer))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue
		}
		if tuning == TuningSet {
			folds = folds[:1]
		}
		for _, f := range folds {
			c.parts = append(c.parts, &part{fold: f})
		}
		return nil
	}
	return usererr.BadField("model.l2", "cannot be tuned: no two parts of %s hold both classes; give a number", lower(c.name))
}

// place names a fold for progress: "Fold 3 of 5", "Repeat 2 of 10, fold 3 of 5".
func (p *Prepared) place(repeat, k int) string {
	fold, of := "", len(p.parts[repeat])
	if k >= 0 {
		fold = fmt.Sprintf("fold %d of %d", k+1, of)
	} else {
		fold = fmt.Sprintf("all %d folds", of)
	}
	if len(p.parts) > 1 {
		return fmt.Sprintf("Repeat %d of %d, %s", repeat+1, len(p.parts), fold)
	}
	return upper(fold)
}

func repeated[T any](v T, n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = v
	}
	return s
}
