package job

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestClock: units of a measured kind are expected to take as long again, others in proportion
// to their weight.
func TestClock(t *testing.T) {
	units := []Unit{{ID: "a", Kind: "slow", Weight: 10}, {ID: "b", Kind: "slow", Weight: 10}, {ID: "c", Kind: "quick", Weight: 1}}
	c := newClock(units, make(Bodies, len(units)), 1)
	if c.left() != nil {
		t.Error("time left before anything was measured")
	}
	synctest.Test(t, func(t *testing.T) {
		c.begin(0)
		time.Sleep(4 * time.Second)
		c.end(0, units[0], 0)
		if left := *c.left(); !(math.Abs(left-4.4) <= 1e-9) { // one slow unit, and one with a tenth of its weight
			t.Errorf("%v s left, want 4.4", left)
		}
		c.begin(1)
		time.Sleep(3 * time.Second)
		if left := *c.left(); !(math.Abs(left-1.4) <= 1e-9) {
			t.Errorf("%v s left, want 1.4", left)
		}
	})
}

// sums is a job of two stages: the squares of 1 … n, then the share of each in their sum. It
// stores the units of the first.
type sums struct {
	n       int
	kept    map[int]Body
	result  []float64
	calls   atomic.Int32
	failing int // unit of the second stage that fails; 0 = none
}

func (s *sums) Stage(before []Bodies) (st Stage, err error) {
	if len(before) == 2 {
		return st, nil
	}
	st.Units, st.Message = make([]Unit, s.n), func(done, all int) string { return fmt.Sprint(done, "/", all) }
	if len(before) == 0 {
		st.Done = make(Bodies, s.n)
		for i, body := range s.kept {
			st.Done[i] = body
		}
	}
	return st, nil
}

func (s *sums) Unit(_ context.Context, before []Bodies, number int, _ func(Progress)) (Body, error) {
	s.calls.Add(1)
	if len(before) == 0 {
		return float64((number + 1) * (number + 1)), nil
	}
	if s.failing > 0 && number == s.failing {
		return nil, errors.New("overflow")
	}
	total := 0.0
	for _, body := range before[0] {
		total += body.(float64)
	}
	return before[0][number].(float64) / total, nil
}

func (s *sums) Keep(stage int, units []Kept) error {
	for _, u := range units {
		if stage == 0 {
			s.kept[u.Number] = u.Body
		}
	}
	return nil
}

func (s *sums) Gather(_ context.Context, stages []Bodies) error {
	for _, body := range stages[1] {
		s.result = append(s.result, body.(float64))
	}
	return nil
}

// TestStages: a stage gets the answers of those before, and a stopped job resumes from its
// stored units with the same numbers.
func TestStages(t *testing.T) {
	alone := &sums{n: 3, kept: map[int]Body{}}
	if err := Do(t.Context(), alone, nil); err != nil {
		t.Fatal(err)
	}
	if want := []float64{1. / 14, 4. / 14, 9. / 14}; !reflect.DeepEqual(alone.result, want) || alone.calls.Load() != 6 {
		t.Errorf("%v after %d units, want %v", alone.result, alone.calls.Load(), want)
	}
	broken := &sums{n: 3, kept: map[int]Body{}, failing: 1}
	if err := Do(t.Context(), broken, nil); err == nil || !strings.Contains(err.Error(), "overflow") || broken.result != nil {
		t.Errorf("%v with %v", err, broken.result)
	}
	again := &sums{n: 3, kept: broken.kept}
	if err := Do(t.Context(), again, nil); err != nil || !reflect.DeepEqual(again.result, alone.result) {
		t.Errorf("%v after %v", again.result, err)
	}
	if again.calls.Load() != 3 {
		t.Errorf("%d units, want those of the second stage", again.calls.Load())
	}
}

