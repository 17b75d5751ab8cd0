package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/cache"
	"taper/internal/engine"
	"taper/internal/engine/cost"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/job"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// Computations computes the results that a page shows before anything is saved. Equal requests
// share one computation, results are cached, and a computation that nobody waits for is
// stopped. Two run at a time, independently of saved runs.
type Computations struct {
	table    func(context.Context, store.Dataset) (*table.Table, error)
	data     *datasets.Service
	Runner   *job.Runner
	Patience time.Duration // how long a page waits before it shows progress
	Grace    time.Duration // how long a computation continues without anyone waiting, for a page to ask for its progress
	Scale    runspec.Scale // from how many rows on pages preview, and evaluate on a hold-out
	memory   *cost.Budget
	mostWork float64 // multiply-adds of one computation; 0 = no limit

	mu        sync.Mutex
	started   int
	running   map[string]*Computation // running, by what they compute
	jobs      map[string]*Computation // the same, by id
	followers map[string]*follower
	ready     *cache.Cache[*preparation]
	results   *cache.Cache[*engine.Result]
	stable    *cache.Cache[*engine.Stability]
	refitting chan struct{} // holds a token while no refits run
}

// Computation is a running computation.
type Computation struct {
	id           string
	key, dataset string
	done         chan struct{} // closed at the end
	result       *engine.Result
	err          error

	waiting int         // number of requests and followers; all fields below are guarded by Computations.mu
	idle    *time.Timer // stops it after a time without anyone waiting
	dropped bool        // its data were deleted; do not cache the result
}

// follower is a page that shows the progress of a computation by repeated requests. It counts
// as waiting between them too, so that a cancel on another page does not stop its computation.
type follower struct {
	id          string // known to this page only, so that no other can cancel for it
	computation *Computation
	requests    int         // open requests
	idle        *time.Timer // ends its wait after a time without requests
}

// preparation is a dataset prepared for given rows, columns and folds.
type preparation struct {
	turn chan struct{} // holds a token while nobody prepares it
	p    *engine.Prepared
}

// Memory for cached preparations and results, in addition to the last of each.
const (
	readyBytes  = 256 << 20
	resultBytes = 64 << 20
	stableBytes = 4 << 20
)

func newComputations(in *datasets.Service, memory cost.Memory, mostWork float64) *Computations {
	l := &Computations{
		table: in.Table, data: in, Runner: job.New(context.Background(), 2, memory.Jobs),
		Patience: 1500 * time.Millisecond, Grace: 15 * time.Second, memory: memory.Jobs, mostWork: mostWork,
		running: map[string]*Computation{}, jobs: map[string]*Computation{},
		followers: map[string]*follower{},
		ready:     cache.New[*preparation](readyBytes).Within(memory.Caches),
		results:   cache.New[*engine.Result](resultBytes).Within(memory.Caches),
		stable:    cache.New[*engine.Stability](stableBytes).Within(memory.Caches),
		refitting: make(chan struct{}, 1),
	}
	l.refitting <- struct{}{}
	memory.GiveWay(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ready.Drop("")
		l.results.Drop("")
		l.stable.Drop("")
	})
	return l
}

// Stamp identifies the state of a dataset on which computations depend.
func Stamp(d store.Dataset) string {
	j, _ := json.Marshal(struct { // strings and numbers always encode
		SHA     string
		Kept    bool
		Options table.Options
	}{d.SHA256, d.State == store.Kept, d.Options})
	sum := sha256.Sum256(j)
	return d.ID + " " + hex.EncodeToString(sum[:12]) + " "
}

// Part says which result of a spec is asked for; the zero value is the whole of it.
type Part struct {
	Preview bool // of a sample of the rows (runspec.Scale), which is nested in any larger one
	Outline bool // of a spec that lists test rows only: without that list
	Follow  bool // for a moving slider: in fewer steps, with other last digits (engine.Prepared.Follow)
}

