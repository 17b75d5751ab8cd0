package reach

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
)

// Coordinator shares the jobs of this program out among workers.
type Coordinator struct {
	id      string
	maker   job.Maker
	class   string        // of processors, for jobs that name none; "" = any
	silence time.Duration // after which a worker counts as gone
	again   time.Duration // until a unit that failed is offered once more; four times that for the second
	queue   *embedded
	nc      *nats.Conn
	js      jetstream.JetStream
	log     *slog.Logger
	ended   chan struct{} // closed when the beat has ended
	stop    context.CancelFunc

	mu      sync.Mutex
	workers map[string]*seen
	held    map[string]*held // jobs under way
	shared  map[string]*sharing
	changed chan struct{} // closed when workers came or went
}

// held is a job under way.
type held struct {
	current
	vault *vault // nil: it has no rows
}

// seen is a worker.
type seen struct {
	hello
	last    time.Time
	units   int
	seconds float64 // that the units took
}

var (
	_ job.Crew   = (*Coordinator)(nil)
	_ job.Roster = (*Coordinator)(nil)
)

// NewCoordinator starts the queue or joins it. It ends with the context; Close waits for that.
func NewCoordinator(ctx context.Context, cfg Config, maker job.Maker, log *slog.Logger) (c *Coordinator, err error) {
	c = &Coordinator{id: rand.Text(), maker: maker, class: cfg.Class, again: time.Second, silence: lost, log: log,
		ended: make(chan struct{}), workers: map[string]*seen{}, held: map[string]*held{},
		shared: map[string]*sharing{}, changed: make(chan struct{})}
	if cfg.Listen != "" {
		if c.queue, err = start(cfg); err != nil {
			return nil, err
		}
	}
	if c.nc, err = connect(cfg, c.queue, "taper"); err == nil {
		c.js, err = jetstream.New(c.nc)
	}
	if err == nil {
		_, err = c.nc.Subscribe(helloOf, c.hear)
	}
	if err != nil {
		c.shut()
		return nil, err
	}
	ctx, c.stop = context.WithCancel(ctx)
	go c.beat(ctx)
	return c, nil
}

// Address is where workers join a queue of this program; "" without one.
func (c *Coordinator) Address() string {
	if c.queue == nil {
		return ""
	}
	return c.queue.address
}

// Close ends the queue.
func (c *Coordinator) Close() {
	c.stop()
	<-c.ended
	c.shut()
}

func (c *Coordinator) shut() {
	if c.nc != nil {
		c.nc.Close()
	}
	if c.queue != nil {
		c.queue.close()
	}
}

// beat says which jobs there are, and forgets workers that have been silent.
func (c *Coordinator) beat(ctx context.Context) {
	defer close(c.ended)
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		c.say()
		c.mu.Lock()
		for id, w := range c.workers {
			if time.Since(w.last) > c.silence {
				c.log.Warn("worker gone", slog.String("machine", w.Machine))
				delete(c.workers, id)
				c.wake()
			}
		}
		c.mu.Unlock()
	}
}

// say names the jobs that are shared; units of any other are of no use.
func (c *Coordinator) say() {
	c.mu.Lock()
	jobs := map[string]current{}
	for id, h := range c.held {
		jobs[wired(id)] = h.current
	}
	c.mu.Unlock()
	_ = c.nc.Publish(jobsSubject, encode(jobsOf{c.id, jobs})) // the next beat says it again
}

// Hold says that a job has begun; the workers keep what they opened it from until it is released.
func (c *Coordinator) Hold(id string) (release func()) {
	c.mu.Lock()
	h := &held{current: current{Start: rand.Text()}}
	c.held[id] = h
	c.mu.Unlock()
	return sync.OnceFunc(func() {
		c.mu.Lock()
		delete(c.held, id)
		if h.vault != nil {
			h.vault.close()
		}
		c.mu.Unlock()
		c.say()
	})
}

// hear notes what a worker says of itself.
func (c *Coordinator) hear(m *nats.Msg) {
	var h hello
	if json.Unmarshal(m.Data, &h) != nil || h.Machine == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.workers[h.Machine]
	if h.Leaves {
		if w != nil {
			c.log.Info("worker leaves", slog.String("machine", h.Machine))
			delete(c.workers, h.Machine)
			c.wake()
		}
		return
	}
	if w == nil {
		w = &seen{}
		c.workers[h.Machine] = w
		c.log.Info("worker joined", slog.String("machine", h.Machine), slog.Int("cores", h.Cores),
			slog.Bool("helps", c.helps(h, c.class)))
		defer c.wake()
	}
	w.hello, w.last = h, time.Now()
}

