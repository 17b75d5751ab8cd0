package engine

import (
	"context"
	"fmt"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/parallel"
	"taper/internal/engine/prep"
	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// keepBytes is the size up to which all designs of a run stay in memory;
// beyond it each is built when needed and dropped.
const keepBytes = 256 << 20

// Prepare reads everything from the table that does not change when boundaries
// or λ do.
func Prepare(ctx context.Context, t *table.Table, spec runspec.Spec) (*Prepared, error) {
	v, err := spec.Select(ctx, t)
	if err != nil {
		return nil, err
	}
	p := &Prepared{t: t, spec: v.Spec, key: v.Spec.PrepareKey(), cohort: v.Cohort, plain: map[rule]*assessment{}}
	p.divide(v.Repeats)
	if err := p.corrupt(ctx); err != nil {
		return nil, err
	}
	if err := p.build(ctx); err != nil {
		return nil, err
	}
	if err := p.describe(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// divide sets the parts.
func (p *Prepared) divide(repeats [][]runspec.Fold) {
	n, fits := len(p.cohort.Rows), 1
	for _, folds := range repeats {
		fits += len(folds)
	}
	keep := fits*n*len(p.cohort.Predictors)*8 <= keepBytes
	for _, folds := range repeats {
		var parts []*part
		for _, f := range folds {
			parts = append(parts, &part{Fold: f, keep: keep})
		}
		p.parts = append(p.parts, parts)
	}
	p.final = &part{Fold: runspec.Fold{Name: "train", Trained: resample.Positions(n)}, keep: true}
	if p.spec.Validation.Kind == "split" {
		p.final = p.parts[0][0]
		p.final.keep = true
	}
}

// build makes the designs that stay, in parallel.
func (p *Prepared) build(ctx context.Context) error {
	todo := []*part{p.final}
	for _, parts := range p.parts {
		for _, q := range parts {
			if q.keep && q != p.final {
				todo = append(todo, q)
			}
		}
	}
	err := parallel.ForEach(ctx, len(todo), 0, func(i int) error {
		_, err := p.designOf(ctx, todo[i])
		return err
	})
	if err != nil {
		return err
	}
	pre := p.final.design.pre
	p.extra = make([]float64, len(p.cohort.Extra)*pre.Width())
	return pre.Transform(ctx, p.extra, p.t, p.cohort.Extra)
}

// designOf returns the design of a part, built once if it is kept.
func (p *Prepared) designOf(ctx context.Context, q *part) (*design, error) {
	if !q.keep {
		return p.newDesign(ctx, q.Fold)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.design == nil && q.err == nil {
		d, err := p.newDesign(ctx, q.Fold)
		if err != nil && ctx.Err() != nil { // for who asks next it may not be cancelled
			return nil, err
		}
		q.design, q.err = d, err
	}
	return q.design, q.err
}

func (p *Prepared) newDesign(ctx context.Context, f runspec.Fold) (*design, error) {
	c := p.cohort
	rows, replaced := p.features(f.Train())
	pre, err := prep.FitSplines(ctx, p.t, c.Predictors, repeatedBy(rows, f.Times), *p.spec.Model.Standardize, p.spec.Splines)
	if err != nil {
		return nil, err
	}
	d := &design{pre: pre, label: p.labelsOf(f.Train())}
	if c.Weights != nil {
		d.w = resample.Pick(c.Weights, f.Train())
	}
	d.weigh(f.Times)
	if d.x, err = matrix(ctx, pre, p.t, rows); err != nil {
		return nil, err
	}
	if d.clean = d.x; replaced {
		if d.clean, err = matrix(ctx, pre, p.t, resample.Pick(c.Rows, f.Train())); err != nil {
			return nil, err
		}
	}
	d.xt, err = matrix(ctx, pre, p.t, resample.Pick(c.Rows, f.Test()))
	return d, err
}

func matrix(ctx context.Context, pre *prep.Preprocessor, t *table.Table, rows []int) (linear.Matrix, error) {
	m := linear.Matrix{Rows: len(rows), Cols: pre.Width(), Data: make([]float64, len(rows)*pre.Width())}
	return m, pre.Transform(ctx, m.Data, t, rows)
}

// matches reports a spec that this Prepared was not made for.
func (p *Prepared) matches(s runspec.Spec) error {
	if s.PrepareKey() != p.key {
		return usererr.New(usererr.Invalid, "The spec asks for other rows, columns, folds or seed than were prepared: "+
			"prepare "+
			"it anew.")
	}
	return nil
}

// Bytes estimates the memory that p holds: its table, the designs that stay,
// and the regressions it remembers.
func (p *Prepared) Bytes() int {
	n, times := p.t.Rows*len(p.t.Columns)*8, 1
	if len(p.spec.Splines) > 0 {
		times = 2 // straightened
	}
	parts := []*part{p.final}
	for _, repeat := range p.parts {
		parts = append(parts, repeat...)
	}
	for _, q := range parts {
		if q.keep {
			n += times * (len(q.Train()) + len(q.Test())) * len(p.cohort.Predictors) * 8
		}
	}
	outputs := p.cohort.Classes()
	if p.cohort.Target.Event {
		outputs = 1
	}
	return n + 8*len(p.extra) + maxRemembered*8*outputs*len(p.cohort.Rows)*(1+len(p.parts))
}

// weigh makes rows drawn more than once count so in training.
func (d *design) weigh(times []int) {
	if times == nil {
		return
	}
	w := make([]float64, len(times))
	for i, n := range times {
		w[i] = float64(n)
		if d.w != nil {
			w[i] *= d.w[i]
		}
	}
	d.w = w
}

// repeatedBy repeats each value; nil times: once.
func repeatedBy[T any](v []T, times []int) []T {
	if times == nil {
		return v
	}
	var all []T
	for i, n := range times {
		for range n {
			all = append(all, v[i])
		}
	}
	return all
}

// corrupt settles once which rows are noisy wherever they train: one order for a
// seed, whatever the rate.
func (p *Prepared) corrupt(ctx context.Context) error {
	s := p.spec.Noise
	if s.Kind == synth.NoiseNone {
		return nil
	}
	n := len(p.cohort.Rows)
	noise := synth.Noise{Kind: s.Kind, Rate: s.Rate, RatePositive: s.RatePositive, RateNegative: s.RateNegative}
	rng := resample.Source(p.spec.Seed, resample.PurposeNoise, 0, 0)
	order, donor := make([]float64, n), make([]float64, n)
	for i := range n {
		order[i], donor[i] = rng.Float64(), rng.Float64()
	}
	at := p.final.Train() // all rows that train anywhere
	var margin []float64
	if noise.ByMargin() {
		var err error
		if margin, err = p.cleanMargins(ctx); err != nil {
			return err
		}
	}
	noisy := &corruption{noise: noise, rows: make([]bool, n), donor: donor, asked: noise.Count(len(at))}
	for i, is := range noise.Rows(resample.Pick(order, at), p.events(at), margin) { // several classes: no kind that reads the events
		if is {
			noisy.rows[at[i]] = true
			noisy.count++
		}
	}
	p.noise = noisy
	return nil
}

// cleanL2 is the λ of the logistic regression of the clean rows whose margins
// the noise by margin goes by: just enough to bound it on separable data.
const cleanL2 = 1e-4

// cleanMargins fits logistic regression to the clean training rows.
func (p *Prepared) cleanMargins(ctx context.Context) ([]float64, error) {
	d, err := p.newDesign(ctx, p.final.Fold)
	if err != nil {
		return nil, err
	}
	margin, err := fit.CleanMargins(ctx, d.data(), cleanL2)
	if err != nil {
		return nil, fmt.Errorf("fit clean rows: %w", err)
	}
	return margin, nil
}

// check fills in the defaults and validates what may differ from Prepare.
func (p *Prepared) check(ctx context.Context, s *runspec.Spec) error {
	*s = s.WithDefaults()
	if err := s.CheckSettings(); err != nil {
		return err
	}
	if err := p.matches(*s); err != nil {
		return err
	}
	if !p.spec.Model.Tuned() && s.Model.Tuned() {
		_, err := p.cohort.Partition(ctx, s) // Prepare did not ask for tuning
		return err
	}
	return nil
}

func (p *Prepared) remembered(r rule) *assessment {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.plain[r]
}

func (p *Prepared) remember(r rule, a *assessment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.plain) >= maxRemembered {
		clear(p.plain)
	}
	p.plain[r] = a
}

// method reads the model of a spec, what its answers cost, and the boundaries of a task
// with an event.
func (p *Prepared) method(s *runspec.Spec) (how fit.Method, c task.Cost, iv loss.Interval, err error) {
	if p.cohort.Target.Event {
		if iv, err = loss.NewInterval(s.Boundaries); err != nil {
			return how, nil, iv, err
		}
	}
	how, c, err = task.Method(s.ChosenTask(), s.Model, p.cohort.Classes(), iv)
	return how, c, iv, err
}
