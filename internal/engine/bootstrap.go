package engine

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"taper/internal/engine/cost"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/job"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/parallel"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"
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
// as unstable (docs/clinical.md §2).
const UnstableShare = 0.3

// Bootstrap is the check of a run by refits of its whole pipeline on bootstrap
// samples of the training rows: preprocessing, choice of λ and fit are done
// again in each (Harrell et al. 1996).
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
	if rows*o.Replicates <= runspec.MaxFitted {
		return nil
	}
	return usererr.BadField("replicates", "must be at most %d with %s: rows × samples may be %s (got %d)",
		runspec.MaxFitted/rows, phrase.Plural(rows, "row", "rows"), phrase.Int(runspec.MaxFitted), o.Replicates)
}

// Memory is what the samples of so many rows take besides the folds and their fits: each keeps the
// band of every row, and those at work draw and evaluate theirs.
func (o BootstrapOptions) Memory(rows int) int64 {
	return cost.Of(8, rows, o.Replicates) + cost.Of(200, rows, parallel.Cores())
}

// Refits is a bootstrap as a job: one stage, of a unit for each replicate. Units
// depend on the seed and their number alone, so the answer has the same bits on any
// number of cores, save the seconds.
type Refits struct {
	Keep func(context.Context, *Bootstrap) error // takes what was found

	started  time.Time
	p        *Prepared
	spec     runspec.Spec
	iv       loss.Interval
	refitted *crossfit.Candidate
	reading  task.BandReader
	at       []int // positions that the final fit trains on
	event    []bool
	resample stat.Resample
	o        BootstrapOptions
	parent   tune.Setting
	fixed    bool   // every refit has the setting of the parent
	model    *refit // the final fit of the run itself
	curves   []SplineCurve
}

// NewRefits prepares the refits of the pipeline of a run with that result.
func NewRefits(ctx context.Context, t *table.Table, spec runspec.Spec, parent *Result,
	o BootstrapOptions) (*Refits, error) {
	started := time.Now()
	if err := o.Check(); err != nil {
		return nil, err
	}
	if spec.Multiclass() {
		return nil, usererr.New(usererr.Invalid, "Optimism and stability need two classes; this run is multiclass.")
	}
	if o.Replicates == 0 {
		o.Replicates = DefaultReplicates
	}
	p, err := Prepare(ctx, t, spec)
	if err != nil {
		return nil, err
	}
	if err := o.CheckRows(len(p.Final.Train())); err != nil {
		return nil, err
	}
	w, err := p.refits(ctx, spec, parent, o)
	if err != nil {
		return nil, err
	}
	w.started = started
	return w, nil
}

// LiveRefits are the samples on which a page refits a model that is not kept.
const LiveRefits = 50

// mostRefitted bounds rows × terms of such a model.
const mostRefitted = 100_000

// Refittable reports whether a page refits the model by itself: a linear one with one start, of
// moderate size.
func (r *Result) Refittable() bool {
	n := len(r.Coefficients)
	return r.Classes == nil && n > 0 && n*r.Flow.Trained <= mostRefitted && len(r.Starts) < 2 && !r.NoPredictor
}

// Stability refits the model of a result of this spec on bootstrap samples, with λ and γ as it
// chose them: in a bootstrap of a kept run every sample chooses them anew.
func (p *Prepared) Stability(ctx context.Context, spec runspec.Spec, parent *Result, o BootstrapOptions) (*Stability,
	error) {
	w, err := p.refits(ctx, spec, parent, o)
	if err != nil {
		return nil, err
	}
	w.fixed = true
	all := make([]*refit, o.Replicates)
	for b := range all { // one at a time: the page that shows them is steered meanwhile
		if all[b], err = w.refit(ctx, b); err != nil {
			return nil, err
		}
	}
	s := w.stability(slices.DeleteFunc(all, func(r *refit) bool { return r == nil }))
	return &s, nil
}

