package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/job"
	"taper/internal/engine/runspec"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// This file says which work other machines may do and what is sent to them. Rows of an upload
// leave this machine only if their owner has agreed to it for the job.

// The kinds of recipes besides a study's.
const (
	fitRecipe       = "run"
	bootstrapRecipe = "bootstrap"
	auditRecipe     = "audit"
	trialRecipe     = "trial"
)

// recipe is what another machine needs to open a job on the rows of a run.
type recipe[O any] struct {
	Spec    runspec.Spec   `json:"spec"`
	Result  *engine.Result `json:"result,omitempty"` // the part of it that later jobs need
	Options O              `json:"options"`
}

// shares reports whether other machines may work for this one.
func (a *App) shares() bool { return a.Jobs.Here.Crew != nil }

// Terms are the conditions on which other machines may help with a job. The zero value allows
// any class of processor and keeps the rows of an upload here. They are kept with the job: after a
// restart it goes on by the same ones.
type Terms struct {
	Queue string `json:"queue,omitempty"` // by which their owner lets the rows leave this machine; "" = they stay
	Class string `json:"class,omitempty"` // of the only processors that may compute its units; "" = any
}

// Agreed returns the terms for a job. to is the queue to which the owner lets the rows go, "" for
// none; it must be this program's, because consent to another queue is an error. class restricts
// the processors; "" = any.
func (a *App) Agreed(to, class string) (t Terms, err error) {
	here := a.Jobs.Here.Address
	switch own := a.here().Class; {
	case class != "" && !classPattern.MatchString(class):
		return t, usererr.BadField("class", "must be a class of processors like %s (got %.40q)", own, class)
	case class != "" && class != own && !a.shares():
		return t, usererr.New(usererr.Conflict, "No other machines compute for this Taper, and its own class of processors "+
			"is %s, not %s. Leave class out, or start workers.", own, class)
	}
	t.Class = class
	switch {
	case to == "":
		return t, nil
	case !a.shares():
		return t, usererr.New(usererr.Conflict, "No other machines compute for this Taper, so its rows cannot go to %q. "+
			"Leave share_rows out.", to)
	case to != here:
		return t, usererr.New(usererr.Conflict, "The machines that compute for this Taper are reached by the queue %s, "+
			"not by %q. Name %s in share_rows if its rows may go there, or leave share_rows out.", here, to, here)
	}
	t.Queue = to
	return t, nil
}

// classPattern is what machine.Class can say.
var classPattern = regexp.MustCompile(`^[a-z0-9]+(\+[a-z0-9]+)*$`)

// Classes lists the processor classes of this machine and of those that help it, sorted; nil if
// no other machine may help.
func (a *App) Classes() (all []string) {
	if !a.shares() {
		return nil
	}
	all = []string{a.here().Class}
	if r, ok := a.Jobs.Here.Crew.(job.Roster); ok {
		for _, m := range r.Machines() {
			all = append(all, m.Class)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Elsewhere is the queue that the rows of a dataset may go to if their owner consents; "" if
// there is none, or if no consent is needed.
func (a *App) Elsewhere(ctx context.Context, dataset string) string {
	if !a.shares() {
		return ""
	}
	if d, err := a.db.Dataset(ctx, dataset); err != nil || d.Sample || d.Simulated {
		return ""
	}
	return a.Jobs.Here.Address
}

// onTheWay is the memory for sending rows to other machines.
func (a *App) onTheWay(t *table.Table) int64 {
	if !a.shares() {
		return 0
	}
	return t.Shape().Memory()
}

// mayLeave reports whether the rows of a dataset may leave this machine. queue is the one that their owner agreed to
// for this job: consent to another queue does not count. Shipped and simulated data need none.
func (a *App) mayLeave(d store.Dataset, queue string) bool {
	return a.shares() && (d.Sample || d.Simulated || queue != "" && queue == a.Jobs.Here.Address)
}

// recipeOf is the recipe of a job with its rows; nil if these stay on this machine.
func recipeOf[O any](a *App, kind string, d store.Dataset, t *table.Table, terms Terms, r recipe[O]) (*job.Recipe,
	error) {
	if !a.mayLeave(d, terms.Queue) {
		return nil, nil
	}
	spec, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("recipe of a %s: %w", kind, err)
	}
	rows, err := rowsOf(t)
	if err != nil {
		return nil, fmt.Errorf("recipe of a %s: %w", kind, err)
	}
	return &job.Recipe{Kind: kind, Spec: spec, Rows: rows}, nil
}

// rowsOf writes rows down for other machines.
func rowsOf(t *table.Table) (*job.Rows, error) {
	text, err := t.Encode()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return &job.Rows{Digest: hex.EncodeToString(sum[:]), Text: text}, nil
}

// Recipes lists the jobs whose units can be computed by a machine without a store.
func Recipes() map[string]job.Opener {
	return map[string]job.Opener{
		study.RecipeKind: study.Open(paper.Presets),
		fitRecipe: replayed(func(ctx context.Context, t *table.Table, r recipe[struct{}]) error {
			_, err := engine.Fit(ctx, t, r.Spec, nil)
			return err
		}),
		auditRecipe: replayed(func(ctx context.Context, t *table.Table, r recipe[audit.Options]) error {
			_, err := audit.Labels(ctx, t, r.Spec, r.Result, nil, r.Options, nil)
			return err
		}),
		trialRecipe: replayed(func(ctx context.Context, t *table.Table, r recipe[audit.TrialOptions]) error {
			_, err := audit.Try(ctx, t, r.Spec, r.Options, nil)
			return err
		}),
		bootstrapRecipe: func(ctx context.Context, spec json.RawMessage, rows []byte) (job.Portable, error) {
			r, t, err := received[engine.BootstrapOptions](spec, rows)
			if err != nil {
				return nil, err
			}
			refits, err := engine.NewRefits(ctx, t, r.Spec, r.Result, r.Options)
			if err != nil {
				t.Wipe()
				return nil, err
			}
			return sharedRefits{refits, t}, nil
		},
	}
}

// received decodes a recipe with its rows.
func received[O any](spec json.RawMessage, rows []byte) (r recipe[O], t *table.Table, err error) {
	if err := json.Unmarshal(spec, &r); err != nil {
		return r, nil, fmt.Errorf("recipe: %w", err)
	}
	t, err = table.Decode(rows)
	return r, t, err
}

// replayed opens work that is shared by steps.
func replayed[O any](work func(ctx context.Context, t *table.Table, r recipe[O]) error) job.Opener {
	return func(ctx context.Context, spec json.RawMessage, rows []byte) (job.Portable, error) {
		r, t, err := received[O](spec, rows)
		if err != nil {
			return nil, err
		}
		return sharedSteps{job.NewReplay(ctx, func(ctx context.Context) error { return work(ctx, t, r) }), t}, nil
	}
}

// sharedSteps and sharedRefits overwrite their rows in memory when they are closed.
type sharedSteps struct {
	*job.Replay
	t *table.Table
}

func (s sharedSteps) Close() error {
	err := s.Replay.Close()
	s.t.Wipe()
	return err
}

type sharedRefits struct {
	*engine.Refits
	t *table.Table
}

func (s sharedRefits) Close() error {
	s.t.Wipe()
	return nil
}
