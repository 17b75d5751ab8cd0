package app

import (
	"context"
	"encoding/json"
	"slices"

	"taper/internal/app/datasets"
	"taper/internal/engine/audit"
	"taper/internal/engine/cost"
	"taper/internal/engine/job"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// StartAudit queues the audit of a run's labels.
func (a *App) StartAudit(ctx context.Context, r store.Run, o audit.Options, terms Terms) error {
	return startOnce(ctx, a, ranking{a}, r, terms, o)
}

// StartTrial queues a test of the audit with flipped labels.
func (a *App) StartTrial(ctx context.Context, r store.Run, o audit.TrialOptions, terms Terms) error {
	if err := o.Check(r.Spec.Multiclass()); err != nil {
		return err
	}
	if err := audit.Trainable(r.Spec); err != nil {
		return err
	}
	return startOnce(ctx, a, flipping{a}, r, terms, o)
}

// startOnce queues a job of an audit, unless it is queued or running already.
func startOnce[O any](ctx context.Context, a *App, kind job.Kind, r store.Run, terms Terms, options O) error {
	id := jobID(kind, r.ID)
	if a.Jobs.Working(id) { // what was asked for first is what is stored of the job
		return nil
	}
	bytes, err := a.costOf(ctx, "This audit", r, func(s runspec.Spec, t table.Shape) (int64, cost.Work) {
		return audit.Memory(s, t), audit.Work(s, t)
	})
	if err != nil {
		return err
	}
	defer a.locks.Lock(id)()
	if a.Jobs.Working(id) { // somebody else has asked for it meanwhile
		return nil
	}
	return queueRun(ctx, a, kind, r, bytes, terms, options)
}

// reviewOf turns the valid decisions into a review: flips and exclusions, by row. Other
// decisions change nothing.
func reviewOf(run string, decisions []audit.Decision) *runspec.Review {
	v := &runspec.Review{Parent: run}
	for _, d := range decisions {
		switch d.Kind {
		case audit.Flip:
			v.Changes = append(v.Changes, runspec.Relabel{Row: d.Row, To: d.To})
		case audit.Exclude:
			v.Changes = append(v.Changes, runspec.Relabel{Row: d.Row})
		}
	}
	slices.SortFunc(v.Changes, func(a, b runspec.Relabel) int { return a.Row - b.Row })
	v.ID = v.Digest()
	return v
}

// StartReviewed queues a run on the reviewed labels.
func (a *App) StartReviewed(ctx context.Context, r store.Run) (store.Run, error) {
	if err := a.Fitted(ctx, r.ID); err != nil {
		return store.Run{}, err
	}
	queue, err := a.Reviewed(ctx, r)
	if err != nil {
		return store.Run{}, err
	}
	decisions, err := a.Decisions(ctx, queue)
	if err != nil {
		return store.Run{}, err
	}
	spec := r.Spec
	spec.Review = reviewOf(r.ID, decisions)
	if len(spec.Review.Changes) == 0 {
		return store.Run{}, usererr.New(usererr.Conflict,
			"No label was flipped and no row excluded: a run on the reviewed labels would be the same run.")
	}
	spec.Name = childName(r.Name, datasets.MaxName-20, "reviewed")
	return a.StartRunAs(ctx, spec, RunOptions{Reading: r.Reading})
}

// ranking is the kind of job that audits a run's labels. A failure is not stored: an earlier
// ranking stays.
type ranking struct{ a *App }

func (ranking) ID() string { return store.AuditJob }

func (k ranking) Open(ctx context.Context, spec json.RawMessage) (job.Session, error) {
	q, r, d, t, err := opened[audit.Options](ctx, k.a, k, spec)
	if err != nil {
		return nil, err
	}
	rows, err := k.a.db.RunRows(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	from, err := recipeOf(k.a, auditRecipe, d, t, q.Terms,
		recipe[audit.Options]{r.Spec, r.Result.Fitted(), q.Options})
	if err != nil {
		return nil, err
	}
	return job.Whole[*audit.LabelAudit]{
		From: from,
		Work: func(ctx context.Context, report func(job.Progress)) (*audit.LabelAudit, error) {
			return audit.Labels(ctx, t, r.Spec, r.Result, rows, q.Options, report)
		},
		Store: func(ctx context.Context, found *audit.LabelAudit) error {
			all := audit.Keys(keyed(d, t, r.Spec.Outcome))
			keys := make([]audit.Key, len(found.Ranking))
			for i, row := range found.Ranking {
				keys[i] = all[row.Row]
			}
			k.a.reviews.drop(r.ID)
			return k.a.db.KeepAudit(ctx, r.ID, k.a.version, found, keys)
		},
	}, nil
}

func (k ranking) End(ctx context.Context, spec json.RawMessage, state job.State, _ string) error {
	return k.a.endAudit(ctx, k, spec, state)
}

// endAudit stores the end of a job of an audit, which has no record besides its job.
func (a *App) endAudit(ctx context.Context, kind job.Kind, spec json.RawMessage, state job.State) error {
	var q asked[json.RawMessage]
	if err := json.Unmarshal(spec, &q); err != nil {
		return err
	}
	return a.db.EndJob(ctx, q.Run, kind.ID(), string(state))
}

// keyed is the table from which row keys are made. It has only the columns that stay after the
// file is deleted, so that keys do not change then.
func keyed(d store.Dataset, t *table.Table, outcome string) *table.Table {
	if d.State == store.Kept || d.Choice.Outcome != outcome {
		return t
	}
	return datasets.InUse(d, t)
}

// flipping is the kind of job that tests an audit with flipped labels.
type flipping struct{ a *App }

func (flipping) ID() string { return store.TrialJob }

func (k flipping) Open(ctx context.Context, spec json.RawMessage) (job.Session, error) {
	q, r, d, t, err := opened[audit.TrialOptions](ctx, k.a, k, spec)
	if err != nil {
		return nil, err
	}
	from, err := recipeOf(k.a, trialRecipe, d, t, q.Terms,
		recipe[audit.TrialOptions]{Spec: r.Spec, Options: q.Options})
	if err != nil {
		return nil, err
	}
	return job.Whole[*audit.Trial]{
		From: from,
		Work: func(ctx context.Context, report func(job.Progress)) (*audit.Trial, error) {
			return audit.Try(ctx, t, r.Spec, q.Options, report)
		},
		Store: func(ctx context.Context, found *audit.Trial) error { return k.a.db.KeepTrial(ctx, r.ID, found) },
	}, nil
}

func (k flipping) End(ctx context.Context, spec json.RawMessage, state job.State, _ string) error {
	return k.a.endAudit(ctx, k, spec, state)
}
