package engine

import (
	"context"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/parallel"
	"taper/internal/engine/usererr"
)

// two audits the labels of two classes.
func (w *auditor) two(ctx context.Context, rows []RowScore) error {
	c := w.p.cohort
	f := make([]float64, len(c.rows))
	if err := w.fit(ctx, f); err != nil {
		return err
	}
	if w.reuse { // the fits give the same bits, where the run says enough to make them
		if err := w.stored(f, rows); err != nil {
			return err
		}
	}
	w.judge(f)
	return nil
}

// stored reads the scores of the run.
func (w *auditor) stored(f []float64, rows []RowScore) error {
	of := make(map[int]float64, len(rows))
	for _, r := range rows {
		of[r.Row] = r.Score
	}
	for i, row := range w.p.cohort.rows {
		v, ok := of[row]
		if !ok {
			return changedSince(row)
		}
		f[i] = v
	}
	return nil
}

func changedSince(row int) error {
	return usererr.New(usererr.Conflict, "The run has no score for row %d: the data have changed since. Run it again.", row+1)
}

// fit trains the folds, after tuning where λ is open; f gets the scores of the
// rows that each did not see. Known settings give the run's own scores to the
// bit. What the fits are made of is kept for the cards.
func (w *auditor) fit(ctx context.Context, f []float64) error {
	if w.unknown() {
		return nil
	}
	iv, err := loss.NewInterval(w.spec.Boundaries)
	if err != nil {
		return err
	}
	l, s := w.learner(iv), w.known
	if w.track.expect(auditFolds); s == nil {
		pl, work, err := w.p.auditPlan(ctx, w.spec.Model)
		if err != nil {
			return err
		}
		w.track.expect(work)
		if s, err = w.p.auditSettings(ctx, l, pl, w.track, ""); err != nil {
			return err
		}
	}
	fits, err := w.p.auditFits(ctx, l, s, f, w.track, "")
	if err != nil {
		return err
	}
	return w.keep(ctx, func(m *FoldModel, k int, d *design) bool {
		if w.spec.Model.Penalised() {
			w.a.L2 = append(w.a.L2, s[k].l2)
		}
		return m.keepTwo(fits[k], d, w.p.rowsOf(k))
	})
}

// unknown reports scores taken from a run that does not say how its folds were
// tuned: their models cannot be made again.
func (w *auditor) unknown() bool {
	if w.reuse && w.known == nil {
		w.note("The run does not say what its folds chose: what a score is made of is not shown. Make the run again to " +
			"see it.")
		return true
	}
	return false
}

// auditFits fits each fold and scores the rows it did not see.
func (p *Prepared) auditFits(ctx context.Context, l fit.Learner, s []trial, f []float64, t *tracker,
	what string) ([]*fit.Fitted, error) {
	parts := p.parts[0]
	fits := make([]*fit.Fitted, len(parts))
	return fits, parallel.ForEach(ctx, len(parts), 0, func(k int) error {
		d, err := p.designOf(ctx, parts[k])
		if err != nil {
			return err
		}
		got, err := at(l, s[k]).Path(ctx, d.data(), []float64{s[k].l2}, func(float64) {})
		if err != nil {
			return err
		}
		fits[k] = got[0]
		test := parts[k].test()
		for i, v := range scores(fits[k], d.xt) {
			f[test[i]] = v
		}
		t.step(1, "%sFitting fold %d of %d", what, k+1, len(parts))
		return nil
	})
}
