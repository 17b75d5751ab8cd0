package engine

import (
	"context"
	"fmt"
	"math"

	"taper/internal/engine/errs"
	"taper/internal/engine/method"
	"taper/internal/engine/train"
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
	at            []int  // training positions that are divided
	repeat, outer int    // stream of the division; outer 0 = the final fit
	parts         []*part
	loss          [][]float64 // criterion by fold and λ of the grid
}

// point returns mean and standard error over the folds for grid entry m.
func (c *curve) point(m int) (mean, se float64) {
	k := float64(len(c.loss))
	for _, fold := range c.loss {
		mean += fold[m]
	}
	mean /= k
	for _, fold := range c.loss {
		se += (fold[m] - mean) * (fold[m] - mean)
	}
	return mean, math.Sqrt(se / (k - 1) / k)
}

// tie is the relative difference below which two losses are one: the same rows
// in the same bands, added in another order.
const tie = 1e-12

// choose returns the best λ and the largest one within one standard error of
// it, as positions in the grid, which descends: the first of equals is the
// largest.
func (c *curve) choose() (best, oneSE int) {
	least, se := math.Inf(1), 0.0
	for m := range c.loss[0] {
		if mean, s := c.point(m); mean < least-tie*math.Abs(least) || m == 0 {
			best, least, se = m, mean, s
		}
	}
	for m := range c.loss[0] {
		if mean, _ := c.point(m); mean <= least+se+tie*math.Abs(least) {
			return best, m
		}
	}
	return best, best
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

// points returns the curve in ascending λ, for the result.
func (c *curve) points(l2s []float64) []TuningPoint {
	points := make([]TuningPoint, len(l2s))
	for m, l2 := range l2s {
		mean, se := c.point(m)
		points[len(l2s)-1-m] = TuningPoint{L2: l2, Mean: mean, SE: se}
	}
	return points
}

// tune fills the curves: every fold of every curve is one piece of work for
// the pool, a path down the grid in which each fit starts from the one before.
func (p *Prepared) tune(ctx context.Context, l method.Learner, curves []*curve, t *tracker, what string) error {
	type task struct {
		c *curve
		j int
	}
	var todo []task
	for _, c := range curves {
		c.loss = make([][]float64, len(c.parts))
		for j := range c.parts {
			todo = append(todo, task{c, j})
		}
	}
	return parallel(ctx, len(todo), func(i int) error {
		c, j := todo[i].c, todo[i].j
		s := t.steps(len(grid()), what+c.name)
		defer s.finish()
		var err error
		c.loss[j], err = p.path(ctx, l, c.parts[j], s.reach)
		return err
	})
}

// path returns the criterion of every λ on the judged rows of a part.
func (p *Prepared) path(ctx context.Context, l method.Learner, q *part, step func(float64)) ([]float64, error) {
	d, err := p.designOf(ctx, q)
	if err != nil {
		return nil, err
	}
	fits, err := l.Path(ctx, d.data(), grid(), step)
	if err != nil {
		return nil, err
	}
	y := pick(p.cohort.y, q.test)
	f := make([]float64, len(y))
	losses := make([]float64, len(fits))
	for m, fit := range fits {
		losses[m] = l.Criterion(scores(f, fit, d.xt), y)
	}
	return losses, nil
}

// scores writes the fit's score of every row of x to dst.
func scores(dst []float64, fit *method.Fitted, x train.Matrix) []float64 {
	for i := range dst {
		dst[i] = fit.Score(x.Row(i))
	}
	return dst
}

// curves returns the cross-validations of λ that the spec asks for, the final
// fit's first, and the one that serves each judging fit.
func (p *Prepared) curves(ctx context.Context, sameFolds bool) (all []*curve, of [][]*curve, err error) {
	if sameFolds {
		for r, parts := range p.parts {
			c := &curve{name: p.place(r, -1), parts: parts}
			all = append(all, c)
			of = append(of, repeated(c, len(parts)))
		}
		return all, of, nil
	}
	final := &curve{name: "Final fit", at: p.final.train}
	if p.spec.Validation.Kind == "cv" && p.spec.Validation.Folds == innerFolds {
		final.parts = p.parts[0] // the same division, already prepared
	}
	all = append(all, final)
	for r, parts := range p.parts {
		row := repeated(final, len(parts))
		for k, q := range parts {
			if q != p.final {
				row[k] = &curve{name: p.place(r, k), at: q.train, repeat: r, outer: k + 1}
				all = append(all, row[k])
			}
		}
		of = append(of, row)
	}
	return all, of, parallel(ctx, len(all), func(i int) error { return p.inner(ctx, all[i]) })
}

// inner divides the training part of a curve; with fewer folds where groups,
// kept together, leave one without both classes.
func (p *Prepared) inner(ctx context.Context, c *curve) error {
	if c.parts != nil {
		return nil
	}
	most, _ := p.cohort.most(c.at)
	for k := min(innerFolds, most); k >= 2; k-- {
		folds, err := p.cohort.folds(ctx, c.at, k, source(p.spec.Seed, forFolds, c.repeat, c.outer))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue
		}
		for _, f := range folds {
			c.parts = append(c.parts, &part{fold: f})
		}
		return nil
	}
	return errs.BadField("model.l2", "cannot be tuned: no two parts of %s hold both classes; give a number", lower(c.name))
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
