package web

import (
	"context"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/job"
	"taper/internal/store"
)

// renew forgets what was computed on a dataset before it changed; the caller
// holds liveRuns.mu.
func (l *liveRuns) renew(d store.Dataset) {
	now := stamp(d)
	before := func(key string) bool { return strings.HasPrefix(key, d.ID+" ") && !strings.HasPrefix(key, now) }
	l.ready.Forget(func(key string, _ *preparation) bool { return before(key) })
	l.results.Forget(func(key string, _ *engine.Result) bool { return before(key) })
}

// work prepares and runs.
func (l *liveRuns) work(f *computation, d store.Dataset, spec engine.Spec) job.Work {
	return func(ctx context.Context, report func(linear.Progress)) error {
		p, err := l.prepared(ctx, f, d, spec)
		if err != nil {
			return err
		}
		f.result, err = p.Run(ctx, spec, report)
		return err
	}
}

// finish ends a computation: keeps its result and tells everybody who waits.
func (l *liveRuns) finish(f *computation, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.jobs, f.id)
	if l.running[f.key] == f {
		delete(l.running, f.key)
	}
	if f.err = err; err == nil && !f.dropped {
		l.results.Put(f.key, f.result, resultSize(f.result))
	}
	close(f.done)
}

// prepared returns the preparation of a spec, made by one and waited for by the
// others; when the maker is cancelled the next in line makes it.
func (l *liveRuns) prepared(ctx context.Context, f *computation, d store.Dataset,
	spec engine.Spec) (*engine.Prepared, error) {
	key := stamp(d) + spec.PrepareKey()
	l.mu.Lock()
	w, ok := l.ready.Get(key)
	if !ok {
		w = &preparation{turn: make(chan struct{}, 1)}
		w.turn <- struct{}{}
		l.ready.Put(key, w, 0)
	}
	l.mu.Unlock()
	select {
	case <-w.turn:
		defer func() { w.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if w.p != nil {
		return w.p, nil
	}
	t, err := l.table(ctx, d)
	if err != nil {
		return nil, err
	}
	if w.p, err = engine.Prepare(ctx, t, spec); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.dropped {
		l.ready.Drop(key)
	} else {
		l.ready.Put(key, w, w.p.Bytes())
	}
	return w.p, nil
}
