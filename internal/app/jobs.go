package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"taper/internal/engine/job"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// This file has what the jobs of a run share: how they are queued, opened, kept and taken up again.

// asked is the spec of a job on a run, with what the record of the run does not contain.
type asked[O any] struct {
	Run     string `json:"run"`
	Terms   Terms  `json:"terms"`
	Options O      `json:"options"`
}

// Ids of the jobs of a run in the manager; its fit has the id of the run itself.
func BootstrapJob(run string) string { return run + ".bootstrap" }

func AuditJob(run string) string { return "audit-" + run }

func TrialJob(run string) string { return "trial-" + run }

// jobID is the id of the job of a kind.
func jobID(kind job.Kind, run string) string {
	switch kind.ID() {
	case store.BootstrapJob:
		return BootstrapJob(run)
	case store.AuditJob:
		return AuditJob(run)
	case store.TrialJob:
		return TrialJob(run)
	}
	return run
}

// kindOf is the kind of a stored job.
func (a *App) kindOf(id string) (job.Kind, bool) {
	for _, k := range []job.Kind{fitting{a}, bootstrapping{a}, ranking{a}, flipping{a}} {
		if k.ID() == id {
			return k, true
		}
	}
	return nil, false
}

// queueRun stores a job of a run and queues it. It ends when the run or the run's data are deleted.
func queueRun[O any](ctx context.Context, a *App, kind job.Kind, r store.Run, bytes int64, terms Terms,
	options O) error {
	spec, err := json.Marshal(asked[O]{r.ID, terms, options})
	if err != nil {
		return fmt.Errorf("queue %s: %w", kind.ID(), err)
	}
	j := store.Job{ID: jobID(kind, r.ID), Kind: kind.ID(), Run: r.ID, Spec: spec, Bytes: bytes, Class: terms.Class}
	if err := a.db.BeginJob(ctx, j); err != nil {
		return err
	}
	if err := a.queue(kind, j, r.Dataset); err != nil {
		return errors.Join(err, a.db.EndJob(context.WithoutCancel(ctx), r.ID, kind.ID(), store.Cancelled))
	}
	return nil
}

func (a *App) queue(kind job.Kind, j store.Job, dataset string) error {
	return a.Jobs.Queue(job.Job{ID: j.ID, Lane: RunLane, Of: []string{j.Run, dataset}, Kind: kind, Bytes: j.Bytes,
		Class: j.Class, Spec: j.Spec, Keeps: true})
}

// opened decodes the spec of a job and loads the run with its data, parsed as for the run. Units that were kept of
// another question are deleted.
func opened[O any](ctx context.Context, a *App, kind job.Kind, spec json.RawMessage) (q asked[O], r store.Run,
	d store.Dataset, t *table.Table, err error) {
	if err = json.Unmarshal(spec, &q); err != nil {
		return q, r, d, nil, fmt.Errorf("job: %w", err)
	}
	if r, err = a.db.Run(ctx, q.Run); err != nil {
		return q, r, d, nil, err
	}
	if d, err = a.db.Dataset(ctx, r.Dataset); err != nil {
		return q, r, d, nil, err
	}
	if t, err = a.Datasets.TableOf(ctx, r, d); err != nil {
		return q, r, d, nil, err
	}
	question, err := digestOf(kind.ID(), cmp.Or(a.here().Engine, rand.Text()), r.DatasetSHA, r.Reading, r.Spec, q.Options)
	if err != nil {
		return q, r, d, nil, err
	}
	class := q.Terms.Class
	if a.mayLeave(d, q.Terms.Queue) { // else this machine computes all of it, whatever the class of the others
		class = cmp.Or(class, a.Jobs.Here.Class)
	}
	return q, r, d, t, a.db.OpenJob(ctx, jobID(kind, r.ID), question, class)
}

// digestOf stands for all that the numbers of a unit depend on, besides its stage and number. A build that is not known
// is like no other.
func digestOf(kind, engine, data string, reading *table.Options, spec runspec.Spec, options any) (string, error) {
	text, err := json.Marshal([]any{kind, engine, data, reading, spec, options})
	if err != nil {
		return "", fmt.Errorf("digest of a %s: %w", kind, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// mostAttempts bounds how often a job begins without getting further, so that one by which the program ends, for
// instance because the system has too little memory, does not end it at each start.
const mostAttempts = 3

// Resume takes up the work that a crash or a shutdown interrupted: studies, and the jobs of runs. It goes on with the
// units that were kept, on the terms that it was asked for.
func (a *App) Resume(ctx context.Context) error {
	if err := a.resumeStudies(ctx); err != nil {
		return err
	}
	open, err := a.db.OpenJobs(ctx)
	if err != nil {
		return err
	}
	for _, j := range open {
		if err := a.resumeJob(ctx, j); err != nil {
			a.log.Warn("job not resumed", slog.String("job", j.ID), job.Cause(err))
		}
	}
	return nil
}

// resumeJob queues a job again. One that cannot go on fails with the reason.
func (a *App) resumeJob(ctx context.Context, j store.Job) error {
	kind, ok := a.kindOf(j.Kind)
	if !ok {
		return fmt.Errorf("the kind %q is not known", j.Kind)
	}
	defer a.locks.Lock(j.ID)()
	if a.Jobs.Working(j.ID) {
		return nil
	}
	if err := a.db.RequeueJob(ctx, j); err != nil {
		return err
	}
	r, err := a.db.RunLine(ctx, j.Run)
	if err == nil {
		err = a.memory.Jobs.Check("This "+j.Kind, j.Bytes)
	}
	if err == nil && j.Attempts >= mostAttempts {
		err = usererr.New(usererr.Conflict, "Taper ended %d times in a row while it worked on this %s, and did not take it "+
			"up again. The system may have too little memory for it. Start it again, if possible with fewer rows.",
			j.Attempts, j.Kind)
	}
	if err == nil {
		return a.queue(kind, j, r.Dataset)
	}
	sentence := "Internal error."
	if user, ok := usererr.As(err); ok {
		sentence = user.Detail
	}
	return errors.Join(err, kind.End(ctx, j.Spec, job.Failed, sentence))
}

// madeBy is the maker of a unit; one that names no engine was computed by this process.
func (a *App) madeBy(by job.Maker) job.Maker {
	if by.Engine == "" {
		return a.here()
	}
	return by
}

// ledger keeps the units of jobs and stores which ones they ended without.
type ledger struct{ a *App }

func (l ledger) Kept(ctx context.Context, id string, stage int, found func(unit string, text []byte) error) error {
	return l.a.db.Units(ctx, id, stage, found)
}

// Keep stores units. Those of a job that was deleted meanwhile are dropped.
func (l ledger) Keep(ctx context.Context, id string, units []job.Answer) error {
	all := make([]store.Unit, len(units))
	for i, u := range units {
		all[i] = store.Unit{Stage: u.Stage, ID: u.Unit, Answer: u.Text, Maker: l.a.madeBy(u.Maker)}
	}
	err := l.a.db.KeepUnits(ctx, id, all, 0)
	if usererr.Is(err, usererr.NotFound) {
		return nil
	}
	return err
}
