package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// The lanes of jobs. A fit and a study take every core, and a study takes hours: it
// must not keep runs waiting.
const (
	runLane   = "run"
	studyLane = "study"
)

// asked is what a job of a run is asked, besides what the record of the run says.
type asked[O any] struct {
	Run     string `json:"run"`
	Options O      `json:"options"`
}

// The jobs of a run by their ids in the manager: its own fit has the id of the run.
func bootstrapJob(run string) string { return run + ".bootstrap" }

func auditJob(run string) string { return "audit-" + run }

func trialJob(run string) string { return "trial-" + run }

// opened reads what a job is asked, the run and its data as they were read for it.
func opened[O any](ctx context.Context, s *Server, spec json.RawMessage) (q asked[O], r store.Run, d store.Dataset,
	t *table.Table, err error) {
	if err = json.Unmarshal(spec, &q); err != nil {
		return q, r, d, nil, fmt.Errorf("job: %w", err)
	}
	if r, err = s.db.Run(ctx, q.Run); err != nil {
		return q, r, d, nil, err
	}
	if d, err = s.db.Dataset(ctx, r.Dataset); err != nil {
		return q, r, d, nil, err
	}
	t, err = s.datasets.TableOf(ctx, r, d)
	return q, r, d, t, err
}

// queueRun queues a job of a run, which ends when the run or its data are deleted.
func queueRun[O any](s *Server, kind job.Kind, id string, r store.Run, options O) error {
	return s.jobs.Queue(job.Job{ID: id, Lane: runLane, Of: []string{r.ID, r.Dataset}, Kind: kind,
		Spec: asked[O]{r.ID, options}})
}

// fitting is a saved run.
type fitting struct{ s *Server }

func (fitting) ID() string { return "run" }

