package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"

	"taper/internal/engine/parallel"
)

// chain is work in three steps: numbers, their shares of the sum, and a last step that nothing
// depends on. One piece must be computed at home.
type chain struct {
	mu     sync.Mutex
	here   int // pieces computed by this object
	home   int
	each   func() // called in every piece; nil: nothing
	first  []float64
	shares []float64
	last   []float64
}

func (c *chain) count(n *int) {
	c.mu.Lock()
	*n++
	c.mu.Unlock()
	if c.each != nil {
		c.each()
	}
}

func (c *chain) run(ctx context.Context) error {
	c.first, c.shares, c.last = make([]float64, 5), make([]float64, 5), make([]float64, 3)
	err := parallel.Spread(ctx, parallel.Step{Name: "number", N: 5,
		Do: func(_ context.Context, i int) ([]float64, error) {
			c.count(&c.here)
			return []float64{1 / float64(i+3)}, nil
		},
		Take: func(i int, v []float64) { c.first[i] = v[0] }})
	if err != nil {
		return err
	}
	sum := 0.0
	for _, v := range c.first {
		sum += v
	}
	if err = parallel.Spread(ctx, parallel.Step{Name: "share", N: 5,
		Do: func(_ context.Context, i int) ([]float64, error) {
			c.count(&c.here)
			return []float64{c.first[i] / sum}, nil
		},
		Take: func(i int, v []float64) { c.shares[i] = v[0] }}); err != nil {
		return err
	}
	err = parallel.Spread(ctx, parallel.Step{Name: "end", N: 3, Home: 1, Last: true,
		Do: func(_ context.Context, i int) ([]float64, error) {
			if i == 0 {
				c.count(&c.home)
				return nil, nil
			}
			c.count(&c.here)
			return []float64{c.shares[i] * float64(i)}, nil
		},
		Take: func(i int, v []float64) {
			if i > 0 {
				c.last[i] = v[0]
			}
		}})
	if err != nil || parallel.Replayed(ctx) {
		return err
	}
	return parallel.Spread(ctx, parallel.Step{Name: "alone", N: 1, Home: 1,
		Do:   func(context.Context, int) ([]float64, error) { c.count(&c.home); return nil, nil },
		Take: func(int, []float64) {}})
}

func (c *chain) session() Session {
	return Whole[int]{Work: func(ctx context.Context, report func(Progress)) (int, error) {
		report(Progress{Message: "Working"})
		return 0, c.run(ctx)
	}, Store: func(context.Context, int) error { return nil }, From: &Recipe{Kind: "chain"}}
}

// TestSteps: machines that replay a job compute all pieces of its steps to the same bits,
// except those that belong at home; the report names the machines.
func TestSteps(t *testing.T) {
	want := &chain{}
	if err := Do(t.Context(), want.session(), nil); err != nil {
		t.Fatal(err)
	}
	if want.here != 12 || want.home != 2 {
		t.Fatalf("alone: %d pieces, %d at home", want.here, want.home)
	}
	got, away := &chain{}, &chain{}
	other := NewReplay(t.Context(), away.run)
	var stages []int
	var told []string
	crew := crewFunc(func(ctx context.Context, _ string, w Shared) error {
		w.Staff(2, "on two machines")
		stages = append(stages, w.Stage())
		before := make([]Bodies, w.Stage())
		for i, answers := range w.Before() {
			for k, text := range answers {
				body, err := other.Decode(k, text)
				if err != nil {
					return err
				}
				before[i] = append(before[i], body)
			}
		}
		plan, err := other.Stage(before)
		if err != nil {
			return err
		}
		if len(plan.Units) != w.Units() {
			return fmt.Errorf("stage %d has %d units elsewhere, want %d", w.Stage(), len(plan.Units), w.Units())
		}
		for i, ok := w.Take(); ok; i, ok = w.Take() {
			if plan.Units[i] != w.Unit(i) {
				return fmt.Errorf("unit %+v is %+v elsewhere", w.Unit(i), plan.Units[i])
			}
			body, err := other.Unit(ctx, before, i, nil)
			if err != nil {
				return err
			}
			if err := w.Keep(ctx, []Kept{{Number: i, Body: body, Maker: Maker{"away", "fused", "v1"}, Seconds: 1}}); err != nil {
				return err
			}
		}
		<-ctx.Done()
		return nil
	})
	err := do(t.Context(), "j1", got.session(), Here{Maker: Maker{"here", "fused", "v1"}, Crew: crew}, func(p Progress) {
		told = append(told, p.Message)
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(stages, []int{0, 1, 2}) {
		t.Errorf("stages %v", stages)
	}
	if !reflect.DeepEqual([][]float64{got.first, got.shares, got.last}, [][]float64{want.first, want.shares, want.last}) {
		t.Errorf("%v %v %v, want %v %v %v", got.first, got.shares, got.last, want.first, want.shares, want.last)
	}
	if got.here != 0 || got.home != 2 || away.here != 12 || away.home != 0 {
		t.Errorf("%d pieces here with %d at home, %d and %d elsewhere", got.here, got.home, away.here, away.home)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if len(told) == 0 || told[0] != "Working" {
		t.Errorf("told %q", told)
	}
}

// TestStepsAtHome: without a recipe, or with an empty crew, the steps are computed in this
// process.
func TestStepsAtHome(t *testing.T) {
	nobody := crewFunc(func(ctx context.Context, _ string, w Shared) error {
		w.Staff(0, "")
		<-ctx.Done()
		return nil
	})
	for _, from := range []*Recipe{nil, {Kind: "chain"}} {
		c := &chain{}
		s := c.session().(Whole[int])
		s.From = from
		if err := do(t.Context(), "j1", s, Here{Crew: nobody}, nil); err != nil || c.here != 12 || c.home != 2 {
			t.Errorf("%d pieces, %d at home: %v", c.here, c.home, err)
		}
	}
}

// TestReplay: a replay ends with its context or on Close, whether its work is at a step, before
// it or finished; work that fails, panics or has fewer steps returns an error.
func TestReplay(t *testing.T) {
	waits := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for _, test := range []struct {
		name   string
		work   func(ctx context.Context) error
		before []Bodies
		want   string
	}{
		{"at a step", (&chain{}).run, nil, ""},
		{"fails", func(context.Context) error { return io.ErrUnexpectedEOF }, nil, "unexpected EOF"},
		{"crashes", func(context.Context) error { panic("out of range") }, nil, "panic: out of range"},
		{"no steps", func(context.Context) error { return nil }, nil, "0 steps and no further"},
		{"other answers", (&chain{}).run, []Bodies{{[]float64{1}}}, "has 1 answers, want 5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewReplay(t.Context(), test.work)
			_, err := r.Stage(test.before)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	r := NewReplay(ctx, waits)
	ended := make(chan error)
	go func() {
		_, err := r.Stage(nil)
		ended <- err
	}()
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v after the context ended", err)
	}
	if err := NewReplay(t.Context(), waits).Close(); err != nil { // never started
		t.Error(err)
	}
}
