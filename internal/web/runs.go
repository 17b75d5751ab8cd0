package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"time"

	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/job"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// startRun checks a spec against its data, stores the run and queues it.
func (s *Server) startRun(ctx context.Context, spec engine.Spec) (store.Run, error) {
	return s.startRunAs(ctx, spec, nil)
}

// startRunAs is startRun on the file as it was read for another run; nil reads
// it as it is read now.
func (s *Server) startRunAs(ctx context.Context, spec engine.Spec, reading *table.Options) (r store.Run, err error) {
	known := false // the dataset was there when the run was asked for
	defer func() {
		if known && err != nil {
			err = s.orDeleted(ctx, spec.Dataset, "run", err)
		}
	}()
	if len(spec.Name) > maxName {
		return store.Run{}, usererr.BadField("name", "must hold at most %d bytes (got %d)", maxName, len(spec.Name))
	}
	d, err := s.db.Dataset(ctx, spec.Dataset)
	if usererr.Is(err, usererr.NotFound) {
		return store.Run{}, usererr.BadField("dataset", "is %q: there is no such dataset", spec.Dataset)
	}
	if err != nil {
		return store.Run{}, err
	}
	known = true
	r = store.Run{ID: s.db.NewID("r"), Dataset: d.ID, Name: runName(spec, d), Version: s.cfg.Version, Created: s.now(),
		Reading: reading, Spec: spec}
	if reading == nil {
		now := d.Options.Clone()
		r.Reading = &now
	}
	t, err := s.tableOf(ctx, r, d)
	if err != nil {
		return store.Run{}, err
	}
	if err := spec.Validate(t); err != nil {
		return store.Run{}, err
	}
	spec = spec.WithDefaults()
	if spec.Predictors == nil { // roles can change after the run
		spec.Predictors = check.UsablePredictors(t, spec.Outcome, spec.Group, spec.Weights)
	}
	r.Spec = spec
	if err := s.db.CreateRun(ctx, r); err != nil {
		return store.Run{}, err
	}
	return r, s.jobs.Start(r.ID, s.work(r, d), func(err error) { s.endRun(r.ID, err) })
}

// orDeleted says of an error that the dataset was deleted meanwhile, if it was:
// what then fails, and how, is chance.
func (s *Server) orDeleted(ctx context.Context, dataset, what string, err error) error {
	if _, gone := s.db.Dataset(ctx, dataset); !usererr.Is(gone, usererr.NotFound) {
		return err
	}
	return usererr.New(usererr.Conflict, "The dataset %q was deleted while the %s was being created, so there is no %s. "+
		"Choose another dataset, or upload the file again.", dataset, what, what)
}

// maxName bounds the name of a dataset or a run, in bytes.
const maxName = 200

// runName names a run that was not named.
func runName(spec engine.Spec, d store.Dataset) string {
	if spec.Name != "" {
		return spec.Name
	}
	return spec.Outcome + " in " + d.Name
}

// work is the run itself: the table is loaded again when its turn comes, so
// that a long queue holds no data.
func (s *Server) work(r store.Run, d store.Dataset) job.Work {
	return func(ctx context.Context, report func(linear.Progress)) error {
		if err := s.db.StartRun(ctx, r.ID); err != nil {
			return err
		}
		t, err := s.tableOf(ctx, r, d)
		if err != nil {
			return err
		}
		res, err := engine.Fit(ctx, t, r.Spec, report)
		if err != nil {
			return err
		}
		res.Model.Version = s.cfg.Version
		return overflowed(s.db.FinishRun(ctx, r.ID, res))
	}
}

// overflowed says it where a result cannot be kept because a number in it is
// none: JSON has neither infinity nor NaN.
func overflowed(err error) error {
	var none *json.UnsupportedValueError
	if !errors.As(err, &none) {
		return err
	}
	return usererr.New(usererr.Invalid, "A number of the result overflowed (it is %s), so the result was not kept. "+
		"Standardise the columns (model.standardize), bring them to a common scale, or take a λ nearer to 1.", none.Str)
}

// current is the table of a dataset as it was when the run was asked for; once
// its roles were confirmed meanwhile, of the columns kept.
func (s *Server) current(ctx context.Context, d store.Dataset) (*table.Table, error) {
	t, err := s.intake.Table(ctx, d)
	if err == nil || d.State == store.Kept || !usererr.Is(err, usererr.Conflict) {
		return t, err
	}
	if d, err = s.db.Dataset(ctx, d.ID); err != nil {
		return nil, err
	}
	return s.intake.Table(ctx, d)
}

// endRun records how a run ended that has no result.
func (s *Server) endRun(id string, err error) {
	if err == nil {
		return
	}
	status, sentence := store.Failed, "Internal error."
	switch user, ok := usererr.As(err); {
	case errors.Is(err, job.ErrCancelled):
		status, sentence = store.Cancelled, "Cancelled."
	case errors.Is(err, job.ErrClosed):
		status, sentence = store.Interrupted, "The program was stopped before the run ended. Run it again."
	case ok:
		sentence = user.Detail
	default:
		s.log.Error("run failed", slog.String("run", id), cause(err))
	}
	err = s.db.EndRun(context.Background(), id, status, sentence)
	if err != nil && !usererr.Is(err, usererr.NotFound) { // deleted while it ran
		s.log.Error("end of run not stored", slog.String("run", id), slog.String("cause", err.Error()))
	}
}

// cancelRun stops a run that has not ended.
func (s *Server) cancelRun(ctx context.Context, id string) error {
	r, err := s.db.Run(ctx, id)
	if err != nil {
		return err
	}
	if ended(r.Status) {
		return usererr.New(usererr.Conflict, "The run has ended already: it is %s.", r.Status)
	}
	if err := s.jobs.Cancel(id); err != nil {
		return err
	}
	wait, stop := context.WithTimeout(ctx, cancelWait)
	defer stop()
	if events, err := s.jobs.Watch(wait, id); err == nil {
		for range events { // closed after the final state
		}
	}
	return nil
}

// cancelWait is how long a cancel waits for the run to end, so that its answer
// shows how it ended.
const cancelWait = 500 * time.Millisecond

func ended(status string) bool { return status != store.Queued && status != store.Running }

// deleteRun stops a run if need be and removes it.
func (s *Server) deleteRun(ctx context.Context, id string) error {
	if _, err := s.db.Run(ctx, id); err != nil {
		return err
	}
	s.stopJob(ctx, id)
	s.stopAudits(ctx, id, "")
	return s.db.DeleteRun(ctx, id)
}

// stopJob cancels a run, and its check by refits, and waits until their work has ended, so that nothing
// writes to what is about to go. A run that is not in the runner has ended.
func (s *Server) stopJob(ctx context.Context, id string) {
	for _, id := range []string{id, checkID(id)} {
		if s.jobs.Cancel(id) != nil {
			continue
		}
		events, err := s.jobs.Watch(ctx, id)
		if err != nil {
			continue
		}
		for range events { // closed after the final state
		}
	}
}

// deleteDataset stops the runs made from a dataset and wipes it with them.
func (s *Server) deleteDataset(ctx context.Context, id string) error {
	if err := s.stopWork(ctx, id); err != nil {
		return err
	}
	return s.intake.Delete(ctx, id)
}

// renameRun changes what may change of a run.
func (s *Server) renameRun(ctx context.Context, id, name, notes string) error {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > maxName {
		return usererr.BadField("name", "must hold 1 to %d bytes", maxName)
	}
	if len(notes) > 20_000 {
		return usererr.BadField("notes", "must hold at most 20,000 bytes")
	}
	return s.db.RenameRun(ctx, id, name, notes)
}
