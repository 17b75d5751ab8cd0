package crossfit

import (
	"fmt"
	"math"
	"sync"
	"time"

	"taper/internal/engine/fit/linear"
)

// Tracker adds up the work of all goroutines and reports it. The fraction never decreases, and
// during the work a report is sent at least every interval. A nil tracker does nothing.
type Tracker struct {
	mu      sync.Mutex
	report  func(linear.Progress)
	started time.Time
	last    time.Time
	total   float64
	done    float64
	message string
	stop    chan struct{}
	ended   sync.WaitGroup
}

// The longest and the shortest time between two reports.
const (
	slowest = 250 * time.Millisecond
	fastest = 50 * time.Millisecond
)

// NewTracker starts reporting until Close; it returns nil if report is nil.
func NewTracker(report func(linear.Progress)) *Tracker {
	if report == nil {
		return nil
	}
	t := &Tracker{report: report, started: time.Now(), total: math.Inf(1), stop: make(chan struct{}),
		message: "Preparing the folds"}
	t.send()
	t.ended.Go(t.beat)
	return t
}

func (t *Tracker) beat() {
	tick := time.NewTicker(slowest)
	defer tick.Stop()
	for {
		select {
		case <-t.stop:
			return
		case <-tick.C:
			t.mu.Lock()
			t.send()
			t.mu.Unlock()
		}
	}
}

// Expect sets the total work. Before it is known, reports have no fraction.
func (t *Tracker) Expect(total float64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total = total
}

// Step adds finished work and sets the message for what comes next.
func (t *Tracker) Step(work float64, format string, args ...any) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += work
	t.message = fmt.Sprintf(format, args...)
	if time.Since(t.last) >= fastest {
		t.send()
	}
}

// steps counts the λ of one path.
type steps struct {
	t    *Tracker
	of   int
	what string
	mu   sync.Mutex // two machines may work on the same path
	at   int
}

func (t *Tracker) steps(of int, what string) *steps { return &steps{t: t, of: of, what: what} }

// reach reports the finished fraction of the path, 0 … 1.
func (s *steps) reach(fraction float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := int(fraction*float64(s.of) + 0.5); at > s.at {
		s.t.Step(float64(at-s.at), "%s, λ %d of %d", s.what, at, s.of)
		s.at = at
	}
}

// finish counts the rest of the path.
func (s *steps) finish() { s.reach(1) }

// send sends a report; the lock is held, so reports never overlap.
func (t *Tracker) send() {
	t.last = time.Now()
	p := linear.Progress{Fraction: min(t.done/t.total, 1), Message: t.message}
	if p.Fraction > 0 {
		p.ETA = t.last.Sub(t.started).Seconds() * (1 - p.Fraction) / p.Fraction
	}
	t.report(p)
}

// Close sends the last report and ends the goroutine.
func (t *Tracker) Close() {
	if t == nil {
		return
	}
	close(t.stop)
	t.ended.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.send()
}
