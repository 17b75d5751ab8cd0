package engine

import (
	"math"

	"taper/internal/engine/stat"
)

// beside judges the model, softmax regression and no predictors on the same
// folds.
func (b *bench) beside(c *ClassResult) {
	own, each := b.average(b.model)
	c.Metrics.Test, c.Cost = own, b.cost(each)
	c.Metrics.Train = b.measure(b.model.train, b.p.final.train())
	c.Metrics.Baselines = map[string]stat.Classes{}
	c.Beside = []ClassBeside{{ID: "model", Title: classWords(b.own.how, &b.spec), Cost: c.Cost, L2: &b.model.setting.l2,
		Metrics: own}}
	for _, other := range []struct {
		id, title string
		v         *verdicts
		l2        *float64
	}{{"logistic", "Softmax regression", b.plain, &b.plain.setting.l2}, {"null", "No predictors", b.null, nil}} {
		m, them := b.average(other.v)
		c.Metrics.Baselines[other.id] = m
		if other.v == b.model {
			continue
		}
		row := ClassBeside{ID: other.id, Title: other.title, Cost: b.cost(them), L2: other.l2, Metrics: m}
		row.Difference, row.DifferenceSE = b.difference(each[0], them[0])
		c.Beside = append(c.Beside, row)
	}
	c.Coverage = b.coverage(each[0])
}

// cost is the mean price over the repeats.
func (b *bench) cost(each []answers) float64 {
	label := pick(b.p.cohort.label, b.p.judged())
	total := 0.0
	for _, a := range each {
		total += b.own.prices.mean(a.class, label)
	}
	return total / float64(len(each))
}

// difference is the other's price minus the model's over the rows of the first
// repeat, and the standard error of that mean.
func (b *bench) difference(own, other answers) (mean, se *float64) {
	at := b.p.judged()
	total, squares, n := 0.0, 0.0, float64(len(at))
	for i, row := range at {
		k := b.p.cohort.label[row]
		d := b.own.prices.of(other.class[i], k) - b.own.prices.of(own.class[i], k)
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