// key identifies a result of a spec.
func (l *Computations) key(d store.Dataset, spec runspec.Spec, of Part) (string, error) {
	j, err := json.Marshal(spec)
	return Stamp(d) + of.prefix() + string(j), err
}

func (p Part) prefix() string {
	prefix := ""
	if p.Preview {
		prefix = "preview "
	}
	if p.Outline {
		prefix += "outline "
	}
	if p.Follow {
		prefix += "follow "
	}
	return prefix
}

// Start joins the computation of a spec, or starts it; the caller must Leave it. If the result
// is cached, it is returned without a computation.
func (l *Computations) Start(d store.Dataset, spec runspec.Spec) (*engine.Result, *Computation, error) {
	return l.start(d, spec, Part{})
}

// start is Start for a part.
func (l *Computations) start(d store.Dataset, spec runspec.Spec, of Part) (*engine.Result, *Computation, error) {
	of.Outline = of.Outline && spec.Validation.Rows != ""
	key, err := l.key(d, spec, of)
	if err != nil {
		return nil, nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renew(d)
	if r := l.known(d, spec, of); r != nil {
		return r, nil, nil
	}
	if f := l.running[key]; f != nil {
		f.join()
		return nil, f, nil
	}
	shape := table.ShapeOf(d.Rows, d.Profiles)
	needed := crossfit.Memory(spec, shape)
	if of.Outline {
		needed -= crossfit.ListMemory(spec, shape)
	}
	if m := l.Scale.Previews(d.Rows); of.Preview && m > 0 {
		sample := shape
		sample.Rows = m
		needed = crossfit.Memory(spec, sample) + shape.Memory()
		shape = sample
	}
	bytes, err := jobMemory(l.data, l.memory, "This fit", d, needed)
	if err != nil {
		return nil, nil, err
	}
	if err := crossfit.WorkOf(spec, shape).Check("This fit", l.mostWork); err != nil {
		return nil, nil, err
	}
	l.started++
	f := &Computation{id: strings.ToLower(rand.Text()), key: key, dataset: d.ID, done: make(chan struct{}),
		waiting: 1}
	if err := l.Runner.Start(f.id, bytes, l.work(f, d, spec, of), func(err error) { l.finish(f, err) }); err != nil {
		return nil, nil, err
	}
	l.running[key], l.jobs[f.id] = f, f
	return nil, f, nil
}

// Known returns the cached result of a spec, with or without its list of rows; nil if there is none.
func (l *Computations) Known(d store.Dataset, spec runspec.Spec) *engine.Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known(d, spec, Part{Outline: true})
}

// known is the cached result of a spec. One with its list of rows serves as an outline, too, and one that followed
// nothing for a moving slider. The caller holds Computations.mu.
func (l *Computations) known(d store.Dataset, spec runspec.Spec, of Part) *engine.Result {
	asked := []Part{of}
	if of.Follow {
		of.Follow = false
		asked = append(asked, of)
	}
	if of.Outline {
		asked = append(asked, Part{Preview: of.Preview})
	}
	for _, of := range asked {
		if key, err := l.key(d, spec, of); err == nil {
			if r, ok := l.results.Get(key); ok {
				return r
			}
		}
	}
	return nil
}

// join adds a waiting caller; the caller holds Computations.mu.
func (f *Computation) join() {
	f.waiting++
	if f.idle != nil {
		f.idle.Stop()
		f.idle = nil
	}
}

// Leave removes a waiting caller. After the last one the computation continues for grace, so
// that a page being reloaded finds it again.
func (l *Computations) Leave(f *Computation, grace time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leave(f, grace)
}

// leave implements Leave; the caller holds Computations.mu.
func (l *Computations) leave(f *Computation, grace time.Duration) {
	if f.waiting--; f.waiting > 0 || l.jobs[f.id] == nil {
		return
	}
	if grace > 0 {
		f.idle = time.AfterFunc(grace, func() { l.endIdle(f) })
		return
	}
	l.abandon(f)
}

