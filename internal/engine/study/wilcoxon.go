package study

import (
	"cmp"
	"math"
	"slices"
)

// SignedRank is a Wilcoxon signed-rank test of paired differences.
type SignedRank struct {
	N     int     `json:"n"` // differences that are not zero
	W     float64 `json:"w"` // sum of the ranks of the positive ones
	P     float64 `json:"p"` // two-sided
	Exact bool    `json:"exact"`
}

// exactUpTo is the largest number of differences for which P is exact; for more the normal approximation
// is accurate to 1e-3.
const exactUpTo = 50

// Wilcoxon tests whether differences are symmetric about zero (Wilcoxon 1945). Zeros are left out, and
// ties get their mean rank. For up to fifty differences P is exact given the ties: the share of all sign
// assignments whose rank sum is at least as far from its mean. For more it is the normal approximation
// with the variance corrected for ties. P is 1 when all differences are zero.
func Wilcoxon(differences []float64) SignedRank {
	ranks, w := doubledRanks(differences)
	s := SignedRank{N: len(ranks), W: float64(w) / 2, P: 1, Exact: len(ranks) <= exactUpTo}
	switch {
	case s.N == 0:
	case s.Exact:
		s.P = exactP(ranks, w)
	default:
		s.P = normalP(ranks, w)
	}
	return s
}

// doubledRanks returns twice the rank of each non-zero difference, an integer also for ties, and the sum
// for positive ones.
func doubledRanks(differences []float64) (ranks []int, positive int) {
	var d []float64
	for _, x := range differences {
		if x != 0 && !math.IsNaN(x) {
			d = append(d, x)
		}
	}
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	for i := 0; i < len(d); {
		j := i
		for j < len(d) && math.Abs(d[j]) == math.Abs(d[i]) {
			j++
		}
		for _, x := range d[i:j] {
			ranks = append(ranks, i+1+j)
			if x > 0 {
				positive += i + 1 + j
			}
		}
		i = j
	}
	return ranks, positive
}

// exactP counts the sign assignments by their sum of doubled ranks.
func exactP(ranks []int, w int) float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	share := make([]float64, total+1)
	share[0] = 1
	top := 0
	for _, r := range ranks {
		top += r
		for s := top; s >= 0; s-- {
			without := share[s] / 2
			if s >= r {
				without += share[s-r] / 2
			}
			share[s] = without
		}
	}
	tail := 0.0
	for s := range min(w, total-w) + 1 {
		tail += share[s]
	}
	return min(1, 2*tail)
}

// normalP compares the rank sum with its mean n(n+1)/4 and variance Σ r²/4.
func normalP(ranks []int, w int) float64 {
	mean, variance := 0.0, 0.0
	for _, r := range ranks {
		mean += float64(r) / 2
		variance += float64(r) * float64(r) / 4
	}
	z := math.Abs(float64(w)-mean) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2)
}
