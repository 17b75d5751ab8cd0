package audit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"taper/internal/engine"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/tune"
	"taper/internal/engine/usererr"
)

// TrialOptions say which labels are flipped, to test whether an audit finds them.
type TrialOptions struct {
	Kind string  `json:"kind"` // TrialSymmetric or TrialOneSided
	Rate float64 `json:"rate"`
	Seed uint64  `json:"seed"`
	Rule string  `json:"-"` // for choosing λ; "" = the audit's
}

// The kinds of a trial.
const (
	TrialSymmetric = "symmetric" // labels of every class flip
	TrialOneSided  = "one-sided" // only those of events flip: malignant is recorded as benign
)

// Check reports invalid options.
func (o TrialOptions) Check(several bool) error {
	switch {
	case o.Kind != TrialSymmetric && o.Kind != TrialOneSided:
		return usererr.BadField("kind", "must be symmetric or one-sided (got %q)", o.Kind)
	case several && o.Kind == TrialOneSided:
		return usererr.BadField("kind", "must be symmetric: multiclass outcomes have no event")
	case !(o.Rate > 0 && o.Rate <= 0.45):
		return usererr.BadField("rate", "must be above 0 and at most 0.45 (got %v)", o.Rate)
	}
	return nil
}

// Trial is the performance of an audit on labels that the trial flipped.
type Trial struct {
	TrialOptions
	Method  string           `json:"method"`
	Basis   string           `json:"basis"`
	L2      *float64         `json:"l2"`
	Flipped int              `json:"flipped"`
	Model   stat.FlipRanking `json:"model"`
	// logistic or softmax regression on the same rows; null if that is the model itself
	Plain    *stat.FlipRanking `json:"plain"`
	Estimate *Estimate         `json:"estimate"` // of wrong labels, including those already in the data
	ElapsedS float64           `json:"elapsed_s"`
}

// Try flips labels, audits the corrupted labels as if they were the recorded ones, and
// evaluates the ranking. Fits, tuning and the division into folds see only the corrupted
// labels; the audit does not know which rows were flipped.
func Try(ctx context.Context, t *table.Table, spec runspec.Spec, o TrialOptions,
	report func(engine.Progress)) (*Trial, error) {
	started := time.Now()
	if err := o.Check(spec.Multiclass()); err != nil {
		return nil, err
	}
	if err := Trainable(spec); err != nil {
		return nil, err
	}
	tr := crossfit.NewTracker(report)
	defer tr.Close()
	spec, flipped, err := corrupted(ctx, t, spec, o)
	if err != nil {
		return nil, err
	}
	w, err := newAuditor(ctx, t, spec, tr)
	if err != nil {
		return nil, err
	}
	w.reuse, w.rule = false, o.Rule
	if m := &w.spec.Model; m.Penalised() && !m.L2.Tuned() {
		m.L2, m.Tuning = fit.L2{Mode: "cv"}, runspec.TuningSame
	}
	v := &Trial{TrialOptions: o, Flipped: len(flipped)}
	if err := w.try(ctx, v, flipped); err != nil {
		return nil, fmt.Errorf("try audit: %w", err)
	}
	v.ElapsedS = time.Since(started).Seconds()
	return v, nil
}

// NoTrial is the reason why predictions that came with the data cannot be tested by a trial.
const NoTrial = "A trial trains on flipped labels. The predictions of this run came with the " +
	"data and cannot be trained."

// Trainable refuses a run that cannot be tested in this way.
func Trainable(s runspec.Spec) error {
	if s.Model.Given() {
		return usererr.New(usererr.Invalid, NoTrial)
	}
	return nil
}

