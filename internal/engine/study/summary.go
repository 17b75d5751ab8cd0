package study

import "math"

// Cell sums up the replicates of one key. Numbers that do not exist are nil.
type Cell struct {
	Key
	N          int        `json:"n"` // values that exist
	Mean       *float64   `json:"mean"`
	Median     *float64   `json:"median"`
	MedianSE   *float64   `json:"median_se"` // bootstrap
	SD         *float64   `json:"sd"`
	Low        *float64   `json:"ci_low"` // 95 % of the mean, Student's t
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

// Summarise sums up the units that are done by key, in the order of the plan.
func Summarise(p Plan, done Values) []Cell {
	index := map[Key]int{}
	var cells []Cell
	for _, u := range byReplicate(p.Units) {
		finished := done.has(u)
		for i, k := range u.Keys {
			at, ok := index[k]
			if !ok {
				at = len(cells)
				index[k] = at
				cells = append(cells, Cell{Key: k})
			}
			if finished {
				cells[at].Values = append(cells[at].Values, number(done[u.ID][i]))
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

// quantiles keeps what depends on the number of values alone: most cells of a
// study have as many.
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

// byReplicate orders units by their replicate, else as they are.
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

// sum fills in the statistics of the cell's values.
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
	c.Mean, c.SD, c.Low, c.High = number(mean), number(sd), number(mean-half), number(mean+half)
	c.Median, c.MedianSE = number(median(sorted)), number(medianSE(sorted, by.shares))
}

// number is nil for what is no number.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// Pair compares two cells replicate by replicate.
type Pair struct {
	Model    string   `json:"model"`
	Against  string   `json:"against"`
	N        int      `json:"n"`    // replicates with both
	Mean     *float64 `json:"mean"` // of model − against
	Low      *float64 `json:"ci_low"`
	High     *float64 `json:"ci_high"`
	Wilcoxon Signed   `json:"wilcoxon"`
}

// Compare pairs a cell with another by replicate.
func Compare(a, b Cell) Pair {
	other := make(map[int]float64, len(b.Values))
	for i, r := range b.Replicates {
		if b.Values[i] != nil {
			other[r] = *b.Values[i]
		}
	}
	var d []float64
	for i, r := range a.Replicates {
		if y, ok := other[r]; ok && a.Values[i] != nil {
			d = append(d, *a.Values[i]-y)
		}
	}
	mean, sd := moments(d)
	half := tQuantile(len(d)) * sd / math.Sqrt(float64(len(d)))
	return Pair{Model: a.Model, Against: b.Model, N: len(d), Mean: number(mean), Low: number(mean - half), High: number(mean + half), Wilcoxon: Wilcoxon(d)}
}

// Compared is a cell beside the best of its setting.
type Compared struct {
	Cell
	Best bool  `json:"best"`           // the best mean, or not significantly worse
	Pair *Pair `json:"pair,omitempty"` // with the best; nil for the best itself
}

// significance is the level of the marks of paper 001.
const significance = 0.05

// CompareBest marks, among cells that differ by the model alone, the best mean
// and all that the signed-rank test does not tell from it at .05 (001, Table 2).
func CompareBest(cells []Cell, higher bool) []Compared {
	marked := make([]Compared, len(cells))
	groups := map[Key][]int{}
	var order []Key
	for i, c := range cells {
		marked[i].Cell = c
		k := c.Key
		k.Model = ""
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], i)
	}
	for _, k := range order {
		markBest(marked, groups[k], higher)
	}
	return marked
}

func markBest(cells []Compared, group []int, higher bool) {
	best := -1
	for _, i := range group {
		if cells[i].Mean != nil && (best < 0 || better(*cells[i].Mean, *cells[best].Mean, higher)) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	cells[best].Best = true
	for _, i := range group {
		if i != best {
			pair := Compare(cells[i].Cell, cells[best].Cell)
			cells[i].Pair, cells[i].Best = &pair, pair.Wilcoxon.P >= significance
		}
	}
}

func better(a, b float64, higher bool) bool {
	if higher {
		return a > b
	}
	return a < b
}
