package reach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
)

// Worker computes units of other programs' jobs. It keeps nothing but what it needs for the units in its
// hands, and that in memory.
type Worker struct {
	Kinds map[string]job.Opener
	Maker job.Maker
	Cores int // units at a time
	Log   *slog.Logger

	nc    *nats.Conn
	js    jetstream.JetStream
	slots chan struct{} // holds a token for each unit at work

	mu   sync.Mutex
	jobs map[string]*open
	busy sync.WaitGroup // units in hand
}

// open is a job that a coordinator has, and its session once a unit was asked for.
type open struct {
	coordinator string
	said        time.Time // last
	ctx         context.Context
	cancel      context.CancelFunc

	turn    sync.Mutex // of who opens the session
	session job.Portable
	units   []job.Unit
	digest  string // of the recipe it was opened from
}

// errNoRecipe is a queue or a coordinator that does not answer: the unit did not fail, it comes again.
var errNoRecipe = errors.New("ask for the recipe")

// drainFor is how long a worker that was asked to stop goes on with what it has in hand.
const drainFor = time.Minute

// Run computes until the context ends; then it takes nothing more, ends what it has in hand, and leaves.
func (w *Worker) Run(ctx context.Context, cfg Config) (err error) {
	w.jobs, w.slots = map[string]*open{}, make(chan struct{}, w.Cores)
	if w.nc, err = connect(cfg, nil, w.Maker.Machine); err != nil {
		return err
	}
	defer w.nc.Close()
	if w.js, err = jetstream.New(w.nc); err != nil {
		return err
	}
	if _, err := w.nc.Subscribe(jobsSubject, w.hear); err != nil {
		return fmt.Errorf("join the queue: %w", err)
	}
	all, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	go w.beat(ctx)
	var taking sync.WaitGroup
	for _, class := range []string{"", w.Maker.Class} {
		taking.Go(func() { w.take(ctx, all, class) })
	}
	<-ctx.Done()
	w.say(true)
	taking.Wait()
	ended := make(chan struct{})
	go func() { w.busy.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(drainFor):
		w.Log.Warn("units in hand are given back: they did not end in time")
		abandon()
		<-ended
	}
	return w.nc.FlushTimeout(beat) // what was acknowledged
}

// hear notes which jobs there are: units of one that has ended are dropped at once.
func (w *Worker) hear(m *nats.Msg) {
	var said jobsOf
	if json.Unmarshal(m.Data, &said) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range said.Jobs {
		j := w.jobs[id]
		if j == nil {
			j = &open{}
			j.ctx, j.cancel = context.WithCancel(context.Background())
			w.jobs[id] = j
		}
		j.coordinator, j.said = said.Coordinator, time.Now()
	}
	for id, j := range w.jobs {
		if j.coordinator == said.Coordinator && !slices.Contains(said.Jobs, id) {
			w.drop(id)
		}
	}
}

// drop forgets a job with all that it was computed from; the caller holds the lock.
func (w *Worker) drop(id string) {
	w.jobs[id].cancel()
	delete(w.jobs, id)
}

// beat says that this worker is there, and forgets jobs that nobody names.
func (w *Worker) beat(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		w.say(false)
		w.mu.Lock()
		for id, j := range w.jobs {
			if time.Since(j.said) > orphaned {
				w.drop(id)
			}
		}
		w.mu.Unlock()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (w *Worker) say(leaves bool) {
	w.mu.Lock()
	holds := slices.Sorted(maps.Keys(w.jobs))
	w.mu.Unlock()
	_ = w.nc.Publish(helloOf, encode(hello{w.Maker, w.Cores, leaves, holds})) // said again with the next beat
}

// take takes units from the queue while ctx lasts, joining it again when it was lost. Units themselves
// go on until all ends.
func (w *Worker) take(ctx, all context.Context, class string) {
	for ctx.Err() == nil {
		lost := make(chan struct{}, 1)
		c, err := w.consume(ctx, all, class, lost)
		if err != nil { // no queue yet: the first job makes it
			select {
			case <-time.After(beat):
			case <-ctx.Done():
			}
			continue
		}
		select {
		case <-lost:
		case <-ctx.Done():
		}
		c.Stop()
		<-c.Closed()
	}
}

// consume joins the queue. It never fetches, which waits for 30 s on a queue that is short, and asks for
// one unit more when it has a core for it: what waits in a client no other machine can take.
func (w *Worker) consume(ctx, all context.Context, class string, lost chan<- struct{}) (jetstream.ConsumeContext,
	error) {
	wait, stop := context.WithTimeout(ctx, 4*beat)
	defer stop()
	units, err := w.js.CreateOrUpdateConsumer(wait, streamName, consumer(w.Maker.Engine, class))
	if err != nil {
		return nil, err
	}
	return units.Consume(func(m jetstream.Msg) { w.accept(ctx, all, m) },
		jetstream.PullMaxMessages(1), jetstream.PullExpiry(20*beat), jetstream.PullHeartbeat(2*beat),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoHeartbeat) ||
				errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrConsumerNotFound) {
				select { // join again: the queue may have lost the consumer
				case lost <- struct{}{}:
				default:
				}
			}
		}))
}

