package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// ValidationRequest asks for an external validation: the evaluation of a run's model on other
// rows with outcomes.
type ValidationRequest struct {
	By   string // column that defines subgroups
	Keep bool
	Name string // of the file
}

// PredictOptions are the limits for a file to be scored.
func (a *App) PredictOptions() model.PredictOptions {
	return model.PredictOptions{Limits: a.Datasets.Limits(), MostWork: a.mostWork}
}

// ValidateFile evaluates the model of a run on a file. id is that of the stored validation; ""
// if it is no external validation or was not to be stored.
func (a *App) ValidateFile(ctx context.Context, r store.Run, m *model.Model, file []byte,
	q ValidationRequest) (e *external.Evaluation, id string, err error) {
	return a.validate(ctx, r, m, file, q, func(o external.EvaluateOptions) (*external.Evaluation, error) {
		return external.EvaluateCSV(ctx, m, file, a.PredictOptions(), o)
	})
}

// ValidateRows evaluates the model of a run on JSON rows and returns their predictions too.
// sent, the request body, identifies the rows.
func (a *App) ValidateRows(ctx context.Context, r store.Run, m *model.Model, rows []map[string]any, sent []byte,
	q ValidationRequest) (scored []model.Prediction, e *external.Evaluation, id string, err error) {
	e, id, err = a.validate(ctx, r, m, sent, q, func(o external.EvaluateOptions) (e *external.Evaluation, err error) {
		scored, e, err = external.EvaluateRows(ctx, m, rows, o)
		return e, err
	})
	return scored, e, id, err
}

// validate evaluates a model while its request waits, two at a time, and stores the result. It
// is no job: the file must be deleted before the first row is scored, so it could not be
// resumed after a crash; and work of about a second must not queue behind fits.
func (a *App) validate(ctx context.Context, r store.Run, m *model.Model, data []byte, q ValidationRequest,
	of func(external.EvaluateOptions) (*external.Evaluation, error)) (e *external.Evaluation, id string, err error) {
	select {
	case a.validating <- struct{}{}:
		defer func() { <-a.validating }()
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	o, err := a.evaluateOptions(ctx, r, m, q)
	if err != nil {
		return nil, "", err
	}
	if e, err = of(o); err != nil {
		return nil, "", err
	}
	id, err = a.keepValidation(ctx, r, e, data, q)
	return e, id, err
}

// evaluateOptions are the options for evaluating a run's model. If its data are gone, rows are
// not compared with the training rows.
func (a *App) evaluateOptions(ctx context.Context, r store.Run, m *model.Model,
	q ValidationRequest) (external.EvaluateOptions, error) {
	o := external.EvaluateOptions{By: q.By, Seed: r.Spec.Seed}
	d, err := a.db.Dataset(ctx, r.Dataset)
	if err != nil {
		return o, unlessGone(err)
	}
	t, err := a.Datasets.TableOf(ctx, r, d)
	if err != nil {
		return o, unlessGone(err)
	}
	rows, err := a.db.RunRows(ctx, r.ID)
	if err != nil {
		return o, unlessGone(err)
	}
	seen := engine.SeenRows(rows)
	if r.Spec.Validation.Rows == runspec.RowsOfTest {
		if seen, err = engine.SeenBy(ctx, r.Spec, t); err != nil {
			return o, err
		}
	}
	o.Known = external.KnownRows(m, t, seen)
	return o, nil
}

// unlessGone ignores a user error, which means that the data no longer exist. A refusal because
// of memory is kept, because the result would be different without the data.
func unlessGone(err error) error {
	if e, ok := usererr.As(err); ok && !e.Costly {
		return nil
	}
	return err
}

// keepValidation stores an evaluation and returns its id; "" if it is no external validation or
// was not to be stored. Of the file only its name, its hash and counts are kept.
func (a *App) keepValidation(ctx context.Context, r store.Run, e *external.Evaluation, data []byte,
	q ValidationRequest) (string, error) {
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	if hash == r.DatasetSHA {
		e.Refuse()
	}
	if !q.Keep || e.Refusal() != "" {
		return "", nil
	}
	return a.db.SaveEvaluation(ctx, store.Evaluation{Run: r.ID, Name: q.Name, File: q.Name, SHA256: hash,
		Version: a.version, Created: a.now(), Result: e})
}

// RenameValidation changes the name of a validation.
func (a *App) RenameValidation(ctx context.Context, id, name string) error {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > datasets.MaxName {
		return usererr.BadField("name", "must hold 1 to %d bytes", datasets.MaxName)
	}
	return a.db.RenameEvaluation(ctx, id, name)
}

// DevelopmentRows are the test rows of a run, if a validation needs them and they exist.
func (a *App) DevelopmentRows(ctx context.Context, r store.Run) ([]engine.RowScore, error) {
	if r.Result == nil || r.Result.Classes != nil || r.Result.Clinical != nil {
		return nil, nil
	}
	rows, err := a.db.RunRows(ctx, r.ID)
	return rows, unlessGone(err)
}

// RecalibratedBy is the external validation that a run was recalibrated by; nil if there was
// none, or it was deleted.
func (a *App) RecalibratedBy(ctx context.Context, o *store.Origin) (*store.Evaluation, error) {
	if o == nil || o.Evaluation == "" {
		return nil, nil
	}
	e, err := a.db.Evaluation(ctx, o.Evaluation)
	if usererr.Is(err, usererr.NotFound) {
		return nil, nil
	}
	return &e, err
}