func (k fitting) Open(ctx context.Context, spec json.RawMessage) (job.Session, error) {
	var q asked[struct{}]
	if err := json.Unmarshal(spec, &q); err != nil {
		return nil, err
	}
	if err := k.s.db.StartRun(ctx, q.Run); err != nil {
		return nil, err
	}
	_, r, _, t, err := opened[struct{}](ctx, k.s, spec)
	if err != nil {
		return nil, err
	}
	return job.Whole[*engine.Result]{
		Work: func(ctx context.Context, report func(job.Progress)) (*engine.Result, error) {
			return engine.Fit(ctx, t, r.Spec, report)
		},
		Store: func(ctx context.Context, found *engine.Result) error {
			found.Model.Version = k.s.cfg.Version
			return overflowed(k.s.db.FinishRun(ctx, r.ID, found))
		},
	}, nil
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

func (k fitting) End(ctx context.Context, spec json.RawMessage, state job.State, sentence string) error {
	var q asked[struct{}]
	if err := json.Unmarshal(spec, &q); err != nil {
		return err
	}
	if state == job.Interrupted {
		sentence = "The program was stopped before the run ended. Run it again."
	}
	return k.s.db.EndRun(ctx, q.Run, string(state), sentence)
}

// bootstrapping is the check of a run by refits.
type bootstrapping struct{ s *Server }

func (bootstrapping) ID() string { return "check" }

func (k bootstrapping) Open(ctx context.Context, spec json.RawMessage) (job.Session, error) {
	q, r, _, t, err := opened[engine.BootstrapOptions](ctx, k.s, spec)
	if err != nil {
		return nil, err
	}
	refits, err := engine.NewRefits(ctx, t, r.Spec, r.Result, q.Options)
	if err != nil {
		return nil, err
	}
	refits.Keep = func(ctx context.Context, found *engine.Bootstrap) error {
		return k.s.db.FinishBootstrap(ctx, r.ID, found)
	}
	return refits, nil
}

func (k bootstrapping) End(ctx context.Context, spec json.RawMessage, state job.State, sentence string) error {
	var q asked[engine.BootstrapOptions]
	if err := json.Unmarshal(spec, &q); err != nil {
		return err
	}
	if state == job.Interrupted {
		sentence = "The program was stopped before the check ended. Start it again."
	}
	return k.s.db.EndBootstrap(ctx, q.Run, string(state), sentence)
}

// ranking is the audit of a run's labels. How it ended is not stored: the ranking
// that was there stays.
type ranking struct{ s *Server }

func (ranking) ID() string { return "audit" }

func (k ranking) Open(ctx context.Context, spec json.RawMessage) (job.Session, error) {
	q, r, d, t, err := opened[engine.AuditOptions](ctx, k.s, spec)
	if err != nil {
		return nil, err
	}
	rows, err := k.s.db.RunRows(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	return job.Whole[*engine.LabelAudit]{
		Work: func(ctx context.Context, report func(job.Progress)) (*engine.LabelAudit, error) {
			return engine.AuditLabels(ctx, t, r.Spec, r.Result, rows, q.Options, report)
		},
		Store: func(ctx context.Context, found *engine.LabelAudit) error {
			all := audit.Keys(keyed(d, t, r.Spec.Outcome))
			keys := make([]audit.Key, len(found.Ranking))
			for i, row := range found.Ranking {
				keys[i] = all[row.Row]
			}
			k.s.audits.drop(r.ID)
			return k.s.db.KeepAudit(ctx, r.ID, k.s.cfg.Version, found, keys)
		},
	}, nil
}

func (ranking) End(context.Context, json.RawMessage, job.State, string) error { return nil }

// keyed is the table whose cells make the keys of rows: the columns that are
// kept, whether the rest has gone by now or not.
func keyed(d store.Dataset, t *table.Table, outcome string) *table.Table {
	if d.State == store.Kept || d.Choice.Outcome != outcome {
		return t
	}
	return datasets.InUse(d, t)
}

// flipping is a trial of an audit on labels flipped on purpose.
type flipping struct{ s *Server }

func (flipping) ID() string { return "trial" }

func (k flipping) Open(ctx context.Context, spec json.RawMessage) (job.Session, error) {
	q, r, _, t, err := opened[engine.TrialOptions](ctx, k.s, spec)
	if err != nil {
		return nil, err
	}
	return job.Whole[*engine.LabelTrial]{
		Work: func(ctx context.Context, report func(job.Progress)) (*engine.LabelTrial, error) {
			return engine.TryAudit(ctx, t, r.Spec, q.Options, report)
		},
		Store: func(ctx context.Context, found *engine.LabelTrial) error { return k.s.db.KeepTrial(ctx, r.ID, found) },
	}, nil
}

func (flipping) End(context.Context, json.RawMessage, job.State, string) error { return nil }

// replicating is a study. Its spec is its id.
type replicating struct{ s *Server }

func (replicating) ID() string { return "study" }

func (k replicating) Open(ctx context.Context, spec json.RawMessage) (job.Session, error) {
	var id string
	if err := json.Unmarshal(spec, &id); err != nil {
		return nil, err
	}
	st, err := k.s.db.Study(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := k.s.db.SetStudy(ctx, id, store.Running, ""); err != nil {
		return nil, err
	}
	plan, err := k.s.studyPlan(ctx, &st)
	if err != nil {
		return nil, err
	}
	kept, err := k.s.keptUnits(ctx, id, plan)
	if err != nil {
		return nil, err
	}
	last := k.s.now()
	return &study.Session{
		Plan: plan, Done: kept,
		Commit: func(u study.Unit, values []float64) error {
			now := k.s.now()
			took := now.Sub(last)
			last = now
			return k.s.db.KeepUnit(ctx, id, u.ID, values, took)
		},
		Finish: func(ctx context.Context, values study.Values) error {
			return k.s.db.FinishStudy(ctx, id, study.Summarise(plan, values))
		},
	}, nil
}

// keptUnits returns the units kept that the plan still has; others, left by an
// older version, are forgotten.
func (s *Server) keptUnits(ctx context.Context, id string, plan study.Plan) (study.Values, error) {
	kept, err := s.db.StudyUnits(ctx, id)
	if err != nil {
		return nil, err
	}
	var old []string
	for unit, values := range kept {
		if i := slices.IndexFunc(plan.Units, func(u study.Unit) bool { return u.ID == unit }); i < 0 ||
			len(values) != len(plan.Units[i].Keys) {
			old = append(old, unit)
			delete(kept, unit)
		}
	}
	if old == nil {
		return kept, nil
	}
	slices.Sort(old)
	return kept, s.db.DropUnits(ctx, id, old)
}

func (k replicating) End(ctx context.Context, spec json.RawMessage, state job.State, sentence string) error {
	var id string
	if err := json.Unmarshal(spec, &id); err != nil {
		return err
	}
	if state == job.Cancelled { // whoever cancelled says what it became: paused, or ended
		return nil
	}
	return k.s.db.SetStudy(ctx, id, string(state), sentence)
}
