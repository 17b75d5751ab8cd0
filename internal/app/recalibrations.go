package app

import (
	"context"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/engine/model"
	"taper/internal/engine/odds"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// Recalibration says how risks are recalibrated: to another prevalence, or by intercept and
// slope on the logit scale.
type Recalibration struct {
	Prevalence *float64 `json:"prevalence,omitempty"`
	Intercept  *float64 `json:"intercept,omitempty"`
	Slope      *float64 `json:"slope,omitempty"`

	// Evaluation is an external validation of the run from which the intercept, or intercept
	// and slope (How), are taken. Together with a prevalence it only records where the request
	// came from.
	Evaluation string `json:"evaluation,omitempty"`
	How        string `json:"how,omitempty"`
}

// numbers returns intercept and slope. Another prevalence, with the same case mix, shifts the
// logits by the difference of the two prevalences' logits.
func (m Recalibration) numbers(r *engine.Result) (a, b float64, err error) {
	b = 1
	if m.Slope != nil {
		b = *m.Slope
	}
	switch {
	case m.Prevalence != nil && (m.Intercept != nil || m.Slope != nil):
		return 0, 0, usererr.BadField("prevalence", "cannot be combined with an intercept or a slope: give one or the other")
	case m.Prevalence != nil:
		if !(*m.Prevalence > 0 && *m.Prevalence < 1) {
			return 0, 0, usererr.BadField("prevalence", "must lie between 0 and 1")
		}
		if r.Flow.TrainedEvents == 0 || r.Flow.Trained == 0 { // a kept model, whose counts are masked
			return 0, 0, usererr.BadField("prevalence",
				"needs the prevalence in the training rows, which is masked: give intercept and slope")
		}
		was := float64(r.Flow.TrainedEvents) / float64(r.Flow.Trained)
		return odds.Logit(*m.Prevalence) - odds.Logit(was), 1, nil
	case m.Intercept == nil && m.Slope == nil:
		return 0, 0, usererr.BadField("intercept", "is missing: give it, or a prevalence")
	case m.Intercept != nil:
		a = *m.Intercept
	}
	return a, b, nil
}

// fitted fills in the values from an external validation.
func (a *App) fitted(ctx context.Context, run string, m *Recalibration) error {
	if m.Evaluation == "" {
		if m.How != "" {
			return usererr.BadField("how", "needs the id of an external validation in evaluation")
		}
		return nil
	}
	e, err := a.db.Evaluation(ctx, m.Evaluation)
	switch {
	case usererr.Is(err, usererr.NotFound) || err == nil && e.Run != run:
		return usererr.BadField("evaluation", "must be an external validation of this run (got %.40q)", m.Evaluation)
	case err != nil:
		return err
	case m.How == "" && m.Prevalence != nil:
		return nil
	case m.How != external.RecalibrateIntercept && m.How != external.RecalibrateSlope:
		return usererr.BadField("how", "must be %s or %s (got %.40q)", external.RecalibrateIntercept,
			external.RecalibrateSlope, m.How)
	case m.Intercept != nil || m.Slope != nil || m.Prevalence != nil:
		return usererr.BadField("how", "cannot be combined with other values: the validation gives them")
	}
	to := e.Result.RecalibratedModel(m.How)
	if to == nil {
		return usererr.New(usererr.Invalid, "The rows of this external validation do not allow this recalibration.")
	}
	m.Intercept, m.Slope = &to.Intercept, &to.Slope
	return nil
}

// RecalibrationReport renders the report of a recalibrated run without rows.
type RecalibrationReport = func(child store.Run, o store.Origin) (string, error)

// Recalibrate stores a recalibrated child of a finished run and returns its id.
func (a *App) Recalibrate(ctx context.Context, id string, m Recalibration, report RecalibrationReport) (string, error) {
	r, err := a.db.Run(ctx, id)
	if err != nil {
		return "", err
	}
	if err := r.RequireResult(); err != nil {
		return "", err
	}
	model, err := a.db.RunModel(ctx, id)
	if err != nil {
		return "", err
	}
	if err := a.fitted(ctx, r.ID, &m); err != nil {
		return "", err
	}
	intercept, slope, err := m.numbers(r.Result)
	if err != nil {
		return "", err
	}
	origin := store.Origin{Parent: r.ID, Intercept: intercept, Slope: slope, Evaluation: m.Evaluation, How: m.How}
	if !r.Wiped.IsZero() {
		return a.recalibrateKept(ctx, r, model, origin, report)
	}
	rows, err := a.db.RunRows(ctx, id)
	if err != nil {
		return "", err
	}
	res, err := engine.Recalibrated(r.Result, r.Spec, model, rows, intercept, slope)
	if err != nil {
		return "", err
	}
	child := store.Run{ID: a.db.NewID("r"), Dataset: r.Dataset, Name: childName(r.Name, datasets.MaxName-40,
		"recalibrated"),
		Spec: r.Spec, Reading: r.Reading, Version: a.version, Created: a.now()}
	if err := overflowed(a.db.AddDerived(ctx, child, origin, res)); err != nil {
		return "", a.orDeleted(ctx, r.Dataset, "run", err)
	}
	return child.ID, nil
}

// recalibrateKept stores a run with a kept model's risks recalibrated to logit P = a + b·logit
// p. It cannot be evaluated, since the data are gone, and its report says so.
func (a *App) recalibrateKept(ctx context.Context, r store.Run, m *model.Model, o store.Origin,
	report RecalibrationReport) (string, error) {
	res, err := engine.RecalibratedModel(r.Result, r.Spec, m, o.Intercept, o.Slope)
	if err != nil {
		return "", err
	}
	k := store.KeptRun{Run: a.db.NewID("r"), Spec: r.Spec, Result: res, Model: res.Model}
	child := store.Run{ID: k.Run, Name: childName(r.Name, datasets.MaxName-40, "recalibrated"), Version: a.version,
		DatasetName: r.DatasetName, DatasetSHA: r.DatasetSHA,
		Created: a.now(), Wiped: r.Wiped, Spec: r.Spec, Result: res}
	if k.Report, err = report(child, o); err != nil {
		return "", err
	}
	return child.ID, a.db.AddKept(ctx, child, k, o)
}