// TestClockShares: two kinds, two units at a time. The estimate uses the mean time of measured
// kinds and the weight of others, subtracts the time of running units, and divides by the
// number of workers.
func TestClockShares(t *testing.T) {
	units := []Unit{{Kind: "a", Weight: 2}, {Kind: "a", Weight: 2}, {Kind: "a", Weight: 2}, {Kind: "b", Weight: 4}, {Kind: "b"}}
	done := make(Bodies, len(units))
	done[2] = "earlier"
	c := newClock(units, done, 2)
	if c.left() != nil || !(math.Abs(c.fraction()-2./11) <= 1e-15) {
		t.Errorf("%v of it is done before anything was measured", c.fraction())
	}
	synctest.Test(t, func(t *testing.T) {
		c.begin(0)
		time.Sleep(10 * time.Second)
		c.end(0, units[0], 0)
		// One of a: 10 s. Two of b with the weight 5 at 10 s for a weight of 2: 25 s.
		if left := *c.left(); !(math.Abs(left-(10+25)/2.) <= 1e-9) || !(math.Abs(c.fraction()-4./11) <= 1e-15) {
			t.Errorf("%v s left at %v", left, c.fraction())
		}
		c.begin(4)
		time.Sleep(time.Second)
		if left := *c.left(); !(math.Abs(left-(10+25-1)/2.) <= 1e-9) {
			t.Errorf("%v s left", left)
		}
		time.Sleep(2 * time.Second)
		c.end(4, units[4], 0)
		// One of a: 10 s. One of b: 3 s.
		if left := *c.left(); !(math.Abs(left-(10+3)/2.) <= 1e-9) {
			t.Errorf("%v s left", left)
		}
		c.begin(1)
		c.begin(3)
		time.Sleep(20 * time.Second) // longer than both are expected to take
		if left := *c.left(); left != 0 {
			t.Errorf("%v s left of units that are late", left)
		}
		c.end(1, units[1], 0)
		if left := *c.left(); left != 0 { // one unit runs; the other worker cannot share it
			t.Errorf("%v s left", left)
		}
		c.end(3, units[3], 0)
		if *c.left() != 0 || c.fraction() != 1 {
			t.Errorf("%v s left at %v", *c.left(), c.fraction())
		}
	})
	if c := newClock(nil, nil, 1); c.fraction() != 1 {
		t.Errorf("no unit: %v is done", c.fraction())
	}
}

// plan is a session with one stage.
type plan struct {
	Stage1 Stage
	unit   func(ctx context.Context, number int, report func(Progress)) (Body, error)
	keep   func(stage, number int, body Body) error
	fails  error // of Stage
	stages []Bodies
}

func (p *plan) Stage(before []Bodies) (Stage, error) {
	if len(before) > 0 || p.fails != nil {
		return Stage{}, p.fails
	}
	return p.Stage1, nil
}
func (p *plan) Unit(ctx context.Context, _ []Bodies, number int, report func(Progress)) (Body, error) {
	return p.unit(ctx, number, report)
}
func (p *plan) Gather(_ context.Context, stages []Bodies) error { p.stages = stages; return nil }
func (p *plan) Keep(stage int, units []Kept) error {
	for _, u := range units {
		if p.keep == nil {
			break
		}
		if err := p.keep(stage, u.Number, u.Body); err != nil {
			return err
		}
	}
	return nil
}

// TestDoInOrder: one worker takes the heaviest units first, a unit without weight counts as 1,
// and the first and last reports are sent.
func TestDoInOrder(t *testing.T) {
	var order []int
	var heard []Progress
	p := &plan{Stage1: Stage{Workers: 1, Units: []Unit{{Weight: .5}, {Weight: 3}, {}, {Weight: 2}, {Weight: 9}},
		Done:    Bodies{4: "before"},
		Message: func(done, all int) string { return fmt.Sprint(done, " of ", all) }}}
	p.unit = func(_ context.Context, number int, _ func(Progress)) (Body, error) {
		order = append(order, number)
		return number, nil
	}
	if err := Do(t.Context(), p, func(p Progress) { heard = append(heard, p) }); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(order, []int{1, 3, 2, 0}) || !reflect.DeepEqual(p.stages, []Bodies{{0, 1, 2, 3, "before"}}) {
		t.Errorf("order %v, bodies %v", order, p.stages)
	}
	first, last := heard[0], heard[len(heard)-1]
	if first.Message != "1 of 5" || !(math.Abs(first.Fraction-9/15.5) <= 1e-15) || last.Message != "5 of 5" || last.Fraction != 1 {
		t.Errorf("first %+v, last %+v", first, last)
	}
}

