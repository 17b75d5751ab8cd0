// Package app implements the use cases that need storage or outlive a request: runs, their
// bootstraps, studies and label audits. It does not know HTTP: handlers parse, call it and
// render. Background work is implemented as a job.Kind, in the same file as the functions that
// start and stop it.
package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/app/lock"
	"taper/internal/engine"
	"taper/internal/engine/cost"
	"taper/internal/engine/job"
	"taper/internal/engine/model"
	"taper/internal/engine/usererr"
	"taper/internal/machine"
	"taper/internal/store"
)

// App holds what the use cases share.
type App struct {
	Datasets     *datasets.Service
	Jobs         *job.Manager
	Computations *Computations

	// Keep makes the record of a run that stays when its data are deleted, with its last
	// report, while the rows still exist. It returns nil if the model contains rows and must go
	// too.
	Keep func(ctx context.Context, run string, d store.Dataset) (*store.KeptRun, error)

	// WithoutRows returns a run and its model without data of single rows or small groups: for
	// the report of deleted data, and for export.
	WithoutRows func(store.Run, *model.Model) (store.Run, *model.Model)

	// Shared returns the parts of a finished run that a bundle contains: result, model and
	// masked report. They depend only on the spec and the data.
	Shared func(store.Run, []engine.RowScore, *model.Model) (Shared, error)

	// locks serialise the requests that start, resume or halt the same job, so that its record and what runs agree. The
	// job itself never needs it: a request that holds it may wait for the job's end.
	locks lock.ByID

	reviews    *reviewQueues
	weights    *studyWeights
	verified   verifications
	validating chan struct{} // limits concurrent external validations
	memory     cost.Memory
	mostWork   float64 // multiply-adds of one job; 0 = no limit
	db         *store.DB
	log        *slog.Logger
	version    string // of the program, stored in what it makes
	here       func() job.Maker
	now        func() time.Time
}

// New returns the use cases of a store, sharing the memory. mostWork limits the multiply-adds
// of a job; 0 is no limit.
func New(db *store.DB, data *datasets.Service, memory cost.Memory, mostWork float64, version string, log *slog.Logger,
	now func() time.Time) *App {
	a := &App{Datasets: data, Jobs: job.NewManager(context.Background(), memory.Jobs, log), memory: memory,
		mostWork: mostWork, Computations: newComputations(data, memory, mostWork),
		reviews: newReviewQueues(memory), validating: make(chan struct{}, 2),
		weights: newStudyWeights(memory), db: db, log: log, version: version, now: now,
		here: sync.OnceValue(func() job.Maker { return maker(version, log) })}
	a.Jobs.Ledger = ledger{a}
	a.Jobs.Here.Maker = job.Maker{Machine: machine.Name(), Class: machine.Class()}
	return a
}

// maker identifies this process as the maker of units. It may read the whole program file, so
// it is called only when a job is opened.
func maker(version string, log *slog.Logger) job.Maker {
	engine, err := machine.Engine(version)
	if err != nil {
		log.Warn("units are stored without the build that computed them", slog.String("cause", err.Error()))
	}
	return job.Maker{Machine: machine.Name(), Class: machine.Class(), Engine: engine}
}

// resultMaker identifies this process as the maker of a result; nil if its build is unknown.
func (a *App) resultMaker() *engine.Maker {
	by := a.here()
	if by.Engine == "" {
		return nil
	}
	return &engine.Maker{Engine: by.Engine, Class: by.Class}
}

// Lanes of jobs. Fits and studies use every core, but a study takes hours and must not delay
// runs.
const (
	RunLane   = "run"
	StudyLane = "study"
)

// orDeleted replaces an error by a sentence on the deletion if the dataset was deleted
// meanwhile; which error that causes is accidental.
func (a *App) orDeleted(ctx context.Context, dataset, what string, err error) error {
	if _, gone := a.db.Dataset(ctx, dataset); !usererr.Is(gone, usererr.NotFound) {
		return err
	}
	return usererr.New(usererr.Conflict, "The dataset %q was deleted while the %s was being created, so there is no %s. "+
		"Choose another dataset, or upload the file again.", dataset, what, what)
}

// stopWork ends all jobs on a run or a dataset, so that nothing writes to what is about to be
// deleted.
func (a *App) stopWork(ctx context.Context, id string) {
	a.Jobs.Stop(ctx, id)
	a.reviews.drop(id)
	a.Computations.Drop(id)
}

// HasEnded reports whether a status is final.
func HasEnded(status string) bool { return status != store.Queued && status != store.Running }