func (l *Computations) endIdle(f *Computation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.waiting == 0 {
		l.abandon(f)
	}
}

// abandon stops a computation and forgets it, so that an equal request starts a new one. It
// must not wait for the end, because the runner then calls finish, which needs the lock.
func (l *Computations) abandon(f *Computation) {
	if l.running[f.key] == f {
		delete(l.running, f.key)
	}
	go l.Runner.Cancel(f.id) //nolint:errcheck // an error means that it has just ended
}

// Result returns the whole result of a spec or, if that takes longer than patience, the running
// computation.
func (l *Computations) Result(ctx context.Context, d store.Dataset, spec runspec.Spec,
	patience time.Duration) (*engine.Result, *Computation, error) {
	return l.ResultOf(ctx, d, spec, Part{}, patience)
}

// ResultOf is Result for a part.
func (l *Computations) ResultOf(ctx context.Context, d store.Dataset, spec runspec.Spec, of Part,
	patience time.Duration) (*engine.Result, *Computation, error) {
	r, f, err := l.start(d, spec, of)
	if err != nil || f == nil {
		return r, nil, err
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-f.done:
		r, err = f.result, f.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		l.Leave(f, l.Grace)
		return nil, f, nil
	}
	l.Leave(f, 0)
	return r, nil, err
}

// Stability returns how often patients change band in refits of a spec. One is computed at a
// time; results are cached.
func (l *Computations) Stability(ctx context.Context, d store.Dataset, spec runspec.Spec,
	r *engine.Result) (*engine.Stability, error) {
	j, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	key := Stamp(d) + string(j)
	select {
	case <-l.refitting:
		defer func() { l.refitting <- struct{}{} }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f := &Computation{id: strings.ToLower(rand.Text()), dataset: d.ID} // so that a deletion is noticed
	l.mu.Lock()
	l.renew(d)
	s, ok := l.stable.Get(key)
	if !ok {
		l.jobs[f.id] = f
	}
	l.mu.Unlock()
	if ok {
		return s, nil
	}
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.jobs, f.id)
	}()
	o := engine.BootstrapOptions{Replicates: engine.LiveRefits, Seed: spec.Seed}
	release, err := l.holdRefits(ctx, d, spec, o)
	if err != nil {
		return nil, err
	}
	defer release()
	ctx = cost.Paid(ctx)
	p, err := l.prepared(ctx, f, d, spec, Part{})
	if err != nil {
		return nil, err
	}
	if s, err = p.Stability(ctx, spec, r, o); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !f.dropped {
		l.stable.Put(key, s, 1<<10+64*len(s.Listed))
	}
	return s, nil
}

// holdRefits reserves memory for refits for the request that waits for them, including that for
// preparing the data again.
func (l *Computations) holdRefits(ctx context.Context, d store.Dataset, spec runspec.Spec,
	o engine.BootstrapOptions) (release func(), err error) {
	const what = "Refitting this model"
	shape := table.ShapeOf(d.Rows, d.Profiles)
	if err := crossfit.Refitted(spec, shape).Times(1+o.Replicates).Check(what, l.mostWork); err != nil {
		return nil, err
	}
	reading, err := l.data.ReadingMemory(d)
	if err != nil {
		return nil, err
	}
	return cost.Hold(ctx, what, max(reading, crossfit.Memory(spec, shape)+o.Memory(d.Rows)))
}

// Counts returns the numbers of computations started, of those running, and of cached
// preparations and results.
func (l *Computations) Counts() (started, working, kept int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.started, len(l.jobs), l.ready.Len() + l.results.Len()
}

