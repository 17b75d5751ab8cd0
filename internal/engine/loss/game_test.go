package loss

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// matrixOf returns the cost matrix behind an adversarial loss.
func matrixOf(f Family, v Values, k int) [][]float64 {
	cost := func(i, j int) float64 { return step(i != j) }
	rows, w := k, 1.0
	switch f.ID {
	case "al-cost":
		return v.Matrix("matrix")
	case "al-abstain":
		rows++
		cost = func(i, j int) float64 {
			if i == k {
				return v.Number("alpha")
			}
			return step(i != j)
		}
	case "al-ordinal":
		cost, w = func(i, j int) float64 { return math.Abs(float64(i - j)) }, v.Number("weight")
	case "al-squared":
		cost, w = func(i, j int) float64 { return square(i - j) }, v.Number("weight")
	default:
		w = v.Number("weight")
	}
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, k)
		for j := range m[i] {
			m[i][j] = w * cost(i, j)
		}
	}
	return m
}

// TestGamesAreSolved certifies every adversarial loss on random games, ties
// included: q* secures at least what p* concedes at most, so both are optimal
// and the value lies between. gonum's simplex finds the same value.
func TestGamesAreSolved(t *testing.T) {
	for _, f := range Families {
		for _, v := range settings(t, f) {
			r := rand.New(rand.NewPCG(11, 12))
			for n := range 150 {
				k := 2 + r.IntN(8)
				if f.Classes != nil {
					k = f.Classes(v.Values)
				}
				if f.Kind != KindPotential {
					break
				}
				a, ok := f.New(v.Values, k).(Adversary)
				if !ok {
					break
				}
				m := matrixOf(f, v.Values, k)
				u, y := draw(r, k), r.IntN(k)
				size := spread(m)
				for j := range u {
					u[j] *= size
				}
				certify(t, f, v, a, m, u, y, size)
				if size < 1e100 && size > 1e-100 && n < 40 {
					crossCheck(t, f, v, m, u, y, size)
				}
			}
		}
	}
}

func spread(m [][]float64) float64 {
	lo, hi := inf, -inf
	for _, r := range m {
		for _, c := range r {
			lo, hi = min(lo, c/2), max(hi, c/2)
		}
	}
	if hi == lo {
		return 1
	}
	return min(2*(hi-lo), 1e306)
}

func certify(t *testing.T, f Family, v setting, a Adversary, m [][]float64, u []float64, y int, size float64) {
	t.Helper()
	q, p := make([]float64, len(u)), make([]float64, a.Options())
	a.Adversary(q, u)
	a.Predict(p, u)
	for _, x := range [][]float64{p, q} {
		sum := 0.0
		for _, w := range x {
			sum += w
			if w < 0 {
				t.Fatalf("%s %s: %v holds a negative share", f.ID, v.name, x)
			}
		}
		if !(math.Abs(sum-1) <= 1e-12) {
			t.Fatalf("%s %s: %v sums to %v", f.ID, v.name, x, sum)
		}
	}
	secured, conceded := inf, -inf
	for _, r := range m {
		s := 0.0
		for j, c := range r {
			s += q[j] * (c/size + (u[j]-u[y])/size)
		}
		secured = min(secured, s)
	}
	for j := range u {
		s := (u[j] - u[y]) / size
		for i, r := range m {
			s += p[i] * (r[j] / size)
		}
		conceded = max(conceded, s)
	}
	got := a.(Potential).Value(y, u) / size
	for _, x := range []float64{secured, conceded} {
		if !(math.Abs(got-x) <= 1e-11*(1+math.Abs(x))) {
			t.Errorf("%s %s: f = %v, y = %d: value %v, but q* secures %v and p* concedes %v", f.ID, v.name, u, y, got, secured, conceded)
			return
		}
	}
}

