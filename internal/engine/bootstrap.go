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

// Bounds and default of the number of bootstrap samples that a request may ask for; 0 means the default.
const (
	DefaultReplicates = 200
	LeastReplicates   = 20
	MostReplicates    = 2000
)

// UnstableShare is the share of refits that place a row in another band above which the row counts as unstable
// (docs/clinical.md, Statistics).
const UnstableShare = 0.3

// Bootstrap is the result of refitting the whole pipeline of a run on bootstrap samples of its training rows.
// Preprocessing, the choice of λ and the fit are repeated on every sample, so the estimated optimism includes
// theirs (Harrell et al. 1996).
type Bootstrap struct {
	Replicates   int               `json:"replicates"` // samples on which a model was fitted
	Failed       int               `json:"failed"`     // samples without both classes
	Seed         uint64            `json:"seed"`
	Tuning       string            `json:"tuning"`  // how λ was chosen in each sample, as a sentence
	Metrics      []Corrected       `json:"metrics"` // only the statistics that the model has
	Stability    Stability         `json:"stability"`
	Coefficients []CoefficientDraw `json:"coefficients"`      // of a linear model, intercept first
	Splines      []SplineBand      `json:"splines,omitempty"` // bands of the run's curves
	L2           []float64         `json:"l2"`                // λ of each refit
	ElapsedS     float64           `json:"elapsed_s"`
}

// BootstrapOptions are the settings of a bootstrap. The zero value means 200 samples with seed 0.
type BootstrapOptions struct {
	Replicates int
	Seed       uint64
}

// Check returns a user error that names the setting out of range.
func (o BootstrapOptions) Check() error {
	if o.Replicates != 0 && (o.Replicates < LeastReplicates || o.Replicates > MostReplicates) {
		return usererr.BadField("replicates", "must be from %d to %d (got %d)", LeastReplicates, MostReplicates, o.Replicates)
	}
	return nil
}

// CheckRows refuses a number of samples that is too large for this number of rows: the band of every row is
// stored for every sample.
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

// Memory estimates the bytes that a bootstrap of this many rows needs in addition to folds and fits: the band
// of every row for every sample, and the sample and scores of each refit at work.
func (o BootstrapOptions) Memory(rows int) int64 {
	return cost.Of(8, rows, o.Replicates) + cost.Of(200, rows, parallel.Cores())
}

// Refits runs a bootstrap as a job with one stage and one unit per replicate. A unit depends only on the seed
// and its own number, so the result has the same bits on any number of cores or machines, except for the
// seconds it took.
type Refits struct {
	Keep func(context.Context, *Bootstrap) error // receives the finished bootstrap
	From *job.Recipe                             // opens the refits on another machine; nil: they stay here

	started  time.Time
	p        *Prepared
	spec     runspec.Spec
	iv       loss.Interval
	refitted *crossfit.Candidate
	reading  task.BandReader
	at       []int // positions of the final fit's training rows
	event    []bool
	resample stat.Resample
	o        BootstrapOptions
	parent   tune.Setting
	fixed    bool   // every refit keeps the parent's λ and γ
	model    *refit // the run's own final fit
	curves   []SplineCurve
}

// NewRefits prepares the bootstrap of a run from its spec and its result.
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

// LiveRefits is the number of bootstrap samples for a model that a page shows and nobody has saved.
const LiveRefits = 50

// mostRefitted is the largest rows × terms × starts for which such a model is refitted.
const mostRefitted = 100_000

// Refittable reports whether a page refits the model without being asked: a linear model of moderate size.
func (r *Result) Refittable() bool {
	n := len(r.Coefficients)
	return r.Classes == nil && n > 0 && n*r.Flow.Trained*max(1, len(r.Starts)) <= mostRefitted && !r.NoPredictor
}

// Stability refits the model of a result on bootstrap samples with the λ and γ that the result chose. The
// bootstrap of a saved run, in contrast, chooses them again in every sample.
func (p *Prepared) Stability(ctx context.Context, spec runspec.Spec, parent *Result, o BootstrapOptions) (*Stability,
	error) {
	w, err := p.refits(ctx, spec, parent, o)
	if err != nil {
		return nil, err
	}
	w.fixed = true
	all := make([]*refit, o.Replicates)
	for b := range all { // sequential: the page keeps asking for other fits meanwhile
		if all[b], err = w.refit(ctx, b); err != nil {
			return nil, err
		}
	}
	s := w.stability(slices.DeleteFunc(all, func(r *refit) bool { return r == nil }))
	return &s, nil
}

// refits prepares the bootstrap of a result with this spec.
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

// Stage plans one unit per replicate.
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

// Unit fits one replicate.
func (w *Refits) Unit(ctx context.Context, _ []job.Bodies, number int, _ func(Progress)) (job.Body, error) {
	return w.refit(ctx, number)
}

// Gather combines the replicates into the bootstrap.
func (w *Refits) Gather(ctx context.Context, stages []job.Bodies) error {
	all := make([]*refit, w.o.Replicates)
	for b := range all {
		all[b] = stages[0][b].(*refit)
	}
	out := w.gather(all)
	out.ElapsedS = time.Since(w.started).Seconds()
	return w.Keep(ctx, out)
}

