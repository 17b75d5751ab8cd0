package crossfit

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"taper/internal/engine/loss"
	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"

	"gonum.org/v1/gonum/floats"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
	"taper/internal/engine/phrase"
	"taper/internal/engine/task"
	"taper/internal/engine/tune"
	"taper/internal/engine/usererr"
)

// innerFolds is the number of folds that choose λ within a training part; fewer if a class has
// fewer rows.
const innerFolds = 5

// Candidate is one model to be assessed: its trainer, its open parameters, and the criterion of
// tuning.
type Candidate struct {
	fit.Trainer
	Criterion task.Criterion
	Penalty   fit.L2     // rule for λ
	Space     tune.Space // open parameters: λ and a kernel's γ
	Near      *Near      // last fits to start from; nil = none
	what      string     // for progress
}

// Method parses the model of a spec and returns its cost matrix and, for a task with an event,
// its boundaries.
func (p *Folds) Method(s *runspec.Spec) (how fit.Method, c task.Cost, iv loss.Interval, err error) {
	if p.Cohort.Target.Event {
		if iv, err = loss.NewInterval(s.Boundaries); err != nil {
			return how, nil, iv, err
		}
	}
	how, c, err = task.Method(s.ChosenTask(), s.Model, p.Cohort.Classes(), iv)
	return how, c, iv, err
}

// Candidate prepares a model of a spec, with λ chosen by the rule penalty.
func (p *Folds) Candidate(s *runspec.Spec, how fit.Method, penalty fit.L2, what string) (*Candidate, error) {
	_, cost, iv, err := p.Method(s) // the cost of the run's model; the baseline uses it too
	if err != nil {
		return nil, err
	}
	c := &Candidate{Penalty: penalty, what: what}
	c.Criterion = s.ChosenTask().Criterion(how, cost, iv)
	c.Space = tune.Space{L2: penalty.Tuned(), Gamma: how.Spec.GammaTuned(), Summed: how.Family.Prior,
		Fixed: tune.Setting{L2: penalty.Value}}
	if s.Multiclass() {
		c.Space.Fixed.Gamma, _, _ = runspec.Gamma(how.Spec)
	}
	c.Trainer, err = how.Trainer(fit.Task{Classes: p.Cohort.Classes(), Boundaries: s.Boundaries}, s.Seed)
	return c, err
}

// Baseline prepares the comparison model of a spec: logistic or softmax regression without
// splines.
func (p *Folds) Baseline(s *runspec.Spec, penalty fit.L2, what string) (*Candidate, error) {
	about := s.ChosenTask()
	how, err := fit.Parse(fit.Spec{Kind: "linear", Loss: about.Baselines()[0].Loss, Solver: "auto"})
	if err != nil {
		return nil, err
	}
	return p.Candidate(s, how, penalty, what)
}

// search is the search over the open parameters.
func (c *Candidate) search() tune.Search { return c.Space.Search(c.Warm()) }

// chosen is the setting that a curve selects.
func (c *Candidate) chosen(v *curve) tune.Setting {
	best, oneSE := c.search().Choose(&v.Curve)
	if c.Penalty.Mode == "cv-1se" {
		return oneSE
	}
	return best
}

// at is the trainer with the γ of a setting.
func (c *Candidate) at(s tune.Setting) fit.Trainer { return c.At(s.Gamma) }

// curve is one cross-validation of the parameters, with its folds.
type curve struct {
	tune.Curve
	name          string       // for progress
	from          runspec.Fold // its training positions are divided
	repeat, outer int          // random stream of the division; outer 0 = the final fit
	parts         []*Part
	share         float64 // of the training positions that are divided; 0 = all
}

func newCurve(name string, rows int) *curve { return &curve{name: name, Curve: tune.Curve{Rows: rows}} }

func (c *curve) set(parts []*Part) { c.parts, c.Folds = parts, len(parts) }

func (c *curve) divide(folds []runspec.Fold) {
	var parts []*Part
	for _, f := range folds {
		parts = append(parts, &Part{Fold: f})
	}
	c.set(parts)
}

// points returns the tried settings for the result: those at the chosen γ in ascending λ, and,
// if γ was tuned, all by γ, then λ.
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

// Best returns the index of the chosen λ among points in ascending λ: the largest λ whose mean
// equals the minimum up to rounding. −1 for no points.
func Best(points []TuningPoint) int {
	all := make([]tune.Point, len(points))
	for i, p := range points {
		all[i] = tune.Point{Setting: tune.Setting{L2: p.L2}, Mean: p.Mean}
	}
	return tune.Ties{}.Best(all)
}

// Plan says on which folds parameters are chosen; without curves they are fixed.
type Plan struct {
	curves []*curve   // the final fit's first
	of     [][]*curve // for the fit of each evaluation fold
	Work   float64    // number of fits, for progress
}