// crossCheck maximises the guaranteed payoff w over q, with slack variables:
// w ≤ (Lq)_i + ψ·q for every row i.
func crossCheck(t *testing.T, f Family, v setting, m [][]float64, u []float64, y int, size float64) {
	t.Helper()
	l, k := len(m), len(u)
	// variables: q (k), w above the floor, slacks (l)
	floor := inf
	for _, r := range m {
		for j, c := range r {
			floor = min(floor, (c+u[j]-u[y])/size)
		}
	}
	c := make([]float64, k+1+l)
	c[k] = -1
	a, b := mat.NewDense(l+1, len(c), nil), make([]float64, l+1)
	for i, r := range m {
		for j := range r {
			a.Set(i, j, (r[j]+u[j]-u[y])/size-floor)
		}
		a.Set(i, k, -1)
		a.Set(i, k+1+i, -1)
	}
	for j := range k {
		a.Set(l, j, 1)
	}
	b[l] = 1
	best, _, err := lp.Simplex(c, a, b, 1e-12, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.New(v.Values, k).Value(y, u)/size, floor-best; !(math.Abs(got-want) <= 1e-8*(1+math.Abs(want))) {
		t.Errorf("%s %s: f = %v, y = %d: value %v, gonum's simplex %v", f.ID, v.name, u, y, got, want)
	}
}

// TestPredictorIsUndominated: where several mixtures are optimal, p* is the one
// of the least total cost, whatever the order of the rows. Half of 0 and half of
// 2 at costs |i − j| concede as little as answer 1, and lose more where 1 is true.
func TestPredictorIsUndominated(t *testing.T) {
	steps := [][]float64{{0, 2, 4}, {2, 2, 0}, {1, 0, 1}, {0, 1, 2}, {2, 1, 0}}
	for _, rows := range [][]int{{3, 2, 4}, {3, 4, 2}, {4, 3, 2}, {0, 1, 4, 3, 2}} {
		var m [][]float64
		for _, i := range rows {
			m = append(m, steps[i])
		}
		p := make([]float64, len(m))
		newCost(m).predict(p, []float64{0, -.25, 0})
		for i, share := range p {
			if want := step(rows[i] == 2); !(math.Abs(share-want) <= 1e-12) {
				t.Errorf("rows %v: p* = %v", rows, p)
				break
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		k := 3 + r.IntN(4)
		m, shuffled, f := make([][]float64, k), make([][]float64, k), make([]float64, k)
		up, down := float64(1+r.IntN(3)), float64(1+r.IntN(3))
		for i := range m {
			f[i], m[i] = r.NormFloat64(), make([]float64, k)
			for j := range m[i] {
				m[i][j] = max(up*float64(j-i), down*float64(i-j))
			}
		}
		order := r.Perm(k)
		for i, to := range order {
			shuffled[to] = m[i]
		}
		p, q := make([]float64, k), make([]float64, k)
		newCost(m).predict(p, f)
		newCost(shuffled).predict(q, f)
		for i, to := range order {
			if !(math.Abs(p[i]-q[to]) <= 1e-9) {
				t.Fatalf("costs %v, f = %v: p* = %v, with rows in order %v %v", m, f, p, order, q)
			}
		}
	}
}

// TestDecisions: the games that name an option name the largest share of p*.
func TestDecisions(t *testing.T) {
	for u, want := range map[[3]float64]int{
		{0, .5, -1}:   1,
		{0, .49, -1}:  Abstain,
		{2, .49, 1.6}: Abstain,
		{2, .49, 1.5}: 0,
	} {
		if got := family(t, "al-abstain").New(Values{"alpha": {Number: .5}}, 3).(Decider).Decide(u[:]); got != want {
			t.Errorf("al-abstain at %v: %d, want %d", u, got, want)
		}
	}
	way := Values{"matrix": {Matrix: [][]float64{{0, 1}, {1, 0}, {.1, .1}}}}
	for u, want := range map[[2]float64]int{{0, 0}: 2, {3, 0}: 0, {0, 3}: 1} {
		if got := family(t, "al-cost").New(way, 2).(Decider).Decide(u[:]); got != want {
			t.Errorf("al-cost at %v: %d, want %d", u, got, want)
		}
	}
}
