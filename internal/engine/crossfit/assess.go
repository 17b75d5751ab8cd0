package crossfit

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/odds"
	"taper/internal/engine/parallel"
	"taper/internal/engine/tune"
)

// Assessment is one model evaluated on all folds: its outputs for held-out rows, and its final
// fit. Outputs are rows × outputs of the model.
type Assessment struct {
	Raw    [][]float64    // by repeat, per position; NaN where not evaluated
	Chosen []tune.Setting // for each fold's fit, by repeat, then by fold

	Final   *fit.Model
	Train   []float64 // outputs of the final fit for its training rows
	Extra   []float64 // and for the rows that are only scored
	Setting tune.Setting
	OneSE   *tune.Setting // nil without tuning
	Tuning  []TuningPoint
	Trials  []TuningPoint // the joint search over γ and λ
	Edges   []tune.Edge   // edges of the grid that the setting lies on
	Seconds float64       // duration of the final fit
	Trace   *Trace        // of the final fit; nil unless asked for

	Held []Placed // for a score cut from the data, by repeat

	Uncertified int  // fits that missed their tolerance
	Flat        bool // no evaluated fit uses a predictor
}

// Penalty is the λ of the final fit; nil if the model has none.
func (a *Assessment) Penalty() *float64 {
	if a.Final == nil {
		return nil
	}
	return &a.Setting.L2
}

// assess tunes, fits every fold and all rows, and scores. Unless the candidate has fits to start from it reuses
// nothing from earlier calls, because a warm start would change the last bits.
func (p *Folds) assess(ctx context.Context, c *Candidate, pl Plan, t *Tracker) (*Assessment, error) {
	a := &Assessment{Setting: c.Space.Fixed}
	if len(pl.curves) > 0 {
		if err := p.tune(ctx, c, pl, t); err != nil {
			return nil, err
		}
		_, oneSE := c.search().Choose(&pl.curves[0].Curve)
		a.Setting, a.OneSE = c.chosen(pl.curves[0]), &oneSE
		a.Tuning, a.Trials = pl.curves[0].points(a.Setting.Gamma)
		a.Edges = tune.Edges(pl.curves[0].Points(), a.Setting)
	}
	return a, p.fitFolds(ctx, c, pl, a, t)
}

// Work is a candidate with the folds to assess it on.
type Work struct {
	Folds *Folds
	*Candidate
	To *(*Assessment)
}

// AssessAll assesses candidates one after the other, each on all cores.
func AssessAll(ctx context.Context, all []Work, tuning string, t *Tracker) error {
	plans, total := make([]Plan, len(all)), 0.0
	for i, w := range all {
		var err error
		if plans[i], err = w.Folds.newPlan(ctx, w.Candidate, tuning); err != nil {
			return err
		}
		total += plans[i].Work
	}
	t.Expect(total)
	for i, w := range all {
		a, err := w.Folds.assess(ctx, w.Candidate, plans[i], t)
		if err != nil {
			return err
		}
		*w.To = a
	}
	return nil
}

// Near has the last fit of every fold. A fit of the interval surrogate that starts from the one for boundaries nearby,
// with the same λ, takes fewer steps. It ends within the same certified gap, but not at the same bits, so only pages
// use it, while a slider moves. Concurrent calls are safe.
type Near struct {
	mu   sync.Mutex
	fits map[*Part]nearby
}

type nearby struct {
	*fit.Model
	l2 float64
}

// last returns the fit to start from; nil where the last one had another λ or number of boundaries, from which a
// start takes more steps than one from nothing.
func (n *Near) last(c *Candidate, j *foldFit) *fit.Model {
	n.mu.Lock()
	defer n.mu.Unlock()
	f := n.fits[j.part]
	if f.Model == nil || f.l2 != j.L2 || len(f.Task.Boundaries) != len(c.Task().Boundaries) {
		return nil
	}
	return f.Model
}

func (n *Near) keep(j *foldFit, m *fit.Model) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fits == nil {
		n.fits = map[*Part]nearby{}
	}
	n.fits[j.part] = nearby{m, j.L2}
}

// foldFit is one fit to be made: of a fold, or the final one.
type foldFit struct {
	part   *Part
	repeat int // −1 = the final fit
	tune.Setting
	raw             []float64 // outputs for the held-out rows
	certified, flat bool
}

// answer encodes the result of a fit as numbers, for other machines.
func (j *foldFit) answer() []float64 {
	told := []float64{0, 0}
	for i, is := range []bool{j.certified, j.flat} {
		if is {
			told[i] = 1
		}
	}
	return append(told, j.raw...)
}

func (j *foldFit) take(told []float64) {
	j.certified, j.flat, j.raw = told[0] > 0, told[1] > 0, told[2:]
}

