// Package crossfit cross-fits models on the rows of a run: it divides them into folds, builds
// the design matrices, injects label noise, tunes inside training parts, and scores held-out
// rows. Results, their wording and pages are made elsewhere.
package crossfit

import (
	"context"
	"sync"

	"taper/internal/engine/cost"
	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/pages"
	"taper/internal/engine/parallel"
	"taper/internal/engine/prep"
	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// Folds are the rows of a run, divided into the evaluation folds and the training rows of the
// final fit, with injected noise, and preprocessing learned within each training part. Its
// methods are safe for concurrent use.
type Folds struct {
	Table  *table.Table
	Spec   runspec.Spec // with defaults
	Cohort *runspec.Cohort

	Parts [][]*Part // evaluation folds by repeat; none without validation
	Final *Part     // training rows of the final fit
	extra []float64 // design rows, under Final, of the rows only scored; row-major

	Noise  *Corruption // nil = none
	Traced bool        // record the iterations of final fits

	making   sync.Mutex // guards straight
	straight *Folds     // without splines, for the comparison regression; nil until asked for
}

// New validates a spec and prepares its rows: everything that depends neither on the boundaries
// nor on the model.
func New(ctx context.Context, t *table.Table, spec runspec.Spec) (*Folds, error) {
	v, err := spec.Select(ctx, t)
	if err != nil {
		return nil, err
	}
	p := &Folds{Table: t, Spec: v.Spec, Cohort: v.Cohort}
	p.divide(v.Repeats)
	if err := p.corrupt(ctx); err != nil {
		return nil, err
	}
	return p, p.build(ctx)
}

// Part is a fold with its design, whose preprocessing is learned from the training rows.
type Part struct {
	runspec.Fold
	mu     sync.Mutex // guards Design and err
	Design *Design    // set in Final, and in others while they are kept; see DesignOf
	err    error
	keep   bool
}

// Design holds the matrices of the training and the test rows of a fit.
type Design struct {
	Pre   *prep.Preprocessor
	X     linear.Matrix // training rows
	Clean linear.Matrix // before noise replaced features; else the same as X
	Label []int         // training classes, including noisy ones
	w     []float64     // training weights; nil = 1
	Held  linear.Matrix // test rows
}

// Data returns the training data of a fit.
func (d *Design) Data() fit.Data { return fit.Data{X: d.X, Label: d.Label, Weights: d.w} }

// Judged returns the positions that are tested, each once per repeat.
func (p *Folds) Judged() []int {
	if p.Spec.Validation.Kind == "split" {
		return p.Final.Test()
	}
	return resample.Positions(len(p.Cohort.Rows))
}

// Events reports, for each position, whether it has the event.
func (p *Folds) Events(at []int) []bool {
	event := make([]bool, len(at))
	for i, k := range at {
		event[i] = p.Cohort.Label[k] > 0
	}
	return event
}

// keepBytes is the total size up to which the designs of a run stay in memory; beyond it each
// is built when needed and dropped.
const keepBytes = 256 << 20

// divide sets Parts and Final.
func (p *Folds) divide(repeats [][]runspec.Fold) {
	n, fits := len(p.Cohort.Rows), 1
	for _, folds := range repeats {
		fits += len(folds)
	}
	terms := prep.MostTerms(p.Table.Shape(), p.Cohort.Predictors, p.Spec.Splines)
	keep := cost.Of(8, fits, n, terms) <= keepBytes
	for _, folds := range repeats {
		var parts []*Part
		for _, f := range folds {
			parts = append(parts, &Part{Fold: f, keep: keep})
		}
		p.Parts = append(p.Parts, parts)
	}
	p.Final = &Part{Fold: runspec.Fold{Name: "train", Trained: resample.Positions(n)}, keep: true}
	if p.Spec.Validation.Kind == "split" {
		p.Final = p.Parts[0][0]
		p.Final.keep = true
	}
}

// build builds the stored designs in parallel.
func (p *Folds) build(ctx context.Context) error {
	todo := []*Part{p.Final}
	for _, parts := range p.Parts {
		for _, q := range parts {
			if q.keep && q != p.Final {
				todo = append(todo, q)
			}
		}
	}
	err := parallel.ForEach(ctx, len(todo), 0, func(i int) error {
		_, err := p.DesignOf(ctx, todo[i])
		return err
	})
	if err != nil {
		return err
	}
	pre := p.Final.Design.Pre
	p.extra = make([]float64, len(p.Cohort.Extra)*pre.Width())
	return pre.Transform(ctx, p.extra, p.Table, p.Cohort.Extra)
}

// DesignOf returns the design of a part; a design that is kept is built once.
func (p *Folds) DesignOf(ctx context.Context, q *Part) (*Design, error) {
	if !q.keep {
		return p.NewDesign(ctx, q.Fold)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.Design == nil && q.err == nil {
		d, err := p.NewDesign(ctx, q.Fold)
		if err != nil && ctx.Err() != nil { // another caller's context may still be valid
			return nil, err
		}
		q.Design, q.err = d, err
	}
	return q.Design, q.err
}

func (p *Folds) NewDesign(ctx context.Context, f runspec.Fold) (*Design, error) {
	c := p.Cohort
	rows, replaced := p.Features(f.Train())
	pre, err := &prep.Preprocessor{}, error(nil)
	if len(c.Predictors) > 0 { // without predictors, a given prediction is compared with the class proportions only
		pre, err = prep.FitSplines(ctx, p.Table, c.Predictors, resample.Repeat(rows, f.Times),
			*p.Spec.Model.Standardize, p.Spec.Splines)
	}
	if err != nil {
		return nil, err
	}
	d := &Design{Pre: pre, Label: p.labelsOf(f.Train())}
	if c.Weights != nil {
		d.w = resample.Pick(c.Weights, f.Train())
	}
	d.weigh(f.Times)
	if d.X, err = matrix(ctx, pre, p.Table, rows); err != nil {
		return nil, err
	}
	if d.Clean = d.X; replaced {
		if d.Clean, err = matrix(ctx, pre, p.Table, resample.Pick(c.Rows, f.Train())); err != nil {
			return nil, err
		}
	}
	d.Held, err = matrix(ctx, pre, p.Table, resample.Pick(c.Rows, f.Test()))
	return d, err
}

func matrix(ctx context.Context, pre *prep.Preprocessor, t *table.Table, rows []int) (linear.Matrix, error) {
	m := linear.Matrix{Rows: len(rows), Cols: pre.Width(), Data: pages.Make[float64](len(rows) * pre.Width())}
	return m, pre.Transform(ctx, m.Data, t, rows)
}

// weigh multiplies weights by how often a row was drawn.
func (d *Design) weigh(times []int) {
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

// Bytes estimates the memory of the table and of the stored designs.
func (p *Folds) Bytes() int {
	n, times := p.Table.Rows*len(p.Table.Columns)*8, 1
	if len(p.Spec.Splines) > 0 {
		times = 2 // also without splines
	}
	terms, parts := prep.MostTerms(p.Table.Shape(), p.Cohort.Predictors, p.Spec.Splines), []*Part{p.Final}
	for _, repeat := range p.Parts {
		parts = append(parts, repeat...)
	}
	for _, q := range parts {
		if q.keep {
			n += times * (len(q.Train()) + len(q.Test())) * terms * 8
		}
	}
	return n + 8*len(p.extra)
}
