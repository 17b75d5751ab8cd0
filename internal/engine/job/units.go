package job

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

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
)

// Progress is the progress of a job.
type Progress = linear.Progress

// Body is the answer of a unit, of a type defined by the kind; a kind that stores units also
// defines its encoding. Bodies are the answers of a stage by unit number, nil where unfinished.
type (
	Body   = any
	Bodies = []Body
)

// Session is an opened job: a sequence of stages, each made of units. A unit is a pure function
// of the opened data, the stages before it and its number. Units can therefore run in any
// order, on any number of cores, after a crash or in another process, with bit-identical
// results.
type Session interface {
	// Stage plans the next stage from the answers of those before; a stage without units ends
	// the job.
	Stage(before []Bodies) (Stage, error)
	// Unit computes one unit and may be called concurrently. Its reports are used only where it
	// is the single unit of a stage without a Message.
	Unit(ctx context.Context, before []Bodies, number int, report func(Progress)) (Body, error)
	// Gather combines the stages into the result and stores it.
	Gather(ctx context.Context, stages []Bodies) error
}

// Journal is a session that stores each unit when it finishes, so that a stopped job resumes
// from there: the next Stage then lists these units in Done.
type Journal interface {
	// Keep stores units in one transaction. Calls are not concurrent, and none comes after a
	// cancel.
	Keep(stage int, units []Kept) error
}

// Stage is a list of units.
type Stage struct {
	Units   []Unit
	Done    Bodies                     // answers already stored; nil = none
	Workers int                        // units at a time; 0 = number of cores
	Message func(done, all int) string // progress in words
}

// Unit describes a unit for scheduling and for the estimate of the remaining time.
type Unit struct {
	ID     string  // for errors
	Kind   string  // units of a kind take about the same time
	Weight float64 // expected work; 0 counts as 1
}

func (u Unit) weight() float64 {
	if u.Weight > 0 {
		return u.Weight
	}
	return 1
}

// reportEvery is the least time between two reports of a stage; the first and the last are
// always sent.
const reportEvery = 100 * time.Millisecond

// Do computes the units that are not done, the heaviest first, on all cores, and gathers them.
// It stops at the first error of a unit, of Keep or of ctx, as soon as running units notice
// that their context has ended. Units already kept stay kept. report may be nil.
func Do(ctx context.Context, s Session, report func(Progress)) error {
	return do(ctx, "", s, Here{}, report)
}

// do is Do for a job with an id, with other machines helping.
func do(ctx context.Context, id string, s Session, here Here, report func(Progress)) error {
	if report == nil {
		report = func(Progress) {}
	}
	var stages []Bodies
	for {
		plan, err := s.Stage(stages)
		if err != nil {
			return err
		}
		if len(plan.Units) == 0 {
			return s.Gather(ctx, stages)
		}
		bodies := make(Bodies, len(plan.Units))
		copy(bodies, plan.Done)
		if len(bodies) == 1 && bodies[0] == nil && plan.Message == nil {
			// A single unit runs on this goroutine: the runner records the stack of a panic,
			// and the unit's own reports are used.
			on, release := spread(ctx, id, s, here, &report)
			bodies[0], err = s.Unit(on, stages, 0, report)
			if release(); err == nil {
				err = keep(s, len(stages), []Kept{{Body: bodies[0], Maker: here.Maker}})
			}
		} else {
			p, portable := s.(Portable)
			if portable {
				if err := here.notes.found(ctx, len(stages), plan.Units, p.Decode, bodies); err != nil {
					return err
				}
			}
			w := newWork(s, plan, stages, bodies, report)
			w.id, w.maker, w.class, w.number = id, here.Maker, here.Class, len(stages)
			if portable {
				w.notes = here.notes
			}
			if portable && travels(s, here) && len(stages) == 0 {
				w.crew, w.staff = here.Crew, unasked // the crew reports its staff before a unit is taken here
				defer here.Crew.Hold(id)()
			}
			err = w.run(ctx)
		}
		if err != nil {
			return err
		}
		stages = append(stages, bodies)
	}
}

func keep(s Session, stage int, units []Kept) error {
	j, ok := s.(Journal)
	if !ok {
		return nil
	}
	return j.Keep(stage, units)
}

// work is the state of a running stage; mu guards the fields below it.
type work struct {
	session Session
	before  []Bodies
	plan    Stage
	report  func(Progress)
	workers int
	id      string     // of the job
	maker   Maker      // this process
	class   string     // of the only processors that may compute units; "" = any
	crew    Crew       // nil = none
	history [][][]byte // encoded answers of the stages before, for a crew
	number  int        // of the stage
	notes   *notes     // nil: units are kept by the session, or not at all

	mu      sync.Mutex
	todo    []int // units not taken, heaviest first
	bodies  Bodies
	makers  []Maker // who computed each body since the start or resume
	lent    []bool  // units taken by the crew
	mine    []bool  // units taken by this process
	staff   int     // number of units that the crew computes at a time
	who     string  // description of the crew's machines
	changed chan struct{}
	done    int
	clock   *clock
	last    time.Time // time of the last report
}

