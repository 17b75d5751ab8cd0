package loss

// tableau is the simplex tableau of a matrix game with positive payoffs M, whose l rows belong to the
// minimising player and whose k columns to the maximising one: maximise Σ y_i subject to Mᵀy ≤ 1, y ≥ 0.
// The row mixture is y, the column mixture the dual solution x, each divided by its sum (docs/math.md,
// section 7.5). The slacks form a feasible starting basis.
type tableau struct {
	l, k  int
	width int       // l structural columns, k slacks, the right-hand side
	a     []float64 // k rows, then the negated objective, then the second objective of prefer
	basis []int     // basic variable of each of the k rows
}

// solveGame solves the game with payoff(i, j), whose entries must be of order one.
func solveGame(l, k int, payoff func(i, j int) float64) *tableau {
	t := &tableau{l: l, k: k, width: l + k + 1, basis: make([]int, k)}
	t.a = make([]float64, (k+1)*t.width)
	least := inf
	for i := range l {
		for j := range k {
			least = min(least, payoff(i, j))
		}
	}
	for j := range k {
		row := t.row(j)
		for i := range l {
			row[i] = payoff(i, j) - least + 1
		}
		row[l+j], row[l+k] = 1, 1
		t.basis[j] = l + j
	}
	for i := range l {
		t.row(k)[i] = -1
	}
	for t.step(k, func(int) bool { return true }) {
	}
	return t
}

// prefer moves to the optimal row mixture with the smallest cost, by a second objective restricted to
// columns that do not change the first.
func (t *tableau) prefer(cost []float64) {
	second := make([]float64, t.width)
	copy(second, cost)
	for j, b := range t.basis {
		if b < t.l {
			for c, v := range t.row(j) {
				second[c] -= cost[b] * v
			}
		}
	}
	t.a = append(t.a, second...)
	for t.step(t.k+1, func(c int) bool { return t.row(t.k)[c] < free }) {
	}
}

func (t *tableau) row(j int) []float64 { return t.a[j*t.width : (j+1)*t.width] }

// tiny is the largest value that counts as rounding in a tableau with entries of order one.
const tiny = 1e-12

// free is slightly larger: entering a column with a reduced cost below it does not change the objective.
const free = 1e-11

// step pivots once by Bland's rule, which cannot cycle: the lowest admissible column that improves the
// objective enters; of the rows that bind first, the one with the lowest basic variable leaves. It
// returns false when no column can enter.
func (t *tableau) step(objective int, may func(column int) bool) bool {
	enter := -1
	for c, v := range t.row(objective)[:t.l+t.k] {
		if v < -tiny && may(c) {
			enter = c
			break
		}
	}
	if enter < 0 {
		return false
	}
	leave, ratio := -1, inf
	for j := range t.k {
		row := t.row(j)
		if row[enter] <= tiny {
			continue
		}
		r := row[t.l+t.k] / row[enter]
		if r < ratio || r == ratio && t.basis[j] < t.basis[leave] {
			leave, ratio = j, r
		}
	}
	if leave < 0 {
		return false // unbounded: impossible with positive payoffs except through rounding
	}
	t.pivot(leave, enter)
	return true
}

func (t *tableau) pivot(leave, enter int) {
	pr := t.row(leave)
	p := pr[enter]
	for c := range pr {
		pr[c] /= p
	}
	pr[enter] = 1
	for j := range len(t.a) / t.width {
		row := t.row(j)
		f := row[enter]
		if j == leave || f == 0 {
			continue
		}
		for c, v := range pr {
			row[c] -= f * v
		}
		row[enter] = 0
	}
	t.basis[leave] = enter
}

// mixtures fills p and q with the optimal row and column mixtures.
func (t *tableau) mixtures(p, q []float64) {
	clear(p)
	for j, b := range t.basis {
		if b < t.l {
			p[b] = max(0, t.row(j)[t.l+t.k])
		}
	}
	for j := range q {
		q[j] = max(0, t.row(t.k)[t.l+j])
	}
	normalise(p)
	normalise(q)
}

func normalise(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	for i := range x {
		x[i] /= sum
	}
}
