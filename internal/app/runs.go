package app

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/cost"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/job"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// StartRun validates a spec against its data, stores the run and queues it.
func (a *App) StartRun(ctx context.Context, spec runspec.Spec) (store.Run, error) {
	return a.StartRunAs(ctx, spec, RunOptions{})
}

// RunOptions are the inputs of a run besides its spec; the zero value is an ordinary run.
type RunOptions struct {
	Reading *table.Options // parse the file as for another run; nil = as now
	Before  *engine.Shown  // what a page showed before saving; nil = nothing
	Terms   Terms          // on which other machines may help
}

// StartRunAs is StartRun with options.
func (a *App) StartRunAs(ctx context.Context, spec runspec.Spec, o RunOptions) (r store.Run, err error) {
	known := false // whether the dataset existed when the run was requested
	defer func() {
		if known && err != nil {
			err = a.orDeleted(ctx, spec.Dataset, "run", err)
		}
	}()
	if len(spec.Name) > datasets.MaxName {
		return store.Run{}, usererr.BadField("name", "must hold at most %d bytes (got %d)", datasets.MaxName, len(spec.Name))
	}
	d, err := a.db.Dataset(ctx, spec.Dataset)
	if usererr.Is(err, usererr.NotFound) {
		return store.Run{}, usererr.BadField("dataset", "is %q: there is no such dataset", spec.Dataset)
	}
	if err != nil {
		return store.Run{}, err
	}
	known = true
	r = store.Run{ID: a.db.NewID("r"), Dataset: d.ID, Version: a.version, Created: a.now(),
		Reading: o.Reading, Spec: spec}
	if o.Reading == nil {
		now := d.Options.Clone()
		r.Reading = &now
	}
	t, err := a.Datasets.TableOf(ctx, r, d)
	if err != nil {
		return store.Run{}, err
	}
	if err := spec.Validate(t); err != nil {
		return store.Run{}, err
	}
	spec = spec.WithDefaults()
	if spec.Predictors == nil { // the roles of columns may change later
		spec.Predictors = spec.DefaultPredictors(t)
	}
	r.Spec = spec
	if r.Name, err = a.runName(ctx, spec); err != nil {
		return store.Run{}, err
	}
	if err := crossfit.WorkOf(spec, t.Shape()).Check("This run", a.mostWork); err != nil {
		return store.Run{}, err
	}
	bytes, err := jobMemory(a.Datasets, a.memory.Jobs, "This run", d, crossfit.Memory(spec, t.Shape())+a.onTheWay(t))
	if err != nil {
		return store.Run{}, err
	}
	if err := a.db.CreateRun(ctx, r); err != nil {
		return store.Run{}, err
	}
	if err := queueRun(ctx, a, fitting{a}, r, bytes, o.Terms, o.Before); err != nil {
		return store.Run{}, errors.Join(err, a.db.DeleteRun(context.WithoutCancel(ctx), r.ID))
	}
	return r, nil
}

// costOf is an upper bound on the cost of another job on the rows of a run, estimated from its
// spec and the shape of its data. It refuses data that cannot be read, because the job could
// not read them either, and what exceeds a limit.
func (a *App) costOf(ctx context.Context, what string, r store.Run,
	of func(runspec.Spec, table.Shape) (int64, cost.Work)) (bytes int64, err error) {
	d, err := a.db.Dataset(ctx, r.Dataset)
	if err != nil {
		return 0, err
	}
	t, err := a.Datasets.TableOf(ctx, r, d)
	if err != nil {
		return 0, err
	}
	bytes, work := of(r.Spec, t.Shape())
	bytes += a.onTheWay(t)
	if err := work.Check(what, a.mostWork); err != nil {
		return 0, err
	}
	return jobMemory(a.Datasets, a.memory.Jobs, what, d, bytes)
}

// jobMemory is an upper bound on the memory of a job that reads a dataset and then works in
// this many bytes; an error if it never fits. The memory for reading is free again when the
// work begins.
func jobMemory(data *datasets.Service, jobs *cost.Budget, what string, d store.Dataset, bytes int64) (int64, error) {
	if err := jobs.Check(what, bytes); err != nil {
		return 0, err
	}
	reading, err := data.ReadingMemory(d)
	if err != nil {
		return 0, err
	}
	if d.State == store.Kept {
		err = jobs.Check("Reading this dataset", reading)
	} else {
		err = jobs.Check("Reading this file again, since its columns are not confirmed,", reading)
	}
	return max(bytes, reading), err
}

// runName is the requested name, or the default name of the spec, numbered from the second run
// on. Two runs started at the same moment may get the same number; nothing depends on names.
func (a *App) runName(ctx context.Context, spec runspec.Spec) (string, error) {
	if spec.Name != "" {
		return spec.Name, nil
	}
	name := spec.DefaultName()
	last, err := a.db.LastRunNumbered(ctx, name)
	if err != nil || last == 0 {
		return name, err
	}
	return name + " #" + strconv.Itoa(last+1), nil
}

