package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"taper/internal/engine/audit"
	"taper/internal/engine/table"
)

// auditFolds is the number of folds of an audit (clinical.md §4).
const auditFolds = 5

// LabelAudit ranks the labels of a run by how little its model believes them
// (clinical.md §4): every row is judged by a model that did not see it.
type LabelAudit struct {
	Method   string          `json:"method"`
	Outcome  string          `json:"outcome"`
	Classes  []string        `json:"classes"` // label i; of two classes [other, event]
	Basis    string          `json:"basis"`   // audit.ByProbability or audit.ByMargin
	Link     string          `json:"link"`    // from score to probability
	Reused   bool            `json:"reused"`  // the scores are those of the run itself
	Notes    []string        `json:"notes"`   // how the scores came about, in sentences
	L2       []float64       `json:"l2"`      // λ of each fold; empty without a penalty
	Rows     int             `json:"rows"`
	Median   *float64        `json:"median_weight"` // of the give-up factor; null where the loss has none
	Estimate *audit.Estimate `json:"estimate"`      // of the labels that disagree, and how many would without an error; null without probabilities
	Seed     uint64          `json:"seed"`          // of folds, controls and bootstrap
	Models   []FoldModel     `json:"models"`        // one a fold: what its scores are made of; empty where that is not known
	ElapsedS float64         `json:"elapsed_s"`

	Ranking []audit.Row `json:"-"` // the most suspicious first
}

// AuditOptions settle an audit; the zero value takes the run as it is.
type AuditOptions struct {
	Retune bool // λ anew, by the held-out mean of the model's own loss
}

// AuditLabels ranks the labels of a finished run. Scores of a run judged by
// five folds, λ tuned, are its own; otherwise five folds are fitted: with the λ
// that the run's final fit found, and where λ was given by hand, after tuning
// it, since a strong loss at a λ too small hurts on rare outcomes.
func AuditLabels(ctx context.Context, t *table.Table, spec Spec, parent *Result, rows []RowScore, o AuditOptions,
	report func(Progress)) (*LabelAudit, error) {
	started := time.Now()
	tr := newTracker(report)
	defer tr.close()
	w, err := newAuditor(ctx, t, spec, tr)
	if err != nil {
		return nil, err
	}
	w.settle(parent, o)
	if err := w.rank(ctx, rows); err != nil {
		return nil, fmt.Errorf("audit labels: %w", err)
	}
	a := w.finish()
	a.ElapsedS = time.Since(started).Seconds()
	return a, nil
}

// finish ranks and counts.
func (w *auditor) finish() *LabelAudit {
	a, c := &w.a, w.p.cohort
	a.Method, a.Outcome, a.Link, a.Seed, a.Basis = w.spec.titleOf(w.how), w.spec.Outcome, w.linkID(), w.spec.Seed,
		audit.ByMargin
	if a.Classes = slices.Clone(c.target.Levels); w.prob != nil {
		a.Basis = audit.ByProbability
		a.Estimate = audit.WrongLabels(w.prob, c.label, c.classes(), w.spec.Seed)
	} else {
		w.note("%s recovers no probability: rows are ranked by the margin of their own label, and the number of wrong "+
			"labels is not estimated.", a.Method)
	}
	a.Rows = len(a.Ranking)
	audit.Rank(a.Ranking)
	if g := audit.MedianWeight(a.Ranking); !math.IsNaN(g) {
		a.Median = &g
	}
	return a
}

// linkID names the link of the ranking's probabilities.
func (w *auditor) linkID() string {
	if w.p.cohort.target.Event {
		return w.how.Link.ID
	}
	return linkOf(w.how).ID
}
