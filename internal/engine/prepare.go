package engine

import (
	"context"
	"encoding/json"
	"sync"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
	"taper/internal/engine/prep"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Prepared is the part of a run that depends neither on the boundaries nor on
// the model's loss, solver and λ: rows, folds, preprocessing, design matrices
// and the description of the data. Run refits on it as often as a slider
// moves; calls may overlap.
type Prepared struct {
	t      *table.Table
	spec   Spec // with defaults
	key    string
	cohort *cohort

	parts [][]*part // the folds that judge, by repeat; none without validation
	final *part     // what the final fit trains on
	extra []float64 // design rows of cohort.extra under final, row-major

	about  about
	noise  *corruption // nil without
	traced bool        // final fits tell their iterations: for a run to keep

	mu    sync.Mutex
	plain map[rule]*assessment // the regression beside a model: it does not depend on the boundaries

	making   sync.Mutex // of straight
	straight *Prepared  // without splines, for the regression beside; nil until asked for
}

// part is a fold with its design: preprocessing learnt from its training rows.
type part struct {
	fold
	mu     sync.Mutex // of design and err
	design *design
	err    error
	keep   bool
}

// design is what a fit needs: matrices of the training and the judged rows.
type design struct {
	pre   *prep.Preprocessor
	x     linear.Matrix // training rows
	clean linear.Matrix // the same as they came: x unless noise replaced features
	label []int         // their classes, noisy ones too
	w     []float64     // their weights; nil = 1
	xt    linear.Matrix // judged rows
}

// data is what a fit learns from.
func (d *design) data() fit.Data { return fit.Data{X: d.x, Label: d.label, Weights: d.w} }

// keepBytes is the size up to which all designs of a run stay in memory;
// beyond it each is built when needed and dropped.
const keepBytes = 256 << 20

// Prepare reads everything from the table that does not change when boundaries
// or λ do.
func Prepare(ctx context.Context, t *table.Table, spec Spec) (*Prepared, error) {
	v, err := spec.validate(ctx, t)
	if err != nil {
		return nil, err
	}
	p := &Prepared{t: t, spec: v.spec, key: v.spec.PrepareKey(), cohort: v.cohort, plain: map[rule]*assessment{}}
	p.divide(v.repeats)
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

// PrepareKey is equal for two specs that share a Prepared.
func (s Spec) PrepareKey() string {
	s = s.WithDefaults()
	several := s.Multiclass()
	s.Name, s.Boundaries, s.Mode, s.Price = "", nil, "", nil
	if s.Task = ""; several {
		s.Task = "several"
	}
	s.Model = ModelSpec{Standardize: s.Model.Standardize}
	b, err := json.Marshal(s)
	if err != nil {
		panic("engine: a spec without free values always has JSON")
	}
	return string(b)
}

// divide sets the parts.
func (p *Prepared) divide(repeats [][]fold) {
	n, fits := len(p.cohort.rows), 1
	for _, folds := range repeats {
		fits += len(folds)
	}
	keep := fits*n*len(p.cohort.predictors)*8 <= keepBytes
	for _, folds := range repeats {
		var parts []*part
		for _, f := range folds {
			parts = append(parts, &part{fold: f, keep: keep})
		}
		p.parts = append(p.parts, parts)
	}
	p.final = &part{fold: fold{name: "train", trained: positions(n)}, keep: true}
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
	p.extra = make([]float64, len(p.cohort.extra)*pre.Width())
	return pre.Transform(ctx, p.extra, p.t, p.cohort.extra)
}

// designOf returns the design of a part, built once if it is kept.
func (p *Prepared) designOf(ctx context.Context, q *part) (*design, error) {
	if !q.keep {
		return p.newDesign(ctx, q.fold)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.design == nil && q.err == nil {
		d, err := p.newDesign(ctx, q.fold)
		if err != nil && ctx.Err() != nil { // for who asks next it may not be cancelled
			return nil, err
		}
		q.design, q.err = d, err
	}
	return q.design, q.err
}

func (p *Prepared) newDesign(ctx context.Context, f fold) (*design, error) {
	c := p.cohort
	rows, replaced := p.features(f.train())
	pre, err := prep.FitSplines(ctx, p.t, c.predictors, f.drawn(rows), *p.spec.Model.Standardize, p.spec.Splines)
	if err != nil {
		return nil, err
	}
	d := &design{pre: pre, label: p.labelsOf(f.train())}
	if c.weights != nil {
		d.w = pick(c.weights, f.train())
	}
	f.weigh(d)
	if d.x, err = matrix(ctx, pre, p.t, rows); err != nil {
		return nil, err
	}
	if d.clean = d.x; replaced {
		if d.clean, err = matrix(ctx, pre, p.t, pick(c.rows, f.train())); err != nil {
			return nil, err
		}
	}
	d.xt, err = matrix(ctx, pre, p.t, pick(c.rows, f.test()))
	return d, err
}

func matrix(ctx context.Context, pre *prep.Preprocessor, t *table.Table, rows []int) (linear.Matrix, error) {
	m := linear.Matrix{Rows: len(rows), Cols: pre.Width(), Data: make([]float64, len(rows)*pre.Width())}
	return m, pre.Transform(ctx, m.Data, t, rows)
}

// matches reports a spec that this Prepared was not made for.
func (p *Prepared) matches(s Spec) error {
	if s.PrepareKey() != p.key {
		return usererr.New(usererr.Invalid, "The spec asks for other rows, columns, folds or seed than were prepared: "+
			"prepare "+
			"it anew.")
	}
	return nil
}

// pick gathers the values at the given positions.
func pick[T any](from []T, at []int) []T {
	to := make([]T, len(at))
	for i, k := range at {
		to[i] = from[k]
	}
	return to
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
			n += times * (len(q.train()) + len(q.test())) * len(p.cohort.predictors) * 8
		}
	}
	outputs := p.cohort.classes()
	if p.cohort.target.Event {
		outputs = 1
	}
	return n + 8*len(p.extra) + maxRemembered*8*outputs*len(p.cohort.rows)*(1+len(p.parts))
}
