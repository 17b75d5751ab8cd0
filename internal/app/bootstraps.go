package app

import (
	"context"
	"encoding/json"
	"errors"

	"taper/internal/engine"
	"taper/internal/engine/cost"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/job"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// StartBootstrap queues the bootstrap of a finished run.
func (a *App) StartBootstrap(ctx context.Context, id string, o engine.BootstrapOptions, terms Terms) error {
	r, err := a.db.Run(ctx, id)
	if err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	if !r.Wiped.IsZero() {
		return r.DataWiped("there are no rows for a bootstrap")
	}
	if r.Result != nil {
		if err := o.CheckRows(r.Result.Flow.Trained); err != nil {
			return err
		}
	}
	if r.Spec.Multiclass() {
		return usererr.New(usererr.Invalid, "Optimism and stability need two classes; this run is multiclass.")
	}
	if r.Spec.Model.Given() {
		return usererr.New(usererr.Invalid, "%s", engine.NoRefits)
	}
	if o, err := a.db.RunOrigin(ctx, id); err != nil {
		return err
	} else if o != nil {
		return usererr.New(usererr.Conflict, "A recalibrated run was not fitted: run the bootstrap on run %s, from which "+
			"it was made.",
			o.Parent)
	}
	if o.Replicates == 0 {
		o.Replicates = engine.DefaultReplicates
	}
	bytes, err := a.costOf(ctx, "This bootstrap", r, func(s runspec.Spec, t table.Shape) (int64, cost.Work) {
		return crossfit.Memory(s, t) + o.Memory(t.Rows), crossfit.Tried(s, t).Times(o.Replicates)
	})
	if err != nil {
		return err
	}
	defer a.locks.Lock(BootstrapJob(id))()
	if old, err := a.db.RunBootstrap(ctx, id); err != nil {
		return err
	} else if old != nil && !HasEnded(old.Status) {
		return usererr.New(usererr.Conflict, "The bootstrap of this run is in progress.")
	}
	a.Jobs.Stop(ctx, BootstrapJob(id)) // the result is stored a moment before its job has ended
	ctx = context.WithoutCancel(ctx)   // a record without a job would be queued for ever
	if err := a.db.BeginBootstrap(ctx, id, o.Replicates); err != nil {
		return err
	}
	err = queueRun(ctx, a, bootstrapping{a}, r, bytes, terms, o)
	if err != nil { // one that the queue refused has ended already, with its sentence
		err = errors.Join(err, a.db.EndBootstrap(ctx, id, store.Failed, "The bootstrap could not start. Start it again."))
	}
	return err
}

// CancelBootstrap stops a bootstrap that has not ended.
func (a *App) CancelBootstrap(ctx context.Context, id string) error {
	if _, err := a.Bootstrap(ctx, id); err != nil {
		return err
	}
	return a.Jobs.Halt(ctx, BootstrapJob(id))
}

// Bootstrap returns the bootstrap of a run; a not-found error if none was started.
func (a *App) Bootstrap(ctx context.Context, id string) (*store.Bootstrap, error) {
	r, err := a.db.RunLine(ctx, id)
	if err != nil {
		return nil, err
	}
	if !r.Wiped.IsZero() {
		return nil, r.DataWiped("the bootstrap results are in its report")
	}
	b, err := a.db.RunBootstrap(ctx, id)
	if err == nil && b == nil {
		err = usererr.New(usererr.NotFound, "This run has no bootstrap results yet.")
	}
	return b, err
}

// bootstrapping is the kind of job that refits a run on bootstrap samples.
type bootstrapping struct{ a *App }

func (bootstrapping) ID() string { return store.BootstrapJob }

func (k bootstrapping) Open(ctx context.Context, spec json.RawMessage) (job.Session, error) {
	q, r, d, t, err := opened[engine.BootstrapOptions](ctx, k.a, k, spec)
	if err != nil {
		return nil, err
	}
	refits, err := engine.NewRefits(ctx, t, r.Spec, r.Result, q.Options)
	if err != nil {
		return nil, err
	}
	if refits.From, err = recipeOf(k.a, bootstrapRecipe, d, t, q.Terms,
		recipe[engine.BootstrapOptions]{r.Spec, r.Result.Fitted(), q.Options}); err != nil {
		return nil, err
	}
	refits.Keep = func(ctx context.Context, found *engine.Bootstrap) error {
		return k.a.db.FinishBootstrap(ctx, r.ID, found)
	}
	return refits, nil
}

func (k bootstrapping) End(ctx context.Context, spec json.RawMessage, state job.State, sentence string) error {
	var q asked[engine.BootstrapOptions]
	if err := json.Unmarshal(spec, &q); err != nil {
		return err
	}
	if state == job.Interrupted {
		sentence = "The program was stopped before the bootstrap ended. It goes on when Taper starts again."
	}
	return k.a.db.EndBootstrap(ctx, q.Run, string(state), sentence)
}