// TestDoAlone: the single unit of a stage without a message reports its own progress, is kept,
// and has number 0; with a message its reports are ignored.
func TestDoAlone(t *testing.T) {
	for _, message := range []func(done, all int) string{nil, func(int, int) string { return "whole" }} {
		var kept, heard []string
		p := &plan{Stage1: Stage{Units: make([]Unit, 1), Message: message}}
		p.unit = func(_ context.Context, number int, report func(Progress)) (Body, error) {
			report(Progress{Message: "own"})
			return fmt.Sprint("body ", number), nil
		}
		p.keep = func(stage, number int, body Body) error {
			kept = append(kept, fmt.Sprint(stage, number, body))
			return nil
		}
		if err := Do(t.Context(), p, func(p Progress) { heard = append(heard, p.Message) }); err != nil {
			t.Fatal(err)
		}
		want := []string{"own"}
		if message != nil {
			want = []string{"whole", "whole"}
		}
		if message != nil && len(heard) == 3 {
			heard = heard[1:] // a slow machine may send one more report
		}
		if !reflect.DeepEqual(heard, want) || !reflect.DeepEqual(kept, []string{"0 0body 0"}) || !reflect.DeepEqual(p.stages, []Bodies{{"body 0"}}) {
			t.Errorf("heard %v, kept %v, bodies %v", heard, kept, p.stages)
		}
	}
}

// TestDoFails: errors are returned and name the unit, and nothing is gathered.
func TestDoFails(t *testing.T) {
	broken := errors.New("broken")
	two := Stage{Workers: 1, Units: []Unit{{ID: "first"}, {ID: "second"}}}
	one := Stage{Units: []Unit{{ID: "first"}}}
	fine := func(context.Context, int, func(Progress)) (Body, error) { return 1, nil }
	failing := func(context.Context, int, func(Progress)) (Body, error) { return nil, broken }
	keep := func(int, int, Body) error { return broken }
	for _, c := range []struct {
		name string
		p    *plan
		want string
	}{
		{"planning", &plan{fails: broken}, "broken"},
		{"a unit", &plan{Stage1: two, unit: failing}, "unit first: broken"},
		{"the only unit", &plan{Stage1: one, unit: failing}, "broken"},
		{"keeping", &plan{Stage1: two, unit: fine, keep: keep}, "keep unit first: broken"},
		{"keeping the only unit", &plan{Stage1: one, unit: fine, keep: keep}, "broken"},
	} {
		err := Do(t.Context(), c.p, nil)
		if !errors.Is(err, broken) || err.Error() != c.want || c.p.stages != nil {
			t.Errorf("%s: %v, gathered %v", c.name, err, c.p.stages)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	p := &plan{Stage1: two, unit: func(context.Context, int, func(Progress)) (Body, error) { stop(); return 1, nil }}
	p.keep = func(int, int, Body) error { t.Error("kept after a cancel"); return nil }
	if err := Do(ctx, p, nil); !errors.Is(err, context.Canceled) || p.stages != nil {
		t.Errorf("cancelled: %v, gathered %v", err, p.stages)
	}
}

// TestWorkersOfAStage: as many units run at a time as the stage says, or as there are cores.
func TestWorkersOfAStage(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for workers, want := range map[int]int32{0: 3, 1: 1, 2: 2} {
		synctest.Test(t, func(t *testing.T) {
			var running atomic.Int32
			end := make(chan struct{})
			p := &plan{Stage1: Stage{Workers: workers, Units: make([]Unit, 6)}}
			p.unit = func(context.Context, int, func(Progress)) (Body, error) {
				running.Add(1)
				<-end
				return 1, nil
			}
			ended := make(chan error)
			go func() { ended <- Do(t.Context(), p, nil) }()
			synctest.Wait()
			if n := running.Load(); n != want {
				t.Errorf("%d workers: %d units at a time, want %d", workers, n, want)
			}
			close(end)
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestClockMeans: after units of 10 and 20 seconds the next is expected to take 15.
func TestClockMeans(t *testing.T) {
	units := []Unit{{Kind: "a"}, {Kind: "a"}, {Kind: "a"}, {Kind: "a"}}
	c := newClock(units, make(Bodies, len(units)), 1)
	synctest.Test(t, func(t *testing.T) {
		for i, took := range []time.Duration{10, 20} {
			c.begin(i)
			time.Sleep(took * time.Second)
			c.end(i, units[i], 0)
		}
		if left := *c.left(); !(math.Abs(left-2*15) <= 1e-9) {
			t.Errorf("%v s left, want 30", left)
		}
	})
}
