package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

var discrimination = []Statistic{
	{ID: "auc", Label: "AUC", Better: HigherBetter, Digits: 3, Averaged: true, Reveals: Nothing,
		Text: "Area under the ROC curve: the probability that an event scores higher than a non-event, ties count ½. " +
			"A model without predictors has ½.",
		Source: "DeLong, DeLong and Clarke-Pearson 1988", How: "DeLong",
		of: func(r *scored) Estimate { return estimate(AUC(r.Score, r.Event)) }},
}

// AUC returns the probability that an event scores higher than a non-event, ties counting ½, with DeLong's 95 %
// interval cut to [0, 1] (DeLong et al. 1988). Placements come from merging the two sorted classes, in O(n log
// n) like the midranks of Sun and Xu (2014). AUC is NaN when a class has no rows or a score is NaN. The
// interval needs two rows of each class and scores that differ; where the classes do not overlap, its width is
// 0.
func AUC(score []float64, event []bool) (auc, low, high float64) {
	sameLength(len(score), len(event))
	nan := math.NaN()
	x, y := split(score, event)
	if len(x) == 0 || len(y) == 0 || floats.HasNaN(score) {
		return nan, nan, nan
	}
	sortFloats(x)
	sortFloats(y)
	px, py := placements(x, y), placements(y, x)
	auc = stat.Mean(px, nil)
	if tied := x[0] == y[0] && x[len(x)-1] == x[0] && y[len(y)-1] == y[0]; tied || len(x) < 2 || len(y) < 2 {
		return auc, nan, nan
	}
	se := math.Sqrt(stat.Variance(px, nil)/float64(len(x)) + stat.Variance(py, nil)/float64(len(y)))
	e := normal(auc, se).within(0, 1)
	return auc, OrNaN(e.Low), OrNaN(e.High)
}

// placements returns for each value of a the share of b below it, ties counting ½. Both slices must be sorted.
func placements(a, b []float64) []float64 {
	p := make([]float64, len(a))
	below, upTo := 0, 0 // numbers of values with b < v and with b ≤ v
	for i, v := range a {
		for below < len(b) && b[below] < v {
			below++
		}
		for upTo < len(b) && b[upTo] <= v {
			upTo++
		}
		p[i] = float64(below+upTo) / float64(2*len(b))
	}
	return p
}

// split returns the scores of events and of non-events.
func split(score []float64, event []bool) (x, y []float64) {
	n := 0
	for _, e := range event {
		if e {
			n++
		}
	}
	x, y = make([]float64, 0, n), make([]float64, 0, len(event)-n)
	for i, s := range score {
		if event[i] {
			x = append(x, s)
		} else {
			y = append(y, s)
		}
	}
	return x, y
}
