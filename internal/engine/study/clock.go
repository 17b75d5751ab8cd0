package study

import (
	"math"
	"time"
)

// clock estimates the time left from units measured in this run: a unit that is
// open takes as long as those of its kind, and one of a kind never seen as long
// as its weight lets expect.
type clock struct {
	start   time.Time
	workers int
	kinds   map[string]*kind
	running map[string]time.Time // unit → begun
	whole   float64              // weight of the plan
	done    float64              // weight finished, earlier runs included
	seen    float64              // weight finished in this run
	spent   float64              // seconds that took
}

// kind sums up the units of one kind.
type kind struct {
	open    int // not finished
	weight  float64
	done    int
	seconds float64
	longest float64
}

func newClock(todo []Unit, finished float64, workers int) *clock {
	c := &clock{start: time.Now(), workers: workers, kinds: map[string]*kind{}, running: map[string]time.Time{},
		whole: finished, done: finished}
	for _, u := range todo {
		k := c.kinds[u.Kind]
		if k == nil {
			k = &kind{}
			c.kinds[u.Kind] = k
		}
		k.open++
		k.weight += u.weight()
		c.whole += u.weight()
	}
	return c
}

func (c *clock) begin(u Unit) { c.running[u.ID] = time.Now() }

func (c *clock) end(u Unit) {
	took := time.Since(c.running[u.ID]).Seconds()
	delete(c.running, u.ID)
	k := c.kinds[u.Kind]
	k.open--
	k.done++
	k.weight -= u.weight()
	k.seconds += took
	k.longest = max(k.longest, took)
	c.done += u.weight()
	c.seen += u.weight()
	c.spent += took
}

func (c *clock) elapsed() float64 { return time.Since(c.start).Seconds() }

func (c *clock) fraction() float64 {
	if c.whole == 0 {
		return 1
	}
	return math.Min(1, c.done/c.whole)
}

// left is the seconds to go. The work that is open is shared by the workers,
// less what the units under way have already had.
func (c *clock) left() *float64 {
	total, open := 0.0, 0
	for _, k := range c.kinds {
		open += k.open
		switch {
		case k.open == 0:
		case k.done > 0:
			total += float64(k.open) * k.seconds / float64(k.done)
		case c.seen > 0:
			total += k.weight * c.spent / c.seen
		default:
			return nil
		}
	}
	for _, begun := range c.running {
		total -= time.Since(begun).Seconds()
	}
	seconds := max(0, total) / float64(max(1, min(c.workers, open)))
	return &seconds
}
