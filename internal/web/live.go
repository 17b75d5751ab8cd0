package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/cache"
	"taper/internal/engine"
	"taper/internal/engine/job"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// liveRuns compute what a page shows before anything is saved. Equal questions
// share one computation; what was found is kept for the next look; a
// computation that nobody waits for any more ends. It runs beside the saved
// runs, two at a time.
type liveRuns struct {
	table    func(context.Context, store.Dataset) (*table.Table, error)
	runner   *job.Runner
	patience time.Duration // until a page shows progress instead of waiting on

	newID   func() string // of computations; who does not have it cannot end one
	mu      sync.Mutex
	started int
	running map[string]*computation // under way, by what they compute
	jobs    map[string]*computation // the same by their id
	ready   *cache.Cache[*preparation]
	results *cache.Cache[*engine.Result]
}

// computation is one result under way.
type computation struct {
	id, key, dataset string
	done             chan struct{} // closed when it has ended
	result           *engine.Result
	err              error

	waiting int         // guarded by liveRuns.mu, as is the rest
	idle    *time.Timer // ends it, while nobody waits
	dropped bool        // its data are gone: keep nothing
}

// preparation is a dataset prepared for one set of rows, columns and folds.
type preparation struct {
	turn chan struct{} // holds a token while nobody prepares
	p    *engine.Prepared
}

// The memory that prepared data and results may take besides the last of each.
const (
	readyBytes  = 256 << 20
	resultBytes = 64 << 20
)

func newLiveRuns(in *datasets.Service) *liveRuns {
	return &liveRuns{
		table: in.Table, runner: job.New(context.Background(), 2), patience: 1500 * time.Millisecond, newID: newRequestID,
		running: map[string]*computation{}, jobs: map[string]*computation{},
		ready: cache.New[*preparation](readyBytes), results: cache.New[*engine.Result](resultBytes),
	}
}

// stamp is what the computations on a dataset depend on besides the spec.
func stamp(d store.Dataset) string {
	j, _ := json.Marshal(struct { // strings and numbers cannot fail
		SHA     string
		Kept    bool
		Options table.Options
	}{d.SHA256, d.State == store.Kept, d.Options})
	sum := sha256.Sum256(j)
	return d.ID + " " + hex.EncodeToString(sum[:12]) + " "
}

// start joins the computation of a spec, or starts it. The caller leaves the
// computation in the end. A result that is at hand comes at once, without one.
func (l *liveRuns) start(d store.Dataset, spec engine.Spec) (*engine.Result, *computation, error) {
	j, err := json.Marshal(spec)
	if err != nil {
		return nil, nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := stamp(d) + string(j)
	l.renew(d)
	if r, ok := l.results.Get(key); ok {
		return r, nil, nil
	}
	if f := l.running[key]; f != nil {
		f.join()
		return nil, f, nil
	}
	l.started++
	f := &computation{id: "live-" + l.newID(), key: key, dataset: d.ID, done: make(chan struct{}), waiting: 1}
	if err := l.runner.Start(f.id, l.work(f, d, spec), func(err error) { l.finish(f, err) }); err != nil {
		return nil, nil, err
	}
	l.running[key], l.jobs[f.id] = f, f
	return nil, f, nil
}

// join adds somebody who waits; the caller holds liveRuns.mu.
func (f *computation) join() {
	f.waiting++
	if f.idle != nil {
		f.idle.Stop()
		f.idle = nil
	}
}

// leave takes one who waited off a computation. When nobody is left it ends after
// the grace, so that a page that is being reloaded finds it again.
func (l *liveRuns) leave(f *computation, grace time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.waiting--; f.waiting > 0 || l.jobs[f.id] == nil {
		return
	}
	if grace > 0 {
		f.idle = time.AfterFunc(grace, func() { l.endIdle(f) })
		return
	}
	l.abandon(f)
}

func (l *liveRuns) endIdle(f *computation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.waiting == 0 {
		l.abandon(f)
	}
}

// abandon ends a computation; who asks the same again starts anew. The runner calls
// finish when the work has ended, so it must not be waited for here.
func (l *liveRuns) abandon(f *computation) {
	if l.running[f.key] == f {
		delete(l.running, f.key)
	}
	go l.runner.Cancel(f.id) //nolint:errcheck // it may just have ended
}

// find returns the computation of that id on a dataset and joins it; nil when it has
// ended.
func (l *liveRuns) find(dataset, id string) *computation {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.jobs[id]
	if f == nil || f.dataset != dataset {
		return nil
	}
	f.join()
	return f
}

// cancel ends a computation on a dataset for a page that waits for it. Where other
// pages wait too it goes on for them. It reports whether there is such a computation.
func (l *liveRuns) cancel(dataset, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.jobs[id]
	if f == nil || f.dataset != dataset {
		return false
	}
	if f.waiting <= 1 { // the page that cancels
		l.abandon(f)
	}
	return true
}

// drop forgets everything about a dataset and ends what is computed on it.
func (l *liveRuns) drop(dataset string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready.Drop(dataset + " ")
	l.results.Drop(dataset + " ")
	for _, f := range l.jobs {
		if f.dataset == dataset {
			f.dropped = true
			l.abandon(f)
		}
	}
}

// wait waits for a computation until it ends, the context does, or the patience is
// over; late is then true.
func (f *computation) wait(ctx context.Context, patience time.Duration) (r *engine.Result, late bool, err error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-f.done:
		return f.result, false, f.err
	case <-ctx.Done():
		return nil, false, ctx.Err()
	case <-timer.C:
		return nil, true, nil
	}
}

// resultSize estimates the bytes of a result: its rows, and a share for the
// tables and curves.
func resultSize(r *engine.Result) int {
	size := 64<<10 + 120*len(r.Rows) + 80*len(r.Coefficients)
	if c := r.Classes; c != nil {
		size += 16 * len(c.Levels) * len(r.Rows)
	}
	if r.PCA != nil {
		size += 40 * len(r.PCA.X)
	}
	return size
}