// helps reports whether a worker can do our units, those that are held to a class or to none.
func (c *Coordinator) helps(h hello, class string) bool {
	return h.Engine == c.maker.Engine && (class == "" || h.Class == class)
}

// wake tells the jobs that workers came or went; the caller holds the lock.
func (c *Coordinator) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// staff is how many units the workers of a class do at a time, who they are in words, and a channel that is
// closed when that changes.
func (c *Coordinator) staff(class string) (cores int, who string, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	machines := 0
	for _, id := range slices.Sorted(maps.Keys(c.workers)) {
		w := c.workers[id]
		if !c.helps(w.hello, class) {
			continue
		}
		cores += w.Cores
		if machines++; machines > mostNamed {
			continue
		}
		name := fmt.Sprintf("%s (%d at a time", id, w.Cores)
		if w.units > 0 {
			name += fmt.Sprintf(", %.3g s each", w.seconds/float64(w.units))
		}
		names = append(names, name+")")
	}
	if machines > mostNamed {
		names = append(names, fmt.Sprintf("%d others", machines-mostNamed))
	}
	switch {
	case machines > 0:
		who = "on " + strings.Join(names, ", ")
	case class != "" && class != c.maker.Class:
		who = "(waiting for a machine of class " + class + ")"
	}
	return cores, who, c.changed
}

// mostNamed bounds the line of progress.
const mostNamed = 3

// sharing is a job whose units are out.
type sharing struct {
	c      *Coordinator
	id     string
	s      job.Shared
	class  string // of processors that alone do its units; "" = any
	stage  int
	recipe []byte
	digest string
	vault  *vault // nil: the recipe alone is enough

	out    map[int]time.Time // when a unit was offered last
	failed map[int]*failure
	dead   []int             // units that failed too often
	kept   int               // units that workers did
	spare  map[int]time.Time // done units that are computed once more, offered last then
	spared int               // of them, offered so far
	order  []int             // in which done units are drawn for that
	twice  int               // second answers, all like the first
	began  time.Time
	retry  chan struct{} // of the dead
	told   job.Sharing   // guarded by the coordinator's lock
}

// failure is a unit that did not succeed.
type failure struct {
	times int
	cause string
	on    job.Maker
	next  time.Time // offered again then
}

// Work has the units of a job done by workers, as long as there are any.
func (c *Coordinator) Work(ctx context.Context, id string, s job.Shared) error {
	r, ok := s.Session().Recipe()
	if !ok {
		return nil
	}
	w := &sharing{c: c, id: id, s: s, class: s.Class(), stage: s.Stage(), recipe: encode(opened{r, s.Before()}),
		out: map[int]time.Time{}, spare: map[int]time.Time{}, failed: map[int]*failure{}, began: time.Now(),
		retry: make(chan struct{}, 1)}
	w.tell()
	w.digest = digest(w.recipe)
	answers := make(chan *nats.Msg, 1<<14)
	got, err := c.nc.ChanSubscribe(answersOf(id), answers)
	if err != nil {
		return fmt.Errorf("share %s: %w", id, err)
	}
	defer got.Unsubscribe() //nolint:errcheck // the connection is closed then
	if r.Rows != nil {
		if w.vault, err = c.vault(id); err != nil {
			return err
		}
	}
	asked, err := w.answerRequests(r)
	defer func() {
		for _, s := range asked {
			_ = s.Unsubscribe() // as above
		}
	}()
	if err != nil {
		return fmt.Errorf("share %s: %w", id, err)
	}
	c.mu.Lock()
	c.held[id].Stage, c.shared[id] = w.stage, w
	c.mu.Unlock()
	c.say()
	defer w.withdraw(ctx)
	return w.run(ctx, answers)
}

// vault is that of a job that is held.
func (c *Coordinator) vault(id string) (v *vault, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.held[id]
	if h.vault == nil {
		h.vault, err = newVault()
	}
	return h.vault, err
}

