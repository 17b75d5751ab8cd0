package job

import (
	"cmp"
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
	// Open records that the job has begun and prepares what its units share.
	Open(ctx context.Context, spec json.RawMessage) (Session, error)
	// End records the end of a job without a result (failed, cancelled or interrupted) with a
	// sentence for its user. It returns a not-found error if the record was deleted meanwhile.
	End(ctx context.Context, spec json.RawMessage, state State, sentence string) error
}

// Job describes a job to be queued.
type Job struct {
	ID   string
	Lane string   // jobs of a lane run one after the other
	Of   []string // what it belongs to and is stopped with: its run, its dataset
	Kind Kind
	Spec any // for Kind.Open, encoded as JSON

	Bytes int64  // upper bound on its memory, reserved before it starts
	Class string // of the only processors that may compute its units; "" = that of Here
	Keeps bool   // its finished units are kept in the ledger until it ends
}

// Manager queues jobs and records how they end.
type Manager struct {
	*Runner
	Foreground parallel.Foreground // jobs pause while it is in use
	Here       Here                // set before the first job is queued
	Ledger     Ledger              // as Here; nil: nothing is kept
	log        *slog.Logger
}

// NewManager returns a manager that runs one job per lane at a time; all jobs share memory.
func NewManager(ctx context.Context, memory *cost.Budget, log *slog.Logger) *Manager {
	return &Manager{Runner: New(ctx, 1, memory), log: log}
}

// Queue queues a job. Its session is opened when its turn comes, so that queued jobs hold no
// data.
func (m *Manager) Queue(j Job) error {
	spec, err := json.Marshal(j.Spec)
	if err != nil {
		return fmt.Errorf("queue %s: %w", j.Kind.ID(), err)
	}
	work := func(ctx context.Context, report func(Progress)) error {
		ctx = m.Foreground.Behind(ctx)
		if m.Ledger != nil {
			if err := m.Ledger.Begun(ctx, j.ID); err != nil {
				return err
			}
		}
		here := m.Here
		if j.Keeps && m.Ledger != nil {
			here.notes = newNotes(m.Ledger, j.ID, here.Maker, m.log)
		}
		s, err := j.Kind.Open(ctx, spec)
		if err != nil {
			return err
		}
		switch here.Class = cmp.Or(j.Class, here.Class); {
		case travels(s, here):
		case j.Class != "" && j.Class != here.Maker.Class:
			return usererr.New(usererr.Conflict, "Only processors of class %s may compute this, but it stays on this machine, "+
				"whose class is %s: no workers join it, or the rows may not go to them. Start it without the class, or with "+
				"workers and their queue in share_rows.", j.Class, here.Maker.Class)
		default: // what other machines may not compute is computed here, whatever the class of the others
			here.Class = ""
		}
		return do(ctx, j.ID, s, here, report)
	}
	err = m.start(&job{event: Event{ID: j.ID, Lane: j.Lane}, of: j.Of, bytes: j.Bytes, work: work, done: func(err error) {
		if err != nil {
			m.end(j, spec, err)
		}
	}})
	if usererr.Is(err, usererr.TooMany) { // the stored record keeps the state queued
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
	case state == Interrupted: // each kind has its own sentence on how to resume
	case ok:
		sentence = user.Detail
	default:
		sentence = "Internal error."
		m.log.Error("job failed", name, Cause(err))
	}
	var left *LeftOutError
	if errors.As(err, &left) && m.Ledger != nil {
		if err := m.Ledger.LeftOut(context.Background(), left.Sharing); err != nil {
			m.log.Error("units that were left out are not noted", name, Cause(err))
		}
	}
	// The job's context has ended, and the program's may have too.
	err = j.Kind.End(context.Background(), spec, state, sentence)
	if err != nil && !usererr.Is(err, usererr.NotFound) {
		m.log.Error("end of job not stored", name, Cause(err))
	}
}

// haltWait is how long Halt waits for a job to end, so that the response to a cancel already
// shows the final state.
const haltWait = 500 * time.Millisecond

// Halt cancels a job and waits up to haltWait for its end.
func (m *Manager) Halt(ctx context.Context, id string) error {
	if err := m.Cancel(id); err != nil {
		return err
	}
	wait, stop := context.WithTimeout(ctx, haltWait)
	defer stop()
	m.Stop(wait, id)
	return nil
}

// Cause is a log attribute with the reason for a failure, including the stack of a panic.
func Cause(err error) slog.Attr {
	text := err.Error()
	var crash *PanicError
	if errors.As(err, &crash) {
		text += "\n" + string(crash.Stack)
	}
	return slog.String("cause", text)
}

// Whole is a session of one unit, for work that reports its own progress and whose answer is
// the result. Its steps (parallel.Spread) may be computed by other machines.
type Whole[R any] struct {
	Work  func(ctx context.Context, report func(Progress)) (R, error)
	Store func(ctx context.Context, result R) error
	From  *Recipe // opens a Replay of the work elsewhere; nil = none
}

// Recipe returns the recipe for a Replay of the work.
func (w Whole[R]) Recipe() (r Recipe, ok bool) {
	if w.From == nil {
		return r, false
	}
	return *w.From, true
}

// Stage plans the single unit.
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