// fitFolds makes the fits, starting with the largest, the final one.
func (p *Folds) fitFolds(ctx context.Context, c *Candidate, pl Plan, a *Assessment, t *Tracker) error {
	todo := []foldFit{{part: p.Final, repeat: -1, Setting: a.Setting}}
	for r, parts := range p.Parts {
		for k, q := range parts {
			s := c.Space.Fixed
			if pl.of != nil {
				s = c.chosen(pl.of[r][k])
			}
			a.Chosen = append(a.Chosen, s)
			if q != p.Final {
				todo = append(todo, foldFit{part: q, repeat: r, Setting: s})
			}
		}
	}
	err := parallel.Spread(ctx, parallel.Step{Name: "fold", N: len(todo), Home: 1, Last: true,
		Do: func(ctx context.Context, i int) ([]float64, error) {
			q := &todo[i] // another machine's answer may arrive meanwhile
			j := foldFit{part: q.part, repeat: q.repeat, Setting: q.Setting}
			err := p.fitOne(ctx, c, a, &j)
			return j.answer(), err
		},
		Take: func(i int, told []float64) {
			todo[i].take(told)
			t.Step(1, "%sFitting fold %d of %d", c.what, i+1, len(todo))
		}})
	if err != nil || parallel.Replayed(ctx) {
		return err
	}
	outputs := a.Final.Outputs()
	for range p.Parts {
		a.Raw = append(a.Raw, slices.Repeat([]float64{math.NaN()}, len(p.Cohort.Rows)*outputs))
	}
	a.Flat = true
	for _, j := range todo {
		for i, at := range j.part.Test() {
			copy(a.Raw[max(j.repeat, 0)][at*outputs:(at+1)*outputs], j.raw[i*outputs:])
		}
		if !j.certified {
			a.Uncertified++
		}
		// With a single split, or without validation, the final fit is the one evaluated.
		judges := j.repeat >= 0 || len(j.part.Test()) > 0 || len(p.Parts) == 0
		a.Flat = a.Flat && (!judges || j.flat)
	}
	return nil
}

// fitOne fits a fold and scores its held-out rows. The final fit also scores its training rows
// and the rows that are only scored.
func (p *Folds) fitOne(ctx context.Context, c *Candidate, a *Assessment, j *foldFit) error {
	d, err := p.DesignOf(ctx, j.part)
	if err != nil {
		return err
	}
	var o fit.Options
	if j.repeat < 0 && p.Traced {
		a.Trace = &Trace{}
		o.Trace = a.Trace.add
	}
	if c.Near != nil {
		o.Keep, o.Starts.Given = true, c.Near.last(c, j)
	}
	started := time.Now()
	fitted, err := c.at(j.Setting).Fit(ctx, d.Data(), j.L2, o)
	if err != nil {
		return err
	}
	if c.Near != nil {
		c.Near.keep(j, fitted)
	}
	seconds := time.Since(started).Seconds()
	j.certified, j.flat = fitted.Certified(), fitted.Flat()
	if j.raw = Scores(fitted, d.Held); j.repeat >= 0 {
		return nil
	}
	a.Final, a.Seconds = fitted, seconds
	a.Train = Scores(fitted, d.Clean)
	n := len(p.Cohort.Extra)
	a.Extra = Scores(fitted, linear.Matrix{Rows: n, Cols: d.X.Cols, Data: p.extra})
	return nil
}

// Scores returns the fit's outputs for every row of x.
func Scores(f *fit.Model, x linear.Matrix) []float64 {
	return fit.Scores([]*fit.Model{f}, x)[0]
}

// Constant is the model without predictors. Its output is the prevalence as a logit, or the
// class proportions, among the training rows of the fold.
func (p *Folds) Constant() *Assessment {
	of := p.shares
	if p.Cohort.Target.Event {
		of = p.prevalence
	}
	given := of(p.Final.Train())
	a := &Assessment{Flat: true, Train: slices.Repeat(given, len(p.Final.Train()))}
	k := len(given)
	for _, parts := range p.Parts {
		raw := slices.Repeat([]float64{math.NaN()}, k*len(p.Cohort.Rows))
		for _, q := range parts {
			given := of(q.Train())
			for _, at := range q.Test() {
				copy(raw[at*k:], given)
			}
		}
		a.Raw = append(a.Raw, raw)
	}
	return a
}

// prevalence is the weighted proportion of events among the positions, as a logit.
func (p *Folds) prevalence(at []int) []float64 {
	events := 0.0
	for _, i := range at {
		if p.LabelOf(i) > 0 {
			events += p.weight(i)
		}
	}
	return []float64{odds.Logit(events / p.Mass(at))}
}

// shares are the weighted class proportions among the positions.
func (p *Folds) shares(at []int) []float64 {
	share, total := make([]float64, p.Cohort.Classes()), p.Mass(at)
	for _, i := range at {
		share[p.LabelOf(i)] += p.weight(i) / total
	}
	return share
}

// Mass is the sum of the weights of the positions.
func (p *Folds) Mass(at []int) (sum float64) {
	for _, i := range at {
		sum += p.weight(i)
	}
	return sum
}

// weight is the training weight of a position.
func (p *Folds) weight(at int) float64 {
	if p.Cohort.Weights == nil {
		return 1
	}
	return p.Cohort.Weights[at]
}
