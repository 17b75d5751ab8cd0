package engine

import (
	"context"

	"taper/internal/engine/fit"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// rank makes the ranking: by the scores of the run where the audit has its folds,
// else by fits of its own. What the fits are made of is kept for the cards.
func (w *auditor) rank(ctx context.Context, rows []RowScore) error {
	if !w.unknown() {
		fits, raw, err := w.fit(ctx)
		if err != nil {
			return err
		}
		if !w.reuse { // the run has the same bits
			w.judge(fits[0], raw)
		}
	}
	if w.reuse {
		return w.stored(rows)
	}
	return nil
}

// stored ranks by the scores of the run.
func (w *auditor) stored(rows []RowScore) error {
	of := make(map[int]*RowScore, len(rows))
	for i := range rows {
		of[rows[i].Row] = &rows[i]
	}
	k, a := w.p.cohort.classes(), task.Answers{}
	several := !w.p.cohort.target.Event
	for _, row := range w.p.cohort.rows {
		r := of[row]
		if r == nil || several && len(r.Scores) != k {
			return usererr.New(usererr.Conflict, "The run has no score for row %d: the data have changed since. Run it again.",
				row+1)
		}
		if !several {
			a.Score = append(a.Score, r.Score)
			continue
		}
		a.Score, a.Prob = append(a.Score, r.Scores...), append(a.Prob, r.Probabilities...)
	}
	if several {
		w.judgeClasses(a)
	} else {
		w.judgeEvent(a.Score)
	}
	return nil
}

// fit trains the folds, after tuning where anything is open. Known settings give
// the run's own scores to the bit.
func (w *auditor) fit(ctx context.Context) ([]*fit.Model, []float64, error) {
	c, err := w.candidate()
	if err != nil {
		return nil, nil, err
	}
	s := w.known
	for k := range s {
		if !c.space.Gamma {
			s[k].Gamma = c.space.Given.Gamma
		}
	}
	if w.track.expect(auditFolds); s == nil {
		pl, err := w.p.auditPlan(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		w.track.expect(pl.work)
		if s, err = w.p.auditSettings(ctx, c, pl, w.track); err != nil {
			return nil, nil, err
		}
	}
	fits, raw, err := w.p.auditFits(ctx, c, s, w.track)
	if err != nil {
		return nil, nil, err
	}
	return fits, raw, w.keep(ctx, func(m *FoldModel, k int, d *design) bool {
		if w.spec.Model.Penalised() {
			w.a.L2 = append(w.a.L2, s[k].L2)
		}
		return m.keep(fits[k], d, w.p.rowsOf(k))
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
