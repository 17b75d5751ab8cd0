package reach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
)

// cubes is a job whose unit i answers i³, but as its spec says.
type cubes struct {
	N      int
	Fails  int    // unit that fails on every machine; 0: none
	User   bool   // with a sentence for the user
	Panics int    // unit that panics; 0: none
	Blocks string // name of a gate that units wait at; "" = none

	BlocksOnly bool // the first unit alone waits
	Wrong      bool // each answer is another one
	Large      bool // each answer is larger than a message of the queue

	kept   map[int]job.Kept
	result job.Bodies
}

// gates are what units of a test wait at: they run on goroutines of the same process.
var gates sync.Map

// answers counts those that are wrong.
var answers atomic.Int64

// mended lets the units succeed that fail on every machine.
var mended atomic.Bool

type gate struct {
	began chan int // unit that arrived
	open  chan struct{}
	ended chan int // unit whose context ended
}

func newGate(t *testing.T) (name string, g *gate) {
	g = &gate{make(chan int, 100), make(chan struct{}), make(chan int, 100)}
	gates.Store(t.Name(), g)
	t.Cleanup(func() { gates.Delete(t.Name()) })
	return t.Name(), g
}

func (c *cubes) Stage(before []job.Bodies) (s job.Stage, err error) {
	if len(before) > 0 {
		return s, nil
	}
	for i := range c.N {
		s.Units = append(s.Units, job.Unit{ID: fmt.Sprint("cube ", i)})
	}
	s.Message = func(done, all int) string { return fmt.Sprintf("%d of %d units", done, all) }
	return s, nil
}

func (c *cubes) Unit(ctx context.Context, _ []job.Bodies, i int, _ func(job.Progress)) (job.Body, error) {
	if v, ok := gates.Load(c.Blocks); ok && (i == 0 || i != c.Fails && !c.BlocksOnly) {
		g := v.(*gate)
		g.began <- i
		select {
		case <-g.open:
		case <-ctx.Done():
			g.ended <- i
			return nil, ctx.Err()
		}
	}
	switch {
	case i > 0 && i == c.Panics:
		panic("out of range")
	case i > 0 && i == c.Fails && c.User:
		return nil, usererr.New(usererr.Invalid, "Unit %d cannot be fitted.", i)
	case i > 0 && i == c.Fails && !mended.Load():
		return nil, errors.New("no convergence")
	}
	if c.Wrong {
		return float64(answers.Add(1)), nil
	}
	return float64(i * i * i), nil
}

func (c *cubes) Keep(_ int, units []job.Kept) error {
	for _, u := range units {
		if _, twice := c.kept[u.Number]; twice {
			return fmt.Errorf("unit %d is kept twice", u.Number)
		}
		c.kept[u.Number] = u
	}
	return nil
}

func (c *cubes) Gather(_ context.Context, stages []job.Bodies) error {
	c.result = stages[0]
	return nil
}

func (c *cubes) Recipe() (job.Recipe, bool) {
	return job.Recipe{Kind: "cubes", Spec: encode(c)}, true
}

func (c *cubes) Encode(body job.Body) ([]byte, error) {
	if c.Large {
		return make([]byte, mostPayload), nil
	}
	return json.Marshal(body)
}

func (c *cubes) Decode(_ int, text []byte) (job.Body, error) {
	var v float64
	err := json.Unmarshal(text, &v)
	return v, err
}

func (c *cubes) Numbers(body job.Body) []float64 { return []float64{body.(float64)} }

func openCubes(_ context.Context, spec json.RawMessage, _ []byte) (job.Portable, error) {
	c := &cubes{}
	return c, json.Unmarshal(spec, c)
}

// ID, Open and End make a session its own kind.
func (c *cubes) ID() string { return "cubes" }

func (c *cubes) Open(context.Context, json.RawMessage) (job.Session, error) { return c, nil }

func (c *cubes) End(context.Context, json.RawMessage, job.State, string) error { return nil }

// house is a coordinator with a queue of its own, and its manager of jobs.
type house struct {
	t *testing.T
	c *Coordinator
	m *job.Manager
}

