package task

import (
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// Cost is what each answer costs where a class is true, answers × classes. Answers
// of classes are the classes, then none where a model may abstain: the mean over
// held-out rows is the error rate, the mean absolute error, the abstention loss or
// the mean of an own matrix. Answers of an event are bands, and the mean is the
// theoretical loss ℓ_π (docs/math.md, Interval classification).
type Cost [][]float64

// Bands is the cost of the bands that boundaries make of the risk of an event.
func Bands(iv loss.Interval) Cost {
	c := make(Cost, len(iv.Pi)+1)
	for band := range c {
		c[band] = []float64{iv.Theory(-1, band), iv.Theory(1, band)}
	}
	return c
}

// Classes is the number of classes.
func (c Cost) Classes() int { return len(c[0]) }

// Abstains reports whether no answer is one.
func (c Cost) Abstains() bool { return len(c) > c.Classes() }

// Abstention is the mean cost of no answer over the classes, 0 where every row
// gets one.
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

// Of is the cost of calling a class, or none (stat.Abstained).
func (c Cost) Of(called, class int) float64 {
	if called == stat.Abstained {
		called = c.Classes()
	}
	return c[called][class]
}

// Mean is the mean cost of calls.
func (c Cost) Mean(called, classes []int) float64 {
	total := 0.0
	for i, a := range called {
		total += c.Of(a, classes[i])
	}
	return total / float64(len(called))
}

// Least is the call of the least expected cost under probabilities, the first of
// equals: the likeliest class, the median of ordered ones, or none (Chow 1970).
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

// called is the class of an answer, or none.
func (c Cost) called(answer int) int {
	if answer >= c.Classes() {
		return stat.Abstained
	}
	return answer
}

// classCost is a cost of k classes by how far the call is from the class, or the
// matrix that the spec gives its loss.
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
