// Package job runs work in the background: a bounded number of jobs at a time, with progress
// for any number of watchers, and cancellation through the context.
//
// A training uses every core. Therefore one job per lane runs at a time by default, and the
// others are queued. The package keeps the states of jobs, not their results; results belong to
// the caller of Start or to the kind of the job. A slow watcher blocks nothing, and no
// goroutine outlives its job or its watcher's context.
//
// Jobs with stored results are started through a Manager: a Kind opens a Session, Do computes
// the session's stages of units, and the Kind records how the job ended. A unit depends only on
// the spec, the stages before it and its number. It can therefore run anywhere, in another
// process too if its kind can encode the answer.
package job

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"taper/internal/engine/cost"
	"taper/internal/engine/usererr"
)

// State is the state of a job, in the words stored with a run.
type State string

// The states of a job. All but the first two are final.
const (
	Queued      State = "queued"
	Running     State = "running"
	Done        State = "done"
	Failed      State = "failed"
	Cancelled   State = "cancelled"
	Interrupted State = "interrupted" // ended by Close
)

// Final reports whether a job in this state has ended.
func (s State) Final() bool { return s != Queued && s != Running }

// Reasons for stopping a job. The error passed to done wraps one of them as well as
// context.Canceled.
var (
	ErrCancelled = errors.New("cancelled")
	ErrClosed    = errors.New("stopped with the program")
)

// PanicError is the error passed to done when the work panicked.
type PanicError struct {
	Value any
	Stack []byte // for the log
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Event is the state of a job at one moment.
type Event struct {
	ID       string
	Lane     string // "" for jobs of Start
	State    State
	Ahead    int      // queued: jobs of the lane before this one, including running ones
	Memory   bool     // queued: next in its lane, and waiting for memory
	Progress Progress // the latest report
	Err      error    // failed, cancelled, interrupted
}

// Runner runs jobs. Its methods are safe for concurrent use, also from done functions; only
// Close must not be called from one.
type Runner struct {
	limit  int
	memory *cost.Budget // shared by the jobs that declare their bytes
	ctx    context.Context
	stop   func() bool

	mu      sync.Mutex
	jobs    map[string]*job
	queue   []*job         // waiting, in order
	running map[string]int // per lane, including those that wait for memory
	ended   []string       // ids of ended jobs, oldest first
	closed  bool
	idle    sync.WaitGroup // counts jobs that have not ended
}

// job is one piece of work. Its fields are guarded by Runner.mu.
type job struct {
	event   Event
	of      []string // ids of what it belongs to, for Stop
	bytes   int64    // reserved while it runs
	work    Work
	done    func(error)
	ctx     context.Context
	cancel  context.CancelCauseFunc
	changed chan struct{} // closed at the next change; nil while nobody waits
	ended   chan struct{} // closed at the final state
}

// Work is the function of a job. After its context ends it must return soon, with an error that
// wraps the context's. It may report from several goroutines.
type Work = func(ctx context.Context, report func(Progress)) error

// remembered is how many ended jobs keep a state that Progress can return.
const remembered = 256

// mostWaiting bounds the queue of a lane, because every entry holds memory and a record. A
// class of 300 students who each save a run of half a minute stays within it.
const mostWaiting = 1000

// New returns a runner of at most limit jobs per lane at a time (0 = 1), all sharing memory. It
// closes when ctx ends.
func New(ctx context.Context, limit int, memory *cost.Budget) *Runner {
	r := &Runner{limit: max(limit, 1), memory: memory, ctx: ctx, jobs: map[string]*job{}, running: map[string]int{}}
	r.stop = context.AfterFunc(ctx, r.shut)
	return r
}

// Start queues fn. It runs when the lane has a place and so many bytes of memory are free.
// After it has ended, or was cancelled in the queue, done is called exactly once with the
// error, before watchers see the final state. A panic of fn becomes a *PanicError; done itself
// must not panic. The id of an ended job may be used again.
func (r *Runner) Start(id string, bytes int64, fn Work, done func(error)) error {
	return r.StartIn("", id, bytes, fn, done)
}

// StartIn is Start in a lane.
func (r *Runner) StartIn(lane, id string, bytes int64, fn Work, done func(error)) error {
	return r.start(&job{event: Event{ID: id, Lane: lane}, bytes: bytes, work: fn, done: done})
}

func (r *Runner) start(j *job) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := j.event.ID
	if r.closed {
		return usererr.New(usererr.Conflict, "Taper is stopping. Start the run again afterwards.")
	}
	if old := r.jobs[id]; old != nil {
		if !old.event.State.Final() {
			return usererr.New(usererr.Conflict, "The run %q is queued or running already.", id)
		}
		r.ended = slices.DeleteFunc(r.ended, func(e string) bool { return e == id })
	}
	waiting := 0
	for _, w := range r.queue {
		if w.event.Lane == j.event.Lane {
			waiting++
		}
	}
	if waiting >= mostWaiting {
		return usererr.New(usererr.TooMany, "The queue is full: %d others wait already. Wait until some have ended, "+
			"or cancel some.", waiting)
	}
	j.event.State, j.ended = Queued, make(chan struct{})
	j.ctx, j.cancel = context.WithCancelCause(context.WithoutCancel(r.ctx)) // shut cancels it with a cause
	r.jobs[id] = j
	r.queue = append(r.queue, j)
	r.idle.Add(1)
	r.dispatch()
	return nil
}

