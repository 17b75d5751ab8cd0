package engine

import (
	"context"

	"taper/internal/engine/audit"
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
)

// tryTwo ranks by the model, then by logistic regression on the same folds.
func (w *auditor) tryTwo(ctx context.Context, v *LabelTrial, flipped map[int]bool) error {
	iv, err := loss.NewInterval(w.spec.Boundaries)
	if err != nil {
		return err
	}
	own, work, err := w.p.auditPlan(ctx, w.spec.Model)
	if err != nil {
		return err
	}
	logistic := ModelSpec{Kind: "linear", Loss: "logistic", Solver: "auto", L2: L2{Mode: "cv"}, Tuning: TuningSame}
	line, err := w.p.straightened(ctx)
	if err != nil {
		return err
	}
	beside, besides, err := line.auditPlan(ctx, logistic)
	if err != nil {
		return err
	}
	plainly := w.spec.Plain()
	if plainly {
		besides = 0
	}
	w.track.expect(work + besides)
	s, err := w.ranked(ctx, w.learner(iv), own, "")
	if err != nil {
		return err
	}
	if w.spec.Model.Penalised() {
		v.L2 = &s
	}
	if v.take(w.finish(), flipped); plainly {
		return nil
	}
	plain := &auditor{spec: w.spec, p: line, track: w.track}
	if plain.how, err = fit.Parse(logistic); err != nil {
		return err
	}
	if _, err := plain.ranked(ctx, fit.Logistic{}, beside, "Logistic regression beside it: "); err != nil {
		return err
	}
	v.takePlain(plain.a.Ranking, flipped)
	return nil
}

// ranked fits the folds by a learner and judges every label; it returns λ.
func (w *auditor) ranked(ctx context.Context, l fit.Learner, pl plan, what string) (float64, error) {
	s, err := w.p.auditSettings(ctx, l, pl, w.track, what)
	if err != nil {
		return 0, err
	}
	f := make([]float64, len(w.p.cohort.rows))
	if _, err := w.p.auditFits(ctx, l, s, f, w.track, what); err != nil {
		return 0, err
	}
	w.judge(f)
	return s[0].l2, nil
}

// trySeveral ranks by the model, then by softmax regression on the same folds.
func (w *auditor) trySeveral(ctx context.Context, v *LabelTrial, flipped map[int]bool) error {
	b, err := w.p.newBench(w.spec)
	if err != nil {
		return err
	}
	own, work, err := w.p.severalAudit(ctx, b.own)
	if err != nil {
		return err
	}
	plain, err := b.softmax()
	if err != nil {
		return err
	}
	plain.l2 = L2{Mode: "cv"}
	line, err := w.p.straightened(ctx)
	if err != nil {
		return err
	}
	beside, besides, err := line.severalAudit(ctx, plain)
	if err != nil {
		return err
	}
	if w.spec.Plain() {
		besides = 0
	}
	w.track.expect(work + besides)
	l2, err := w.rankedSeveral(ctx, b.own, own)
	if err != nil {
		return err
	}
	v.L2 = &l2
	v.take(w.finish(), flipped)
	if w.spec.Plain() {
		return nil
	}
	p := &auditor{spec: w.spec, how: plain.how, p: line, track: w.track}
	if _, err := p.rankedSeveral(ctx, plain, beside); err != nil {
		return err
	}
	v.takePlain(p.a.Ranking, flipped)
	return nil
}

// rankedSeveral is ranked for several classes.
func (w *auditor) rankedSeveral(ctx context.Context, f *fitter, pl severalPlan) (float64, error) {
	s, err := w.p.severalSettings(ctx, f, pl, w.track)
	if err != nil {
		return 0, err
	}
	a, _, err := w.p.severalFolds(ctx, f, s, w.track)
	if err != nil {
		return 0, err
	}
	w.judgeSeveral(a)
	return s[0].l2, nil
}

// take judges the ranking of the audit.
func (v *LabelTrial) take(a *LabelAudit, flipped map[int]bool) {
	v.Method, v.Basis, v.Estimate = a.Method, a.Basis, a.Estimate
	v.Model = judgeTrial(a.Ranking, flipped)
}

// takePlain judges the ranking beside it.
func (v *LabelTrial) takePlain(ranking []audit.Row, flipped map[int]bool) {
	audit.Rank(ranking)
	plain := judgeTrial(ranking, flipped)
	v.Plain = &plain
}
