package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"taper/internal/engine/cost"
	"taper/internal/engine/parallel"
	"taper/internal/engine/usererr"
)

// Kind is one kind of job whose results are stored.
type Kind interface {
	ID() string // for the log
	// Open notes that the job has begun and prepares what its units share.
	Open(ctx context.Context, spec json.RawMessage) (Session, error)
	// End records how a job ended that has no result: failed, cancelled or
	// interrupted, with a sentence for its user. Not found: it was deleted meanwhile.
	End(ctx context.Context, spec json.RawMessage, state State, sentence string) error
}

// Job is one job to do.
type Job struct {
	ID   string
	Lane string   // jobs of a lane wait for each other
	Of   []string // what it is stopped with: its run, its dataset
	Kind Kind
	Spec any // for Kind.Open, written as JSON

	Bytes int64 // of memory that it needs at most, which it waits for
}

// Manager starts jobs of kinds and records their ends.
type Manager struct {
	*Runner
	Foreground parallel.Foreground // what the jobs give way to
	Here       Here                // set before the first job is queued
	log        *slog.Logger
}

// NewManager returns a manager of one job of a lane at a time, whose jobs share the memory.
func NewManager(ctx context.Context, memory *cost.Budget, log *slog.Logger) *Manager {
	return &Manager{Runner: New(ctx, 1, memory), log: log}
}

// Queue starts a job when its turn comes. Its session is opened only then, so that
// a long queue holds no data.
func (m *Manager) Queue(j Job) error {
	spec, err := json.Marshal(j.Spec)
	if err != nil {
		return fmt.Errorf("queue %s: %w", j.Kind.ID(), err)
	}
	work := func(ctx context.Context, report func(Progress)) error {
		ctx = m.Foreground.Behind(ctx)
		s, err := j.Kind.Open(ctx, spec)
		if err != nil {
			return err
		}
		return do(ctx, j.ID, s, m.Here, report)
	}
	err = m.start(&job{event: Event{ID: j.ID, Lane: j.Lane}, of: j.Of, bytes: j.Bytes, work: work, done: func(err error) {
		if err != nil {
			m.end(j, spec, err)
		}
	}})
	if usererr.Is(err, usererr.TooMany) { // its record says that it waits
		m.end(j, spec, err)
	}
	return err
}

func (m *Manager) end(j Job, spec json.RawMessage, err error) {
	name := slog.String(j.Kind.ID(), j.ID)
	state, sentence := finalState(err), ""
	switch user, ok := usererr.As(err); {
	case state == Cancelled:
		sentence = "Cancelled."
	case state == Interrupted: // each kind says how to go on
	case ok:
		sentence = user.Detail
	default:
		sentence = "Internal error."
		m.log.Error("job failed", name, Cause(err))
	}
	// The context of the job has ended, and that of the program may have.
	err = j.Kind.End(context.Background(), spec, state, sentence)
	if err != nil && !usererr.Is(err, usererr.NotFound) {
		m.log.Error("end of job not stored", name, Cause(err))
	}
}

// haltWait is how long Halt waits for a job to end, so that the answer to who
// cancelled shows how it ended.
const haltWait = 500 * time.Millisecond

// Halt cancels a job and waits a moment for its end.
func (m *Manager) Halt(ctx context.Context, id string) error {
	if err := m.Cancel(id); err != nil {
		return err
	}
	wait, stop := context.WithTimeout(ctx, haltWait)
	defer stop()
	m.Stop(wait, id)
	return nil
}

// Cause says in a log why something failed, with the stack where it crashed.
func Cause(err error) slog.Attr {
	text := err.Error()
	var crash *PanicError
	if errors.As(err, &crash) {
		text += "\n" + string(crash.Stack)
	}
	return slog.String("cause", text)
}

// Whole is a session of one unit, for work that reports for itself and whose
// answer is its result. Its steps (parallel.Spread) may be shared with other machines.
type Whole[R any] struct {
	Work  func(ctx context.Context, report func(Progress)) (R, error)
	Store func(ctx context.Context, result R) error
	From  *Recipe // opens a Replay of the work; nil: it stays here
}

// Recipe opens a replay of the work.
func (w Whole[R]) Recipe() (r Recipe, ok bool) {
	if w.From == nil {
		return r, false
	}
	return *w.From, true
}

// Stage plans the one unit.
func (w Whole[R]) Stage(before []Bodies) (s Stage, err error) {
	if len(before) == 0 {
		s.Units = make([]Unit, 1)
	}
	return s, nil
}

// Unit does the work.
func (w Whole[R]) Unit(ctx context.Context, _ []Bodies, _ int, report func(Progress)) (Body, error) {
	return w.Work(ctx, report)
}

// Gather stores the result.
func (w Whole[R]) Gather(ctx context.Context, stages []Bodies) error {
	return w.Store(ctx, stages[0][0].(R))
}
