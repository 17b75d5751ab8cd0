package linear

import (
	"context"
	"errors"
	"testing"
	"time"

	"taper/internal/engine/loss"
	"taper/internal/testtime"
)

// promptly is the most processor time that a cancelled fit may use: 500 ms, plus room for
// shared caches and the race detector.
const promptly = 2 * time.Second

// TestCancelLargest cancels every kind of fit of the largest survey at moments within each of
// its stages.
func TestCancelLargest(t *testing.T) {
	testtime.TwoCores(t)
	if testing.Short() {
		t.Skip("takes 300 MB and some seconds")
	}
	x := passMatrix()
	y := make([]float64, x.Rows)
	for i := range y {
		y[i] = -1
		if i%7 == 0 || x.Row(i)[1] > 1 {
			y[i] = 1
		}
	}
	fits := map[string]func(context.Context) error{
		"logistic": func(ctx context.Context) error {
			_, err := Logistic(ctx, x, y, nil, 1e-9, LogisticOptions{GradTol: 1e-300, MaxIter: 1e9})
			return err
		},
		"tempered": func(ctx context.Context) error {
			_, _, err := Margin(ctx, x, y, nil, loss.Tempered{T1: .3, T2: 1.7}, 1e-9, MarginOptions{Random: 1000, Only: []string{"random"}})
			return err
		},
		"interval": func(ctx context.Context) error { // of so many λ that it does not end before it is cancelled
			l2s := make([]float64, 1000)
			for i := range l2s {
				l2s[i] = 1e-9
			}
			_, err := IntervalPath(ctx, x, y, nil, quartiles, l2s, IntervalOptions{})
			return err
		},
		"subgradient": func(ctx context.Context) error {
			_, err := Interval(ctx, x, y, nil, quartiles, 1e-9, IntervalOptions{Solver: SolverSubgradient})
			return err
		},
		"t-logistic": func(ctx context.Context) error {
			_, err := TLogistic(ctx, x, y, nil, 1.9, 1e-3, TOptions{Random: 1000})
			return err
		},
		"t-logistic by cmp": func(ctx context.Context) error {
			_, err := TLogistic(ctx, x, y, nil, 1.9, 1e-3, TOptions{Solver: SolverCMP})
			return err
		},
	}
	for name, fit := range fits {
		for _, after := range []time.Duration{20 * time.Millisecond, 400 * time.Millisecond} {
			ctx, cancel := context.WithCancel(context.Background())
			stopped := make(chan time.Duration, 1)
			time.AfterFunc(after, func() { stopped <- testtime.Spent(); cancel() })
			err := fit(ctx)
			late := testtime.Spent() - <-stopped
			if !errors.Is(err, context.Canceled) || late > promptly {
				t.Errorf("%s: %v, %v after the cancel", name, err, late)
			}
			t.Logf("%s, cancelled after %v: returned %v later", name, after, late.Round(time.Millisecond))
		}
	}
}