// accept waits for a core, on the goroutine of the queue, so that no further unit comes meanwhile.
func (w *Worker) accept(ctx, all context.Context, m jetstream.Msg) {
	held := hold(all, m)
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		held()
		_ = m.Nak() // or it comes back by itself
		return
	}
	w.busy.Go(func() {
		defer held()
		w.do(all, m)
	})
}

// hold tells the queue again and again that a unit is in work, until it is called.
func hold(ctx context.Context, m jetstream.Msg) (release func()) {
	ctx, release = context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(ackWait / 4)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = m.InProgress() // without it another machine does the same
			case <-ctx.Done():
				return
			}
		}
	}()
	return release
}

// do does a unit, gives its core back, and sends the answer until it is stored.
func (w *Worker) do(all context.Context, m jetstream.Msg) {
	release := sync.OnceFunc(func() { <-w.slots })
	defer release()
	id := jobOf(m.Subject())
	w.mu.Lock()
	j := w.jobs[id]
	w.mu.Unlock()
	var o offer
	if err := json.Unmarshal(m.Data(), &o); err != nil {
		_ = m.Term()
		return
	}
	if j == nil { // its coordinator has not spoken yet, or is gone
		_ = m.NakWithDelay(2 * beat)
		return
	}
	ctx, stop := context.WithCancel(all)
	defer stop()
	defer context.AfterFunc(j.ctx, stop)()
	begun := time.Now()
	a := answer{Number: o.Number, Maker: w.Maker}
	body, err := w.compute(ctx, m, id, j, o)
	switch {
	case ctx.Err() != nil && j.ctx.Err() != nil: // the job has ended
		_ = m.Term()
		return
	case ctx.Err() != nil:
		_ = m.Nak()
		return
	case errors.Is(err, errNoRecipe):
		_ = m.NakWithDelay(2 * beat)
		return
	case err != nil:
		a.Error = err.Error()
		if user, ok := usererr.As(err); ok {
			a.Error, a.User = user.Detail, true
		}
	}
	a.Body, a.Seconds = body, time.Since(begun).Seconds()
	release()
	if w.send(ctx, id, a) {
		_ = m.Ack() // if that is lost the unit comes again, and its answer is compared
	}
}

// compute does a unit of a job that it opens first. A panic is the unit's error.
func (w *Worker) compute(ctx context.Context, m jetstream.Msg, id string, j *open, o offer) (text []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			w.Log.Error("unit crashed", slog.String("unit", o.Unit), slog.Any("panic", v),
				slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("it crashed: %v", v)
		}
	}()
	if info, err := m.Metadata(); err == nil && info.NumDelivered >= mostDeliveries {
		return nil, fmt.Errorf("it was given out %d times, and no machine that had it answered: they may lack memory for it",
			info.NumDelivered-1)
	}
	s, units, err := w.open(ctx, id, j, o.Recipe)
	if err != nil {
		return nil, err
	}
	if o.Number < 0 || o.Number >= len(units) || units[o.Number].ID != o.Unit {
		return nil, fmt.Errorf("this machine knows no unit %d with the name %s in it", o.Number, o.Unit)
	}
	body, err := s.Unit(ctx, nil, o.Number, func(job.Progress) {})
	if err != nil {
		return nil, err
	}
	return s.Encode(body)
}

// open opens the session of a job, once for all its units.
func (w *Worker) open(ctx context.Context, id string, j *open, want string) (job.Portable, []job.Unit, error) {
	j.turn.Lock()
	defer j.turn.Unlock()
	if j.session != nil && j.digest == want {
		return j.session, j.units, nil
	}
	asked, stop := context.WithTimeout(ctx, 10*beat)
	defer stop()
	m, err := w.nc.RequestWithContext(asked, recipeOf(id), nil)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNoRecipe, err)
	}
	if digest(m.Data) != want {
		return nil, nil, errors.New("the recipe is not the one of the unit")
	}
	var r job.Recipe
	if err := json.Unmarshal(m.Data, &r); err != nil {
		return nil, nil, fmt.Errorf("read the recipe: %w", err)
	}
	opener := w.Kinds[r.Kind]
	if opener == nil {
		return nil, nil, fmt.Errorf("this machine knows no job of the kind %q", r.Kind)
	}
	s, err := opener(ctx, r.Spec)
	if err != nil {
		return nil, nil, err
	}
	stage, err := s.Stage(nil)
	if err != nil {
		return nil, nil, err
	}
	j.session, j.units, j.digest = s, stage.Units, want
	return s, j.units, nil
}

// send sends an answer until it is stored, or nobody wants it any more.
func (w *Worker) send(ctx context.Context, id string, a answer) (kept bool) {
	for wait := beat; ; wait = min(2*wait, 8*beat) {
		try, stop := context.WithTimeout(ctx, 10*beat)
		_, err := w.nc.RequestWithContext(try, answersOf(id), encode(a))
		stop()
		if err == nil {
			return true
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return false
		}
	}
}