// refits prepares the refits of a result with that spec.
func (p *Prepared) refits(ctx context.Context, spec runspec.Spec, parent *Result, o BootstrapOptions) (*Refits, error) {
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
	w := &Refits{p: p, spec: spec, iv: iv, reading: task.NewBandReader(how.Link, iv), at: p.Final.Train(), o: o,
		curves: parent.Splines}
	w.event = p.Events(w.at)
	w.resample = stat.Rows(len(w.at))
	if p.Cohort.Group != nil {
		w.resample = stat.ResampleGroups(resample.Pick(p.Cohort.Group, w.at))
	}
	if w.refitted, err = p.Candidate(&spec, how, spec.Penalty(), ""); err != nil {
		return nil, err
	}
	w.parent = w.refitted.Space.Fixed
	if spec.Model.Penalised() {
		w.parent.L2 = parent.L2
	}
	if k := parent.Kernel; k != nil && k.Gamma != nil {
		w.parent.Gamma = *k.Gamma
	}
	w.model, err = w.fit(ctx, runspec.Fold{Trained: w.at, Tested: w.at}, w.parent)
	return w, err
}

// Stage plans the replicates.
func (w *Refits) Stage(before []job.Bodies) (s job.Stage, err error) {
	if len(before) > 0 {
		return s, nil
	}
	s.Message = func(done, all int) string { return fmt.Sprintf("Bootstrap sample %d of %d", done, all) }
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
	times := make([]int, len(w.p.Cohort.Rows))
	for _, i := range w.resample.Draw(nil, w.o.Seed, uint64(b)) {
		times[w.at[i]]++
	}
	var distinct []int
	for _, at := range w.at {
		if times[at] > 0 {
			distinct = append(distinct, at)
		}
	}
	if w.p.Cohort.EveryClass([][]int{distinct}) != nil {
		return nil, nil
	}
	s := w.parent
	if w.refitted.Space.AnyOpen() && !w.fixed {
		random := func(k int) *rand.Rand { return resample.Source(w.o.Seed, resample.PurposeBootstrap, b, k) }
		var ok bool
		var err error
		if s, ok, err = w.p.TuneSample(ctx, w.refitted, distinct, times, random); err != nil || !ok {
			return nil, err
		}
	}
	return w.fit(ctx, runspec.Fold{Trained: distinct, Times: resample.Pick(times, distinct), Tested: w.at}, s)
}

// fit fits a sample and evaluates the model on it and on the original rows, the
// test rows of the fold.
func (w *Refits) fit(ctx context.Context, f runspec.Fold, s tune.Setting) (*refit, error) {
	d, err := w.p.NewDesign(ctx, f)
	if err != nil {
		return nil, err
	}
	fit, err := w.refitted.At(s.Gamma).Fit(ctx, d.Data(), s.L2, fit.Options{})
	if err != nil {
		return nil, err
	}
	r := &refit{l2: s.L2}
	event := resample.Repeat(w.p.Events(f.Train()), f.Times)
	r.own = w.perform(resample.Repeat(crossfit.Scores(fit, d.Clean), f.Times), event)
	score := crossfit.Scores(fit, d.Held)
	seen := w.reading.Evaluate(score, w.event, 0.5)
	r.original, r.band = stat.Perform(w.reading.Scores(seen, w.event)), seen.Band
	if f := fit.Fitted; f.Trees == nil && f.Kernel == nil {
		// In the coding of the run: the commonest level of a sample, its reference, may be another.
		natural, intercept := d.Pre.Natural(f.W, f.B)
		if r.terms, intercept = d.Pre.Recode(natural, intercept, w.p.Final.Design.Pre); !math.IsNaN(intercept) {
			r.terms[model.InterceptName] = intercept
		}
		r.effect, r.contrast = bends(w.curves, d.Pre, f.W)
	}
	return r, nil
}

func (w *Refits) perform(score []float64, event []bool) stat.Performance {
	return stat.Perform(w.reading.Scores(w.reading.Evaluate(score, event, 0.5), event))
}

// Corrected is one number of a model before and after the correction for its
// optimism.
type Corrected struct {
	ID string `json:"id"` // of a statistic
	stat.Optimism
}

// CoefficientDraw is a term over the refits: percentile intervals of its
// coefficient per natural unit, and of its odds ratio where the link is
// logistic, exp(scale·θ) (docs/clinical.md §2). A refit that lacks the term counts
// for neither; terms of splines have bands instead (SplineBand).
type CoefficientDraw struct {
	Name      string        `json:"name"`
	Value     stat.Estimate `json:"value"`
	OddsRatio stat.Estimate `json:"odds_ratio"`
	Refits    int           `json:"refits"` // with the term
}