// corrupted returns the spec with flipped labels, and the rows whose labels were flipped.
func corrupted(ctx context.Context, t *table.Table, s runspec.Spec,
	o TrialOptions) (runspec.Spec, map[int]bool, error) {
	s = s.WithDefaults()
	if s.Bins != nil {
		return s, nil, usererr.New(usererr.Invalid, "Classes that are cut from a number have no labels to flip.")
	}
	s.Noise = runspec.Noise{Kind: synth.NoiseNone}
	s.Validation = runspec.Validation{Kind: "cv", Folds: auditFolds, Repeats: 1}
	v, err := s.Select(ctx, t)
	if err != nil {
		return s, nil, err
	}
	c := v.Cohort
	noise := synth.Noise{Kind: synth.NoiseSymmetric, Rate: o.Rate}
	if o.Kind == TrialOneSided {
		noise = synth.Noise{Kind: synth.NoiseClass, RatePositive: o.Rate}
	}
	rng := rand.New(rand.NewPCG(o.Seed, resample.PurposeNoise<<48))
	order, donor, event := make([]float64, len(c.Rows)), make([]float64, len(c.Rows)), make([]bool, len(c.Rows))
	for i := range order {
		order[i], donor[i], event[i] = rng.Float64(), rng.Float64(), c.Label[i] > 0
	}
	names, flipped := c.Target.Levels, map[int]bool{}
	changed := map[int]string{}
	if s.Review != nil {
		for _, r := range s.Review.Changes {
			changed[r.Row] = r.To
		}
	}
	for i, is := range noise.Rows(order, event, nil) {
		if is {
			to := synth.OtherClass(c.Label[i], len(names), donor[i])
			flipped[c.Rows[i]], changed[c.Rows[i]] = true, names[to]
		}
	}
	s.Review = &runspec.Review{}
	for row := range t.Rows {
		if to, ok := changed[row]; ok {
			s.Review.Changes = append(s.Review.Changes, runspec.Relabel{Row: row, To: to})
		}
	}
	return s, flipped, nil
}

// judgeTrial evaluates a ranking by the flipped rows, at the counts given in docs/clinical.md,
// Label audit.
func judgeTrial(ranking []Row, flipped map[int]bool) stat.FlipRanking {
	is := make([]bool, len(ranking))
	for i := range ranking {
		is[i] = flipped[ranking[i].Row]
	}
	ks := []int{10, 25, 50}
	if n := len(flipped); n != 10 && n != 25 && n != 50 {
		ks = append(ks, n)
	}
	return stat.RankFlips(Suspicions(ranking), is, ks...)
}

// try ranks by the model, then by plain regression on the same folds.
func (w *auditor) try(ctx context.Context, v *Trial, flipped map[int]bool) error {
	own, err := w.candidate()
	if err != nil {
		return err
	}
	line, err := w.p.Straight(ctx)
	if err != nil {
		return err
	}
	plain := &auditor{spec: w.spec, p: line, cost: w.cost, track: w.track}
	about := w.spec.ChosenTask()
	baseline, err := line.Baseline(&w.spec, fit.L2{Mode: "cv"}, about.Baselines()[0].Name+" beside it: ")
	if err != nil {
		return err
	}
	plans, todo := [2]crossfit.Plan{}, []*crossfit.Candidate{own, baseline}
	if w.spec.Plain() {
		todo = todo[:1]
	}
	total := 0.0
	for i, c := range todo {
		if plans[i], err = []*auditor{w, plain}[i].p.FoldPlan(ctx, c); err != nil {
			return err
		}
		total += plans[i].Work
	}
	w.track.Expect(total)
	settings := [2][]tune.Setting{} // chosen before the fits, so that other machines can skip the tuning
	for i, c := range todo {
		if settings[i], err = []*auditor{w, plain}[i].p.FoldSettings(ctx, c, plans[i], w.track); err != nil {
			return err
		}
	}
	if err := w.ranked(ctx, own, settings[0]); err != nil {
		return err
	}
	if w.spec.Model.Penalised() {
		v.L2 = &settings[0][0].L2
	}
	if v.take(w.finish(), flipped); len(todo) == 1 {
		return nil
	}
	plain.how = baseline.Method()
	if err := plain.ranked(ctx, baseline, settings[1]); err != nil {
		return err
	}
	v.takePlain(plain.a.Ranking, flipped)
	return nil
}

// ranked fits the folds by a candidate and ranks every label.
func (w *auditor) ranked(ctx context.Context, c *crossfit.Candidate, s []tune.Setting) error {
	fits, raw, err := w.p.FoldModels(ctx, c, s, w.track)
	if err != nil {
		return err
	}
	w.judge(fits[0], raw)
	return nil
}

// take evaluates the ranking of the audit.
func (v *Trial) take(a *LabelAudit, flipped map[int]bool) {
	v.Method, v.Basis, v.Estimate = a.Method, a.Basis, a.Estimate
	v.Model = judgeTrial(a.Ranking, flipped)
}

// takePlain evaluates the ranking of plain regression.
func (v *Trial) takePlain(ranking []Row, flipped map[int]bool) {
	Rank(ranking)
	plain := judgeTrial(ranking, flipped)
	v.Plain = &plain
}