// refit is the result of one bootstrap sample: its model evaluated on the sample and on the run's own rows.
type refit struct {
	own, original []float64          // statistics of the table of performance; NaN where one has no value
	band          []int              // of each of the run's own rows
	terms         map[string]float64 // coefficients per natural unit; nil except for linear models
	l2            float64

	effect, contrast [][]float64 // of each of the run's curves, at the places of that curve
}

// refit fits replicate b. It returns nil when its sample cannot be fitted.
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

// fit fits the model on a sample and evaluates it on that sample and on the run's own rows, which are the test
// rows of the fold.
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
	r.own = measured(w.perform(resample.Repeat(crossfit.Scores(fit, d.Clean), f.Times), event))
	score := crossfit.Scores(fit, d.Held)
	seen := w.reading.Evaluate(score, w.event, 0.5)
	r.original, r.band = measured(stat.Perform(w.reading.Scores(seen, w.event))), seen.Band
	if f := fit.Fitted; f.Trees == nil && f.Kernel == nil {
		// Expressed in the run's own coding: the reference level is the most common one, and that may differ in
		// a sample.
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

// measured returns the values of a table of performance.
func measured(p stat.Performance) (all []float64) {
	for _, s := range stat.Which(stat.Statistic.InPerformanceTable) {
		all = append(all, stat.OrNaN(p.Of(s.ID).Value))
	}
	return all
}

// Corrected is one statistic before and after the correction for optimism.
type Corrected struct {
	ID string `json:"id"` // of a statistic
	stat.Optimism
}

// CoefficientDraw describes one term over the refits: percentile intervals of its coefficient per natural unit
// and, where the link is logistic, of its odds ratio exp(scale·θ). A refit without the term does not count.
// Terms of splines have a SplineBand instead, because their coefficients depend on knots that differ between
// samples.
type CoefficientDraw struct {
	Name      string        `json:"name"`
	Value     stat.Estimate `json:"value"`
	OddsRatio stat.Estimate `json:"odds_ratio"`
	Refits    int           `json:"refits"` // refits that have the term
}

// gather combines the replicates.
func (w *Refits) gather(all []*refit) *Bootstrap {
	out := &Bootstrap{Seed: w.o.Seed, Tuning: w.tuningWords(), Metrics: []Corrected{}, L2: []float64{}}
	kept := slices.DeleteFunc(slices.Clone(all), func(r *refit) bool { return r == nil })
	out.Replicates, out.Failed = len(kept), len(all)-len(kept)
	for k, s := range stat.Which(stat.Statistic.InPerformanceTable) {
		apparent := w.model.own[k]
		if math.IsNaN(apparent) {
			continue
		}
		var own, original []float64
		for _, r := range kept {
			own = append(own, r.own[k])
			original = append(original, r.original[k])
		}
		out.Metrics = append(out.Metrics, Corrected{s.ID, s.CorrectOptimism(apparent, own, original)})
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

// coefficients returns the intervals of the terms of the run's own model.
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

// resampled returns a value with the percentile interval of its draws.
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

// SplineBand is the pointwise 95 % band of a SplineCurve over refits of the whole pipeline, knots included:
// percentile intervals of the effect at each X and of each contrast. Both are null where too few refits have
// the column.
type SplineBand struct {
	Column    string          `json:"column"`
	Low       []*float64      `json:"low"`
	High      []*float64      `json:"high"`
	Contrasts []stat.Estimate `json:"contrasts"`
	OddsRatio []stat.Estimate `json:"odds_ratio"`
	Refits    int             `json:"refits"` // refits that have the column
}

// bends evaluates one refit at the places of the run's curves. Entries are nil for a column that the refit
// lacks.
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

// splineBands returns the bands of the run's curves.
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

// drawsOf collects the i-th number of every refit, NaN where a refit lacks it.
func drawsOf(kept []*refit, of func(*refit) []float64, i int) []float64 {
	draws := make([]float64, len(kept))
	for d, r := range kept {
		if draws[d] = math.NaN(); of(r) != nil {
			draws[d] = of(r)[i]
		}
	}
	return draws
}

// Stability says how often refits place a row in another band than the final model does.
type Stability struct {
	Limit    float64       `json:"limit"`    // share of refits above which a row counts as unstable
	Mean     *float64      `json:"mean"`     // mean over rows of the share of refits in another band
	Unstable int           `json:"unstable"` // rows above the limit
	Rows     int           `json:"rows"`     // training rows
	Bands    []BandStable  `json:"bands"`
	Listed   []UnstableRow `json:"listed"` // least stable first, at most MostListed
}

// BandStable is the stability of the rows of one band.
type BandStable struct {
	N        int      `json:"n"`
	Changed  *float64 `json:"changed"`  // mean share of refits in another band
	Unstable int      `json:"unstable"` // rows above the limit
}

// UnstableRow is a row that more than Limit of the refits place in another band.
type UnstableRow struct {
	Row     int     `json:"row"` // 0-based data row
	Band    int     `json:"band"`
	Changed float64 `json:"changed"`
}

// MostListed is the largest number of unstable rows listed individually.
const MostListed = 1000

// stability compares the bands of the refits with those of the model.
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
