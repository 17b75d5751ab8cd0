package engine

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/job"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/tune"
	"taper/internal/engine/usererr"
)

// The numbers of bootstrap samples that may be asked for; 0 asks for the
// default.
const (
	DefaultReplicates = 200
	LeastReplicates   = 20
	MostReplicates    = 2000
)

// UnstableShare is the share of refits in another band from which a row counts
// as unstable (clinical.md §2).
const UnstableShare = 0.3

// Bootstrap is the check of a run by refits of its whole pipeline on bootstrap
// samples of the rows trained on: preprocessing, choice of λ and fit are done
// anew in each (Harrell et al. 1996).
type Bootstrap struct {
	Replicates   int               `json:"replicates"` // that gave a model
	Failed       int               `json:"failed"`     // samples that lacked a class
	Seed         uint64            `json:"seed"`
	Tuning       string            `json:"tuning"`  // how λ was chosen inside, in words
	Metrics      []Corrected       `json:"metrics"` // those the model has
	Stability    Stability         `json:"stability"`
	Coefficients []CoefficientDraw `json:"coefficients"`      // of a linear model, the intercept first
	Splines      []SplineBand      `json:"splines,omitempty"` // bands of the run's curves
	L2           []float64         `json:"l2"`                // λ of each refit
	ElapsedS     float64           `json:"elapsed_s"`
}

// BootstrapOptions settle a bootstrap; the zero value is 200 samples under seed
// 0.
type BootstrapOptions struct {
	Replicates int
	Seed       uint64
}

// Check names what is wrong.
func (o BootstrapOptions) Check() error {
	if o.Replicates != 0 && (o.Replicates < LeastReplicates || o.Replicates > MostReplicates) {
		return usererr.BadField("replicates", "must be from %d to %d (got %d)", LeastReplicates, MostReplicates, o.Replicates)
	}
	return nil
}

// CheckRows refuses more samples than may be drawn of so many rows: each keeps
// the band of every row.
func (o BootstrapOptions) CheckRows(rows int) error {
	if o.Replicates == 0 {
		o.Replicates = DefaultReplicates
	}
	if rows*o.Replicates <= maxFitted {
		return nil
	}
	return usererr.BadField("replicates", "must be at most %d with %s: rows × samples may be %s (got %d)",
		maxFitted/rows, phrase.Plural(rows, "row", "rows"), phrase.Thousands(maxFitted), o.Replicates)
}

// Refits is a bootstrap as a job: one stage, of a unit for each replicate. Units
// depend on the seed and their number alone, so the answer has the same bits on any
// number of cores, save the seconds.
type Refits struct {
	Keep func(context.Context, *Bootstrap) error // takes what was found

	started  time.Time
	p        *Prepared
	spec     Spec
	iv       loss.Interval
	refitted *candidate
	reading  task.BandReader
	at       []int // positions that the final fit trains on
	event    []bool
	resample stat.Resample
	o        BootstrapOptions
	parent   tune.Setting
	model    *refit // the final fit of the run itself
	curves   []SplineCurve
}

// NewRefits prepares the refits of the pipeline of a run with that result.
func NewRefits(ctx context.Context, t *table.Table, spec Spec, parent *Result, o BootstrapOptions) (*Refits, error) {
	started := time.Now()
	if err := o.Check(); err != nil {
		return nil, err
	}
	if spec.Multiclass() {
		return nil, usererr.New(usererr.Invalid, "Optimism and stability are checked for two classes; this run has several.")
	}
	if o.Replicates == 0 {
		o.Replicates = DefaultReplicates
	}
	p, err := Prepare(ctx, t, spec)
	if err != nil {
		return nil, err
	}
	if err := o.CheckRows(len(p.final.train())); err != nil {
		return nil, err
	}
	if err := p.check(ctx, &spec); err != nil {
		return nil, err
	}
	iv, err := loss.NewInterval(spec.Boundaries)
	if err != nil {
		return nil, err
	}
	how, err := fit.Parse(spec.Model)
	if err != nil {
		return nil, err
	}
	w := &Refits{started: started, p: p, spec: spec, iv: iv, reading: task.NewBandReader(how.Link, iv),
		at: p.final.train(), o: o, curves: parent.Splines}
	w.event = p.events(w.at)
	w.resample = stat.Rows(len(w.at))
	if p.cohort.group != nil {
		w.resample = stat.Grouped(pick(p.cohort.group, w.at))
	}
	if w.refitted, err = p.candidate(&spec, how, penaltyOf(&spec), ""); err != nil {
		return nil, err
	}
	w.parent = w.refitted.space.Given
	if spec.Model.Penalised() {
		w.parent.L2 = parent.L2
	}
	if k := parent.Kernel; k != nil && k.Gamma != nil {
		w.parent.Gamma = *k.Gamma
	}
	w.model, err = w.fit(ctx, fold{trained: w.at, tested: w.at}, w.parent)
	return w, err
}

// Stage plans the replicates.
func (w *Refits) Stage(before []job.Bodies) (s job.Stage, err error) {
	if len(before) > 0 {
		return s, nil
	}
	s.Message = func(done, all int) string { return fmt.Sprintf("Refit %d of %d", done, all) }
	for b := range w.o.Replicates {
		s.Units = append(s.Units, job.Unit{ID: strconv.Itoa(b)})
	}
	return s, nil
}

