package job

import (
	"math"
	"time"
)

// clock estimates the remaining time from the units measured since the job was started or
// resumed. A unit that is not finished is expected to take the mean time of its kind; where
// none of its kind was measured, a time in proportion to its weight.
type clock struct {
	workers int
	kinds   map[string]*timed
	running map[int]time.Time // start time by unit number
	whole   float64           // weight of the stage
	done    float64           // weight finished, including before a resume
	seen    float64           // weight finished since
	spent   float64           // seconds those units took
}

// timed sums up the units of one kind.
type timed struct {
	open    int // not finished
	weight  float64
	done    int
	seconds float64
}

func newClock(units []Unit, done Bodies, workers int) *clock {
	c := &clock{workers: workers, kinds: map[string]*timed{}, running: map[int]time.Time{}}
	for i, u := range units {
		c.whole += u.weight()
		if done[i] != nil {
			c.done += u.weight()
			continue
		}
		k := c.kinds[u.Kind]
		if k == nil {
			k = &timed{}
			c.kinds[u.Kind] = k
		}
		k.open++
		k.weight += u.weight()
	}
	return c
}

func (c *clock) begin(i int) { c.running[i] = time.Now() }

// end records that a unit took so many seconds; 0 = measure from begin.
func (c *clock) end(i int, u Unit, took float64) {
	if took == 0 {
		took = time.Since(c.running[i]).Seconds()
	}
	delete(c.running, i)
	k := c.kinds[u.Kind]
	k.open--
	k.done++
	k.seconds += took
	c.done += u.weight()
	c.seen += u.weight()
	c.spent += took
}

func (c *clock) fraction() float64 {
	if c.whole == 0 {
		return 1
	}
	return math.Min(1, c.done/c.whole)
}

// left is the number of seconds left, nil before the first unit was measured. The expected time
// of unfinished units, less the time that running ones have had, is divided by the number of
// workers.
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
