package stat

import (
	"context"
	"math"
	"slices"
)

// Cutoff is where a score is cut for a boundary: rows above Value count as above the boundary.
type Cutoff struct {
	Boundary float64  `json:"boundary"`
	Value    float64  `json:"value"`
	Low      *float64 `json:"ci_low"` // 95 %, percentiles of a bootstrap; null without draws
	High     *float64 `json:"ci_high"`
	// Beyond says that no observed score lies on one side: "above" where every row stays below the cut-off,
	// "below" where none does.
	Beyond string `json:"beyond,omitempty"`
}

// Where a cut-off parts no rows.
const (
	BeyondAbove = "above"
	BeyondBelow = "below"
)

// Cutter finds the cut-offs of one score: its distinct values, and which of them each row has.
type Cutter struct {
	value  []float64
	of     []int
	event  []bool
	weight []float64
}

// NewCutter takes finite scores that rise with the risk, and the weights of the rows; nil is 1 each.
func NewCutter(score []float64, event []bool, weight []float64) Cutter {
	sameLength(len(score), len(event))
	c := Cutter{value: slices.Clone(score), of: make([]int, len(score)), event: event, weight: weight}
	sortFloats(c.value)
	c.value = slices.Compact(c.value)
	for i, s := range score {
		c.of[i], _ = slices.BinarySearch(c.value, s)
	}
	return c
}

// Cut returns for each boundary π the cut-off that minimises the mean of (1 − π)·1{event, score ≤ c} +
// π·1{no event, score > c} over the rows: the empirical interval loss at that boundary. The minima for all
// boundaries at once are where the isotonic fit of the event on the score passes π: every run of values before
// a block of that fit has a rate of at most π wherever the block has, so that no other cut-off costs less
// (Barlow, Bartholomew, Bremner and Brunk 1972; Zadrozny and Elkan 2002). They rise with π because the fit
// does. Between two values a cut-off is their midpoint; beyond the last one it is half a step away.
func (c Cutter) Cut(rows []int, pi []float64) []float64 {
	type block struct {
		events, weight float64
		first, last    int // of the values
	}
	blocks := make([]block, len(c.value))
	for k := range blocks {
		blocks[k].first, blocks[k].last = k, k
	}
	add := func(i int) {
		w, b := 1.0, &blocks[c.of[i]]
		if c.weight != nil {
			w = c.weight[i]
		}
		if b.weight += w; c.event[i] {
			b.events += w
		}
	}
	if rows == nil {
		for i := range c.of {
			add(i)
		}
	}
	for _, i := range rows {
		add(i)
	}
	// Pool adjacent violators: a block swallows the one before while its rate is not higher.
	fit, n := blocks[:0:0], 0
	var seen []float64 // values with rows, ascending
	for _, b := range blocks {
		if b.weight == 0 {
			continue
		}
		seen = append(seen, c.value[b.first])
		b.first, b.last = n, n
		for n++; len(fit) > 0; fit = fit[:len(fit)-1] {
			p := fit[len(fit)-1]
			if p.events*b.weight < b.events*p.weight {
				break
			}
			b = block{p.events + b.events, p.weight + b.weight, p.first, b.last}
		}
		fit = append(fit, b)
	}
	cuts := make([]float64, len(pi))
	for k, p := range pi {
		at := slices.IndexFunc(fit, func(b block) bool { return b.events/b.weight > p })
		first := len(seen)
		if at >= 0 {
			first = fit[at].first
		}
		cuts[k] = between(seen, first)
	}
	return cuts
}

// between is a number below value i of ascending ones and above the one before.
func between(value []float64, i int) float64 {
	last := len(value) - 1
	switch {
	case last < 0:
		return 0
	case i > 0 && i <= last:
		mid := value[i-1] + (value[i]-value[i-1])/2
		if mid >= value[i] { // neighbours among the doubles
			mid = value[i-1]
		}
		return mid
	}
	half := 0.5
	if last > 0 && i == 0 {
		half = (value[1] - value[0]) / 2
	} else if last > 0 {
		half = (value[last] - value[last-1]) / 2
	}
	if i > 0 {
		return min(value[last]+half, math.MaxFloat64)
	}
	next := math.Nextafter(value[0], math.Inf(-1)) // where the half step is lost in rounding
	return max(min(value[0]-half, next), -math.MaxFloat64)
}

// Cutoffs are the cut-offs of all rows with the percentile intervals of draws. The minimiser of a step function
// settles at the rate n^(1/3) where a score is continuous, and the bootstrap is then too narrow (Abrevaya and
// Huang 2005): the intervals say how far a cut-off moves, not how likely it covers the best one.
func (c Cutter) Cutoffs(ctx context.Context, pi []float64, d Draws) ([]Cutoff, error) {
	drawn, err := d.run(ctx, len(c.of), len(pi), func(rows []int) []float64 { return c.Cut(rows, pi) })
	if err != nil {
		return nil, err
	}
	all := make([]Cutoff, len(pi))
	for k, v := range c.Cut(nil, pi) {
		low, high := Percentiles(drawn[k])
		all[k] = Cutoff{Boundary: pi[k], Value: v, Low: Finite(low), High: Finite(high)}
		switch n := len(c.value); {
		case n == 0:
		case v >= c.value[n-1]:
			all[k].Beyond = BeyondAbove
		case v < c.value[0]:
			all[k].Beyond = BeyondBelow
		}
	}
	return all, nil
}
