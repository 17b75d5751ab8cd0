package loss

import "math/bits"

// The largest cost matrix whose vertices are listed once: evaluating all of them is then much faster than
// a linear program.
const (
	smallGame = 30 // rows times columns
	smallSide = 8  // rows, and also columns
)

// costCorner is a mixture of labels with the payoff that it guarantees against the costs alone.
type costCorner struct {
	q     []float64
	worth float64
}

// corners lists the mixtures that are optimal for some potentials: the vertices of {(q, t): t ≤ (Lq)_i
// for every row i}. At a vertex with the support S, |S| rows have equal payoffs (Shapley and Snow 1950),
// which gives |S| equations for its weights. Each result is a valid mixture even after rounding, so its
// payoff never exceeds the value of the game.
func (l alCost) corners() []costCorner {
	rows, k := len(l.cost), len(l.cost[0])
	if rows*k > smallGame || max(rows, k) > smallSide {
		return nil
	}
	var all []costCorner
	zero := make([]float64, k)
	for labels := 1; labels < 1<<k; labels++ {
		for tight := 1; tight < 1<<rows; tight++ {
			if bits.OnesCount(uint(tight)) != bits.OnesCount(uint(labels)) {
				continue
			}
			if q := l.corner(tight, labels); q != nil && !listed(all, q) {
				all = append(all, costCorner{q, l.worth(q, zero)})
			}
		}
	}
	return all
}

// alike is the largest difference of two mixtures that counts as rounding.
const alike = 1e-11

func listed(all []costCorner, q []float64) bool {
	for _, c := range all {
		same := true
		for j, v := range q {
			same = same && max(v-c.q[j], c.q[j]-v) <= alike
		}
		if same {
			return true
		}
	}
	return false
}

// corner returns the mixture of some labels for which some rows have equal payoffs; nil if there is none,
// or if another row has a smaller payoff.
func (l alCost) corner(tight, labels int) []float64 {
	var at [smallSide]int
	set, first := at[:0], bits.TrailingZeros(uint(tight))
	for s := labels; s != 0; s &= s - 1 {
		set = append(set, bits.TrailingZeros(uint(s)))
	}
	n := len(set)
	a := make([]float64, 0, n*(n+1))
	for range n + 1 {
		a = append(a, 1) // Σq = 1
	}
	for s := tight & (tight - 1); s != 0; s &= s - 1 {
		i := bits.TrailingZeros(uint(s))
		for _, j := range set {
			a = append(a, l.cost[i][j]-l.cost[first][j])
		}
		a = append(a, 0)
	}
	if !eliminate(a, n) {
		return nil
	}
	q, sum, value := make([]float64, len(l.cost[0])), 0.0, 0.0
	for s, j := range set {
		v := a[s*(n+1)+n]
		if v < -alike {
			return nil
		}
		q[j] = max(0, v)
		sum += q[j]
	}
	for j := range q {
		q[j] /= sum
		value += q[j] * l.cost[first][j]
	}
	if l.worth(q, make([]float64, len(q))) < value-alike {
		return nil
	}
	return q
}

// eliminate solves n equations in n unknowns in place, with the right-hand sides in the last column. It
// returns false where the equations are dependent up to rounding.
func eliminate(a []float64, n int) bool {
	w := n + 1
	for c := range n {
		top := c
		for r := c + 1; r < n; r++ {
			if max(a[r*w+c], -a[r*w+c]) > max(a[top*w+c], -a[top*w+c]) {
				top = r
			}
		}
		if p := a[top*w+c]; max(p, -p) <= tiny {
			return false
		}
		for j := range w {
			a[c*w+j], a[top*w+j] = a[top*w+j], a[c*w+j]
		}
		for r := range n {
			if f := a[r*w+c] / a[c*w+c]; r != c && f != 0 {
				for j := c; j < w; j++ {
					a[r*w+j] -= f * a[c*w+j]
				}
			}
		}
	}
	for c := range n {
		a[c*w+n] /= a[c*w+c]
	}
	return true
}

// best returns the largest payoff at g over the listed mixtures, and the mixture.
func (l alCost) best(g []float64) (v float64, q []float64) {
	v = -inf
	for i := range l.listed {
		c := &l.listed[i]
		sum := c.worth
		for j, u := range g {
			sum += c.q[j] * u
		}
		if sum > v {
			v, q = sum, c.q
		}
	}
	return v, q
}
