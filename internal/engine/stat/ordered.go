package stat

import "math"

// ordered fills in what the order of the classes defines: the mean absolute
// error in classes, and Cohen's kappa with weights (i−j)² (Cohen 1968). Kappa
// does not exist where chance alone leaves no disagreement.
func (c *Classes) ordered() {
	var n, sum, sum2, expected float64
	n = float64(c.Answered)
	for i, row := range c.Confusion {
		for j, count := range row {
			d := math.Abs(float64(i - j))
			sum += d * float64(count)
			sum2 += d * d * float64(count)
			expected += d * d * float64(c.PerClass[i].Support) / n * float64(c.PerClass[j].Predicted)
		}
	}
	mae := sum / n
	se := math.Sqrt(max(0, sum2/n-mae*mae) / (n - 1))
	e := normal(mae, se)
	c.MAE, c.MAELow, c.MAEHigh = e.Value, e.Low, e.High
	if c.MAELow != nil {
		*c.MAELow = max(0, *c.MAELow)
	}
	c.Kappa = finite(1 - sum2/expected)
}

// abstention fills in the loss of a model that may abstain: 1 for a wrong
// answer, cost for none (math.md §7.4).
func (c *Classes) abstention(cost float64) {
	right := 0
	for k := range c.Confusion {
		right += c.Confusion[k][k]
	}
	n, abstained := float64(c.N), float64(c.N-c.Answered)
	c.AbstentionRate = finite(abstained / n)
	c.AbstentionLoss = finite((float64(c.Answered-right) + cost*abstained) / n)
}
