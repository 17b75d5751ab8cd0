package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
	"taper/internal/engine/phrase"
	"taper/internal/engine/task"
	"taper/internal/engine/tune"
	"taper/internal/engine/usererr"
)

// innerFolds choose λ inside a training part; fewer when a class has fewer
// rows.
const innerFolds = 5

// candidate is one model of a run on its way: how it is fitted, what is left open,
// and what tuning minimises.
type candidate struct {
	fit.Trainer
	criterion task.Criterion
	penalty   fit.L2     // how λ is found
	space     tune.Space // what is open, λ and the γ of a kernel
	what      string     // for progress
}

// candidate makes a model of a spec ready, its λ found by a rule.
func (p *Prepared) candidate(s *runspec.Spec, how fit.Method, penalty fit.L2, what string) (*candidate, error) {
	_, cost, iv, err := p.method(s) // of the model, for the baseline too
	if err != nil {
		return nil, err
	}
	c := &candidate{penalty: penalty, what: what}
	c.criterion = s.ChosenTask().Criterion(how, cost, iv)
	c.space = tune.Space{L2: penalty.Tuned(), Gamma: how.Spec.GammaTuned(), Given: tune.Setting{L2: penalty.Value}}
	if s.Multiclass() {
		c.space.Given.Gamma, _, _ = runspec.Gamma(how.Spec)
	}
	c.Trainer, err = how.Trainer(fit.Task{Classes: p.cohort.Classes(), Boundaries: s.Boundaries}, s.Seed)
	return c, err
}

// baseline makes the regression ready that a model of a spec is compared with:
// straight lines, logistic or softmax.
func (p *Prepared) baseline(s *runspec.Spec, penalty fit.L2, what string) (*candidate, error) {
	about := s.ChosenTask()
	how, err := fit.Parse(fit.Spec{Kind: "linear", Loss: about.Baselines()[0].Loss, Solver: "auto"})
	if err != nil {
		return nil, err
	}
	return p.candidate(s, how, penalty, what)
}

// search is how its parameters are found.
func (c *candidate) search() tune.Search { return c.space.Search(c.Warm()) }

// chosen is the setting that a curve ends with.
func (c *candidate) chosen(v *curve) tune.Setting {
	best, oneSE := c.search().Chosen(&v.Curve)
	if c.penalty.Mode == "cv-1se" {
		return oneSE
	}
	return best
}

// at is the trainer with the γ of a setting.
func (c *candidate) at(s tune.Setting) fit.Trainer { return c.At(s.Gamma) }

// curve is one cross-validation of the parameters with its folds.
type curve struct {
	tune.Curve
	name          string       // for progress
	from          runspec.Fold // whose training positions are divided
	repeat, outer int          // stream of the division; outer 0 = the final fit
	parts         []*part
}

func newCurve(name string, rows int) *curve { return &curve{name: name, Curve: tune.Curve{Rows: rows}} }

func (c *curve) set(parts []*part) { c.parts, c.Folds = parts, len(parts) }

func (c *curve) divide(folds []runspec.Fold) {
	var parts []*part
	for _, f := range folds {
		parts = append(parts, &part{Fold: f})
	}
	c.set(parts)
}

// points returns the settings for the result: the curve in ascending λ at the γ
// chosen, and where γ was tuned all settings by γ, then λ.
func (c *curve) points(gamma float64) (at, all []TuningPoint) {
	for _, p := range c.Points() {
		v := TuningPoint{L2: p.L2, Mean: p.Mean, SE: p.SE}
		if p.Gamma > 0 {
			v.Gamma = &p.Gamma
			all = append(all, v)
		}
		if p.Gamma == gamma {
			at = append(at, v)
		}
	}
	slices.SortFunc(at, func(a, b TuningPoint) int { return cmp.Compare(a.L2, b.L2) })
	slices.SortFunc(all, func(a, b TuningPoint) int {
		return cmp.Or(cmp.Compare(*a.Gamma, *b.Gamma), cmp.Compare(a.L2, b.L2))
	})
	return at, all
}

// Best returns the position of the λ chosen from points in ascending λ: the
// largest of those that are lowest but for rounding. −1 for no points.
func Best(points []TuningPoint) int {
	all := make([]tune.Point, len(points))
	for i, p := range points {
		all[i] = tune.Point{Setting: tune.Setting{L2: p.L2}, Mean: p.Mean}
	}
	return tune.Ties{}.Best(all)
}

