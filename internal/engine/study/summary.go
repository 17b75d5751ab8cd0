package study

import (
	"math"

	"taper/internal/engine/stat"
)

// Cell summarises the replicates of one key. Numbers that do not exist are nil.
type Cell struct {
	Key
	N          int        `json:"n"` // number of values that exist
	Mean       *float64   `json:"mean"`
	Median     *float64   `json:"median"`
	MedianSE   *float64   `json:"median_se"` // bootstrap
	SD         *float64   `json:"sd"`
	Low        *float64   `json:"ci_low"` // 95 % interval of the mean, Student's t
	High       *float64   `json:"ci_high"`
	Values     []*float64 `json:"values"`     // of every replicate that ran
	Replicates []int      `json:"replicates"` // their numbers, ascending
}

// SE is the standard error of the mean, NaN for fewer than two values.
func (c Cell) SE() float64 {
	if c.SD == nil {
		return math.NaN()
	}
	return *c.SD / math.Sqrt(float64(c.N))
}

// Summarise summarises the finished units by key, in the order of the plan.
func Summarise(p Plan, done Values) []Cell {
	index := map[Key]int{}
	var cells []Cell
	for _, u := range byReplicate(p.Units) {
		values, finished := done[u.ID], done.Has(u)
		keys := u.Keys
		if finished {
			keys = keys[:len(values)]
		}
		for i, k := range keys {
			at, ok := index[k]
			if !ok {
				at = len(cells)
				index[k] = at
				cells = append(cells, Cell{Key: k})
			}
			if finished {
				cells[at].Values = append(cells[at].Values, stat.Finite(values[i]))
				cells[at].Replicates = append(cells[at].Replicates, u.Replicate)
			}
		}
	}
	var by quantiles
	for i := range cells {
		cells[i].sum(&by)
	}
	return cells
}

// quantiles caches what depends only on the number of values, which is the same for most cells.
type quantiles struct {
	n      int
	t      float64
	shares []float64
}

func (q *quantiles) of(n int) {
	if q.n != n {
		*q = quantiles{n, tQuantile(n), medianShares(n)}
	}
}

// byReplicate orders units by their replicate; ties keep their order.
func byReplicate(units []Unit) []Unit {
	most := 0
	for _, u := range units {
		most = max(most, u.Replicate)
	}
	at := make([][]Unit, most+1)
	for _, u := range units {
		at[u.Replicate] = append(at[u.Replicate], u)
	}
	var ordered []Unit
	for _, us := range at {
		ordered = append(ordered, us...)
	}
	return ordered
}

// sum computes the statistics of the cell's values.
func (c *Cell) sum(by *quantiles) {
	v := make([]float64, 0, len(c.Values))
	for _, x := range c.Values {
		if x != nil {
			v = append(v, *x)
		}
	}
	sorted := finite(v)
	c.N = len(sorted)
	mean, sd := moments(v)
	by.of(c.N)
	half := by.t * sd / math.Sqrt(float64(c.N))
	c.Mean, c.SD, c.Low, c.High = stat.Finite(mean), stat.Finite(sd), stat.Finite(mean-half), stat.Finite(mean+half)
	c.Median, c.MedianSE = stat.Finite(Median(sorted)), stat.Finite(medianSE(sorted, by.shares))
}