func newHouse(t *testing.T, class string) *house {
	t.Helper()
	maker := job.Maker{Machine: "house", Class: "fused", Engine: "v1"}
	c, err := NewCoordinator(t.Context(), Config{Listen: "127.0.0.1:0", Class: class}, maker, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	c.again = time.Millisecond
	c.mu.Lock()
	c.silence = time.Minute // a busy machine lets workers wait longer than a program that is watched
	c.mu.Unlock()
	t.Cleanup(c.Close)
	m := job.NewManager(t.Context(), nil, slog.New(slog.DiscardHandler))
	m.Here = job.Here{Maker: maker, Crew: c, Class: class}
	return &house{t, c, m}
}

// join starts a worker, which is there when join returns; leave asks it to stop and waits.
func (h *house) join(maker job.Maker, cores int) (leave func()) {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &Worker{Kinds: map[string]job.Opener{"cubes": openCubes}, Maker: maker, Cores: cores,
		Log: slog.New(slog.DiscardHandler)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := w.Run(ctx, Config{Queue: h.c.Address()}); err != nil {
			h.t.Errorf("worker: %v", err)
		}
	}()
	leave = sync.OnceFunc(func() { cancel(); <-ended })
	h.t.Cleanup(leave)
	for !slices.ContainsFunc(h.c.Machines(), func(m job.Machine) bool { return m.Machine == maker.Machine }) {
		time.Sleep(time.Millisecond)
	}
	return leave
}

func (h *house) start(id string, c *cubes) {
	h.t.Helper()
	c.kept = map[int]job.Kept{}
	if err := h.m.Queue(job.Job{ID: id, Kind: c}); err != nil {
		h.t.Fatal(err)
	}
}

// end waits for the end of a job.
func (h *house) end(id string) (last job.Event) {
	h.t.Helper()
	states, err := h.m.Watch(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	for e := range states {
		last = e
	}
	return last
}

var one = job.Maker{Machine: "one", Class: "fused", Engine: "v1"}

// TestWorkerComputes: the units of a job are a worker's, and the words for progress name it.
func TestWorkerComputes(t *testing.T) {
	h := newHouse(t, "")
	h.join(one, 2)
	c := &cubes{N: 50}
	h.start("j", c)
	e := h.end("j")
	if e.State != job.Done || e.Progress.Message != "50 of 50 units" {
		t.Fatalf("%+v", e)
	}
	for i, body := range c.result {
		if body != float64(i*i*i) || c.kept[i].Maker != one {
			t.Errorf("unit %d: %v by %v", i, body, c.kept[i].Maker)
		}
	}
	// The processor that ends first may compute one unit a second time, as a test.
	if m := h.c.Machines(); len(m) != 1 || m[0].Units < 50 || m[0].Units > 51 || !m[0].Helps || m[0].Cores != 2 {
		t.Errorf("%+v", m)
	}
	if cores, who, _ := h.c.staff(""); cores != 2 || !strings.HasPrefix(who, "on one (2 at a time, ") ||
		!strings.HasSuffix(who, " s each)") {
		t.Errorf("%d, %q", cores, who)
	}
}

// TestOthersAreLeftAlone: a worker of another build, or of another class where jobs are held to one, gets
// no unit.
func TestOthersAreLeftAlone(t *testing.T) {
	h := newHouse(t, "fused")
	h.join(job.Maker{Machine: "newer", Class: "fused", Engine: "v2"}, 1)
	h.join(job.Maker{Machine: "plain", Class: "plain", Engine: "v1"}, 1)
	for _, m := range h.c.Machines() {
		if m.Helps {
			t.Errorf("%+v", m)
		}
	}
	c := &cubes{N: 5}
	h.start("j", c)
	if e := h.end("j"); e.State != job.Done || c.kept[0].Maker.Machine != "house" {
		t.Errorf("%+v, %+v", e, c.kept)
	}
	h.join(one, 1)
	c = &cubes{N: 5}
	h.start("k", c)
	if e := h.end("k"); e.State != job.Done {
		t.Errorf("%+v", e)
	}
	for i, u := range c.kept {
		if u.Maker != one {
			t.Errorf("unit %d by %v", i, u.Maker)
		}
	}
}

// TestUnitFails: a unit that fails three times is left out, with its cause and machine, after all others
// were stored; a sentence for the user ends the job at once.
func TestUnitFails(t *testing.T) {
	h := newHouse(t, "")
	h.join(one, 1)
	for _, test := range []struct {
		name string
		c    cubes
		want []string
		kept int
	}{
		{"error", cubes{N: 6, Fails: 3}, []string{"1 of the jobs failed 3 times", "Job cube 3 failed last on one: no convergence"}, 5},
		{"panic", cubes{N: 6, Panics: 5}, []string{"Job cube 5 failed last on one: it crashed: out of range"}, 5},
		{"user", cubes{N: 6, Fails: 3, User: true}, []string{"Unit 3 cannot be fitted."}, 0},
		{"large", cubes{N: 6, Large: true}, []string{"The answer of a job has", "Set max_payload"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			h.start(test.name, &test.c)
			e := h.end(test.name)
			for _, want := range test.want {
				if e.State != job.Failed || !strings.Contains(e.Err.Error(), want) {
					t.Errorf("%s %v, want %q", e.State, e.Err, want)
				}
			}
			if len(test.c.kept) < test.kept {
				t.Errorf("%d units are stored, want %d", len(test.c.kept), test.kept)
			}
		})
	}
}

// TestCancelEverywhere: who cancels a job ends its units on every worker, and the next job finds them free.
func TestCancelEverywhere(t *testing.T) {
	h := newHouse(t, "")
	h.join(one, 2)
	h.join(job.Maker{Machine: "two", Class: "fused", Engine: "v1"}, 1)
	name, g := newGate(t)
	h.start("j", &cubes{N: 40, Blocks: name})
	for range 3 { // three processors are at it
		<-g.began
	}
	if err := h.m.Cancel("j"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		<-g.ended
	}
	if e := h.end("j"); e.State != job.Cancelled {
		t.Errorf("%+v", e)
	}
	next := &cubes{N: 9}
	h.start("k", next)
	if e := h.end("k"); e.State != job.Done || len(next.result) != 9 {
		t.Errorf("%+v", e)
	}
}

// TestDrain: a worker that is asked to stop ends what it has, which is stored, and is gone.
func TestDrain(t *testing.T) {
	h := newHouse(t, "")
	leave := h.join(one, 1)
	name, g := newGate(t)
	c := &cubes{N: 3, Blocks: name}
	h.start("j", c)
	<-g.began
	left := make(chan struct{})
	go func() { leave(); close(left) }()
	for len(h.c.Machines()) > 0 {
		time.Sleep(time.Millisecond)
	}
	close(g.open)
	<-left
	if e := h.end("j"); e.State != job.Done || len(c.result) != 3 {
		t.Errorf("%+v", e)
	}
}

// TestSecondAnswerDiffers: a job stops when a machine answers a stored unit with other numbers, and both
// machines are named.
func TestSecondAnswerDiffers(t *testing.T) {
	h := newHouse(t, "")
	h.join(one, 1)
	name, g := newGate(t)
	h.start("j", &cubes{N: 4, Blocks: name})
	<-g.began
	nc, err := nats.Connect(h.c.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, machine := range []string{"first", "second"} {
		a := answer{Number: 2, Body: []byte("8"), Maker: job.Maker{Machine: machine, Class: "fused", Engine: "v1"}}
		if _, err := nc.Request(answersOf("j"), encode(a), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Publish(answersOf("j"), encode(answer{Number: 99})); err != nil { // of no unit: not heard
		t.Fatal(err)
	}
	if err := nc.Publish(answersOf("j"), encode(answer{Number: 2, Body: []byte("8.000000001"),
		Maker: job.Maker{Machine: "false", Class: "fused", Engine: "v1"}})); err != nil {
		t.Fatal(err)
	}
	e := h.end("j")
	if e.State != job.Failed || !strings.Contains(e.Err.Error(), "different numbers on false (fused) and on first (fused)") {
		t.Errorf("%s %v", e.State, e.Err)
	}
}

// TestAgain: a unit that failed too often is shown with its cause and its machine, and succeeds when it is
// offered again; of a job that failed by such a unit it is shown until the job is started again.
func TestAgain(t *testing.T) {
	defer mended.Store(false)
	h := newHouse(t, "")
	h.join(one, 5) // the others wait at the gate
	name, g := newGate(t)
	c := &cubes{N: 5, Fails: 3, Blocks: name}
	h.start("j", c)
	leftOut := func() []job.FailedUnit {
		for _, s := range h.c.Shared() {
			if i := slices.IndexFunc(s.Failed, func(f job.FailedUnit) bool { return f.LeftOut }); i >= 0 {
				return s.Failed
			}
		}
		return nil
	}
	var failed []job.FailedUnit
	for failed = leftOut(); failed == nil; failed = leftOut() {
		time.Sleep(time.Millisecond)
	}
	want := job.FailedUnit{Unit: "cube 3", On: one, Cause: "no convergence", Times: 3, LeftOut: true}
	if len(failed) != 1 || failed[0] != want {
		t.Errorf("%+v, want %+v", failed, want)
	}
	if h.c.Again("nothing") {
		t.Error("a job that does not exist has units to offer")
	}
	mended.Store(true)
	if !h.c.Again("j") {
		t.Error("nothing to offer again")
	}
	close(g.open)
	if e := h.end("j"); e.State != job.Done || len(c.result) != 5 {
		t.Fatalf("%s %v", e.State, e.Err)
	}
	mended.Store(false)
	h.start("k", &cubes{N: 5, Fails: 3})
	e := h.end("k")
	if e.State != job.Failed {
		t.Fatalf("%s %v", e.State, e.Err)
	}
	left, ok := errors.AsType[*job.LeftOutError](e.Err)
	if !ok {
		t.Fatal(e.Err)
	}
	if s := left.Sharing; s.Job != "k" || !s.Ended || s.Done != 4 || s.Out != 0 || len(s.Failed) != 1 {
		t.Errorf("%+v", s)
	}
	if h.c.Again("k") {
		t.Error("a job that has ended offers units")
	}
}

// TestAgainAtTheEnd: who learned that a unit is offered again is right, even when the last of the other units is
// stored before the coordinator comes to it.
func TestAgainAtTheEnd(t *testing.T) {
	defer mended.Store(false)
	h := newHouse(t, "")
	h.join(one, 5) // the others wait at the gate
	nc, err := nats.Connect(h.c.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for round := range 4 { // which of the two the coordinator hears first is drawn
		mended.Store(false)
		name, g := newGate(t)
		id := fmt.Sprint("j", round)
		heard, err := nc.SubscribeSync(answersOf(id))
		if err != nil {
			t.Fatal(err)
		}
		if err := nc.Flush(); err != nil { // it listens from here on
			t.Fatal(err)
		}
		h.start(id, &cubes{N: 5, Fails: 3, Blocks: name})
		for len(h.c.Shared()) == 0 || len(h.c.Shared()[0].Failed) == 0 || !h.c.Shared()[0].Failed[0].LeftOut {
			time.Sleep(time.Millisecond)
		}
		for range mostFailures {
			if _, err := heard.NextMsg(time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		mended.Store(true)
		h.c.mu.Lock() // it stops when it has stored the first of the answers
		w := h.c.shared[id]
		close(g.open)
		for range 4 {
			if _, err := heard.NextMsg(time.Minute); err != nil {
				t.Error(err)
			}
		}
		w.retry <- struct{}{} // as Again does, which waits for the lock
		h.c.mu.Unlock()
		if e := h.end(id); e.State != job.Done {
			t.Fatalf("round %d: %s %v", round, e.State, e.Err)
		}
	}
}

// TestHeldToClass: a job that names a class of processors is done by no other machine, this one included: it waits
// until one of that class joins. Another job takes what is there.
func TestHeldToClass(t *testing.T) {
	h := newHouse(t, "")
	h.join(one, 1)
	held := &cubes{N: 4, kept: map[int]job.Kept{}}
	if err := h.m.Queue(job.Job{ID: "held", Lane: "held", Kind: held, Class: "plain"}); err != nil {
		t.Fatal(err)
	}
	free := &cubes{N: 4}
	h.start("free", free)
	if e := h.end("free"); e.State != job.Done || free.kept[0].Maker != one {
		t.Errorf("%s, %+v", e.State, free.kept)
	}
	states, err := h.m.Watch(t.Context(), "held")
	if err != nil {
		t.Fatal(err)
	}
	waits := "0 of 4 units (waiting for a machine of class plain)"
	for e := range states {
		if e.State.Final() {
			t.Fatalf("the job did not wait for its class: %s, %+v", e.State, held.kept)
		}
		if e.Progress.Message == waits {
			break
		}
	}
	for !slices.ContainsFunc(h.c.Shared(), func(s job.Sharing) bool { return s.Job == "held" && s.Waits == "plain" }) {
		time.Sleep(time.Millisecond)
	}
	plain := job.Maker{Machine: "plain", Class: "plain", Engine: "v1"}
	h.join(plain, 1)
	if e := h.end("held"); e.State != job.Done {
		t.Errorf("%s %v", e.State, e.Err)
	}
	for i, u := range held.kept {
		if u.Maker != plain {
			t.Errorf("unit %d by %v", i, u.Maker)
		}
	}
}

// TestSpareUnits: a processor that has nothing to do at the end of a stage computes a unit again that another machine
// has done, and a machine with other numbers is found by that.
func TestSpareUnits(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		t.Run(fmt.Sprint("wrong=", wrong), func(t *testing.T) {
			h := newHouse(t, "")
			h.join(one, 2)
			name, g := newGate(t)
			c := &cubes{N: 5, Blocks: name, BlocksOnly: true, Wrong: wrong}
			h.start("j", c)
			<-g.began // the first unit keeps one processor until the other has computed a unit twice
			if wrong {
				if e := h.end("j"); e.State != job.Failed || !strings.Contains(e.Err.Error(), "has different numbers on one") {
					t.Errorf("%s %v", e.State, e.Err)
				}
				return
			}
			for {
				if all := h.c.Shared(); len(all) == 1 && all[0].Twice > 0 {
					break
				}
				time.Sleep(time.Millisecond)
			}
			close(g.open)
			if e := h.end("j"); e.State != job.Done || len(c.kept) != 5 {
				t.Errorf("%s %v", e.State, e.Err)
			}
			if m := h.c.Machines(); len(m) != 1 || m[0].Units != 5 {
				t.Errorf("%d units of 5 are counted", m[0].Units)
			}
		})
	}
}

// lastUnit is a stage of two units, the second of which is not done, that ends while the first is stored.
type lastUnit struct {
	job.Shared
	end  context.CancelFunc
	done bool
}

func (l *lastUnit) Session() job.Portable { return &cubes{} }
func (l *lastUnit) Units() int            { return 2 }
func (l *lastUnit) Unit(i int) job.Unit   { return job.Unit{ID: fmt.Sprint("cube ", i)} }
func (l *lastUnit) Done(i int) bool       { return i == 0 && l.done }
func (l *lastUnit) Keep(ctx context.Context, _ []job.Kept) error {
	l.done = ctx.Err() == nil
	l.end()
	return nil
}

// TestLastUnitCounts: the unit that ends a stage is counted for its worker; one that came after the end is not.
func TestLastUnitCounts(t *testing.T) {
	h := newHouse(t, "")
	h.join(one, 1)
	for _, c := range []struct {
		late bool
		want int
	}{{true, 0}, {false, 1}} {
		ctx, end := context.WithCancel(t.Context())
		if c.late {
			end()
		}
		w := &sharing{c: h.c, s: &lastUnit{end: end}, out: map[int]time.Time{0: {}}}
		if err := w.keep(ctx, []*nats.Msg{{Data: encode(answer{Body: []byte("0"), Maker: one})}}); err != nil {
			t.Fatal(err)
		}
		if m := h.c.Machines(); m[0].Units != c.want || len(w.out) != 1-c.want {
			t.Errorf("late=%v: %d units are counted, %d are out", c.late, m[0].Units, len(w.out))
		}
	}
}

// TestGivenUp: a job is not ended for units that failed while another unit is computed where nobody lent it: in this
// process, which began it before a worker was there.
func TestGivenUp(t *testing.T) {
	h := newHouse(t, "")
	stage := &lastUnit{}
	w := &sharing{c: h.c, s: stage, dead: []int{1}, failed: map[int]*failure{1: {times: mostFailures}}}
	if err := w.givenUp(1); err != nil {
		t.Error(err)
	}
	stage.done = true
	if _, ok := errors.AsType[*job.LeftOutError](w.givenUp(1)); !ok {
		t.Error("it waits for no unit")
	}
}

// TestList: who asks the queue hears which workers are there and what they hold.
func TestList(t *testing.T) {
	h := newHouse(t, "")
	queue := Config{Queue: h.c.Address()}
	if all, err := List(t.Context(), queue); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	h.join(one, 2)
	name, g := newGate(t)
	h.start("j", &cubes{N: 2, Blocks: name})
	<-g.began
	<-g.began
	all, err := List(t.Context(), queue)
	want := job.Holding{Job: "j", Kind: "cubes", AtWork: 2}
	if err != nil || len(all) != 1 || all[0].Maker != one || len(all[0].Holds) != 1 || all[0].Holds[0] != want {
		t.Errorf("%+v, %v", all, err)
	}
	close(g.open)
	h.end("j")
	gone, stop := context.WithCancel(t.Context())
	stop()
	if _, err := List(gone, Config{Queue: "nats://127.0.0.1:1"}); err == nil ||
		!strings.Contains(err.Error(), "does not answer") {
		t.Errorf("%v", err)
	}
}