func newWork(s Session, plan Stage, before []Bodies, bodies Bodies, report func(Progress)) *work {
	w := &work{session: s, before: before, plan: plan, report: report, bodies: bodies, workers: plan.Workers,
		makers: make([]Maker, len(bodies)), lent: make([]bool, len(bodies)), mine: make([]bool, len(bodies)),
		changed: make(chan struct{})}
	if w.workers <= 0 {
		w.workers = runtime.GOMAXPROCS(0)
	}
	for i, body := range bodies {
		if body != nil {
			w.done++
			continue
		}
		w.todo = append(w.todo, i)
	}
	slices.SortStableFunc(w.todo, func(a, b int) int {
		return cmp.Compare(plan.Units[b].weight(), plan.Units[a].weight())
	})
	w.clock = newClock(plan.Units, bodies, w.workers)
	return w
}

func (w *work) run(ctx context.Context) error {
	w.tell(true)
	// The first error cancels the other units; their errors are mostly that cancellation. The
	// group returns the first.
	all, going := errgroup.WithContext(ctx)
	open := len(w.todo)
	for range min(w.workers, open) {
		all.Go(func() error {
			for parallel.Yield(going) == nil {
				i, ok := w.next(going)
				if !ok {
					return nil
				}
				body, err := w.unit(going, i)
				if err == nil {
					err = w.Keep(going, []Kept{{Number: i, Body: body, Maker: w.maker}})
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if w.crew != nil && open > 0 {
		all.Go(func() error { return w.share(going) })
	}
	err := all.Wait()
	w.tell(true)
	if err == nil && w.done < len(w.bodies) {
		err = ctx.Err()
	}
	return err
}

// first takes the heaviest unit not yet taken; the caller holds the lock.
func (w *work) first() (i int, ok bool) {
	for len(w.todo) > 0 {
		i, w.todo = w.todo[0], w.todo[1:]
		if w.bodies[i] == nil {
			return i, true
		}
	}
	return 0, false
}

// unit computes a unit and turns a panic into an error, because nothing else recovers on this
// goroutine.
func (w *work) unit(ctx context.Context, i int) (body Body, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
		if err != nil {
			err = fmt.Errorf("unit %s: %w", w.plan.Units[i].ID, err)
		}
	}()
	return w.session.Unit(ctx, w.before, i, func(Progress) {})
}

// keepLocked stores units in one transaction and marks them as done. Units that finish after a
// cancel are dropped, because the caller may already have closed what Keep writes to.
func (w *work) keepLocked(ctx context.Context, units []Kept) error {
	if ctx.Err() != nil {
		return nil
	}
	var fresh []Kept
	first := map[int]Kept{} // first answer to each unit of this call
	for _, u := range units {
		before, again := first[u.Number]
		if old := w.bodies[u.Number]; old != nil {
			before, again = Kept{Body: old, Maker: w.makers[u.Number]}, true
		}
		if !again {
			first[u.Number] = u
			fresh = append(fresh, u)
			continue
		}
		// A unit has two answers only with a crew, and a crew only gets portable sessions. A
		// body from before a resume has no maker and counts as one of another class.
		if err := agree(w.session.(Portable), w.plan.Units[u.Number], before, u); err != nil {
			return err
		}
		delete(w.clock.running, u.Number)
	}
	if len(fresh) == 0 {
		return nil
	}
	err := w.note(ctx, fresh)
	if err == nil {
		err = keep(w.session, len(w.before), fresh)
	}
	if err != nil {
		return fmt.Errorf("keep unit %s: %w", w.plan.Units[fresh[0].Number].ID, err)
	}
	for _, u := range fresh {
		w.bodies[u.Number], w.makers[u.Number] = u.Body, u.Maker
		w.done++
		w.clock.end(u.Number, w.plan.Units[u.Number], u.Seconds)
	}
	w.tellLocked(false)
	if w.done == len(w.bodies) {
		w.wake()
	}
	return nil
}

// note keeps finished units in the ledger.
func (w *work) note(ctx context.Context, units []Kept) error {
	if w.notes == nil {
		return nil
	}
	var all []Answer
	for _, u := range units {
		text, err := w.session.(Portable).Encode(u.Body)
		if err != nil {
			return err
		}
		all = append(all, Answer{Unit: w.plan.Units[u.Number].ID, Text: text, Maker: u.Maker})
	}
	w.notes.keep(ctx, w.number, all...)
	return nil
}

func (w *work) tell(now bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tellLocked(now)
}

func (w *work) tellLocked(now bool) {
	if !now && time.Since(w.last) < reportEvery {
		return
	}
	w.last = time.Now()
	p := Progress{Fraction: w.clock.fraction()}
	if w.plan.Message != nil {
		p.Message = w.plan.Message(w.done, len(w.bodies))
		if w.who != "" {
			p.Message += " " + w.who
		}
	}
	if left := w.clock.left(); left != nil {
		p.ETA = *left
	}
	w.report(p)
}
