package engine

import (
	"context"
	"fmt"

	"taper/internal/engine/fit"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/tune"
)

// auditor holds what an audit works with.
type auditor struct {
	t     *table.Table
	spec  Spec
	p     *Prepared
	how   fit.Method
	cost  task.Cost
	track *tracker
	reuse bool
	known []tune.Setting // of each fold, where the run told
	rule  string         // by which λ is chosen
	a     LabelAudit
	prob  []float64 // of every class, by position; nil without
}

// newAuditor prepares five folds of the rows, no noise on purpose. What pages
// describe of the data is not made.
func newAuditor(ctx context.Context, t *table.Table, spec Spec, tr *tracker) (*auditor, error) {
	v := spec.WithDefaults()
	w := &auditor{t: t, track: tr}
	w.reuse = v.Validation.Kind == "cv" && v.Validation.Folds == auditFolds && v.Noise.Kind == "none" &&
		(v.Model.Tuned() || !v.Model.Penalised())
	if v.Noise.Kind != "none" {
		w.note("The run had noise put on its labels; the audit trains on the labels as they are.")
	}
	v.Validation, v.Noise = Validation{Kind: "cv", Folds: auditFolds, Repeats: 1}, Noise{Kind: "none"}
	if v.Model.Tuned() {
		v.Model.Tuning = TuningSame
	}
	var err error
	w.spec = v
	if w.p, err = foldsOf(ctx, t, v); err != nil {
		return nil, err
	}
	w.how, w.cost, _, err = w.p.method(&v)
	return w, err
}

// foldsOf is Prepare without the description of the data.
func foldsOf(ctx context.Context, t *table.Table, spec Spec) (*Prepared, error) {
	v, err := spec.validate(ctx, t)
	if err != nil {
		return nil, err
	}
	p := &Prepared{t: t, spec: v.spec, key: v.spec.PrepareKey(), cohort: v.cohort, plain: map[rule]*assessment{}}
	p.divide(v.repeats)
	return p, p.build(ctx)
}

func (w *auditor) note(format string, args ...any) {
	w.a.Notes = append(w.a.Notes, fmt.Sprintf(format, args...))
}

// settle says where λ and γ come from.
func (w *auditor) settle(parent *Result, o AuditOptions) {
	m := &w.spec.Model
	if m.Penalised() && (o.Retune || !m.L2.Tuned()) {
		w.reuse = false
		m.L2, m.Tuning = L2{Mode: "cv"}, TuningSame
		why := "As asked, λ was tuned anew for the audit"
		if !o.Retune {
			why = "The run’s λ was given by hand; for the audit it was tuned first"
		}
		w.note("%s, over the same five folds: %s.", why, w.criterion())
		return
	}
	if w.reuse {
		w.a.Reused = true
		w.known = settingsOf(parent, m)
		w.note("Scores are those of the run: five folds, each row by a model that did not see it.")
		return
	}
	w.note("Five folds were fitted for the audit, each row judged by a model that did not see it.")
	if parent == nil || !m.Penalised() {
		return
	}
	switch c := parent.Classes; {
	case c != nil && m.GammaTuned() && c.Gamma != nil:
		m.Kernel.Gamma = *c.Gamma
	case m.GammaTuned() && parent.Kernel != nil && parent.Kernel.Gamma != nil:
		m.Kernel.Gamma = *parent.Kernel.Gamma
	case m.GammaTuned():
		return
	}
	m.L2, m.Tuning = L2{Value: parent.L2}, ""
	w.note("λ is that of the run’s final fit, found by cross-validation on the same rows.")
}

// criterion says what λ is chosen by.
func (w *auditor) criterion() string {
	switch {
	case !w.p.cohort.target.Event:
		return "by the held-out price of the answers"
	case w.byOwnLoss():
		return "by the held-out mean of the model’s own loss, which gives up on labels, the largest λ within one standard " +
			"error"
	}
	return "by the criterion that runs go by"
}

// settingsOf are λ and γ of the folds that judged a run; of repeats the first,
// as in its rows. Nil where the run does not say.
func settingsOf(r *Result, m *ModelSpec) []tune.Setting {
	if r == nil {
		return nil
	}
	l2, gamma := r.FoldL2, r.FoldGamma
	if r.Classes != nil {
		gamma = r.Classes.FoldGamma
	}
	if m.Penalised() && len(l2) < auditFolds || m.GammaTuned() && len(gamma) < auditFolds {
		return nil
	}
	s := repeated(tune.Setting{L2: 1}, auditFolds)
	for k := range s {
		if k < len(l2) {
			s[k].L2 = l2[k]
		}
		if k < len(gamma) {
			s[k].Gamma = gamma[k]
		}
	}
	return s
}