// answerRequests lets workers have the recipe, and the rows encrypted.
func (w *sharing) answerRequests(r job.Recipe) (all []*nats.Subscription, err error) {
	listen := func(subject string, answer func(*nats.Msg)) {
		if err != nil {
			return
		}
		var s *nats.Subscription
		if s, err = w.c.nc.Subscribe(subject, answer); err == nil {
			all = append(all, s)
		}
	}
	v := w.vault
	listen(recipeOf(w.id), func(m *nats.Msg) { answerPart(m, w.recipe, v.sealer(recipeText)) })
	if v == nil {
		return all, err
	}
	listen(keyOf(w.id), func(m *nats.Msg) {
		machine, err := v.give(m)
		if err != nil {
			w.c.log.Warn("no key for the rows is given", slog.String("job", w.id), job.Cause(err))
			return
		}
		w.c.log.Info("rows go to a worker", slog.String("job", w.id), slog.String("machine", machine),
			slog.String("rows", r.Rows.Digest), slog.Int("bytes", len(r.Rows.Text)))
	})
	listen(rowsOf(w.id), func(m *nats.Msg) { answerPart(m, r.Rows.Text, v.sealer(r.Rows.Digest)) })
	return all, err
}

// withdraw takes a stage back: the workers drop its units at the next word, the queue forgets them.
func (w *sharing) withdraw(ctx context.Context) {
	w.c.mu.Lock()
	delete(w.c.shared, w.id)
	if h := w.c.held[w.id]; h != nil {
		h.Stage = w.stage + 1
	}
	w.c.mu.Unlock()
	w.c.say()
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*beat)
	defer stop()
	if err := w.purge(ctx, fmt.Sprintf("%s*.*.%s.%d.*", unitPrefix, wired(w.id), w.stage)); err != nil {
		w.c.log.Warn("units of a job that has ended are left in the queue", slog.String("job", w.id), job.Cause(err))
	}
}

func (w *sharing) purge(ctx context.Context, subject string) error {
	stream, err := w.c.js.Stream(ctx, streamName)
	if err != nil {
		return err
	}
	return stream.Purge(ctx, jetstream.WithPurgeSubject(subject))
}

