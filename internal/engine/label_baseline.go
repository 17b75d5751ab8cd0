package engine

import (
	"context"

	"taper/internal/engine/audit"
)

// try ranks by the model, then by plain regression on the same folds.
func (w *auditor) try(ctx context.Context, v *LabelTrial, flipped map[int]bool) error {
	own, err := w.candidate()
	if err != nil {
		return err
	}
	line, err := w.p.straightened(ctx)
	if err != nil {
		return err
	}
	plain := &auditor{spec: w.spec, p: line, cost: w.cost, track: w.track}
	about := w.spec.about()
	baseline, err := line.baseline(&w.spec, L2{Mode: "cv"}, about.Baselines()[0].Name+" beside it: ")
	if err != nil {
		return err
	}
	plans, todo := [2]plan{}, []*candidate{own, baseline}
	if w.spec.Plain() {
		todo = todo[:1]
	}
	total := 0.0
	for i, c := range todo {
		if plans[i], err = []*auditor{w, plain}[i].p.auditPlan(ctx, c); err != nil {
			return err
		}
		total += plans[i].work
	}
	w.track.expect(total)
	l2, err := w.ranked(ctx, own, plans[0])
	if err != nil {
		return err
	}
	if w.spec.Model.Penalised() {
		v.L2 = &l2
	}
	if v.take(w.finish(), flipped); len(todo) == 1 {
		return nil
	}
	plain.how = baseline.Method()
	if _, err := plain.ranked(ctx, baseline, plans[1]); err != nil {
		return err
	}
	v.takePlain(plain.a.Ranking, flipped)
	return nil
}

// ranked fits the folds by a candidate and judges every label; it returns λ.
func (w *auditor) ranked(ctx context.Context, c *candidate, pl plan) (float64, error) {
	s, err := w.p.auditSettings(ctx, c, pl, w.track)
	if err != nil {
		return 0, err
	}
	fits, raw, err := w.p.auditFits(ctx, c, s, w.track)
	if err != nil {
		return 0, err
	}
	w.judge(fits[0], raw)
	return s[0].L2, nil
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
