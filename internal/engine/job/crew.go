package job

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
)

// Portable is a session whose units of the first stage other machines can do too: they open the
// session again from its recipe.
type Portable interface {
	Session
	Travels
	// Encode and Decode write down what a unit answered, to the bit.
	Encode(body Body) ([]byte, error)
	Decode(number int, text []byte) (Body, error)
	// Numbers are what two processors may compute with another last digit.
	Numbers(body Body) []float64
}

// Travels is a session that other machines can open.
type Travels interface {
	// Recipe is what the session is opened from elsewhere; false where its work stays here.
	Recipe() (r Recipe, ok bool)
}

// Recipe opens a session on any machine: the kind of it, its spec, and the rows that it reads.
type Recipe struct {
	Kind string          `json:"kind"`
	Spec json.RawMessage `json:"spec"`
	Rows *Rows           `json:"rows,omitempty"` // nil: the spec alone is enough
}

// Rows are the rows that a job reads, as they are written down for other machines.
type Rows struct {
	Digest string `json:"digest"` // SHA-256 of the text, in hexadecimal digits
	Text   []byte `json:"-"`      // never goes into a message as it is
}

// Opener opens the session of a recipe with its rows, for its units alone: nothing is gathered or kept
// there. A session that is an io.Closer is closed when it is not needed any more.
type Opener func(ctx context.Context, spec json.RawMessage, rows []byte) (Portable, error)

// Maker is who did a unit. Engines are builds of the program whose numbers are alike; processors of
// one class compute the same bits, those of two classes may differ in the last digits.
type Maker struct {
	Machine, Class, Engine string
}

// Kept is a unit that is done.
type Kept struct {
	Number  int
	Body    Body
	Maker   Maker
	Seconds float64 // that it took; 0: measured from when it was taken
}

// Crew is other machines that do units of this one's jobs.
type Crew interface {
	// Hold says that a job has begun whose stages may be shared, until it is released.
	Hold(job string) (release func())
	// Work has units of a stage done elsewhere until the context ends. An error ends the job.
	Work(ctx context.Context, job string, s Shared) error
}

// Shared is a stage under way, as a crew sees it. Its methods may be called from any goroutine.
type Shared interface {
	Session() Portable
	// Stage is its number, and Before what was answered in those before it, as it is written down.
	Stage() int
	Before() [][][]byte
	Units() int
	Unit(number int) Unit
	// Staff says how many units the machines do at a time, and in words who does them. While it is not 0
	// this process leaves the units to them; when it is 0 it does them itself, those that were taken too.
	Staff(cores int, who string)
	// Take gives the heaviest unit that nobody has; false: there is none now.
	Take() (number int, ok bool)
	// Done reports whether a unit is done.
	Done(number int) bool
	// Keep takes units as done, once they are stored. A second answer to a unit is compared with the
	// first, and an error where they differ.
	Keep(ctx context.Context, units []Kept) error
}

// Here is what a manager knows of its own machine and of others.
type Here struct {
	Maker   Maker
	Crew    Crew   // nil: every unit is done in this process
	Address string // of the queue by which the crew is reached
}

// unasked stands for a crew that has not said yet who is there.
const unasked = -1

// closeEnough is by how much numbers of two classes of processors may differ, relative to the larger
// or to 1.
const closeEnough = 1e-9

// agree compares two answers to one unit: from processors of one class they have the same bits.
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

// DisagreementError says that two machines answered one unit with other numbers.
type DisagreementError struct {
	Unit          string
	First, Second Maker
}

func (e *DisagreementError) Error() string {
	return fmt.Sprintf("unit %s has other numbers on %s (%s) than on %s (%s)", e.Unit, e.Second.Machine, e.Second.Class,
		e.First.Machine, e.First.Class)
}

// Of a stage that is shared, work is what the crew sees; its own goroutines are one more machine.
var _ Shared = (*work)(nil)

func (w *work) Session() Portable { return w.session.(Portable) }

func (w *work) Stage() int { return len(w.history) }

func (w *work) Before() [][][]byte { return w.history }

func (w *work) Units() int { return len(w.bodies) }

func (w *work) Unit(number int) Unit { return w.plan.Units[number] }

func (w *work) Staff(cores int, who string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.who = who
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
		w.lent[i] = true // its machine says how long it took: it may wait in the queue
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

// next waits for a unit of this process: while machines are there it leaves the units to them. When
// they have gone it does what they had taken. False: every unit is done, or in work here.
func (w *work) next(ctx context.Context) (i int, ok bool) {
	for {
		w.mu.Lock()
		if w.done == len(w.bodies) {
			w.mu.Unlock()
			return 0, false
		}
		if w.staff == 0 {
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
		if w.crew == nil { // nobody gives a unit back
			return 0, false
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return 0, false
		}
	}
}

// left is a unit that a machine took and has not answered.
func (w *work) left() (i int, ok bool) {
	for i, lent := range w.lent {
		if lent && !w.mine[i] && w.bodies[i] == nil {
			return i, true
		}
	}
	return 0, false
}

// wake lets the goroutines of this process look again; the caller holds the lock.
func (w *work) wake() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// share lets the crew work until every unit is done.
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
	err := w.crew.Work(ctx, w.id, w)
	w.Staff(0, "") // what is left, if a crew gives up, is done here
	return err
}
