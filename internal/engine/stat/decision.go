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
const NetBenefitInterval = "square-and-add of Wilson limits"

// twoValued returns the mean of n values of which a equal u, b equal v and the rest 0. Its limits are found from those
// of the two shares (MOVER; Zou and Donner 2008), which belong to the same rows and are therefore correlated: a normal
// interval would have no error for a value that did not occur, and far too small a one for a value that is rare and
// large, as a false positive is at a high threshold. Where neither occurs nothing was seen of the mean, and there is
// no interval.
func twoValued(n, a, u, b, v float64) Estimate {
	if b == 0 && math.IsInf(v, 0) {
		v = 0 // −100/w at threshold 0
	}
	mean := (a*u + b*v) / n
	if a == 0 && b == 0 {
		return Estimate{Value: Finite(mean)}
	}
	correlation := -math.Sqrt(a * b / ((n - a) * (n - b)))
	if a+b == n { // also where one of the two is 0
		correlation = -1
	}
	if u*v < 0 {
		correlation = -correlation
	}
	one, other := weighted(u, a, n), weighted(v, b, n)
	return estimate(mean, mean-together(one.below, other.below, correlation),
		mean+together(one.above, other.above, correlation))
}

// spread is how far the Wilson limits of a share, times a weight, are from it.
type spread struct{ below, above float64 }

func weighted(weight, k, n float64) spread {
	low, high := Wilson(int(k), int(n))
	s := spread{weight * (k/n - low), weight * (high - k/n)}
	if weight < 0 {
		s.below, s.above = -s.above, -s.below
	}
	return s
}

// together is the distance of a limit of a sum from it, of those of its two parts.
func together(a, b, correlation float64) float64 {
	return math.Sqrt(max(0, a*a+b*b+2*correlation*a*b))
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