// childName names a run derived from another, with the parent's name shortened to fit.
func childName(parent string, most int, what string) string {
	if r := []rune(parent); len(r) > most {
		parent = string(r[:most]) + "…"
	}
	return parent + ", " + what
}

// CancelRun stops a run that has not ended.
func (a *App) CancelRun(ctx context.Context, id string) error {
	r, err := a.db.Run(ctx, id)
	if err != nil {
		return err
	}
	if HasEnded(r.Status) {
		return usererr.New(usererr.Conflict, "The run has ended already: it is %s.", r.Status)
	}
	return a.Jobs.Halt(ctx, id)
}

// DeleteRun stops a run if necessary and deletes it.
func (a *App) DeleteRun(ctx context.Context, id string) error {
	if _, err := a.db.Run(ctx, id); err != nil {
		return err
	}
	a.stopWork(ctx, id)
	return a.db.DeleteRun(ctx, id)
}

// DeleteRuns stops unfinished runs and deletes all of them, or none.
func (a *App) DeleteRuns(ctx context.Context, ids []string) error {
	for _, id := range ids { // none is stopped if one does not exist
		if _, err := a.db.RunLine(ctx, id); err != nil {
			return err
		}
	}
	for _, id := range ids {
		a.stopWork(ctx, id)
	}
	return a.db.DeleteRuns(ctx, ids)
}

// DescribeRun changes the name or the notes of a run; nil leaves one as it is.
func (a *App) DescribeRun(ctx context.Context, id string, to store.About) error {
	if to.Name != nil {
		name := strings.TrimSpace(*to.Name)
		if name == "" || len(name) > datasets.MaxName {
			return usererr.BadField("name", "must hold 1 to %d bytes", datasets.MaxName)
		}
		to.Name = &name
	}
	if to.Notes != nil && len(*to.Notes) > 20_000 {
		return usererr.BadField("notes", "must hold at most 20\u202f000 bytes")
	}
	return a.db.DescribeRun(ctx, id, to)
}

// fitting is the kind of job that fits a saved run.
type fitting struct{ a *App }

func (fitting) ID() string { return "run" }

func (k fitting) Open(ctx context.Context, spec json.RawMessage) (job.Session, error) {
	var q asked[*engine.Shown]
	if err := json.Unmarshal(spec, &q); err != nil {
		return nil, err
	}
	if err := k.a.db.StartRun(ctx, q.Run); err != nil {
		return nil, err
	}
	_, r, d, t, err := opened[*engine.Shown](ctx, k.a, k, spec)
	if err != nil {
		return nil, err
	}
	from, err := recipeOf(k.a, fitRecipe, d, t, q.Terms, recipe[struct{}]{Spec: r.Spec})
	if err != nil {
		return nil, err
	}
	return job.Whole[*engine.Result]{
		Work: func(ctx context.Context, report func(job.Progress)) (*engine.Result, error) {
			return engine.Fit(ctx, t, r.Spec, report)
		},
		From: from,
		Store: func(ctx context.Context, found *engine.Result) error {
			found.Model.Version, found.Before, found.Maker = k.a.version, q.Options, k.a.resultMaker()
			return overflowed(k.a.db.FinishRun(ctx, r.ID, found))
		},
	}, nil
}

// overflowed gives the error a sentence if the result contains an infinity or NaN, which JSON
// cannot store.
func overflowed(err error) error {
	var none *json.UnsupportedValueError
	if !errors.As(err, &none) {
		return err
	}
	return usererr.New(usererr.Invalid, "A number of the result overflowed (it is %s), so the result was not kept. "+
		"Standardise the columns (model.standardize), bring them to a common scale, or take a λ nearer to 1.", none.Str)
}

func (k fitting) End(ctx context.Context, spec json.RawMessage, state job.State, sentence string) error {
	var q asked[*engine.Shown]
	if err := json.Unmarshal(spec, &q); err != nil {
		return err
	}
	if state == job.Interrupted {
		sentence = "The program was stopped before the run ended. It goes on when Taper starts again."
	}
	return k.a.db.EndRun(ctx, q.Run, string(state), sentence)
}

// Fitted refuses a run that was recalibrated and not fitted: its settings make the run from which it was made.
func (a *App) Fitted(ctx context.Context, id string) error {
	o, err := a.db.RunOrigin(ctx, id)
	if err == nil && o != nil {
		err = usererr.New(usererr.Conflict, "This run was recalibrated, not fitted: its settings make run %s again, without "+
			"the recalibration. Start from that run, and recalibrate the new one.", o.Parent)
	}
	return err
}
