package study

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Progress says how far a study is.
type Progress struct {
	Done     int      `json:"done"` // units, those of earlier runs included
	Units    int      `json:"units"`
	Fraction float64  `json:"fraction"` // of the expected work
	Elapsed  float64  `json:"elapsed_s"`
	Left     *float64 `json:"eta_s"` // from the units measured so far; nil before the first
}

// reportEvery spaces reports; the first and the last always come.
const reportEvery = 100 * time.Millisecond

// Run does the units of a plan that are not in done, on all cores, those of the
// greatest weight first, and returns the values of all.
//
// Commit gets each unit as it finishes, one at a time; an error of it or of a
// unit ends the run. A cancelled context ends it within a fraction of a second,
// with what was committed kept: a later Run with these values in done goes on
// from there and ends with the same numbers. Done is left as it is. Report may
// be nil, and so may commit.
func Run(ctx context.Context, p Plan, done Values, commit func(Unit, []float64) error,
	report func(Progress)) (Values, error) {
	r := newRunner(p, done, commit, report)
	r.tell(true)
	// The first error ends the context of the others, whose errors are mostly
	// that cancellation; the group keeps the first.
	all, going := errgroup.WithContext(ctx)
	for range min(r.workers, len(r.todo)) {
		all.Go(func() error { return r.work(going) })
	}
	err := all.Wait()
	r.tell(true)
	if err == nil && len(r.values) < r.total {
		err = ctx.Err()
	}
	return r.values, err
}

// runner is the state of a run; the lock holds for all below it.
type runner struct {
	commit  func(Unit, []float64) error
	report  func(Progress)
	workers int
	total   int

	mu     sync.Mutex
	todo   []Unit // the biggest first
	values Values
	clock  *clock
	told   time.Time
}

func newRunner(p Plan, done Values, commit func(Unit, []float64) error, report func(Progress)) *runner {
	r := &runner{commit: commit, report: report, total: len(p.Units), values: make(Values, len(p.Units))}
	var finished float64
	for _, u := range p.Units {
		if done.has(u) {
			r.values[u.ID] = done[u.ID]
			finished += u.weight()
			continue
		}
		r.todo = append(r.todo, u)
	}
	slices.SortStableFunc(r.todo, func(a, b Unit) int { return cmp.Compare(b.weight(), a.weight()) })
	if r.workers = runtime.GOMAXPROCS(0); p.Alone {
		r.workers = 1
	}
	r.clock = newClock(r.todo, finished, r.workers)
	return r
}

// work takes units until none is left.
func (r *runner) work(ctx context.Context) error {
	for ctx.Err() == nil {
		u, ok := r.take()
		if !ok {
			return nil
		}
		values, err := u.safely(ctx)
		if err != nil {
			return err
		}
		if len(values) != len(u.Keys) {
			panic("study: unit " + u.ID + " has other values than keys")
		}
		if err := r.keep(ctx, u, values); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) take() (u Unit, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.todo) == 0 {
		return u, false
	}
	u, r.todo = r.todo[0], r.todo[1:]
	r.clock.begin(u)
	return u, true
}

// keep commits a unit. One that ends after a cancel is dropped: whoever
// cancelled may have closed what commit writes to.
func (r *runner) keep(ctx context.Context, u Unit, values []float64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil {
		return nil
	}
	if r.commit != nil {
		if err := r.commit(u, values); err != nil {
			return fmt.Errorf("keep unit %s: %w", u.ID, err)
		}
	}
	r.values[u.ID] = values
	r.clock.end(u)
	r.tellLocked(false)
	return nil
}

func (r *runner) tell(now bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tellLocked(now)
}

func (r *runner) tellLocked(now bool) {
	if r.report == nil || !now && time.Since(r.told) < reportEvery {
		return
	}
	r.told = time.Now()
	r.report(Progress{Done: len(r.values), Units: r.total, Fraction: r.clock.fraction(), Elapsed: r.clock.elapsed(),
		Left: r.clock.left()})
}

// safely runs a unit and turns a panic into an error: a study is one of many
// things its process does.
func (u Unit) safely(ctx context.Context) (values []float64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("unit %s panicked: %v\n%s", u.ID, p, debug.Stack())
		}
	}()
	if values, err = u.Run(ctx); err != nil {
		return nil, fmt.Errorf("unit %s: %w", u.ID, err)
	}
	return values, nil
}

func (u Unit) weight() float64 {
	if u.Weight > 0 {
		return u.Weight
	}
	return 1
}