// dispatch starts the jobs that may run and renumbers the queue.
func (r *Runner) dispatch() {
	ahead := maps.Clone(r.running)
	r.queue = slices.DeleteFunc(r.queue, func(j *job) bool {
		lane := j.event.Lane
		if ahead[lane]++; ahead[lane] > r.limit {
			if n := ahead[lane] - 1; n != j.event.Ahead {
				j.event.Ahead = n
				j.wake()
			}
			return false
		}
		r.running[lane]++
		j.event.Ahead = 0
		release, ok := r.memory.TryAcquire(j.bytes)
		if ok {
			j.event.State = Running
		}
		j.event.Memory = !ok
		j.wake()
		go r.run(j, release)
		return true
	})
}

// await reserves the memory of a job, whose state stays queued meanwhile; a cancel ends the
// wait.
func (r *Runner) await(j *job) (release func(), err error) {
	if release, err = r.memory.Acquire(j.ctx, j.bytes); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	j.event.State, j.event.Memory = Running, false
	j.wake()
	return release, nil
}

// run executes a job and ends it, whether it returns, panics or calls runtime.Goexit. If
// release is nil it first waits for memory.
func (r *Runner) run(j *job, release func()) {
	err := errors.New("the job’s goroutine ended early")
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
		if release != nil {
			release() // so that the next job of the lane finds the memory free
		}
		r.finish(j, j.explain(err), true)
	}()
	if release == nil {
		if release, err = r.await(j); err != nil {
			return
		}
	}
	err = j.work(j.ctx, func(p Progress) { r.report(j, p) })
}

// explain adds the cause of the cancellation to an error that wraps context.Canceled.
func (j *job) explain(err error) error {
	cause := context.Cause(j.ctx)
	if cause == nil || !errors.Is(err, context.Canceled) || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", cause, err)
}

func (r *Runner) report(j *job, p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j.event.State == Running {
		j.event.Progress = p
		j.wake()
	}
}

// finish calls done and publishes the final state.
func (r *Runner) finish(j *job, err error, ran bool) {
	j.done(err)
	j.cancel(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	j.event.State, j.event.Err, j.event.Ahead, j.event.Memory = finalState(err), err, 0, false
	j.work, j.done = nil, nil // release what they refer to
	j.wake()
	close(j.ended)
	r.forget(j.event.ID)
	if ran {
		r.running[j.event.Lane]--
	}
	r.dispatch()
	r.idle.Done()
}

func finalState(err error) State {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, ErrClosed):
		return Interrupted
	case errors.Is(err, ErrCancelled):
		return Cancelled
	}
	return Failed
}

// forget drops the oldest ended job once too many are remembered.
func (r *Runner) forget(id string) {
	r.ended = append(r.ended, id)
	if len(r.ended) > remembered {
		delete(r.jobs, r.ended[0])
		r.ended = slices.Delete(r.ended, 0, 1)
	}
}

// Cancel stops a job: a queued one at once, with the call of done; a running one through its
// context.
func (r *Runner) Cancel(id string) error {
	r.mu.Lock()
	j := r.jobs[id]
	if j == nil {
		r.mu.Unlock()
		return unknown(id)
	}
	if j.event.State.Final() {
		defer r.mu.Unlock()
		return usererr.New(usererr.Conflict, "This run is %s already.", j.event.State)
	}
	j.cancel(fmt.Errorf("%w: %w", ErrCancelled, context.Canceled))
	waiting := r.unqueue(j)
	r.mu.Unlock()
	if waiting {
		r.finish(j, context.Cause(j.ctx), false)
	}
	return nil
}

// Stop cancels the job with this id, or all jobs that belong to it, and waits until the last
// has ended or ctx is done.
func (r *Runner) Stop(ctx context.Context, of string) {
	r.mu.Lock()
	var open []*job
	for _, j := range r.jobs {
		if !j.event.State.Final() && (j.event.ID == of || slices.Contains(j.of, of)) {
			open = append(open, j)
		}
	}
	r.mu.Unlock()
	for _, j := range open {
		_ = r.Cancel(j.event.ID) // an error means that it has just ended
	}
	for _, j := range open {
		select {
		case <-j.ended:
		case <-ctx.Done():
			return
		}
	}
}

// unqueue removes a job from the queue and reports whether it was queued.
func (r *Runner) unqueue(j *job) bool {
	i := slices.Index(r.queue, j)
	if i < 0 {
		return false
	}
	r.queue = slices.Delete(r.queue, i, i+1)
	return true
}

func unknown(id string) error {
	return usererr.New(usererr.NotFound, "No run %q is queued or running.", id)
}

// Close stops every job and waits until the last has ended or ctx is done.
func (r *Runner) Close(ctx context.Context) error {
	r.stop()
	r.shut()
	ended := make(chan struct{})
	go func() { r.idle.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for jobs: %w", ctx.Err())
	}
}

// shut refuses new jobs and cancels the existing ones.
func (r *Runner) shut() {
	r.mu.Lock()
	r.closed = true
	waiting := r.queue
	r.queue = nil
	cause := fmt.Errorf("%w: %w", ErrClosed, context.Canceled)
	for _, j := range r.jobs {
		if !j.event.State.Final() {
			j.cancel(cause)
		}
	}
	r.mu.Unlock()
	for _, j := range waiting {
		r.finish(j, cause, false)
	}
}