// plan is on which folds parameters are found; without curves they are given.
type plan struct {
	curves []*curve   // the final fit's first
	of     [][]*curve // of each judging fit
	work   float64    // fits, for progress
}

func (p *Prepared) newPlan(ctx context.Context, c *candidate, tuning string) (pl plan, err error) {
	if c.space.Open() {
		if pl.curves, pl.of, err = p.curves(ctx, tuning); err != nil {
			return pl, err
		}
	}
	pl.work = 1
	for _, v := range pl.curves {
		pl.work += float64(v.Folds * c.search().Grid.Trials)
	}
	for _, parts := range p.parts {
		for _, q := range parts {
			if q != p.final {
				pl.work++
			}
		}
	}
	return pl, nil
}

// tune fills the curves of a plan.
func (p *Prepared) tune(ctx context.Context, c *candidate, pl plan, t *tracker) error {
	s := c.search()
	s.Loss = func(ctx context.Context, w tune.Piece, dst []float64) error {
		v := pl.curves[w.Curve]
		if len(w.L2s) == 1 {
			defer t.step(1, "%s%s, %d of %d settings", c.what, v.name, w.First+1, len(v.Tried))
			return p.heldOut(ctx, dst, c, v.parts[w.Fold], w.Path, nil)
		}
		steps := t.steps(len(w.L2s), c.what+v.name)
		defer steps.finish()
		return p.heldOut(ctx, dst, c, v.parts[w.Fold], w.Path, steps.reach)
	}
	all := make([]*tune.Curve, len(pl.curves))
	for i, v := range pl.curves {
		all[i] = &v.Curve
	}
	return s.Run(ctx, all)
}

// heldOut stores the mean criterion of every λ of a path on the rows that a part
// holds out.
func (p *Prepared) heldOut(ctx context.Context, dst []float64, c *candidate, q *part, path tune.Path,
	step func(float64)) error {
	d, err := p.designOf(ctx, q)
	if err != nil {
		return err
	}
	o := c.Ranking()
	if step != nil {
		o.Report = func(p linear.Progress) { step(p.Fraction) }
	}
	fits, err := c.At(path.Gamma).Path(ctx, d.data(), path.L2s, o)
	if err != nil {
		return fmt.Errorf("fit: %w", err)
	}
	c.criterion.Means(dst, fits, d.xt, resample.Pick(p.cohort.Label, q.Test()))
	return nil
}

// curves returns the cross-validations of λ that the spec asks for, the final
// fit's first, and the one that serves each judging fit.
func (p *Prepared) curves(ctx context.Context, tuning string) (all []*curve, of [][]*curve, err error) {
	if tuning == runspec.TuningSame {
		for r, parts := range p.parts {
			c := newCurve(p.place(r, -1), len(p.cohort.Rows))
			c.set(parts)
			all = append(all, c)
			of = append(of, repeated(c, len(parts)))
		}
		return all, of, nil
	}
	final := newCurve("Final fit", len(p.final.Train()))
	final.from = p.final.Fold
	if p.spec.Validation.Kind == "cv" && p.spec.Validation.Folds == innerFolds {
		parts := p.parts[0] // the same division, already prepared
		if tuning == runspec.TuningSet {
			parts = parts[:1]
		}
		final.set(parts)
	}
	all = append(all, final)
	for r, parts := range p.parts {
		row := repeated(final, len(parts))
		for k, q := range parts {
			if q != p.final {
				c := newCurve(p.place(r, k), len(q.Train()))
				c.from, c.repeat, c.outer = q.Fold, r, k+1
				row[k] = c
				all = append(all, c)
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
	at := c.from.Train()
	most, _ := p.cohort.MostFolds(at)
	for k := min(innerFolds, most); k >= 2; k-- {
		folds, err := p.cohort.Folds(ctx, at, k, resample.Folds(p.spec.Seed, c.repeat, c.outer))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue
		}
		if tuning == runspec.TuningSet {
			folds = folds[:1]
		}
		c.divide(folds)
		return nil
	}
	return usererr.BadField("model.l2", "cannot be tuned: no two parts of %s hold both classes; give a number",
		phrase.LowerFirst(c.name))
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
	return phrase.UpperFirst(fold)
}

func repeated[T any](v T, n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = v
	}
	return s
}
