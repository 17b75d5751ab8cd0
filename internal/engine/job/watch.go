package job

import (
	"context"
	"slices"
	"time"
)

// throttle is the least time between two events to a watcher, except before the final one.
const throttle = 50 * time.Millisecond

// wake notifies waiting watchers of a change. The caller holds Runner.mu.
func (j *job) wake() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// state returns the job's state and a channel that is closed when it changes.
func (r *Runner) state(j *job) (Event, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	return j.event, j.changed
}

// Progress returns the current state of a job, and false if the job is unknown or was forgotten
// after its end.
func (r *Runner) Progress(id string) (Event, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.jobs[id]
	if j == nil {
		return Event{}, false
	}
	return j.event, true
}

// Working reports whether the job with this id, or one that belongs to it, has not ended.
func (r *Runner) Working(of string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j := r.jobs[of]; j != nil && !j.event.State.Final() {
		return true
	}
	for _, j := range r.jobs {
		if !j.event.State.Final() && slices.Contains(j.of, of) {
			return true
		}
	}
	return false
}

// Watch returns a channel with the current state of a job, then its latest state after changes,
// at most one every 50 ms. The final state is always sent; the channel is closed after it or
// when ctx ends. A slow reader misses intermediate states and delays nobody.
func (r *Runner) Watch(ctx context.Context, id string) (<-chan Event, error) {
	r.mu.Lock()
	j := r.jobs[id]
	r.mu.Unlock()
	if j == nil {
		return nil, unknown(id)
	}
	out := make(chan Event)
	go r.follow(ctx, j, out)
	return out, nil
}

func (r *Runner) follow(ctx context.Context, j *job, out chan<- Event) {
	defer close(out)
	for {
		e, changed := r.state(j)
		select {
		case out <- e:
		case <-ctx.Done():
			return
		}
		if e.State.Final() || !pause(ctx, j, changed) {
			return
		}
	}
}

// pause waits for a change and then for the throttle, which a final state cuts
// short. It returns false when ctx ends.
func pause(ctx context.Context, j *job, changed <-chan struct{}) bool {
	timer := time.NewTimer(throttle)
	defer timer.Stop()
	select {
	case <-changed:
	case <-ctx.Done():
		return false
	}
	select {
	case <-timer.C:
		return true
	case <-j.ended:
		return true
	case <-ctx.Done():
		return false
	}
}
