package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// OrderedGroups is the result of a trend test over ordered groups.
type OrderedGroups struct {
	N           int      `json:"n"`
	Jonckheere  *float64 `json:"jonckheere"` // pairs of rows from different groups in the expected order, ties counting ½
	Z           *float64 `json:"z"`
	P           *float64 `json:"p_value"`     // two-sided, corrected for ties
	Concordance Estimate `json:"concordance"` // share of such pairs, ½ without a trend
	Spearman    Estimate `json:"spearman"`
	SpearmanP   *float64 `json:"spearman_p_value"` // two-sided, t
}

// How the intervals of OrderedGroups are computed.
const (
	ConcordanceInterval = "DeLong, for several groups"
	SpearmanInterval    = "Fisher’s z with the standard error of Bonett and Wright (2000)"
)

// Trend tests values against ordered groups, where group[i] is the index of row i's group. The tests are those
// of Jonckheere and Terpstra (Hollander and Wolfe 1999, section 6.2, with their variance for ties; equal to the
// asymptotic test of Kendall's τ) and of Spearman's ρ. The interval of the concordance generalises DeLong's to
// several groups: a row's influence is its number of concordant pairs (Hájek projection). It is cut to [0, 1], as
// the AUC's. That of ρ is Fisher's with the standard error √((1+ρ²/2)/(n−3)) (Bonett and Wright 2000).
func Trend(group []int, value []float64) OrderedGroups {
	sameLength(len(group), len(value))
	t := OrderedGroups{N: len(value)}
	if floats.HasNaN(value) {
		return t
	}
	t.jonckheere(group, value)
	g := make([]float64, len(group))
	for i, k := range group {
		g[i] = float64(k)
	}
	t.spearman(midranks(g), midranks(value))
	return t
}

// jonckheere fills in J = Σ_{g<h} #(x in g < y in h), ties counting ½.
func (t *OrderedGroups) jonckheere(group []int, value []float64) {
	wins, sizes := orderedPairs(group, value)
	n := float64(t.N)
	pairs := n * n / 2
	for _, m := range sizes {
		pairs -= m * m / 2
	}
	if pairs == 0 {
		return
	}
	j := floats.Sum(wins) / 2 // each pair was counted for both of its rows
	t.Jonckheere = &j
	if sd := math.Sqrt(tiedVariance(n, sizes, tieSizes(value))); sd > 0 {
		z := (j - pairs/2) / sd
		t.Z, t.P = &z, Finite(twoSided(z))
	}
	variance := 0.0
	for _, rows := range parts(group) {
		m := float64(len(rows))
		if m < 2 {
			variance = math.NaN()
			break
		}
		variance += m * stat.Variance(at(wins, rows), nil)
	}
	t.Concordance = normal(j/pairs, math.Sqrt(variance)/pairs).within(0, 1)
}

// orderedPairs returns for every row the number of rows of other groups that are ordered as expected against
// it, ties counting ½, and the sizes of the groups.
func orderedPairs(group []int, value []float64) (wins, sizes []float64) {
	byGroup := parts(group)
	wins = make([]float64, len(value))
	sorted := make([][]float64, len(byGroup))
	for k, rows := range byGroup {
		sorted[k] = at(value, rows)
		sortFloats(sorted[k])
		sizes = append(sizes, float64(len(rows)))
	}
	for k, rows := range byGroup {
		for other := range byGroup {
			if other == k {
				continue
			}
			lower := group[byGroup[other][0]] < group[rows[0]]
			for _, i := range rows {
				below := float64(lessThan(sorted[other], value[i])+upTo(sorted[other], value[i])) / 2
				if !lower {
					below = sizes[other] - below
				}
				wins[i] += below
			}
		}
	}
	return wins, sizes
}

// tieSizes returns how often each value occurs.
func tieSizes(value []float64) (sizes []float64) {
	for _, rows := range parts(value) {
		sizes = append(sizes, float64(len(rows)))
	}
	return sizes
}

// tiedVariance is the permutation variance of J for n rows in groups and ties
// of these sizes.
func tiedVariance(n float64, groups, ties []float64) float64 {
	var a, b, c [2]float64
	for k, sizes := range [][]float64{groups, ties} {
		for _, m := range sizes {
			a[k] += m * (m - 1) * (2*m + 5)
			b[k] += m * (m - 1) * (m - 2)
			c[k] += m * (m - 1)
		}
	}
	v := (n*(n-1)*(2*n+5) - a[0] - a[1]) / 72
	if n > 1 {
		v += c[0] * c[1] / (8 * n * (n - 1))
	}
	if n > 2 {
		v += b[0] * b[1] / (36 * n * (n - 1) * (n - 2))
	}
	return v
}

// spearman fills in the rank correlation.
func (t *OrderedGroups) spearman(x, y []float64) {
	r := stat.Correlation(x, y, nil)
	if t.N < 3 || math.IsNaN(r) {
		return
	}
	r = min(max(r, -1), 1)
	n := float64(t.N)
	z, se := math.Atanh(r), math.Sqrt((1+r*r/2)/(n-3))
	t.Spearman = estimate(r, math.Tanh(z-Z95*se), math.Tanh(z+Z95*se))
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 2}
	t.SpearmanP = Finite(2 * student.CDF(-math.Abs(r)*math.Sqrt((n-2)/((1-r)*(1+r)))))
}

// midranks returns the ranks of v from 1; ties get their mean rank.
func midranks(v []float64) []float64 {
	sorted := make([]float64, len(v))
	copy(sorted, v)
	sortFloats(sorted)
	r := make([]float64, len(v))
	for i, x := range v {
		r[i] = float64(lessThan(sorted, x)+upTo(sorted, x)+1) / 2
	}
	return r
}
