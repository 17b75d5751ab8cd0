package web

import (
	"context"
	"strings"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/check"
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
	if len(spec.Name) > datasets.MaxName {
		return store.Run{}, usererr.BadField("name", "must hold at most %d bytes (got %d)", datasets.MaxName, len(spec.Name))
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
	t, err := s.datasets.TableOf(ctx, r, d)
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
	return r, queueRun(s, fitting{s}, r.ID, r, struct{}{})
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

// runName names a run that was not named.
func runName(spec engine.Spec, d store.Dataset) string {
	if spec.Name != "" {
		return spec.Name
	}
	return spec.Outcome + " in " + d.Name
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
	return s.jobs.Halt(ctx, id)
}

func ended(status string) bool { return status != store.Queued && status != store.Running }

// deleteRun stops a run if need be and removes it.
func (s *Server) deleteRun(ctx context.Context, id string) error {
	if _, err := s.db.Run(ctx, id); err != nil {
		return err
	}
	s.stopWork(ctx, id)
	return s.db.DeleteRun(ctx, id)
}

// deleteDataset stops the runs made from a dataset and wipes it with them.
func (s *Server) deleteDataset(ctx context.Context, id string) error {
	s.stopWork(ctx, id)
	return s.datasets.Delete(ctx, id)
}

// stopWork ends everything that is at work on a run or a dataset, so that nothing
// writes to what is about to go.
func (s *Server) stopWork(ctx context.Context, id string) {
	s.jobs.Stop(ctx, id)
	s.audits.drop(id)
	s.live.drop(id)
}

// renameRun changes what may change of a run.
func (s *Server) renameRun(ctx context.Context, id, name, notes string) error {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > datasets.MaxName {
		return usererr.BadField("name", "must hold 1 to %d bytes", datasets.MaxName)
	}
	if len(notes) > 20_000 {
		return usererr.BadField("notes", "must hold at most 20,000 bytes")
	}
	return s.db.RenameRun(ctx, id, name, notes)
}
