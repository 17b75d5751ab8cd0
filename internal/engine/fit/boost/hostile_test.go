package boost

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/usererr"
	"taper/internal/testtime"
)

// TestHostile: awkward data and weights give finite numbers or an error in words, at every α
// and by every rule.
func TestHostile(t *testing.T) {
	spoil := map[string]func(i int, c float64) float64{
		"plain": func(_ int, c float64) float64 { return c }, "huge": func(_ int, c float64) float64 { return 1e99 * c },
		"too large": func(_ int, c float64) float64 { return 1e200 * c }, "denormal": func(i int, _ float64) float64 { return 5e-324 * float64(i%3) },
		"constant": func(int, float64) float64 { return 7 }, "infinite": func(i int, c float64) float64 { return [2]float64{c, math.Inf(1)}[i%31/30] },
		"neighbours": func(i int, _ float64) float64 { return math.Nextafter(1, float64(i%2)*2) }, "both zeros": func(i int, _ float64) float64 { return math.Copysign(0, float64(i%2)-.5) },
	}
	weights := map[string]func(i int) float64{"one": func(int) float64 { return 1 }, "huge": func(int) float64 { return 1e307 }, "tiny": func(int) float64 { return 1e-320 },
		"no": func(int) float64 { return 0 }, "steep": func(i int) float64 { return math.Pow(10, float64(i*7%600-300)) }}
	for kind, cell := range spoil {
		r := rand.New(rand.NewPCG(4, 1))
		x, y := gaussian(r, 60, 3)
		y = flip(r, y, .1)
		for i, c := range x.Data {
			x.Data[i] = cell(i, c)
		}
		for heavy, weight := range weights {
			v := make([]float64, len(y))
			for i := range v {
				v[i] = weight(i)
			}
			for _, alpha := range []float64{1e-3, .5, 1, 8, math.Inf(1)} {
				for _, rule := range []string{HalfLog, AlphaLog, LineSearch} {
					for _, depth := range []int{1, 3} {
						o := Options{Alpha: alpha, Rule: rule, Depth: depth, Rounds: 30}
						if o.Check() == nil {
							m, err := Fit(context.Background(), x, y, v, o)
							sane(t, fmt.Sprintf("%s, %s weights, α = %v, %s, depth %d", kind, heavy, alpha, rule, depth), m, x, err)
						}
					}
				}
			}
		}
	}
}

// sane fails on a model with non-finite numbers and on an error that is not a sentence for the
// user.
func sane(t *testing.T, name string, m *Model, x linear.Matrix, err error) {
	t.Helper()
	if err != nil {
		if !usererr.Is(err, usererr.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	if err := m.Check(); err != nil || m.Objective-m.Objective != 0 {
		t.Errorf("%s: objective %v, %v", name, m.Objective, err)
	}
	for i := range x.Rows {
		if h := m.Score(x.Row(i)); h-h != 0 {
			t.Errorf("%s: row %d has the score %v", name, i, h)
			return
		}
	}
}

// TestCancelLargest cancels fits of the largest survey during the sort of the columns, the
// longest phase without a check. A fit must end within 500 ms on an idle machine; the limit
// here leaves room for other processes.
func TestCancelLargest(t *testing.T) {
	testtime.TwoCores(t)
	if testing.Short() {
		t.Skip("takes 700 MB and some seconds")
	}
	r := rand.New(rand.NewPCG(4, 2))
	x := linear.Matrix{Rows: 864_154, Cols: 42}
	x.Data = make([]float64, x.Rows*x.Cols)
	for i := range x.Data {
		x.Data[i] = float64(r.IntN(1 << 20))
	}
	y := make([]float64, x.Rows)
	for i := range y {
		y[i] = float64(2*r.IntN(2) - 1)
	}
	for _, depth := range []int{1, 4} {
		for _, after := range []time.Duration{100 * time.Millisecond, time.Second} {
			ctx, cancel := context.WithCancel(context.Background())
			stopped := make(chan time.Duration, 1)
			time.AfterFunc(after, func() { stopped <- testtime.Spent(); cancel() })
			_, err := Fit(ctx, x, y, nil, Options{Depth: depth, Rounds: MaxRounds})
			late := testtime.Spent() - <-stopped
			if !errors.Is(err, context.Canceled) || late > 2*time.Second {
				t.Errorf("depth %d: %v, %v after the cancel", depth, err, late)
			}
			t.Logf("depth %d, cancelled after %v: returned %v later", depth, after, late.Round(time.Millisecond))
		}
	}
}
