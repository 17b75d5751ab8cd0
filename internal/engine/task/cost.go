package task

import (
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// Cost is a cost matrix, answers × classes: the cost of each answer given the true class.
// Answers are the classes, plus abstention where allowed; the mean over held-out rows is then
// the error rate, the mean absolute error, the abstention loss or the mean of a custom matrix.
// With an event, answers are bands and the mean is the interval loss ℓ_π (docs/math.md,
// Interval classification).
type Cost [][]float64

// Bands is the cost matrix of the risk bands between the boundaries.
func Bands(iv loss.Interval) Cost {
	c := make(Cost, len(iv.Pi)+1)
	for band := range c {
		c[band] = []float64{iv.Theory(-1, band), iv.Theory(1, band)}
	}
	return c
}

// Classes is the number of classes.
func (c Cost) Classes() int { return len(c[0]) }

// Abstains reports whether abstention is an answer.
func (c Cost) Abstains() bool { return len(c) > c.Classes() }

// Abstention is the cost of abstaining, averaged over the classes; 0 if it is not allowed.
func (c Cost) Abstention() float64 {
	if !c.Abstains() {
		return 0
	}
	sum := 0.0
	for _, v := range c[c.Classes()] {
		sum += v
	}
	return sum / float64(c.Classes())
}

// Of is the cost of predicting a class, or of abstaining (stat.Abstained).
func (c Cost) Of(called, class int) float64 {
	if called == stat.Abstained {
		called = c.Classes()
	}
	return c[called][class]
}

// Mean is the mean cost of predictions.
func (c Cost) Mean(called, classes []int) float64 {
	total := 0.0
	for i, a := range called {
		total += c.Of(a, classes[i])
	}
	return total / float64(len(called))
}

// Least is the prediction with the lowest expected cost under p, the first of equals: the most
// probable class, the median of ordered classes, or abstention (Chow 1970).
func (c Cost) Least(p []float64) int {
	answer, least := 0, math.Inf(1)
	for a, row := range c {
		expected := 0.0
		for k, price := range row {
			expected += price * p[k]
		}
		if expected < least-1e-12 {
			answer, least = a, expected
		}
	}
	return c.called(answer)
}

// called is the class of an answer, or stat.Abstained.
func (c Cost) called(answer int) int {
	if answer >= c.Classes() {
		return stat.Abstained
	}
	return answer
}

// classCost is a k-class cost matrix from a function of prediction and class, or the matrix
// that the spec gives its loss.
func classCost(how fit.Method, k int, of func(call, class int) float64) Cost {
	if own := how.Costs(); own != nil {
		return own
	}
	c := make(Cost, k)
	for a := range c {
		c[a] = make([]float64, k)
		for class := range c[a] {
			c[a][class] = of(a, class)
		}
	}
	return c
}
