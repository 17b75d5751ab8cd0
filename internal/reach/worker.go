package reach

import (
	"context"
	"crypto/cipher"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	jobs map[string]*open // by word
	busy sync.WaitGroup   // units in hand

	wiping sync.WaitGroup // jobs that are forgotten
	left   bool           // nothing is heard any more, so that wiping only ends
}

// open is a job that a coordinator has, and its session once a unit was asked for.
type open struct {
	coordinator string
	start       string
	sealed      bool      // it has rows, whose key is that of the start
	said        time.Time // last
	ctx         context.Context
	cancel      context.CancelFunc
	stage       *stage // under way

	turn    sync.Mutex  // of who opens the session
	aead    cipher.AEAD // of a job with rows
	session job.Portable
	recipe  string // digest of what the session was opened from, without the stages
	holding job.Holding
	busy    sync.WaitGroup // units that use the session
	atWork  int            // units in hand
}

// stage is a stage of a job; it ends before the job does where another follows.
type stage struct {
	number int
	ctx    context.Context
	cancel context.CancelFunc
	digest string // of what it was opened from
	before []job.Bodies
	units  []job.Unit
}

func newStage(ctx context.Context, number int) *stage {
	s := &stage{number: number}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
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
	var beating, taking sync.WaitGroup
	beating.Go(func() { w.beat(ctx) })
	for _, class := range []string{"", w.Maker.Class} {
		taking.Go(func() { w.take(ctx, all, class) })
	}
	<-ctx.Done()
	beating.Wait() // else a last beat could say that it is there after it has left
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
	w.mu.Lock()
	w.left = true
	for id := range w.jobs {
		w.drop(id)
	}
	w.mu.Unlock()
	w.wiping.Wait()
	_ = w.nc.FlushTimeout(10 * beat) // what was acknowledged; what the queue does not hear in that time comes again
	return nil
}

// hear notes which jobs there are: units of one that has ended are dropped at once.
func (w *Worker) hear(m *nats.Msg) {
	var said jobsOf
	if json.Unmarshal(m.Data, &said) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left {
		return
	}
	for id, at := range said.Jobs {
		j := w.jobs[id]
		if j != nil && j.start != at.Start && (j.sealed || at.Stage < j.stage.number) {
			w.drop(id) // it was started again: with another key, or from an earlier stage
			j = nil
		}
		if j == nil {
			j = &open{}
			j.ctx, j.cancel = context.WithCancel(context.Background())
			j.stage = newStage(j.ctx, at.Stage)
			w.jobs[id] = j
		}
		j.coordinator, j.start, j.said = said.Coordinator, at.Start, time.Now()
		j.reach(at.Stage)
	}
	for id, j := range w.jobs {
		if _, there := said.Jobs[id]; j.coordinator == said.Coordinator && !there {
			w.drop(id)
		}
	}
}

// reach ends the stages before one; the caller holds the lock of the worker.
func (j *open) reach(number int) *stage {
	if number > j.stage.number {
		j.stage.cancel()
		j.stage = newStage(j.ctx, number)
	}
	return j.stage
}

// drop forgets a job with all that it was computed from, its rows once the last unit that reads them has
// ended; the caller holds the lock.
func (w *Worker) drop(id string) {
	j := w.jobs[id]
	j.cancel()
	delete(w.jobs, id)
	w.wiping.Go(func() {
		j.busy.Wait() // before the turn is taken, for which a unit may wait
		j.turn.Lock()
		defer j.turn.Unlock()
		w.wipe(j)
	})
}

// wipe forgets the session of a job and what it was made of; whoever calls it has the turn, and no unit is
// at work.
func (w *Worker) wipe(j *open) {
	if c, ok := j.session.(io.Closer); ok {
		_ = c.Close() // a session has no error to tell
	}
	if j.holding.Rows != "" {
		w.Log.Info("rows wiped", slog.String("job", j.holding.Job), slog.String("rows", j.holding.Rows))
	}
	j.session, j.recipe = nil, ""
	w.mu.Lock()
	j.holding = job.Holding{}
	w.mu.Unlock()
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
	holds := w.holds()
	_ = w.nc.Publish(helloOf, encode(hello{w.Maker, w.Cores, leaves, holds})) // said again with the next beat
}

