package job

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestClock: units of a kind that was measured take as long again, others by
// their weight.
func TestClock(t *testing.T) {
	units := []Unit{{ID: "a", Kind: "slow", Weight: 10}, {ID: "b", Kind: "slow", Weight: 10}, {ID: "c", Kind: "quick", Weight: 1}}
	c := newClock(units, make(Bodies, len(units)), 1)
	if c.left() != nil {
		t.Error("time left before anything was measured")
	}
	synctest.Test(t, func(t *testing.T) {
		c.begin(0)
		time.Sleep(4 * time.Second)
		c.end(0, units[0])
		if left := *c.left(); math.Abs(left-4.4) > 1e-9 { // one slow unit, one of a tenth of its weight
			t.Errorf("%v s left, want 4.4", left)
		}
		c.begin(1)
		time.Sleep(3 * time.Second)
		if left := *c.left(); math.Abs(left-1.4) > 1e-9 {
			t.Errorf("%v s left, want 1.4", left)
		}
	})
}

// sums is a job of two stages: the squares of 1 … n, and of each its share of
// their sum. It keeps the units of the first.
type sums struct {
	n       int
	kept    map[int]Body
	result  []float64
	calls   atomic.Int32
	failing int // unit of the second stage that fails; 0: none
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

func (s *sums) Keep(stage, number int, body Body) error {
	if stage == 0 {
		s.kept[number] = body
	}
	return nil
}

func (s *sums) Gather(_ context.Context, stages []Bodies) error {
	for _, body := range stages[1] {
		s.result = append(s.result, body.(float64))
	}
	return nil
}

// TestStages: a stage sees the answers of those before, and a job that ended early
// goes on from what it kept, with the same numbers.
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