func (p *Folds) newPlan(ctx context.Context, c *Candidate, tuning string) (pl Plan, err error) {
	if c.Space.AnyOpen() {
		if pl.curves, pl.of, err = p.curves(ctx, tuning); err != nil {
			return pl, err
		}
	}
	pl.Work = 1
	for _, v := range pl.curves {
		pl.Work += float64(v.Folds * c.search().Grid.Trials)
	}
	for _, parts := range p.Parts {
		for _, q := range parts {
			if q != p.Final {
				pl.Work++
			}
		}
	}
	return pl, nil
}

// tune computes the curves of a plan.
func (p *Folds) tune(ctx context.Context, c *Candidate, pl Plan, t *Tracker) error {
	s := c.search()
	var paths sync.Map // progress of each piece
	type place struct{ curve, fold, first int }
	progress := func(w tune.Piece) *steps {
		v, _ := paths.LoadOrStore(place{w.Curve, w.Fold, w.First}, t.steps(len(w.L2s), c.what+pl.curves[w.Curve].name))
		return v.(*steps)
	}
	s.Loss = func(ctx context.Context, w tune.Piece, dst []float64) error {
		v, path := pl.curves[w.Curve], w.Path
		if c.Space.Summed && v.share > 0 { // a sum over fewer rows is as large with a smaller λ
			path.L2s = slices.Clone(path.L2s)
			floats.Scale(v.share, path.L2s)
		}
		if len(w.L2s) == 1 {
			return p.heldOut(ctx, dst, c, v.parts[w.Fold], path, nil)
		}
		return p.heldOut(ctx, dst, c, v.parts[w.Fold], path, progress(w).reach)
	}
	s.Found = func(w tune.Piece) { // computed here, or on a machine that sends no progress
		if v := pl.curves[w.Curve]; len(w.L2s) == 1 {
			t.Step(1, "%s%s, %d of %d settings", c.what, v.name, w.First+1, len(v.Tried))
			return
		}
		progress(w).finish()
	}
	all := make([]*tune.Curve, len(pl.curves))
	for i, v := range pl.curves {
		all[i] = &v.Curve
	}
	return s.Run(ctx, all)
}

// heldOut stores the mean criterion of every λ of a path on the held-out rows of a part.
func (p *Folds) heldOut(ctx context.Context, dst []float64, c *Candidate, q *Part, path tune.Path,
	step func(float64)) error {
	d, err := p.DesignOf(ctx, q)
	if err != nil {
		return err
	}
	o := c.Ranking()
	if step != nil {
		o.Report = func(p linear.Progress) { step(p.Fraction) }
	}
	fits, err := c.At(path.Gamma).Path(ctx, d.Data(), path.L2s, o)
	if err != nil {
		return fmt.Errorf("fit: %w", err)
	}
	c.Criterion.Means(dst, fits, d.Held, resample.Pick(p.Cohort.Label, q.Test()))
	return nil
}

