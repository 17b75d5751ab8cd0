package stat

import (
	"math"
	"sort"
)

// NetBenefit is one point of a decision curve, in events per row. Predicting no events has the net benefit 0.
type NetBenefit struct {
	Threshold float64  `json:"threshold"`
	Model     Estimate `json:"model"`
	All       Estimate `json:"all"`
	Avoided   Estimate `json:"interventions_avoided_per_100"` // compared with predicting an event for all
}

// DecisionCurve returns at each threshold p_t the net benefit TP/n − FP/n·p_t/(1−p_t) of predicting an event
// for the rows above it (Vickers and Elkin 2006), that of predicting one for all rows, and the interventions
// avoided per 100 rows, 100·(NB − NB_all)·(1−p_t)/p_t, as dcurves defines them. A row at exactly p_t counts as
// below, as it does in the bands; dcurves counts it as above. Intervals are those of twoValued. It panics on a
// threshold outside [0, 1).
func DecisionCurve(p []float64, event []bool, thresholds []float64) []NetBenefit {
	below, belowEvents := ranked(p, event)
	n, events := float64(len(p)), float64(count(event))
	curve := make([]NetBenefit, len(thresholds))
	for i, t := range thresholds {
		if !(t >= 0 && t < 1) {
			panic("stat: a threshold is at least 0 and less than 1")
		}
		w := t / (1 - t)
		k := upTo(below, t)
		fn := float64(belowEvents[k])
		tn := float64(k) - fn
		tp, fp := events-fn, n-events-tn
		curve[i] = NetBenefit{Threshold: t,
			Model:   twoValued(n, tp, 1, fp, -w),
			All:     twoValued(n, events, 1, n-events, -w),
			Avoided: twoValued(n, tn, 100, fn, -100/w),
		}
	}
	return curve
}

// NetBenefitInterval names the intervals of a net benefit.
const NetBenefitInterval = MeanInterval + "; without a true or a false positive, square-and-add of Wilson limits"

// twoValued returns the mean of n values of which a equal u, b equal v and the rest 0, with its normal interval. With
// no a or no b the normal error would be that of the other value alone, as if the missing one could never occur: the
// interval is then squareAndAdd's. Where neither occurs nothing was seen of the mean, and there is none.
func twoValued(n, a, u, b, v float64) Estimate {
	if b == 0 && math.IsInf(v, 0) {
		v = 0 // −100/w at threshold 0
	}
	mean := (a*u + b*v) / n
	switch {
	case a == 0 && b == 0:
		return Estimate{Value: Finite(mean)}
	case (a == 0 || b == 0) && v != 0 && a+b == n: // one share tells the other
		return sumOfShares(v, share95{u - v, int(a), int(n)})
	case (a == 0 || b == 0) && v != 0:
		return sumOfShares(0, share95{u, int(a), int(n)}, share95{v, int(b), int(n)})
	}
	// The variance is taken about the mean: mean of squares minus square of the mean would leave rounding
	// errors of 1e-6 where all values are equal.
	about := a*(u-mean)*(u-mean) + b*(v-mean)*(v-mean) + (n-a-b)*mean*mean
	return normal(mean, math.Sqrt(about/n/(n-1)))
}

// share95 is a share k/n that enters a sum with a weight.
type share95 struct {
	weight float64
	k, n   int
}

// sumOfShares adds weighted shares to a number. Each adds to the squared distance of a limit the square of the
// distance to that Wilson limit which moves the sum the same way (Zou and Donner 2008).
func sumOfShares(sum float64, all ...share95) Estimate {
	below, above := 0.0, 0.0
	for _, s := range all {
		p := float64(s.k) / float64(s.n)
		low, high := Wilson(s.k, s.n)
		if s.weight < 0 {
			low, high = high, low
		}
		sum += s.weight * p
		below, above = math.Hypot(below, s.weight*(p-low)), math.Hypot(above, s.weight*(high-p))
	}
	return estimate(sum, sum-below, sum+above)
}

// ranked returns p sorted, and the number of events among the first k for every k.
func ranked(p []float64, event []bool) (sorted []float64, events []int) {
	sameLength(len(p), len(event))
	order := descending(p)
	n := len(p)
	sorted, events = make([]float64, n), make([]int, n+1)
	for i := range order {
		row := order[n-1-i]
		sorted[i] = p[row]
		events[i+1] = events[i]
		if event[row] {
			events[i+1]++
		}
	}
	return sorted, events
}

// upTo returns the number of sorted values ≤ t.
func upTo(sorted []float64, t float64) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] > t })
}

// lessThan returns the number of sorted values < t.
func lessThan(sorted []float64, t float64) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] >= t })
}
