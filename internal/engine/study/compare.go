package study

import (
	"math"

	"taper/internal/engine/stat"
)

// Pair compares two cells replicate by replicate.
type Pair struct {
	Model    string     `json:"model"`
	Against  string     `json:"against"`
	N        int        `json:"n"`    // replicates with both
	Mean     *float64   `json:"mean"` // mean of model − against
	Low      *float64   `json:"ci_low"`
	High     *float64   `json:"ci_high"`
	Wilcoxon SignedRank `json:"wilcoxon"`
}

// pairs returns the values of the replicates that both cells have.
func pairs(a, b Cell) (x, y []float64) {
	other := make(map[int]float64, len(b.Values))
	for i, r := range b.Replicates {
		if b.Values[i] != nil {
			other[r] = *b.Values[i]
		}
	}
	for i, r := range a.Replicates {
		if v, ok := other[r]; ok && a.Values[i] != nil {
			x, y = append(x, *a.Values[i]), append(y, v)
		}
	}
	return x, y
}

// Compare pairs a cell with another by replicate.
func Compare(a, b Cell) Pair {
	d, y := pairs(a, b)
	for i := range d {
		d[i] -= y[i]
	}
	mean, sd := moments(d)
	half := tQuantile(len(d)) * sd / math.Sqrt(float64(len(d)))
	return Pair{Model: a.Model, Against: b.Model, N: len(d), Mean: stat.Finite(mean), Low: stat.Finite(mean - half),
		High: stat.Finite(mean + half), Wilcoxon: Wilcoxon(d)}
}

// ComparedCell is a cell compared with the best cell of its setting.
type ComparedCell struct {
	Cell
	Best bool  `json:"best"`           // has the best mean, or is not significantly worse
	Pair *Pair `json:"pair,omitempty"` // comparison with the best; nil for the best itself
}

// significance is the level of the marks of Fathony et al. 2018.
const significance = 0.05

// CompareBest marks, among cells that differ only in the model, the one with the best mean and all that
// do not differ significantly from it by the signed-rank test at .05 (Fathony et al. 2018, Table 2).
func CompareBest(cells []Cell, higher bool) []ComparedCell {
	marked := make([]ComparedCell, len(cells))
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

func markBest(cells []ComparedCell, group []int, higher bool) {
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