// gather puts the replicates together.
func (w *Refits) gather(all []*refit) *Bootstrap {
	out := &Bootstrap{Seed: w.o.Seed, Tuning: w.tuningWords(), Metrics: []Corrected{}, L2: []float64{}}
	kept := slices.DeleteFunc(slices.Clone(all), func(r *refit) bool { return r == nil })
	out.Replicates, out.Failed = len(kept), len(all)-len(kept)
	for _, s := range stat.Which(stat.Statistic.InPerformanceTable) {
		apparent := w.model.own.Of(s.ID).Value
		if apparent == nil {
			continue
		}
		var own, original []float64
		for _, r := range kept {
			own = append(own, stat.OrNaN(r.own.Of(s.ID).Value))
			original = append(original, stat.OrNaN(r.original.Of(s.ID).Value))
		}
		c := Corrected{s.ID, stat.CorrectOptimism(*apparent, own, original)}
		if s.Pinned { // the refits tell how far calibration is off elsewhere, but not how it varies
			c.Corrected.Low, c.Corrected.High = nil, nil
		}
		out.Metrics = append(out.Metrics, c)
	}
	for _, r := range kept {
		if w.spec.Model.Penalised() {
			out.L2 = append(out.L2, r.l2)
		}
	}
	out.Stability = w.stability(kept)
	out.Coefficients, out.Splines = w.coefficients(kept), w.splineBands(kept)
	return out
}

// coefficients gives the terms of the run's own model their intervals.
func (w *Refits) coefficients(kept []*refit) []CoefficientDraw {
	if w.model.terms == nil {
		return nil
	}
	names := []string{model.InterceptName}
	for k, t := range w.p.Final.Design.Pre.Terms {
		if !w.p.Final.Design.Pre.IsSplineTerm(k) {
			names = append(names, t.Name)
		}
	}
	scale := w.reading.Link.Scale
	all := make([]CoefficientDraw, len(names))
	for k, name := range names {
		theta := w.model.terms[name]
		var draws, odds []float64
		refits := 0
		for _, r := range kept {
			v, ok := r.terms[name]
			if !ok {
				v = math.NaN()
			} else {
				refits++
			}
			draws, odds = append(draws, v), append(odds, math.Exp(scale*v))
		}
		all[k] = CoefficientDraw{Name: name, Value: resampled(theta, draws), Refits: refits}
		if scale > 0 && k > 0 {
			all[k].OddsRatio = resampled(math.Exp(scale*theta), odds)
		}
	}
	return all
}

// resampled is a number with the percentile interval of its draws.
func resampled(v float64, draws []float64) stat.Estimate {
	low, high := stat.Percentiles(draws)
	return stat.Estimate{Value: stat.Finite(v), Low: stat.Finite(low), High: stat.Finite(high)}
}

// tuningWords says how λ was chosen in each sample.
func (w *Refits) tuningWords() string {
	m := w.spec.Model
	switch {
	case !m.Penalised():
		return "no penalty to choose"
	case !m.Tuned():
		return "λ as given"
	}
	return "λ chosen again in each sample by cross-validation"
}

// SplineBand is the pointwise 95 % band of a SplineCurve over refits of the whole
// pipeline, knots included: percentile intervals at its X and of its contrasts.
// Null where too few refits have the column.
type SplineBand struct {
	Column    string          `json:"column"`
	Low       []*float64      `json:"low"`
	High      []*float64      `json:"high"`
	Contrasts []stat.Estimate `json:"contrasts"`
	OddsRatio []stat.Estimate `json:"odds_ratio"`
	Refits    int             `json:"refits"` // with the column
}

// bends is what one refit says of the curves of the run, at the same places:
// nil for a column that the refit lacks.
func bends(curves []SplineCurve, pre *prep.Preprocessor, w []float64) (effect, contrast [][]float64) {
	effect, contrast = make([][]float64, len(curves)), make([][]float64, len(curves))
	for k := range curves {
		s := &curves[k]
		if !slices.ContainsFunc(pre.Columns, func(c prep.Column) bool { return c.Name == s.Column }) {
			continue
		}
		for _, x := range s.X {
			effect[k] = append(effect[k], pre.Effect(w, s.Column, x, s.Reference))
		}
		for _, pair := range s.pairs() {
			contrast[k] = append(contrast[k], pre.Effect(w, s.Column, pair[1], pair[0]))
		}
	}
	return effect, contrast
}