// Unit makes a replicate.
func (w *Refits) Unit(ctx context.Context, _ []job.Bodies, number int, _ func(Progress)) (job.Body, error) {
	return w.refit(ctx, number)
}

// Gather puts the replicates together.
func (w *Refits) Gather(ctx context.Context, stages []job.Bodies) error {
	all := make([]*refit, w.o.Replicates)
	for b := range all {
		all[b] = stages[0][b].(*refit)
	}
	out := w.gather(all)
	out.ElapsedS = time.Since(w.started).Seconds()
	return w.Keep(ctx, out)
}

// refit is one model on its own sample and on the rows of the run.
type refit struct {
	own, original stat.Performance
	band          []int              // of the original rows
	terms         map[string]float64 // coefficients per natural unit; nil but for linear models
	l2            float64

	effect, contrast [][]float64 // of each curve of the run, at its places
}

// refit makes replicate b, nil when its sample cannot be fitted.
func (w *Refits) refit(ctx context.Context, b int) (*refit, error) {
	times := make([]int, len(w.p.cohort.rows))
	for _, i := range w.resample.Draw(nil, w.o.Seed, uint64(b)) {
		times[w.at[i]]++
	}
	var distinct []int
	for _, at := range w.at {
		if times[at] > 0 {
			distinct = append(distinct, at)
		}
	}
	if w.p.cohort.everyClass([][]int{distinct}) != nil {
		return nil, nil
	}
	s, ok, err := w.chosen(ctx, distinct, times, b)
	if err != nil || !ok {
		return nil, err
	}
	return w.fit(ctx, fold{trained: distinct, times: pick(times, distinct), tested: w.at}, s)
}

// chosen tunes inside the sample as the run did on its rows, down the same path
// of λ, each fit from the one before; copies of a row stay in one fold.
func (w *Refits) chosen(ctx context.Context, distinct, times []int, b int) (s tune.Setting, ok bool, err error) {
	if !w.refitted.space.Open() {
		return w.parent, true, nil
	}
	c := newCurve("sample", len(distinct))
	for k := min(innerFolds, mostFolds(w.p.cohort, distinct)); k >= 2 && c.parts == nil; k-- {
		folds, err := w.p.cohort.folds(ctx, distinct, k, source(w.o.Seed, forResample, b, k))
		if ctx.Err() != nil {
			return s, false, ctx.Err()
		}
		if err != nil {
			continue
		}
		if w.spec.Model.Tuning == TuningSet {
			folds = folds[:1]
		}
		for i := range folds {
			f := &folds[i]
			f.times = pick(times, f.train())
			f.tested = repeatedBy(f.test(), pick(times, f.test()))
		}
		c.divide(folds)
	}
	if c.parts == nil {
		return s, false, nil
	}
	if err := w.p.tune(ctx, w.refitted, plan{curves: []*curve{c}}, nil); err != nil {
		return s, false, err
	}
	return w.refitted.chosen(c), true, nil
}

func mostFolds(c *cohort, at []int) int {
	k, _ := c.most(at)
	return k
}

// fit fits a sample and judges the model on it and on the original rows, the
// test rows of the fold.
func (w *Refits) fit(ctx context.Context, f fold, s tune.Setting) (*refit, error) {
	d, err := w.p.newDesign(ctx, f)
	if err != nil {
		return nil, err
	}
	fit, err := w.refitted.at(s).Fit(ctx, d.data(), s.L2, fit.Options{})
	if err != nil {
		return nil, err
	}
	r := &refit{l2: s.L2}
	event := repeatedBy(w.p.events(f.train()), f.times)
	r.own = w.perform(repeatedBy(scores(fit, d.clean), f.times), event)
	score := scores(fit, d.xt)
	seen := w.reading.Evaluate(score, w.event, 0.5)
	r.original, r.band = stat.Perform(w.reading.Scores(seen, w.event), stat.Draws{}), seen.Band
	if f := fit.Fitted; f.Trees == nil && f.Kernel == nil {
		natural, intercept := d.pre.Natural(f.W, f.B)
		r.terms = map[string]float64{interceptName: intercept}
		for k, t := range d.pre.Terms {
			if !d.pre.Bent(k) { // knots move: a term of a spline is another one in each refit
				r.terms[t.Name] = natural[k]
			}
		}
		r.effect, r.contrast = bends(w.curves, d.pre, f.W)
	}
	return r, nil
}

func (w *Refits) perform(score []float64, event []bool) stat.Performance {
	return stat.Perform(w.reading.Scores(w.reading.Evaluate(score, event, 0.5), event), stat.Draws{})
}

const interceptName = "(intercept)"

// drawn repeats the rows of a sample as often as they were drawn.
func (f fold) drawn(rows []int) []int { return repeatedBy(rows, f.times) }

// weigh makes rows drawn more than once count so in training.
func (f fold) weigh(d *design) {
	if f.times == nil {
		return
	}
	w := make([]float64, len(f.times))
	for i, n := range f.times {
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

// orNaN is the number of an estimate, NaN where there is none.
func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