// holds is what this worker has in memory of which jobs.
func (w *Worker) holds() (all []job.Holding) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(w.jobs)) {
		if j := w.jobs[id]; j.holding.Kind != "" {
			h := j.holding
			h.AtWork = j.atWork
			all = append(all, h)
		}
	}
	return all
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
	var o offer
	if err := json.Unmarshal(m.Data(), &o); err != nil {
		_ = m.Term()
		return
	}
	w.mu.Lock()
	j := w.jobs[id]
	var st *stage
	if j != nil {
		st = j.reach(o.Stage)
		j.sealed = j.sealed || o.Sealed
		j.atWork++
		j.busy.Add(1)
	}
	w.mu.Unlock()
	if j == nil { // its coordinator has not spoken yet, or is gone
		handBack(m)
		return
	}
	inUse := sync.OnceFunc(func() { // what follows needs no session
		w.mu.Lock()
		j.atWork--
		w.mu.Unlock()
		j.busy.Done()
	})
	defer inUse()
	if st.number > o.Stage {
		_ = m.Term()
		return
	}
	ctx, stop := context.WithCancel(all)
	defer stop()
	defer context.AfterFunc(st.ctx, stop)()
	begun := time.Now()
	a := answer{Stage: o.Stage, Number: o.Number, Maker: w.Maker}
	body, err := w.compute(ctx, m, id, j, st, o)
	inUse()
	switch {
	case ctx.Err() != nil && st.ctx.Err() != nil: // the job has ended, or the stage
		_ = m.Term()
		return
	case ctx.Err() != nil:
		_ = m.Nak()
		return
	case errors.Is(err, errNoRecipe):
		handBack(m)
		return
	case err != nil:
		a.Error = err.Error()
		if user, ok := usererr.As(err); ok {
			a.Error, a.User = user.Detail, true
		}
	}
	a.Body, a.Seconds = body, time.Since(begun).Seconds()
	release()
	told, err := w.message(ctx, id, j, o, a)
	if most := w.nc.MaxPayload(); err == nil && int64(len(told)) > most { // the queue would refuse it for ever
		a.Body, a.User = nil, true
		a.Error = fmt.Sprintf("The answer of a job has %s, and the queue takes at most %s in a message. "+
			"Set max_payload to 8MB or more in the settings of the NATS server, or compute without its workers.",
			megabytes(int64(len(told))), megabytes(most))
		told, err = w.message(ctx, id, j, o, a)
	}
	if err != nil {
		handBack(m)
		return
	}
	if w.send(ctx, id, told) {
		_ = m.Ack() // if that is lost the unit comes again, and its answer is compared
	}
}

// message is an answer as the queue carries it.
func (w *Worker) message(ctx context.Context, id string, j *open, o offer, a answer) ([]byte, error) {
	told := encode(a)
	if !o.Sealed {
		return told, nil
	}
	return w.seal(ctx, id, j, o.Stage, told)
}

// megabytes words a size as NATS counts it.
func megabytes(n int64) string { return fmt.Sprintf("%.1f\u00a0MB", float64(n)/(1<<20)) }

// handBack gives back a unit that was not begun. How often the queue gave a unit out stands for machines that died of
// it, so one that often comes back unbegun is dropped, and its coordinator offers it afresh.
func handBack(m jetstream.Msg) {
	if info, err := m.Metadata(); err == nil && info.NumDelivered >= mostDeliveries/2 {
		_ = m.Term()
		return
	}
	_ = m.NakWithDelay(2 * beat)
}

