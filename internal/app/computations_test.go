package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/cost"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/testtime"
)

// shared is a computation that blocks until it is released, with its dataset and spec.
type shared struct {
	*Computations
	release chan struct{}
	d       store.Dataset
	spec    runspec.Spec
}

func newShared() shared {
	s := shared{Computations: newComputations(&datasets.Service{}, cost.Memory{}, 0), release: make(chan struct{}),
		d: store.Dataset{ID: "d"}, spec: runspec.Spec{Outcome: "outcome", Positive: table.Levels{"died"}, Task: "binary", Seed: 1,
			Model:      fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 1}},
			Validation: runspec.Validation{Kind: "cv", Folds: 2}}.WithDefaults()}
	s.table = func(ctx context.Context, _ store.Dataset) (*table.Table, error) {
		select {
		case <-s.release:
			return tabletest.FromRecords(tabletest.Clinic(80, 3)), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return s
}

// page opens a progress page, which becomes a follower.
func (s shared) page(t *testing.T) (follower string) {
	t.Helper()
	_, f, err := s.Result(t.Context(), s.d, s.spec, 0)
	if err != nil || f == nil {
		t.Fatal(f, err)
	}
	return s.Follow(f).ID
}

// TestSharedFit: two pages with the progress of the same fit share one computation. It stops
// when neither waits; if one cancels or leaves, the other gets the result.
func TestSharedFit(t *testing.T) {
	leaves := func(s shared, follower string) {
		_, left := s.Watch(context.Background(), follower, time.Nanosecond)
		left() // and does not ask again
		testtime.Until(t, "the page is gone", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.followers[follower] == nil
		})
	}
	cancels := func(s shared, follower string) {
		if !s.Cancel("d", follower) {
			t.Error("the page cannot cancel")
		}
	}
	for _, c := range []struct {
		name string
		end  func(shared, string)
	}{{"cancels", cancels}, {"leaves", leaves}} {
		t.Run("one "+c.name, func(t *testing.T) {
			s := newShared()
			first, second := s.page(t), s.page(t)
			c.end(s, first)
			if s.Cancel("d", first) {
				t.Error("a page that is gone cancels once more")
			}
			close(s.release)
			r, _, err := s.Result(t.Context(), s.d, s.spec, testtime.Hang)
			if started, _, _ := s.Counts(); err != nil || r == nil || started != 1 {
				t.Errorf("the other page gets %v, %v of %d computations", r != nil, err, started)
			}
			_, left := s.Watch(t.Context(), second, time.Nanosecond)
			left()
		})
		t.Run("both "+c.name, func(t *testing.T) {
			s := newShared()
			first, second := s.page(t), s.page(t)
			c.end(s, first)
			c.end(s, second)
			testtime.Until(t, "the end of what nobody waits for", func() bool {
				_, working, _ := s.Counts()
				return working == 0
			})
		})
		t.Run("one "+c.name+", a request waits", func(t *testing.T) {
			s := newShared()
			first := s.page(t)
			got := make(chan *engine.Result)
			go func() {
				r, _, _ := s.Result(context.Background(), s.d, s.spec, testtime.Hang)
				got <- r
			}()
			testtime.Until(t, "the request waits", func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return s.followers[first].computation.waiting == 2
			})
			c.end(s, first)
			close(s.release)
			if <-got == nil {
				t.Error("the request gets no result")
			}
		})
	}
}

// TestOutlineOfPreview: a preview without its list of rows does not stand for one that shows them; one with the list
// serves as an outline.
func TestOutlineOfPreview(t *testing.T) {
	for _, preview := range []bool{false, true} {
		s := newShared()
		close(s.release)
		s.spec.Validation = runspec.Validation{Kind: "split", Rows: "test"}
		s.spec = s.spec.WithDefaults()
		for _, c := range []struct {
			outline     bool
			seed        uint64
			lists, made int
		}{{true, 1, 0, 1}, {false, 1, 1, 2}, {true, 1, 0, 2}, {false, 2, 1, 3}, {true, 2, 1, 3}} {
			s.spec.Seed = c.seed
			r, _, err := s.ResultOf(t.Context(), s.d, s.spec, Part{Preview: preview, Outline: c.outline}, testtime.Hang)
			if err != nil {
				t.Fatal(err)
			}
			if made, _, _ := s.Counts(); made != c.made || min(len(r.Rows), 1) != c.lists {
				t.Errorf("preview %v, %+v: %d rows are listed, %d computations", preview, c, len(r.Rows), made)
			}
		}
	}
}

// TestFollowedIsNotKept: the answer to a moving slider does not stand for the result where it rests; that one serves
// the moving slider.
func TestFollowedIsNotKept(t *testing.T) {
	s := newShared()
	close(s.release)
	s.spec.Task, s.spec.Model.Loss, s.spec.Boundaries = "interval", "interval", []float64{.3, .7}
	s.spec = s.spec.WithDefaults()
	for _, c := range []struct {
		follow bool
		pi     float64
		made   int
	}{{true, .3, 1}, {true, .3, 1}, {false, .3, 2}, {true, .3, 2}, {false, .2, 3}, {true, .2, 3}} {
		s.spec.Boundaries = []float64{c.pi, .7}
		if _, _, err := s.ResultOf(t.Context(), s.d, s.spec, Part{Follow: c.follow}, testtime.Hang); err != nil {
			t.Fatal(err)
		}
		if made, _, _ := s.Counts(); made != c.made {
			t.Errorf("%+v: %d computations", c, made)
		}
	}
	if s.Known(s.d, s.spec) == nil {
		t.Error("the result is not known")
	}
	s.spec.Boundaries[0] = .31
	if _, _, err := s.ResultOf(t.Context(), s.d, s.spec, Part{Follow: true}, testtime.Hang); err != nil || s.Known(s.d, s.spec) != nil {
		t.Error("the answer to a moving slider is taken for the result", err)
	}
}

// TestRefitsAreHeld: refits of the live page reserve their memory for the waiting request, and
// are refused where they need too much memory or work.
func TestRefitsAreHeld(t *testing.T) {
	s := newShared()
	close(s.release)
	r, _, err := s.Result(t.Context(), s.d, s.spec, testtime.Hang)
	if err != nil {
		t.Fatal(err)
	}
	memory := cost.NewMemory(64 << 20)
	ctx, end := cost.WithScope(t.Context(), memory.Requests)
	defer end()
	long := s.d // as in its record, which the estimate uses
	long.Rows, long.Profiles = 10_000, []table.Profile{{Name: "age", Type: table.Number, Distinct: 60}}
	if _, err := s.Stability(ctx, long, s.spec, r); err != nil {
		t.Fatal(err)
	}
	if held := memory.Requests.Held(); held != 0 {
		t.Errorf("%d bytes are held after the refits", held)
	}
	long.Rows = 1_000_000
	other := s.spec // its refits are not cached
	other.Seed++
	if _, err := s.Stability(ctx, long, other, r); !usererr.IsCostly(err) || !strings.Contains(err.Error(), "-memory") {
		t.Errorf("refits of a million rows in 64 MB: %v", err)
	}
	s.mostWork = 1e6
	if _, err := s.Stability(t.Context(), long, other, r); !usererr.IsCostly(err) ||
		!strings.Contains(err.Error(), "-max-work") {
		t.Errorf("refits of a million rows within a million multiply-adds: %v", err)
	}
}
