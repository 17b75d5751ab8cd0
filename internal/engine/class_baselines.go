package engine

import (
	"math"

	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// beside judges the model, softmax regression and no predictors on the same
// folds.
func (b *classRun) beside(c *ClassResult) {
	own := b.average(b.model)
	c.Metrics.Test, c.Cost = own, b.meanCost(b.model)
	c.Metrics.Train = b.measure(b.model.train, b.p.final.train())
	c.Metrics.Baselines = map[string]stat.Classes{}
	c.Beside = []ClassBeside{{ID: "model", Title: classWords(b.how, &b.spec), Cost: c.Cost, L2: &b.model.setting.L2,
		Metrics: own}}
	for _, other := range []struct {
		id, title string
		v         readings
		l2        *float64
	}{{"logistic", "Softmax regression", b.plain, &b.plain.setting.L2}, {"null", "No predictors", b.null, nil}} {
		m := b.average(other.v)
		c.Metrics.Baselines[other.id] = m
		if other.v.assessment == b.model.assessment {
			continue
		}
		row := ClassBeside{ID: other.id, Title: other.title, Cost: b.meanCost(other.v), L2: other.l2, Metrics: m}
		row.Difference, row.DifferenceSE = b.difference(b.model.repeat[0], other.v.repeat[0])
		c.Beside = append(c.Beside, row)
	}
	c.Coverage = b.coverage(b.model.repeat[0])
}

// meanCost is the mean cost over the repeats.
func (b *classRun) meanCost(v readings) float64 {
	label := pick(b.p.cohort.label, b.p.judged())
	total := 0.0
	for _, a := range v.repeat {
		total += b.cost.Mean(a.Class, label)
	}
	return total / float64(len(v.repeat))
}

// difference is the other's price minus the model's over the rows of the first
// repeat, and the standard error of that mean.
func (b *classRun) difference(own, other task.Answers) (mean, se *float64) {
	at := b.p.judged()
	total, squares, n := 0.0, 0.0, float64(len(at))
	for i, row := range at {
		k := b.p.cohort.label[row]
		d := b.cost.Of(other.Class[i], k) - b.cost.Of(own.Class[i], k)
		total += d
		squares += d * d
	}
	diff := total / n
	if n < 2 {
		return &diff, nil
	}
	err := math.Sqrt(max(squares/n-diff*diff, 0) / (n - 1))
	return &diff, &err
}