// Follow registers a page as a follower of a computation, which may have ended. The event has
// the follower's id.
func (l *Computations) Follow(f *Computation) job.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &follower{id: "live-" + strings.ToLower(rand.Text()), computation: f}
	f.join()
	l.followers[p.id] = p
	p.idle = time.AfterFunc(l.Grace, func() { l.endWait(p) })
	e, _ := l.Runner.Progress(f.id)
	e.ID = p.id
	return e
}

// Watch returns the states of a follower's computation until ctx ends. The caller calls left at
// the end of the request; the follower then counts as waiting for the grace. It returns nil for
// an unknown follower.
func (l *Computations) Watch(ctx context.Context, id string,
	grace time.Duration) (states <-chan job.Event, left func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.followers[id]
	if p == nil {
		return nil, nil
	}
	states, err := l.Runner.Watch(ctx, p.computation.id)
	if err != nil { // it ended some time ago
		return nil, nil
	}
	p.requests++
	p.idle.Stop()
	return states, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if p.requests--; p.requests == 0 {
			p.idle = time.AfterFunc(grace, func() { l.endWait(p) })
		}
	}
}

func (l *Computations) endWait(p *follower) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.requests == 0 {
		l.unfollow(p)
	}
}

// unfollow ends the wait of a follower, once; the caller holds Computations.mu.
func (l *Computations) unfollow(p *follower) {
	if l.followers[p.id] == p {
		delete(l.followers, p.id)
		l.leave(p.computation, 0)
	}
}

// Cancel ends the wait of a follower, and stops the computation unless others wait. It returns
// false if there is no such follower on the dataset.
func (l *Computations) Cancel(dataset, follower string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.followers[follower]
	if p == nil || p.computation.dataset != dataset || l.jobs[p.computation.id] == nil {
		return false
	}
	l.unfollow(p)
	return true
}

// Drop removes everything cached about a dataset and stops its computations.
func (l *Computations) Drop(dataset string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready.Drop(dataset + " ")
	l.results.Drop(dataset + " ")
	l.stable.Drop(dataset + " ")
	for _, f := range l.jobs {
		if f.dataset == dataset {
			f.dropped = true
			l.abandon(f)
		}
	}
}

// resultSize estimates the bytes of a result: its rows, plus a constant for tables and curves.
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

// renew drops what was computed before a dataset changed; the caller holds Computations.mu.
func (l *Computations) renew(d store.Dataset) {
	now := Stamp(d)
	before := func(key string) bool { return strings.HasPrefix(key, d.ID+" ") && !strings.HasPrefix(key, now) }
	l.ready.Forget(func(key string, _ *preparation) bool { return before(key) })
	l.results.Forget(func(key string, _ *engine.Result) bool { return before(key) })
	l.stable.Forget(func(key string, _ *engine.Stability) bool { return before(key) })
}

// work is the job that prepares the data and runs the spec.
func (l *Computations) work(f *Computation, d store.Dataset, spec runspec.Spec, of Part) job.Work {
	return func(ctx context.Context, report func(job.Progress)) error {
		p, err := l.prepared(ctx, f, d, spec, of)
		if err != nil {
			return err
		}
		switch {
		case of.Follow:
			f.result, err = p.Follow(ctx, spec, !of.Outline, report)
		case of.Outline:
			f.result, err = p.Outline(ctx, spec, report)
		default:
			f.result, err = p.Run(ctx, spec, report)
		}
		return err
	}
}

// finish ends a computation: it caches the result and notifies everyone who waits.
func (l *Computations) finish(f *Computation, err error) {
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

// prepared returns the preparation of a spec. One caller makes it and others wait; if its
// context ends, the next one makes it.
func (l *Computations) prepared(ctx context.Context, f *Computation, d store.Dataset, spec runspec.Spec,
	of Part) (*engine.Prepared, error) {
	of.Outline, of.Follow = false, false // have the same rows
	key := Stamp(d) + of.prefix() + spec.PrepareKey()
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
	if of.Preview {
		t = l.Scale.Preview(t, spec.Seed)
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
