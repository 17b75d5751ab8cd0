// Package app holds the use cases that need the disk and outlive a request: runs,
// their bootstraps, studies, audits of labels. It knows no HTTP: handlers parse,
// call it and render. What is computed in the background is a job.Kind here, one a
// file beside the use cases that start and stop it.
package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/cost"
	"taper/internal/engine/job"
	"taper/internal/engine/model"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/machine"
	"taper/internal/store"
)

// App is what the use cases share.
type App struct {
	Datasets     *datasets.Service
	Jobs         *job.Manager
	Computations *Computations

	// Keep makes what stays of a run whose data go, its last report with it, while
	// the rows are there; nil where the model is made of rows, which go.
	Keep func(ctx context.Context, run string, d store.Dataset) (*store.KeptRun, error)

	// WithoutRows is a run with its model, neither of which names a row or tells a small group: what a report
	// of deleted data is made from, and what leaves the program.
	WithoutRows func(store.Run, *model.Model) (store.Run, *model.Model)

	// Shared is what of a finished run leaves the program with a bundle: its numbers, its model and its masked report,
	// as its spec and its data alone give them.
	Shared func(store.Run, []engine.RowScore, *model.Model) (Shared, error)

	reviews    *reviewQueues
	weights    *studyWeights
	validating chan struct{} // holds a token for each external validation under way
	memory     cost.Memory
	mostWork   float64 // multiply-adds of one job; 0: no limit
	db         *store.DB
	log        *slog.Logger
	version    string // of the program, noted in what it makes
	here       func() job.Maker
	now        func() time.Time
}

// New returns the use cases on a store, which share the memory. A job may take mostWork multiply-adds; 0 is
// no limit.
func New(db *store.DB, data *datasets.Service, memory cost.Memory, mostWork float64, version string, log *slog.Logger,
	now func() time.Time) *App {
	return &App{Datasets: data, Jobs: job.NewManager(context.Background(), memory.Jobs, log), memory: memory,
		mostWork: mostWork, Computations: newComputations(data, memory, mostWork),
		reviews: newReviewQueues(memory), validating: make(chan struct{}, 2),
		weights: newStudyWeights(memory), db: db, log: log, version: version, now: now,
		here: sync.OnceValue(func() job.Maker { return maker(version, log) })}
}

// maker is this process as the maker of units; called once a unit is stored, as it may read the whole
// program.
func maker(version string, log *slog.Logger) job.Maker {
	engine, err := machine.Engine(version)
	if err != nil {
		log.Warn("units are stored without the build that computed them", slog.String("cause", err.Error()))
	}
	return job.Maker{Machine: machine.Name(), Class: machine.Class(), Engine: engine}
}

// resultMaker is this process as the maker of a result; nil where its build cannot be named.
func (a *App) resultMaker() *engine.Maker {
	by := a.here()
	if by.Engine == "" {
		return nil
	}
	return &engine.Maker{Engine: by.Engine, Class: by.Class}
}

// The lanes of jobs. A fit and a study take every core, and a study takes hours: it
// must not keep runs waiting.
const (
	RunLane   = "run"
	StudyLane = "study"
)

// asked is what a job of a run is asked, besides what the record of the run says.
type asked[O any] struct {
	Run     string `json:"run"`
	Share   bool   `json:"share,omitempty"` // the owner of the rows lets them go to other machines
	Options O      `json:"options"`
}

// The jobs of a run by their ids in the manager: its own fit has the id of the run.
func BootstrapJob(run string) string { return run + ".bootstrap" }

func AuditJob(run string) string { return "audit-" + run }

func TrialJob(run string) string { return "trial-" + run }

// opened reads what a job is asked, the run and its data as they were read for it.
func opened[O any](ctx context.Context, a *App, spec json.RawMessage) (q asked[O], r store.Run, d store.Dataset,
	t *table.Table, err error) {
	if err = json.Unmarshal(spec, &q); err != nil {
		return q, r, d, nil, fmt.Errorf("job: %w", err)
	}
	if r, err = a.db.Run(ctx, q.Run); err != nil {
		return q, r, d, nil, err
	}
	if d, err = a.db.Dataset(ctx, r.Dataset); err != nil {
		return q, r, d, nil, err
	}
	t, err = a.Datasets.TableOf(ctx, r, d)
	return q, r, d, t, err
}

// queueRun queues a job of a run, which ends when the run or its data are deleted.
func queueRun[O any](a *App, kind job.Kind, id string, r store.Run, bytes int64, share bool, options O) error {
	return a.Jobs.Queue(job.Job{ID: id, Lane: RunLane, Of: []string{r.ID, r.Dataset}, Kind: kind, Bytes: bytes,
		Spec: asked[O]{r.ID, share, options}})
}

// orDeleted says of an error that the dataset was deleted meanwhile, if it was:
// what then fails, and how, is chance.
func (a *App) orDeleted(ctx context.Context, dataset, what string, err error) error {
	if _, gone := a.db.Dataset(ctx, dataset); !usererr.Is(gone, usererr.NotFound) {
		return err
	}
	return usererr.New(usererr.Conflict, "The dataset %q was deleted while the %s was being created, so there is no %s. "+
		"Choose another dataset, or upload the file again.", dataset, what, what)
}

// stopWork ends everything that is at work on a run or a dataset, so that nothing
// writes to what is about to go.
func (a *App) stopWork(ctx context.Context, id string) {
	a.Jobs.Stop(ctx, id)
	a.reviews.drop(id)
	a.Computations.Drop(id)
}

// HasEnded reports whether what has that status is neither queued nor at work.
func HasEnded(status string) bool { return status != store.Queued && status != store.Running }
