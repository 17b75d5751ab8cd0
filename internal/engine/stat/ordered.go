package stat

import "math"

// distances sums the distances of the answers from the true classes and their
// squares over answered rows.
func (c *Classes) distances() (sum, squares float64) {
	for i, row := range c.Confusion {
		for j, count := range row {
			d := math.Abs(float64(i - j))
			sum += d * float64(count)
			squares += d * d * float64(count)
		}
	}
	return sum, squares
}

// meanError is the mean absolute error in classes, with the normal interval of a
// mean cut at 0.
func meanError(_ Answers, c *Classes) Estimate {
	sum, squares := c.distances()
	n := float64(c.Answered)
	mae := sum / n
	e := normal(mae, math.Sqrt(max(0, squares/n-mae*mae)/(n-1)))
	if e.Low != nil {
		*e.Low = max(0, *e.Low)
	}
	return e
}

// kappa is Cohen's kappa with weights (i−j)² (Cohen 1968). It does not exist where
// chance alone leaves no disagreement.
func kappa(_ Answers, c *Classes) Estimate {
	_, squares := c.distances()
	expected := 0.0
	for i := range c.PerClass {
		for j := range c.PerClass {
			d := float64(i - j)
			expected += d * d * float64(c.PerClass[i].Support) / float64(c.Answered) * float64(c.PerClass[j].Predicted)
		}
	}
	return Estimate{Value: finite(1 - squares/expected)}
}
