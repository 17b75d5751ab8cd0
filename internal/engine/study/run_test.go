package study

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/job"
)

// grids are small studies of every kind of source and noise.
func grids() map[string]Spec {
	linear := fit.Spec{Kind: "linear", Loss: "alpha", Params: map[string]any{"alpha": 3.0}, L2: fit.L2{Value: 1e-3}}
	tuned := fit.Spec{Kind: "linear", Loss: "logistic"}
	trees := fit.Spec{Kind: "boost", Loss: "alpha", Params: map[string]any{"alpha": 0.5}, Rounds: 10}
	return map[string]Spec{
		"flips":    {Seed: 3, Dataset: Source{Generator: "long-servedio", Rows: 200}, Models: []fit.Spec{linear, tuned, trees}, Noise: Noise{Rates: []float64{0, 0.2}}, Replicates: 3},
		"instance": {Seed: 4, Dataset: Source{Generator: "moons", Rows: 100}, Models: []fit.Spec{tuned}, Noise: Noise{Kind: "instance", Rates: []float64{0.3}}, Replicates: 4, Metric: "auc"},
		"margin":   {Seed: 5, Dataset: Source{Generator: "gmm", Rows: 150}, Models: []fit.Spec{linear, trees}, Noise: Noise{Kind: "large-margin", Rates: []float64{0.1}}, Replicates: 2, Metric: "brier"},
	}
}

func mustPlan(t *testing.T, s Spec) Plan {
	t.Helper()
	p, err := NewPlan(nil, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sitting computes the units of a plan that are not done.
func sitting(ctx context.Context, p Plan, done Values, commit func(Unit, []float64) error,
	report func(job.Progress)) (values Values, err error) {
	var keep func([]Committed) error
	if commit != nil {
		keep = func(units []Committed) error {
			for _, u := range units {
				if err := commit(u.Unit, u.Values); err != nil {
					return err
				}
			}
			return nil
		}
	}
	err = job.Do(ctx, &Session{Plan: p, Done: done, Commit: keep, Finish: func(_ context.Context, all Values) error {
		values = all
		return nil
	}}, report)
	return values, err
}

func mustRun(t *testing.T, p Plan, done Values) Values {
	t.Helper()
	v, err := sitting(t.Context(), p, done, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRunRepeats: the same bits on one core and more, in any order, and after
// an interruption with the plan built again.
func TestRunRepeats(t *testing.T) {
	for name, s := range grids() {
		t.Run(name, func(t *testing.T) {
			want := mustRun(t, mustPlan(t, s), nil)

			old := runtime.GOMAXPROCS(1)
			alone := mustRun(t, mustPlan(t, s), nil)
			runtime.GOMAXPROCS(4)
			backwards := mustPlan(t, s)
			slices.Reverse(backwards.Units)
			turned := mustRun(t, backwards, nil)
			runtime.GOMAXPROCS(old)
			same(t, "one core", alone, want)
			same(t, "backwards on four", turned, want)
			same(t, "resumed", interrupted(t, s), want)

			other := s
			other.Seed++
			if reflect.DeepEqual(mustRun(t, mustPlan(t, other), nil), want) {
				t.Error("another seed gives the same numbers")
			}
		})
	}
}

func same(t *testing.T, what string, got, want Values) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d units, want %d", what, len(got), len(want))
	}
	for id, v := range want {
		for i := range v {
			if len(got[id]) != len(v) || math.Float64bits(got[id][i]) != math.Float64bits(v[i]) && !(math.IsNaN(v[i]) && math.IsNaN(got[id][i])) {
				t.Errorf("%s: unit %s is %v, want %v", what, id, got[id], v)
				break
			}
		}
	}
}

// interrupted cancels after each single commit and goes on until all is done.
func interrupted(t *testing.T, s Spec) Values {
	done := Values{}
	for range 100 {
		p := mustPlan(t, s)
		ctx, stop := context.WithCancel(t.Context())
		computed := 0
		v, err := sitting(ctx, p, done, func(u Unit, values []float64) error {
			if _, again := done[u.ID]; again {
				t.Errorf("unit %s ran again", u.ID)
			}
			done[u.ID], computed = slices.Clone(values), computed+1
			stop()
			return nil
		}, nil)
		stop()
		if err == nil {
			return v
		}
		if !errors.Is(err, context.Canceled) || computed > 1 {
			t.Fatalf("%v after %d units", err, computed)
		}
	}
	t.Fatal("never done")
	return nil
}

func sleeper(id string, d time.Duration) Unit {
	return Unit{ID: id, Kind: "sleep", Keys: []Key{{Model: id}}, Run: func(ctx context.Context) ([]float64, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(d):
			return []float64{1}, nil
		}
	}}
}

func TestRunCancels(t *testing.T) {
	p := Plan{Units: []Unit{sleeper("a", time.Hour), sleeper("b", time.Hour), sleeper("c", time.Hour)}}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	_, err := Run(ctx, p) // one that does not stop sleeps for an hour
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestRunFails(t *testing.T) {
	bad := errors.New("disk full")
	p := Plan{Units: []Unit{sleeper("a", 0), sleeper("b", time.Hour)}}
	if _, err := sitting(t.Context(), p, nil, func(Unit, []float64) error { return bad }, nil); !errors.Is(err, bad) {
		t.Errorf("commit: %v", err)
	}
	p.Units[0].Run = func(context.Context) ([]float64, error) { return nil, bad }
	if _, err := Run(t.Context(), p); !errors.Is(err, bad) || !strings.Contains(err.Error(), "unit a") {
		t.Errorf("unit: %v", err)
	}
	p.Units[0].Run = func(context.Context) ([]float64, error) { panic("index out of range") }
	if _, err := Run(t.Context(), p); err == nil || !strings.Contains(err.Error(), "panic: index out of range") {
		t.Errorf("panic: %v", err)
	}
}

// TestRunBigFirst: with one worker units start by weight, equals as planned.
func TestRunBigFirst(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var mu sync.Mutex
	var order []string
	var p Plan
	for id, w := range map[string]float64{"small": 0, "big": 9, "middle": 4} {
		u := sleeper(id, 0)
		u.Weight, u.Run = w, func(context.Context) ([]float64, error) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, id)
			return []float64{0}, nil
		}
		p.Units = append(p.Units, u)
	}
	mustRun(t, p, nil)
	if !slices.Equal(order, []string{"big", "middle", "small"}) {
		t.Error(order)
	}
}

// TestRunProgress: it grows from the units already there to all.
func TestRunProgress(t *testing.T) {
	p := Plan{Units: []Unit{sleeper("a", 0), sleeper("b", 0), sleeper("c", 0), sleeper("d", 0)}}
	var told []job.Progress
	_, err := sitting(t.Context(), p, Values{"b": {1}, "c": {1, 2}}, nil, func(p job.Progress) { told = append(told, p) })
	if err != nil {
		t.Fatal(err)
	}
	first, last := told[0], told[len(told)-1]
	if first.Message != "1 of 4 jobs" || first.Fraction != 0.25 || first.ETA != 0 {
		t.Errorf("first %+v", first) // c's values are of another plan
	}
	if last.Message != "4 of 4 jobs" || last.Fraction != 1 || last.ETA != 0 {
		t.Errorf("last %+v", last)
	}
}
