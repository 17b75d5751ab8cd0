package engine

import (
	"context"

	"taper/internal/engine/fit"
	"taper/internal/engine/parallel"
)

// several audits the labels of several classes.
func (w *auditor) several(ctx context.Context, rows []RowScore) error {
	b, err := w.p.newBench(w.spec)
	if err != nil {
		return err
	}
	a := w.p.blankAnswers()
	if !w.unknown() {
		if a, err = w.fitSeveral(ctx, b.own); err != nil {
			return err
		}
	}
	if w.reuse {
		if a, err = w.storedSeveral(rows); err != nil {
			return err
		}
	}
	w.judgeSeveral(a)
	return nil
}

// storedSeveral reads the answers of the run.
func (w *auditor) storedSeveral(rows []RowScore) (a answers, err error) {
	of := make(map[int]*RowScore, len(rows))
	for i := range rows {
		of[rows[i].Row] = &rows[i]
	}
	for _, row := range w.p.cohort.rows {
		r := of[row]
		if r == nil || len(r.Scores) != w.p.cohort.classes() {
			return a, changedSince(row)
		}
		a.score = append(a.score, r.Scores...)
		a.prob = append(a.prob, r.Probabilities...)
	}
	return a, nil
}

// fitSeveral trains the folds, after tuning where anything is open, and keeps
// what the fits are made of.
func (w *auditor) fitSeveral(ctx context.Context, f *fitter) (answers, error) {
	s := w.knownSeveral(f)
	if w.track.expect(auditFolds); s == nil {
		pl, work, err := w.p.severalAudit(ctx, f)
		if err != nil {
			return answers{}, err
		}
		w.track.expect(work)
		if s, err = w.p.severalSettings(ctx, f, pl, w.track); err != nil {
			return answers{}, err
		}
	}
	a, fits, err := w.p.severalFolds(ctx, f, s, w.track)
	if err != nil {
		return a, err
	}
	return a, w.keep(ctx, func(m *FoldModel, k int, d *design) bool {
		w.a.L2 = append(w.a.L2, s[k].l2)
		return m.keepSeveral(f, fits[k], d, w.p.rowsOf(k))
	})
}

// knownSeveral are λ and γ of each fold as the run had them; nil for unknown.
func (w *auditor) knownSeveral(f *fitter) (all []setting) {
	for _, v := range w.known {
		s := setting{v.l2, f.gamma}
		if f.gammaTuned {
			s.gamma = v.gamma
		}
		all = append(all, s)
	}
	return all
}

// severalAudit is auditPlan for several classes.
func (p *Prepared) severalAudit(ctx context.Context, f *fitter) (pl severalPlan, work float64, err error) {
	pl, err = p.planSeveral(ctx, f, TuningSame)
	return pl, pl.work - 1, err
}

// severalSettings are λ and γ of each fold: given, or found over the folds
// themselves by the price of the answers.
func (p *Prepared) severalSettings(ctx context.Context, f *fitter, pl severalPlan, t *tracker) ([]setting, error) {
	s := repeated(setting{f.l2.Value, f.gamma}, len(p.parts[0]))
	if len(pl.searches) == 0 {
		return s, nil
	}
	err := p.tuneSeveral(ctx, f, pl.searches, t)
	if err != nil {
		return nil, err
	}
	for k := range s {
		s[k] = f.chosen(pl.of[0][k])
	}
	return s, nil
}

// severalFolds fits each fold and reads the rows it did not see.
func (p *Prepared) severalFolds(ctx context.Context, f *fitter, s []setting,
	t *tracker) (answers, []*fit.Model, error) {
	parts, k := p.parts[0], p.cohort.classes()
	fits, read := make([]*fit.Model, len(parts)), make([]answers, len(parts))
	err := parallel.ForEach(ctx, len(parts), 0, func(i int) (err error) {
		d, err := p.designOf(ctx, parts[i])
		if err != nil {
			return err
		}
		if fits[i], err = f.fit(ctx, d, s[i], fit.Options{}); err != nil {
			return err
		}
		read[i] = f.reader(fits[i]).all(d.xt)
		t.step(1, "%sFitting fold %d of %d", f.what, i+1, len(parts))
		return nil
	})
	a := p.blankAnswers()
	if err != nil {
		return a, nil, err
	}
	for i, q := range parts {
		for row, at := range q.test() {
			a.put(at, read[i], row, k)
		}
	}
	return a, fits, nil
}
