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

// Progress says how far a job is.
type Progress = linear.Progress

// Body is what a unit answers, of a type of its kind; a kind that keeps its units
// says how they are written. Bodies are those of a stage by the number of the
// unit, nil where it is not done.
type (
	Body   = any
	Bodies = []Body
)

// Session is an opened job: stages of units, one stage after the other. A unit is a
// pure function of what was opened, of the stages before and of its number. So
// units run in any order, on any number of cores, before and after a crash or in
// another process, and the result has the same bits.
type Session interface {
	// Stage plans the next stage from those before; one without units ends the job.
	Stage(before []Bodies) (Stage, error)
	// Unit does one unit, for several goroutines at a time. Report is heard where the
	// unit is alone in a stage without a Message.
	Unit(ctx context.Context, before []Bodies, number int, report func(Progress)) (Body, error)
	// Gather makes the result of the stages and stores it.
	Gather(ctx context.Context, stages []Bodies) error
}

// Journal is a session that keeps its units as they finish, so that the job goes on
// where it stopped: the next Stage has them in Done.
type Journal interface {
	// Keep stores units in one step. It is called by one goroutine at a time, and not after a cancel.
	Keep(stage int, units []Kept) error
}

// Stage is a list of units.
type Stage struct {
	Units   []Unit
	Done    Bodies                     // from the journal; nil: none
	Workers int                        // units at a time; 0: as many as there are cores
	Message func(done, all int) string // says how far it is
}

// Unit is what the order and the time left depend on.
type Unit struct {
	ID     string  // for errors
	Kind   string  // units of a kind take about as long as each other
	Weight float64 // expected work; 0 counts as 1
}

func (u Unit) weight() float64 {
	if u.Weight > 0 {
		return u.Weight
	}
	return 1
}

// reportEvery spaces the reports of a stage; the first and the last always come.
const reportEvery = 100 * time.Millisecond

// Do does the units that are not done, on all cores, those of the greatest weight
// first, and gathers them. The first error of a unit, of Keep or of the context
// ends it within the time that units take to see the end of their context; what
// was kept stays kept. Report may be nil.
func Do(ctx context.Context, s Session, report func(Progress)) error {
	return do(ctx, "", s, Here{}, report)
}

// do is Do of a job with an id, with the help of other machines.
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
			// On this goroutine: the runner keeps the stack of a panic, and the unit
			// reports for itself.
			on, release := spread(ctx, id, s, here, &report)
			bodies[0], err = s.Unit(on, stages, 0, report)
			if release(); err == nil {
				err = keep(s, len(stages), []Kept{{Body: bodies[0], Maker: here.Maker}})
			}
		} else {
			w := newWork(s, plan, stages, bodies, report)
			w.id, w.maker = id, here.Maker
			if p, ok := s.(Portable); ok && here.Crew != nil && len(stages) == 0 {
				if _, ok := p.Recipe(); ok {
					w.crew, w.staff = here.Crew, unasked // the crew is asked before a unit is taken here
					defer here.Crew.Hold(id)()
				}
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

// work is a stage under way; the lock holds for all below it.
type work struct {
	session Session
	before  []Bodies
	plan    Stage
	report  func(Progress)
	workers int
	id      string     // of the job
	maker   Maker      // this process
	crew    Crew       // nil: nobody else does units
	history [][][]byte // of the stages before, where a crew needs it

	mu      sync.Mutex
	todo    []int // units that nobody has, the heaviest first
	bodies  Bodies
	makers  []Maker // of the bodies of this sitting
	lent    []bool  // units that the crew took
	mine    []bool  // those that this process took
	staff   int     // units that the crew does at a time
	who     string  // does them
	changed chan struct{}
	done    int
	clock   *clock
	last    time.Time // report
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
	// The first error ends the context of the others, whose errors are mostly that
	// cancellation; the group keeps the first.
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

// first takes the heaviest unit that nobody has; the caller holds the lock.
func (w *work) first() (i int, ok bool) {
	for len(w.todo) > 0 {
		i, w.todo = w.todo[0], w.todo[1:]
		if w.bodies[i] == nil {
			return i, true
		}
	}
	return 0, false
}

// unit does a unit and turns a panic into an error: nobody else would catch it on
// this goroutine.
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

// keepLocked takes units as done, which the session stores first, in one step. Those that end after a
// cancel are dropped: whoever cancelled may have closed what Keep writes to.
func (w *work) keepLocked(ctx context.Context, units []Kept) error {
	if ctx.Err() != nil {
		return nil
	}
	var fresh []Kept
	first := map[int]Kept{} // of those in units
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
		// Two answers need a crew, which works for portable sessions alone. The body of an earlier
		// sitting has no maker, whose class may be another.
		if err := agree(w.session.(Portable), w.plan.Units[u.Number], before, u); err != nil {
			return err
		}
		delete(w.clock.running, u.Number)
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := keep(w.session, len(w.before), fresh); err != nil {
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
