package linear

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/optimize"
)

// TestLBFGS: a run visits the points of optimize.Minimize, to the last bit, and ends where that ends: at the gradient
// asked for, after the largest number of iterations, without progress, or at 0 from a start that overflows.
func TestLBFGS(t *testing.T) {
	rosenbrock := func(p []float64) float64 {
		a, b := 1-p[0], p[1]-p[0]*p[0]
		return a*a + 100*b*b
	}
	valley := func(dst, p []float64) {
		b := p[1] - p[0]*p[0]
		dst[0], dst[1] = -2*(1-p[0])-400*p[0]*b, 200*b
	}
	wall := func(p []float64) float64 { // infinite beyond 2
		if p[0] > 2 {
			return math.Inf(1)
		}
		return -p[0] + p[1]*p[1]
	}
	slope := func(dst, p []float64) { dst[0], dst[1] = -1, 2*p[1] }
	for name, c := range map[string]struct {
		value    func(p []float64) float64
		gradient func(dst, p []float64)
		start    []float64
		tol      float64
		most     int
	}{
		"gradient":    {rosenbrock, valley, []float64{-1.2, 1}, 1e-6, 1000},
		"one step":    {rosenbrock, valley, []float64{-1.2, 1}, 1e-6, 1},
		"seven steps": {rosenbrock, valley, []float64{-1.2, 1}, 1e-6, 7},
		"at once":     {rosenbrock, valley, []float64{1, 1}, 1e-6, 1000},
		"no progress": {rosenbrock, valley, []float64{3, -4}, 0, 1000},
		"a wall":      {wall, slope, []float64{0, 1}, 1e-6, 1000},
		"overflow":    {wall, slope, []float64{3, 1}, 1e-6, 1000},
	} {
		reached := errors.New("reached")
		var want, got [][]float64
		record := recorder(func(l *optimize.Location, op optimize.Operation) error {
			if op != optimize.MajorIteration {
				return nil
			}
			want = append(want, slices.Clone(l.X))
			if MaxNorm(l.Gradient) <= c.tol {
				return reached
			}
			return nil
		})
		peer, peerErr := optimize.Minimize(optimize.Problem{Func: c.value, Grad: c.gradient}, c.start,
			&optimize.Settings{Recorder: record, Converger: optimize.NeverTerminate{}, MajorIterations: c.most},
			&optimize.LBFGS{Store: lbfgsStore, GradStopThreshold: math.NaN()})
		run := LBFGS{Value: c.value, Gradient: c.gradient, Yield: func() error { return nil }, Most: c.most,
			Reached: func(p, grad []float64, iteration int) bool {
				got = append(got, slices.Clone(p))
				if iteration != len(got) {
					t.Errorf("%s: iteration %d is reported as %d", name, len(got), iteration)
				}
				return MaxNorm(grad) <= c.tol
			}}
		point := slices.Clone(c.start)
		iterations, stalled, err := run.Run(point)
		if err != nil || !slices.Equal(point, peer.X) || iterations != peer.MajorIterations {
			t.Errorf("%s: %v after %d iterations (%v), want %v after %d", name, point, iterations, err, peer.X, peer.MajorIterations)
		}
		if (stalled != nil) != (peerErr != nil && !errors.Is(peerErr, reached)) {
			t.Errorf("%s: ended by %v, want %v", name, stalled, peerErr)
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: visits %v, want %v", name, got, want)
		}
	}
	cause, left := errors.New("cancelled"), 0
	for ; left < 40; left++ {
		looks := left
		run := LBFGS{Value: rosenbrock, Gradient: valley, Most: 1000, Reached: func([]float64, []float64, int) bool { return false },
			Yield: func() error {
				if looks--; looks < 0 {
					return cause
				}
				return nil
			}}
		if _, _, err := run.Run([]float64{-1.2, 1}); err != cause {
			t.Errorf("cancelled after %d looks: %v", left, err)
		}
	}
}

// recorder is a function that optimize calls.
type recorder func(l *optimize.Location, op optimize.Operation) error

func (recorder) Init() error { return nil }

func (r recorder) Record(l *optimize.Location, op optimize.Operation, _ *optimize.Stats) error {
	return r(l, op)
}