func (w *sharing) run(ctx context.Context, answers <-chan *nats.Msg) error {
	// Without the stream what is offered first would be lost until the first tick.
	if cores, _, _ := w.c.staff(w.class); cores > 0 {
		if _, err := w.c.stream(ctx); err != nil && ctx.Err() == nil {
			w.c.log.Warn("the queue does not answer", slog.String("job", w.id), job.Cause(err))
		}
	}
	tick := time.NewTicker(2 * beat)
	defer tick.Stop()
	for {
		cores, who, changed := w.c.staff(w.class)
		w.s.Staff(cores, who)
		w.offer(cores)
		w.offerSpare(cores)
		if err := w.givenUp(cores); err != nil {
			return err
		}
		select {
		case m := <-answers:
			if err := w.keep(ctx, batch(m, answers)); err != nil {
				return err
			}
		case <-changed:
		case <-w.retry:
			w.again()
		case <-tick.C:
			w.tell()
			if err := w.reconcile(ctx, cores); err != nil && ctx.Err() == nil {
				w.c.log.Warn("the queue does not answer", slog.String("job", w.id), job.Cause(err))
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// mostAtOnce bounds a commit, so that progress is seen and a cancel heard.
const mostAtOnce = 500

// batch is an answer with those that have come meanwhile: as many as arrive while a batch is stored
// make the next.
func batch(first *nats.Msg, more <-chan *nats.Msg) []*nats.Msg {
	all := []*nats.Msg{first}
	for len(all) < mostAtOnce {
		select {
		case m := <-more:
			all = append(all, m)
		default:
			return all
		}
	}
	return all
}

// keep stores answers in one step, then tells the workers so.
func (w *sharing) keep(ctx context.Context, msgs []*nats.Msg) error {
	var units []job.Kept
	for _, m := range msgs {
		k, err := w.read(m)
		if err != nil {
			return err
		}
		if k != nil {
			units = append(units, *k)
		}
	}
	// A worker that did not hear that a unit was kept sends it again: it counts once.
	var fresh []job.Kept
	for _, k := range units {
		if !w.s.Done(k.Number) && !slices.ContainsFunc(fresh, func(f job.Kept) bool { return f.Number == k.Number }) {
			fresh = append(fresh, k)
		}
	}
	if err := w.s.Keep(ctx, units); err != nil {
		return err
	}
	// The context says nothing here: the last unit of a stage ends it while that unit is stored.
	if slices.ContainsFunc(units, func(k job.Kept) bool { return !w.s.Done(k.Number) }) { // the job ended before
		return nil
	}
	w.kept += len(fresh)
	w.twice += len(units) - len(fresh)
	for _, k := range units {
		delete(w.out, k.Number)
		delete(w.spare, k.Number)
		if w.failed[k.Number] != nil {
			delete(w.failed, k.Number)
			w.dead = slices.DeleteFunc(w.dead, func(number int) bool { return number == k.Number })
		}
	}
	w.c.mu.Lock()
	for _, k := range fresh {
		if by := w.c.workers[k.Maker.Machine]; by != nil {
			by.units++
			by.seconds += k.Seconds
		}
	}
	w.c.mu.Unlock()
	for _, m := range msgs {
		_ = m.Respond([]byte("kept")) // a worker that does not hear it sends again
	}
	return nil
}

// read reads an answer; nil for a failure, which is noted. The error is that of a unit that fails on any
// machine.
func (w *sharing) read(m *nats.Msg) (*job.Kept, error) {
	var a answer
	text := m.Data
	if w.vault != nil {
		var err error
		if text, err = w.vault.aead.Open(nil, nil, text, bound(answerText, w.stage)); err != nil {
			return nil, nil // as below
		}
	}
	if err := json.Unmarshal(text, &a); err != nil || a.Engine != w.c.maker.Engine || a.Stage != w.stage ||
		a.Number < 0 || a.Number >= w.s.Units() {
		return nil, nil // of a program that is none of ours, or of a stage that is done
	}
	if a.User {
		return nil, usererr.New(usererr.Invalid, "%s", a.Error)
	}
	if a.Error == "" {
		body, err := w.s.Session().Decode(a.Number, a.Body)
		if err == nil {
			return &job.Kept{Number: a.Number, Body: body, Maker: a.Maker, Seconds: a.Seconds}, nil
		}
		a.Error = err.Error()
	}
	if !w.s.Done(a.Number) {
		w.fail(a)
	}
	return nil, nil
}

// fail notes a failure. A unit that failed is offered again, later each time.
func (w *sharing) fail(a answer) {
	f := w.failed[a.Number]
	if f == nil {
		f = &failure{}
		w.failed[a.Number] = f
	}
	f.times++
	f.cause, f.on, f.next = a.Error, a.Maker, time.Now().Add(w.c.again<<(2*min(f.times, 3)-2))
	w.c.log.Warn("unit failed", slog.String("job", w.id), slog.String("unit", w.s.Unit(a.Number).ID),
		slog.String("machine", a.Machine), slog.Int("times", f.times), slog.String("cause", a.Error))
	delete(w.out, a.Number)
	if f.times == mostFailures {
		w.dead = append(w.dead, a.Number)
		w.tell()
	}
}

// offer fills the queue up: so many units that every core has one to go on with while answers are stored.
func (w *sharing) offer(cores int) {
	if cores == 0 {
		return
	}
	for number, f := range w.failed {
		if _, out := w.out[number]; !out && f.times < mostFailures && time.Now().After(f.next) && !w.s.Done(number) {
			w.publish(number)
		}
	}
	for len(w.out) < 8*cores+16 {
		number, ok := w.s.Take()
		if !ok {
			return
		}
		w.publish(number)
	}
}

func (w *sharing) publish(number int) {
	w.out[number] = time.Now()
	w.enqueue(number)
}

// enqueue puts a unit into the queue. Whether it came there is seen at the next look.
func (w *sharing) enqueue(number int) {
	_ = w.c.nc.Publish(unitSubject(w.c.maker.Engine, w.class, w.id, w.stage, number),
		encode(offer{w.digest, w.vault != nil, w.s.Unit(number).ID, w.stage, number}))
}

// oneIn is of how many units of a stage one may be computed twice.
const oneIn = 50

// offerSpare gives processors that have nothing to do a unit that is done, of which the second answer must be
// the first again. It is done at the end of a stage only, where the last units are at work and no other job
// wants the processors, so it costs no time; what is left of it when the stage ends is dropped.
func (w *sharing) offerSpare(cores int) {
	idle := cores - len(w.out) - len(w.spare)
	if idle <= 0 || len(w.failed) > 0 || w.spared >= max(1, w.s.Units()/oneIn) || !w.c.alone(w.id) {
		return
	}
	if w.order == nil {
		w.order = mathrand.New(mathrand.NewPCG(uint64(w.stage), uint64(w.s.Units()))).Perm(w.s.Units())
	}
	for i, number := range w.order {
		if idle == 0 || w.spared >= max(1, w.s.Units()/oneIn) {
			w.order = w.order[i:]
			return
		}
		if w.s.Done(number) {
			w.spare[number] = time.Now()
			w.spared++
			idle--
			w.enqueue(number)
		}
	}
	w.order = w.order[:0]
}

// alone reports whether no other job has its units out.
func (c *Coordinator) alone(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.shared) == 1 && c.shared[id] != nil
}

// stream is the queue, made again where it was lost.
func (c *Coordinator) stream(ctx context.Context) (jetstream.Stream, error) {
	ctx, stop := context.WithTimeout(ctx, 4*beat)
	defer stop()
	stream, err := c.js.Stream(ctx, streamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = c.js.CreateOrUpdateStream(ctx, queue)
	}
	return stream, err
}

// reconcile offers again what is neither done nor in the queue, whatever became of it.
func (w *sharing) reconcile(ctx context.Context, cores int) error {
	for number := range w.out {
		if w.s.Done(number) { // here, while no worker was there
			delete(w.out, number)
		}
	}
	if cores == 0 {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, 4*beat)
	defer stop()
	stream, err := w.c.stream(ctx)
	if err != nil {
		return err
	}
	prefix := strings.TrimSuffix(unitSubject(w.c.maker.Engine, w.class, w.id, w.stage, 0), "0")
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(prefix+"*"))
	if err != nil {
		return err
	}
	for _, offered := range []map[int]time.Time{w.out, w.spare} {
		for number, at := range offered {
			// What was offered this very moment may be on its way.
			if _, there := info.State.Subjects[prefix+strconv.Itoa(number)]; !there && time.Since(at) > 2*beat {
				offered[number] = time.Now()
				w.enqueue(number)
			}
		}
	}
	return nil
}

// givenUp is the end of a job whose units are all done but for those that failed too often.
func (w *sharing) givenUp(cores int) error {
	if len(w.dead) == 0 || len(w.out) > 0 || len(w.failed) > len(w.dead) || cores == 0 {
		return nil
	}
	slices.Sort(w.dead)
	first := w.dead[0]
	f := w.failed[first]
	w.tell()
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	// Offer has taken every other unit by now, and none is out; but this process may still be at one that it began
	// before a worker was there.
	if w.told.Done+len(w.dead) < w.told.Units {
		return nil
	}
	if len(w.retry) > 0 { // somebody learned that they are offered again, just before the last of the others was stored
		return nil
	}
	w.told.Ended = true // Again says no from here on
	told := w.told
	return &job.LeftOutError{Sharing: told, Err: usererr.New(usererr.Conflict, "%d of the jobs failed %d times each and "+
		"were left out; all others are stored. Job %s failed last on %s: %s. Resume the study, or start the run, bootstrap "+
		"or audit again, to try them again.", len(w.dead), mostFailures, w.s.Unit(first).ID, f.on.Machine, f.cause)}
}

// Machines lists the workers that are there, by name.
func (c *Coordinator) Machines() (all []job.Machine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.workers {
		all = append(all, job.Machine{Maker: w.Maker, Cores: w.Cores, Helps: c.helps(w.hello, c.class), Units: w.units,
			Seconds: w.seconds, Holds: w.Holds})
	}
	slices.SortFunc(all, func(a, b job.Machine) int { return cmp.Compare(a.Machine, b.Machine) })
	return all
}

// Shared lists the stages under way.
func (c *Coordinator) Shared() (all []job.Sharing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(c.shared)) {
		all = append(all, c.shared[id].told)
	}
	return all
}

// Again offers the units of a job once more that were left out.
func (c *Coordinator) Again(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.shared[id]
	if w == nil || w.told.Ended || !slices.ContainsFunc(w.told.Failed, func(f job.FailedUnit) bool { return f.LeftOut }) {
		return false
	}
	select {
	case w.retry <- struct{}{}:
	default: // asked already
	}
	return true
}

// tell makes what Shared says of a stage; only the goroutine of the stage calls it.
func (w *sharing) tell() {
	s := job.Sharing{Job: w.id, Stage: w.stage, Units: w.s.Units(), Out: len(w.out), Twice: w.twice}
	for number := range s.Units {
		if w.s.Done(number) {
			s.Done++
		}
	}
	if spent := time.Since(w.began).Seconds(); spent > 0 {
		s.PerSecond = float64(w.kept) / spent
	}
	for _, number := range slices.Sorted(maps.Keys(w.failed)) {
		f := w.failed[number]
		s.Failed = append(s.Failed, job.FailedUnit{Unit: w.s.Unit(number).ID, On: f.on, Cause: f.cause, Times: f.times,
			LeftOut: f.times >= mostFailures})
	}
	if cores, _, _ := w.c.staff(w.class); cores == 0 && w.class != "" && w.class != w.c.maker.Class {
		s.Waits = w.class
	}
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	w.told = s
}

// again takes the units back that were left out.
func (w *sharing) again() {
	for _, number := range w.dead {
		w.failed[number] = &failure{cause: w.failed[number].cause, on: w.failed[number].on}
	}
	w.dead = nil
}
