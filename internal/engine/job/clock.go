package job

import (
	"math"
	"time"
)

// clock estimates the time left from units measured in this sitting: a unit that
// is open takes as long as those of its kind, and one of a kind never seen as long
// as its weight lets expect.
type clock struct {
	workers int
	kinds   map[string]*timed
	running map[int]time.Time // unit → begun
	whole   float64           // weight of the stage
	done    float64           // weight finished, earlier sittings included
	seen    float64           // weight finished in this sitting
	spent   float64           // seconds that took
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

// end counts a unit that took so many seconds; 0: since it began here.
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

// left is the seconds to go, nil before the first unit was measured. The work that
// is open is shared by the workers, less what the units under way have already had.
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
