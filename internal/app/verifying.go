package app

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"time"

	"taper/internal/engine/cost"
	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// VerifyLane is the lane of verifications, which run one at a time.
const VerifyLane = "verification"

// Verifying is a verification that a page follows. Nothing of it is stored: its result stays in memory, so that the
// page can be loaded again. It continues when its page is closed, like a run.
type Verifying struct {
	ID     string // of its job
	Ended  <-chan struct{}
	result Verification // this and err are set before Ended is closed
	err    error
}

// Result is the result of a verification that has ended. The error of one that was cancelled wraps
// job.ErrCancelled.
func (v *Verifying) Result() (Verification, error) { return v.result, v.err }

// verifications are those of this process, oldest first.
type verifications struct {
	mu  sync.Mutex
	all []*Verifying
}

// mostVerified is how many verifications that have ended are remembered. A result takes about a kilobyte.
const mostVerified = 64

// StartVerification verifies a bundle as a job. It takes over the uploads. A verification that ends within patience
// has ended when it is returned; one whose request ends before that is cancelled, because nobody knows it.
func (a *App) StartVerification(ctx context.Context, packed, data *store.Upload,
	patience time.Duration) (*Verifying, error) {
	ended := make(chan struct{})
	v := &Verifying{ID: "verify-" + strings.ToLower(rand.Text()), Ended: ended}
	work := func(ctx context.Context, report func(job.Progress)) (err error) {
		ctx, end := cost.WithScope(a.Jobs.Foreground.Behind(ctx), a.memory.Requests)
		defer end()
		v.result, err = a.Verify(ctx, packed, data, report)
		return err
	}
	abort := func() {
		packed.Abort()
		if data != nil {
			data.Abort()
		}
	}
	done := func(err error) {
		abort()
		v.err = err
		close(ended)
	}
	if err := a.Jobs.StartIn(VerifyLane, v.ID, 0, work, done); err != nil {
		abort()
		return nil, err
	}
	a.verified.add(v) // nobody has its id before it is returned
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	case <-ctx.Done():
		a.Jobs.Cancel(v.ID) //nolint:errcheck // an error means that it has just ended
		return nil, ctx.Err()
	}
	return v, nil
}

// Verification returns a verification that is running or has ended not long ago.
func (a *App) Verification(id string) (*Verifying, error) {
	a.verified.mu.Lock()
	defer a.verified.mu.Unlock()
	for _, v := range a.verified.all {
		if v.ID == id {
			return v, nil
		}
	}
	return nil, usererr.New(usererr.NotFound, "This verification is not known. Taper stores nothing of a verification, "+
		"and keeps only the last results in memory. Verify the bundle again.")
}

// CancelVerification ends a verification that is running.
func (a *App) CancelVerification(ctx context.Context, id string) error {
	if _, err := a.Verification(id); err != nil {
		return err
	}
	return a.Jobs.Halt(ctx, id)
}

// add remembers a verification, and forgets the oldest of those that have ended. The ones that wait or run do not
// count, because their number is limited by the queue.
func (l *verifications) add(v *Verifying) {
	l.mu.Lock()
	defer l.mu.Unlock()
	over := -mostVerified
	for _, old := range l.all {
		if old.hasEnded() {
			over++
		}
	}
	l.all = slices.DeleteFunc(l.all, func(old *Verifying) bool {
		if over <= 0 || !old.hasEnded() {
			return false
		}
		over--
		return true
	})
	l.all = append(l.all, v)
}

func (v *Verifying) hasEnded() bool {
	select {
	case <-v.Ended:
		return true
	default:
		return false
	}
}
