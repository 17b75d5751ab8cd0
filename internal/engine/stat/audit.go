package stat

import "gonum.org/v1/gonum/floats"

// FlipRanking says how well a ranking by suspicion finds labels that are known to be wrong (docs/clinical.md,
// Label audit).
type FlipRanking struct {
	N                int       `json:"n"`
	Flips            int       `json:"flips"`
	BaseRate         Estimate  `json:"base_rate"`         // Wilson
	AveragePrecision *float64  `json:"average_precision"` // equals the base rate for an uninformative ranking
	At               []FoundAt `json:"precision_at"`
	Recall           Estimate  `json:"recall_at_5_percent"` // share of all flips among the first 5 % of rows; Wilson
}

// FoundAt is the precision among the K most suspicious rows.
type FoundAt struct {
	K         int      `json:"k"`
	Found     float64  `json:"found"`     // expected number, where rows at the cut are tied
	Precision Estimate `json:"precision"` // Wilson
}

// RankFlips evaluates suspicion, where higher is more suspicious, against the rows whose label was flipped. The
// average precision is Σ (R_j − R_{j−1})·P_j over the distinct values, as in scikit-learn's
// average_precision_score. Rows tied with the K-th count in proportion, so their order does not matter. A K
// above the number of rows is left out. Without flips no precision exists.
func RankFlips(suspicion []float64, flipped []bool, ks ...int) FlipRanking {
	sameLength(len(suspicion), len(flipped))
	n, flips := len(flipped), count(flipped)
	r := FlipRanking{N: n, Flips: flips, BaseRate: Proportion(flips, n)}
	if flips == 0 || floats.HasNaN(suspicion) {
		return r
	}
	found := foundUpTo(suspicion, flipped)
	r.AveragePrecision = Finite(averagePrecision(suspicion, flipped))
	for _, k := range ks {
		if k > 0 && k <= n {
			low, high := wilson(found[k]/float64(k), float64(k))
			r.At = append(r.At, FoundAt{k, found[k], estimate(found[k]/float64(k), low, high)})
		}
	}
	share := found[(n+19)/20] / float64(flips)
	low, high := wilson(share, float64(flips))
	r.Recall = estimate(share, low, high)
	return r
}

// averagePrecision returns Σ (R_j − R_{j−1})·P_j over the distinct values.
func averagePrecision(suspicion []float64, flipped []bool) float64 {
	order := descending(suspicion)
	sum, found, before := 0.0, 0.0, 0.0
	for i, row := range order {
		if flipped[row] {
			found++
		}
		if i+1 < len(order) && suspicion[order[i+1]] == suspicion[row] {
			continue
		}
		sum += (found - before) * found / float64(i+1)
		before = found
	}
	return sum / found
}

// foundUpTo returns for k = 0…n the expected number of flips among the first k rows when ties are broken at
// random.
func foundUpTo(suspicion []float64, flipped []bool) []float64 {
	order := descending(suspicion)
	found := make([]float64, len(order)+1)
	for i := 0; i < len(order); {
		j, tied := i, 0.0
		for ; j < len(order) && suspicion[order[j]] == suspicion[order[i]]; j++ {
			if flipped[order[j]] {
				tied++
			}
		}
		for k := i; k < j; k++ {
			found[k+1] = found[i] + tied*float64(k+1-i)/float64(j-i)
		}
		i = j
	}
	return found
}

// ReviewState summarises a review after some decisions.
type ReviewState struct {
	Reviewed int      `json:"reviewed"`
	Errors   int      `json:"errors"`
	Rate     Estimate `json:"rate"` // Wilson
}

// RunningRate returns after each decision, in the order of review, the share of reviewed rows found wrong.
func RunningRate(wrong []bool) []ReviewState {
	rows := make([]ReviewState, len(wrong))
	errors := 0
	for i, w := range wrong {
		if w {
			errors++
		}
		rows[i] = ReviewState{i + 1, errors, Proportion(errors, i+1)}
	}
	return rows
}