// curves returns the cross-validations that the spec asks for, that of the final fit first, and
// the one used for the fit of each evaluation fold.
func (p *Folds) curves(ctx context.Context, tuning string) (all []*curve, of [][]*curve, err error) {
	if tuning == runspec.TuningSame {
		for r, parts := range p.Parts {
			c := newCurve(p.place(r, -1), len(p.Cohort.Rows))
			c.set(parts)
			all = append(all, c)
			of = append(of, slices.Repeat([]*curve{c}, len(parts)))
		}
		return all, of, nil
	}
	final := newCurve("Final fit", len(p.Final.Train()))
	final.from = p.Final.Fold
	if p.Spec.Validation.Kind == "cv" && p.Spec.Validation.Folds == innerFolds && tuning != runspec.TuningSample {
		parts := p.Parts[0] // the same division is already prepared
		if tuning == runspec.TuningSet {
			parts = parts[:1]
		}
		final.set(parts)
	}
	all = append(all, final)
	for r, parts := range p.Parts {
		row := slices.Repeat([]*curve{final}, len(parts))
		for k, q := range parts {
			if q != p.Final {
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

// inner divides the training part of a curve into folds. Where groups stay together, it uses
// fewer folds if one would lack a class.
func (p *Folds) inner(ctx context.Context, c *curve, tuning string) error {
	if c.parts != nil {
		return nil
	}
	at := c.from.Train()
	if n := len(at); tuning == runspec.TuningSample && n > runspec.TuningRows {
		at = runspec.Sampled(at, runspec.TuningRows, resample.Source(p.Spec.Seed, resample.PurposeTuning, c.repeat, c.outer))
		c.share = float64(len(at)) / float64(n)
	}
	most, _ := p.Cohort.MostFolds(at)
	for k := min(innerFolds, most); k >= 2; k-- {
		folds, err := p.Cohort.Folds(ctx, at, k, resample.Folds(p.Spec.Seed, c.repeat, c.outer))
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

// place names a fold for progress reports: "Fold 3 of 5", "Repeat 2 of 10, fold 3 of 5".
func (p *Folds) place(repeat, k int) string {
	fold, of := "", len(p.Parts[repeat])
	if k >= 0 {
		fold = fmt.Sprintf("fold %d of %d", k+1, of)
	} else {
		fold = fmt.Sprintf("all %d folds", of)
	}
	if len(p.Parts) > 1 {
		return fmt.Sprintf("Repeat %d of %d, %s", repeat+1, len(p.Parts), fold)
	}
	return phrase.UpperFirst(fold)
}

// TuningPoint is one tried λ, with γ if that was tuned too.
type TuningPoint struct {
	L2    float64  `json:"l2"`
	Gamma *float64 `json:"gamma,omitempty"`
	Mean  float64  `json:"mean"` // criterion, lower is better
	SE    float64  `json:"se"`   // over folds
}

// TuneSample tunes a candidate on a bootstrap sample as a run does on its rows, along the same
// path of λ with warm starts; copies of a row stay in one fold. times says how often each
// position was drawn, random generates the k folds. ok is false if no two folds of the sample
// contain every class.
func (p *Folds) TuneSample(ctx context.Context, m *Candidate, distinct, times []int,
	random func(k int) *rand.Rand) (s tune.Setting, ok bool, err error) {
	c := newCurve("sample", len(distinct))
	if n := len(distinct); p.Spec.Model.Tuning == runspec.TuningSample && n > runspec.TuningRows {
		distinct = runspec.Sampled(distinct, runspec.TuningRows, random(1)) // the folds take theirs from 2 on
		c.share = float64(len(distinct)) / float64(n)
	}
	most, _ := p.Cohort.MostFolds(distinct)
	for k := min(innerFolds, most); k >= 2 && c.parts == nil; k-- {
		folds, err := p.Cohort.Folds(ctx, distinct, k, random(k))
		if ctx.Err() != nil {
			return s, false, ctx.Err()
		}
		if err != nil {
			continue
		}
		if p.Spec.Model.Tuning == runspec.TuningSet {
			folds = folds[:1]
		}
		for i := range folds {
			f := &folds[i]
			f.Times = resample.Pick(times, f.Train())
			f.Tested = resample.Repeat(f.Test(), resample.Pick(times, f.Test()))
		}
		c.divide(folds)
	}
	if c.parts == nil {
		return s, false, nil
	}
	if err := p.tune(ctx, m, Plan{curves: []*curve{c}}, nil); err != nil {
		return s, false, err
	}
	return m.chosen(c), true, nil
}

// FoldPlan plans tuning for the evaluation folds only, without a final fit.
func (p *Folds) FoldPlan(ctx context.Context, c *Candidate) (Plan, error) {
	pl, err := p.newPlan(ctx, c, runspec.TuningSame)
	pl.Work-- // there is no final fit
	return pl, err
}

// FoldSettings returns λ and γ for each fold: fixed, or tuned.
func (p *Folds) FoldSettings(ctx context.Context, c *Candidate, pl Plan, t *Tracker) ([]tune.Setting, error) {
	s := c.Space.Fixed
	if len(pl.curves) > 0 {
		if err := p.tune(ctx, c, pl, t); err != nil {
			return nil, err
		}
		s = c.chosen(pl.curves[0])
	}
	return slices.Repeat([]tune.Setting{s}, len(p.Parts[0])), nil
}

// FoldModels fits each fold and returns the models and the outputs for held-out rows, by
// position.
func (p *Folds) FoldModels(ctx context.Context, c *Candidate, s []tune.Setting, t *Tracker) ([]*fit.Model,
	[]float64, error) {
	parts := p.Parts[0]
	fits, raw := make([]*fit.Model, len(parts)), make([][]float64, len(parts))
	err := parallel.ForEach(ctx, len(parts), 0, func(k int) error {
		d, err := p.DesignOf(ctx, parts[k])
		if err != nil {
			return err
		}
		if fits[k], err = c.at(s[k]).Fit(ctx, d.Data(), s[k].L2, fit.Options{}); err != nil {
			return err
		}
		raw[k] = Scores(fits[k], d.Held)
		t.Step(1, "%sFitting fold %d of %d", c.what, k+1, len(parts))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	k := fits[0].Outputs()
	all := make([]float64, len(p.Cohort.Rows)*k)
	for i, q := range parts {
		for row, at := range q.Test() {
			copy(all[at*k:(at+1)*k], raw[i][row*k:])
		}
	}
	return fits, all, nil
}