// splineBands gives the run's curves their bands.
func (w *Refits) splineBands(kept []*refit) []SplineBand {
	var all []SplineBand
	for k := range w.curves {
		s := &w.curves[k]
		b := SplineBand{Column: s.Column}
		for _, r := range kept {
			if r.effect[k] != nil {
				b.Refits++
			}
		}
		for i := range s.X {
			low, high := stat.Percentiles(drawsOf(kept, func(r *refit) []float64 { return r.effect[k] }, i))
			b.Low, b.High = append(b.Low, stat.Finite(low)), append(b.High, stat.Finite(high))
		}
		for i, c := range s.Contrasts {
			draws := drawsOf(kept, func(r *refit) []float64 { return r.contrast[k] }, i)
			b.Contrasts = append(b.Contrasts, resampled(c.Effect, draws))
			var odds stat.Estimate
			if s.Scale > 0 {
				for d := range draws {
					draws[d] = math.Exp(s.Scale * draws[d])
				}
				odds = resampled(math.Exp(s.Scale*c.Effect), draws)
			}
			b.OddsRatio = append(b.OddsRatio, odds)
		}
		all = append(all, b)
	}
	return all
}

// drawsOf gathers the i-th number of every refit, NaN where it lacks it.
func drawsOf(kept []*refit, of func(*refit) []float64, i int) []float64 {
	draws := make([]float64, len(kept))
	for d, r := range kept {
		if draws[d] = math.NaN(); of(r) != nil {
			draws[d] = of(r)[i]
		}
	}
	return draws
}

// Stability is how often refits put a row into another band than the final
// model does.
type Stability struct {
	Limit    float64       `json:"limit"`    // share of refits above which a row is listed
	Mean     *float64      `json:"mean"`     // share of (row, refit) in another band
	Unstable int           `json:"unstable"` // rows above the limit
	Rows     int           `json:"rows"`     // trained on
	Bands    []BandStable  `json:"bands"`
	Listed   []UnstableRow `json:"listed"` // the least stable first, at most MostListed
}

// BandStable is the stability of the rows of one band.
type BandStable struct {
	N        int      `json:"n"`
	Changed  *float64 `json:"changed"`  // mean share of refits in another band
	Unstable int      `json:"unstable"` // rows above the limit
}

// UnstableRow is a row that many refits put elsewhere.
type UnstableRow struct {
	Row     int     `json:"row"` // 0-based data row
	Band    int     `json:"band"`
	Changed float64 `json:"changed"`
}

// MostListed bounds the rows that are listed by name.
const MostListed = 1000

// stability compares the bands of the refits with the model's.
func (w *Refits) stability(kept []*refit) Stability {
	bands := make([][]int, len(kept))
	for i, r := range kept {
		bands[i] = r.band
	}
	m := stat.BandStability(w.model.band, bands, UnstableShare)
	s := Stability{Limit: m.Limit, Mean: m.Mean, Unstable: len(m.Above), Rows: len(w.at),
		Bands: make([]BandStable, len(w.iv.Pi)+1), Listed: []UnstableRow{}}
	sums := make([]float64, len(s.Bands))
	for i, k := range w.model.band {
		s.Bands[k].N++
		sums[k] += m.Changed[i]
	}
	for k := range s.Bands {
		if n := s.Bands[k].N; n > 0 {
			s.Bands[k].Changed = stat.Finite(sums[k] / float64(n))
		}
	}
	slices.SortStableFunc(m.Above, func(a, b int) int {
		switch {
		case m.Changed[a] > m.Changed[b]:
			return -1
		case m.Changed[a] < m.Changed[b]:
			return 1
		}
		return 0
	})
	for _, i := range m.Above {
		s.Bands[w.model.band[i]].Unstable++
		if len(s.Listed) < MostListed {
			s.Listed = append(s.Listed, UnstableRow{w.p.Cohort.Rows[w.at[i]], w.model.band[i], m.Changed[i]})
		}
	}
	return s
}
