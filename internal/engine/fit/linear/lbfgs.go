package linear

import (
	"fmt"

	"gonum.org/v1/gonum/optimize"
)

// LBFGS minimises a smooth function from a point by gonum's L-BFGS, step by step on the calling goroutine.
// (optimize.Minimize hands every evaluation over to another one and back, which takes as long as an evaluation over a
// thousand rows.)
type LBFGS struct {
	Value    func(p []float64) float64
	Gradient func(dst, p []float64)
	Yield    func() error // called after each evaluation; an error ends the run
	// Reached is called with the start and with the point after each iteration; true ends the run.
	Reached func(p, grad []float64, iteration int) bool
	Most    int // largest number of iterations, the start counted as one
}

// lbfgsStore is the number of pairs of steps and gradients kept by L-BFGS.
const lbfgsStore = 10

// Run moves point to where it ended and returns the number of iterations, with the error of a step that did not
// succeed. If the function or its gradient overflows at the start, the run ends at 0.
func (l *LBFGS) Run(point []float64) (iterations int, stalled, err error) {
	at := &optimize.Location{X: append([]float64(nil), point...), Gradient: make([]float64, len(point))}
	lines := &optimize.LinesearchMethod{NextDirectioner: &optimize.LBFGS{Store: lbfgsStore},
		Linesearcher: &optimize.Bisection{}}
	if err := l.Yield(); err != nil {
		return 0, nil, err
	}
	if err := l.evaluate(at, optimize.FuncEvaluation|optimize.GradEvaluation); err != nil {
		return 0, nil, err
	}
	for _, v := range append([]float64{at.F}, at.Gradient...) {
		if v-v != 0 {
			clear(point)
			return 0, fmt.Errorf("the function or its gradient is %v at the start", v), nil
		}
	}
	for op := optimize.MajorIteration; stalled == nil; {
		if op == optimize.MajorIteration {
			iterations++
			copy(point, at.X)
			if iterations >= l.Most || l.Reached(at.X, at.Gradient, iterations) {
				return iterations, nil, nil
			}
		} else if err := l.evaluate(at, op); err != nil {
			return iterations, nil, err
		}
		if op == optimize.MajorIteration && iterations == 1 {
			op, stalled = lines.Init(at)
		} else {
			op, stalled = lines.Iterate(at)
		}
	}
	return iterations, stalled, nil
}

func (l *LBFGS) evaluate(at *optimize.Location, op optimize.Operation) error {
	if op&optimize.FuncEvaluation != 0 {
		at.F = l.Value(at.X)
	}
	if op&optimize.GradEvaluation != 0 {
		l.Gradient(at.Gradient, at.X)
	}
	return l.Yield()
}