// compute does a unit of a job that it opens first. A panic is the unit's error.
func (w *Worker) compute(ctx context.Context, m jetstream.Msg, id string, j *open, st *stage, o offer) (text []byte,
	err error) {
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
	s, err := w.open(ctx, id, j, st, o)
	if err != nil {
		return nil, err
	}
	if o.Number < 0 || o.Number >= len(st.units) || st.units[o.Number].ID != o.Unit {
		return nil, fmt.Errorf("this machine knows no unit %d with the name %s in it", o.Number, o.Unit)
	}
	body, err := s.Unit(ctx, st.before, o.Number, func(job.Progress) {})
	if err != nil {
		return nil, err
	}
	return s.Encode(body)
}

// open opens the session of a job and the stage of it, once for all their units.
func (w *Worker) open(ctx context.Context, id string, j *open, st *stage, o offer) (_ job.Portable, err error) {
	j.turn.Lock()
	defer j.turn.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if st.digest == o.Recipe {
		return j.session, nil
	}
	if o.Sealed && j.aead == nil {
		if j.aead, err = w.key(ctx, id); err != nil {
			return nil, err
		}
	}
	text, err := fetch(ctx, w.nc, recipeOf(id), mostFetched, opener(j.aead, recipeText))
	if err != nil {
		j.aead = nil // it may be that of another start of the program
		return nil, err
	}
	if digest(text) != o.Recipe {
		return nil, errors.New("the recipe is not the one of the unit")
	}
	var r opened
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("read the recipe: %w", err)
	}
	if recipe := digest(encode(r.Recipe)); j.recipe != recipe {
		if err := w.begin(ctx, id, j, r.Recipe); err != nil {
			return nil, err
		}
		j.recipe = recipe
	}
	st.before = make([]job.Bodies, len(r.Before))
	for i, answers := range r.Before {
		for k, a := range answers {
			body, err := j.session.Decode(k, a)
			if err != nil {
				return nil, fmt.Errorf("read stage %d: %w", i, err)
			}
			st.before[i] = append(st.before[i], body)
		}
	}
	plan, err := j.session.Stage(st.before)
	if err != nil {
		return nil, err
	}
	st.units, st.digest = plan.Units, o.Recipe
	return j.session, nil
}

// seal encrypts an answer.
func (w *Worker) seal(ctx context.Context, id string, j *open, number int, text []byte) (_ []byte, err error) {
	j.turn.Lock()
	defer j.turn.Unlock()
	if j.aead == nil { // the unit failed before its recipe was asked for
		if j.aead, err = w.key(ctx, id); err != nil {
			return nil, err
		}
	}
	return j.aead.Seal(nil, nil, text, bound(answerText, number)), nil
}

// begin opens the session of a job from its recipe.
func (w *Worker) begin(ctx context.Context, id string, j *open, r job.Recipe) error {
	opener := w.Kinds[r.Kind]
	if opener == nil {
		return fmt.Errorf("this machine knows no job of the kind %q", r.Kind)
	}
	w.wipe(j) // of another start of the job
	h := job.Holding{Job: id, Kind: r.Kind}
	var rows []byte
	if r.Rows != nil {
		var err error
		if rows, err = w.rows(ctx, id, j.aead, r.Rows.Digest); err != nil {
			return err
		}
		defer clear(rows)
		h.Rows, h.Bytes = r.Rows.Digest, len(rows)
		w.Log.Info("rows held in memory", slog.String("job", id), slog.String("rows", h.Rows), slog.Int("bytes", h.Bytes))
	}
	w.mu.Lock()
	j.holding = h
	w.mu.Unlock()
	s, err := opener(j.ctx, r.Spec, rows)
	if err != nil {
		w.wipe(j)
		return err
	}
	j.session = s
	return nil
}

// send sends an answer until it is stored, or nobody wants it any more.
func (w *Worker) send(ctx context.Context, id string, answer []byte) (kept bool) {
	for wait := beat; ; wait = min(2*wait, 8*beat) {
		try, stop := context.WithTimeout(ctx, 10*beat)
		_, err := w.nc.RequestWithContext(try, answersOf(id), answer)
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
