package job

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
)

// Portable is a session whose units of the first stage can be computed on other machines, which
// open the same session from its recipe.
type Portable interface {
	Session
	Travels
	// Encode and Decode write and read the answer of a unit without loss.
	Encode(body Body) ([]byte, error)
	Decode(number int, text []byte) (Body, error)
	// Numbers are those in an answer whose last digits may differ between processors.
	Numbers(body Body) []float64
}

// Travels is a session that other machines can open.
type Travels interface {
	// Recipe is all that another machine needs to open the session; false if the work must stay
	// here.
	Recipe() (r Recipe, ok bool)
}

// Recipe opens a session on any machine: the kind of job, its spec, and the rows that it reads.
type Recipe struct {
	Kind string          `json:"kind"`
	Spec json.RawMessage `json:"spec"`
	Rows *Rows           `json:"rows,omitempty"` // nil = none needed
}

// Rows are the rows that a job reads, as text for other machines.
type Rows struct {
	Digest string `json:"digest"` // SHA-256 of the text, in hexadecimal digits
	Text   []byte `json:"-"`      // sent separately, never inside a message
}

// Opener opens the session of a recipe to compute units. Such a session gathers and stores
// nothing. If it is an io.Closer it is closed when it is no longer needed.
type Opener func(ctx context.Context, spec json.RawMessage, rows []byte) (Portable, error)

// Maker identifies what computed a unit. Builds with the same Engine compute comparable
// numbers; processors of the same Class compute identical bits, and processors of two classes
// may differ in the last digits.
type Maker struct {
	Machine, Class, Engine string
}

// Kept is a finished unit.
type Kept struct {
	Number  int
	Body    Body
	Maker   Maker
	Seconds float64 // time it took; 0 = measured from when it was taken
}

// Crew is a group of other machines that compute units of jobs of this process.
type Crew interface {
	// Hold announces a job whose stages may be shared, until release is called.
	Hold(job string) (release func())
	// Work has units of a stage computed elsewhere until ctx ends. An error fails the job.
	Work(ctx context.Context, job string, s Shared) error
}

// Shared is a running stage as a crew sees it. Its methods are safe for concurrent use.
type Shared interface {
	Session() Portable
	// Class is that of the only processors that may compute its units; "" = any.
	Class() string
	// Stage is the stage's number; Before are the encoded answers of the stages before it.
	Stage() int
	Before() [][][]byte
	Units() int
	Unit(number int) Unit
	// Staff sets how many units the machines compute at a time, and a description of them.
	// While it is above 0 this process leaves all units to them. At 0 it computes the rest
	// itself, including units that were taken and not answered.
	Staff(cores int, who string)
	// Take returns the heaviest unit not yet taken; false if there is none at present.
	Take() (number int, ok bool)
	// Done reports whether a unit is done.
	Done(number int) bool
	// Keep accepts finished units, after they have been stored. A second answer to a unit is
	// compared with the first; if they differ, Keep returns a DisagreementError.
	Keep(ctx context.Context, units []Kept) error
}

// Here describes this process, and the crew that helps it.
type Here struct {
	Maker   Maker
	Crew    Crew   // nil = every unit is computed in this process
	Address string // of the queue that connects the crew
	Class   string // of the only processors that may compute units, for jobs that name none; "" = any

	notes *notes // of the job; nil: its units are not kept, or by its session (Journal)
}

// travels reports whether other machines may compute units of a session.
func travels(s Session, here Here) bool {
	t, ok := s.(Travels)
	if !ok || here.Crew == nil {
		return false
	}
	_, ok = t.Recipe()
	return ok
}

// unasked is the staff before the crew has reported any.
const unasked = -1

// closeEnough is the largest difference between numbers of two classes of processors, relative
// to the larger or to 1.
const closeEnough = 1e-9

