package metric

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Comparison compares model A with model B on the same rows.
type Comparison struct {
	AUC          AUCDifference  `json:"auc"`           // DeLong
	Brier        LossDifference `json:"brier"`         // paired bootstrap
	LogLoss      LossDifference `json:"log_loss"`      // so too
	IntervalLoss LossDifference `json:"interval_loss"` // so too; when the boundaries are the same
}

// LossDifference is a mean loss of two models; under 0, A loses less.
type LossDifference struct {
	A          *float64 `json:"a"`
	B          *float64 `json:"b"`
	Difference Estimate `json:"difference"` // a − b, percentile interval
	SE         *float64 `json:"se"`         // analytic, for independent rows
}

// Compare measures two models that were judged on the same rows: a and b hold
// the same events in the same order. The bootstrap draws rows of both at once.
func Compare(a, b Scores, d Draws) Comparison {
	a.check()
	b.check()
	if !slices.Equal(a.Event, b.Event) {
		panic("metric: the models are not judged on the same rows")
	}
	c := Comparison{AUC: CompareAUC(a.Score, b.Score, a.Event)}
	var pairs []*LossDifference
	var losses [][2][]float64
	if a.Probability != nil && b.Probability != nil {
		pairs = append(pairs, &c.Brier, &c.LogLoss)
		losses = append(losses,
			[2][]float64{squares(a.Probability, a.Event), squares(b.Probability, b.Event)},
			[2][]float64{logLosses(a.Probability, a.Event), logLosses(b.Probability, b.Event)})
	}
	if a.Band != nil && b.Band != nil && len(a.Pi) > 0 && slices.Equal(a.Pi, b.Pi) {
		pairs = append(pairs, &c.IntervalLoss)
		losses = append(losses, [2][]float64{bandLosses(a.Pi, a.Band, a.Event), bandLosses(b.Pi, b.Band, b.Event)})
	}
	differ(pairs, losses, d)
	return c
}

// PairedLoss compares the means of two losses of the same rows.
func PairedLoss(a, b []float64, d Draws) (l LossDifference) {
	sameLength(len(a), len(b))
	differ([]*LossDifference{&l}, [][2][]float64{{a, b}}, d)
	return l
}

// differ fills in the differences, all over the same draws.
func differ(to []*LossDifference, losses [][2][]float64, d Draws) {
	if len(losses) == 0 || len(losses[0][0]) == 0 {
		return
	}
	n := len(losses[0][0])
	diffs := make([][]float64, len(losses))
	for k, l := range losses {
		diffs[k] = floats.SubTo(make([]float64, n), l[0], l[1])
	}
	draws := d.run(n, len(diffs), func(rows []int) []float64 {
		sums := make([]float64, len(diffs))
		for k, v := range diffs {
			for _, i := range rows {
				sums[k] += v[i]
			}
			sums[k] /= float64(len(rows))
		}
		return sums
	})
	for k, l := range losses {
		low, high := Percentiles(draws[k])
		to[k].A, to[k].B = finite(stat.Mean(l[0], nil)), finite(stat.Mean(l[1], nil))
		to[k].Difference = estimate(stat.Mean(diffs[k], nil), low, high)
		to[k].SE = finite(stat.StdErr(stat.StdDev(diffs[k], nil), float64(n)))
	}
}