// agree compares two answers to the same unit. Processors of one class must agree to the bit.
func agree(s Portable, u Unit, first, second Kept) error {
	a, err := s.Encode(first.Body)
	if err != nil {
		return err
	}
	b, err := s.Encode(second.Body)
	if err != nil || bytes.Equal(a, b) {
		return err
	}
	if first.Maker.Class != second.Maker.Class && near(s.Numbers(first.Body), s.Numbers(second.Body)) {
		return nil
	}
	return &DisagreementError{Unit: u.ID, First: first.Maker, Second: second.Maker}
}

func near(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		scale := max(1, math.Abs(a[i]), math.Abs(b[i]))
		same := a[i] == b[i] || math.IsNaN(a[i]) && math.IsNaN(b[i])
		if !same && !(math.Abs(a[i]-b[i]) <= closeEnough*scale) {
			return false
		}
	}
	return true
}

// DisagreementError reports that two machines computed different numbers for the same unit.
type DisagreementError struct {
	Unit          string
	First, Second Maker
}

func (e *DisagreementError) Error() string {
	return fmt.Sprintf("unit %s has different numbers on %s (%s) and on %s (%s)", e.Unit, e.Second.Machine, e.Second.Class,
		e.First.Machine, e.First.Class)
}

// work implements Shared for the crew. The goroutines of this process take units from it
// directly.
var _ Shared = (*work)(nil)

func (w *work) Session() Portable { return w.session.(Portable) }

func (w *work) Class() string { return w.class }

func (w *work) Stage() int { return len(w.history) }

func (w *work) Before() [][][]byte { return w.history }

func (w *work) Units() int { return len(w.bodies) }

func (w *work) Unit(number int) Unit { return w.plan.Units[number] }

func (w *work) Staff(cores int, who string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.who = who
	w.tellLocked(false) // who waits for a machine hears it, though no unit ends
	if cores == w.staff {
		return
	}
	w.staff = cores
	w.clock.workers = w.workers
	if cores > 0 {
		w.clock.workers = cores
	}
	w.wake()
}

func (w *work) Take() (i int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i, ok = w.first(); ok {
		w.lent[i] = true // timed by its machine, since it may first wait in the queue
	}
	return i, ok
}

func (w *work) Done(number int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bodies[number] != nil
}

func (w *work) Keep(ctx context.Context, units []Kept) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.keepLocked(ctx, units)
}

// next waits for a unit for this process to compute. While a crew has machines it gets none;
// once they have gone it also gets units that they took and did not answer. If the job requires
// another processor class than that of this process, it waits for a machine of that class. It
// returns false when every unit is finished or being computed here.
func (w *work) next(ctx context.Context) (i int, ok bool) {
	for {
		w.mu.Lock()
		if w.done == len(w.bodies) {
			w.mu.Unlock()
			return 0, false
		}
		if w.staff == 0 && (w.class == "" || w.class == w.maker.Class) {
			if i, ok = w.first(); !ok {
				i, ok = w.left()
			}
			if ok {
				w.mine[i] = true
				w.clock.begin(i)
				w.mu.Unlock()
				return i, true
			}
		}
		changed := w.changed
		w.mu.Unlock()
		if w.crew == nil { // no unit can come back
			return 0, false
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return 0, false
		}
	}
}

// left returns a unit that a machine took and has not answered.
func (w *work) left() (i int, ok bool) {
	for i, lent := range w.lent {
		if lent && !w.mine[i] && w.bodies[i] == nil {
			return i, true
		}
	}
	return 0, false
}

// wake makes waiting goroutines check the state again; the caller holds the lock.
func (w *work) wake() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// share lets the crew compute units until all are finished.
func (w *work) share(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop()
		for {
			w.mu.Lock()
			changed, ended := w.changed, w.done == len(w.bodies)
			w.mu.Unlock()
			if ended {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	if err := w.crew.Work(ctx, w.id, w); err != nil { // it ends the job, and nothing more is computed here
		return err
	}
	w.Staff(0, "") // from here on, this process computes what the crew left
	return nil
}
