package task

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// surrogate is the adversarial loss of the task for k classes at a price.
func surrogate(t *testing.T, price float64, k int) (loss.Potential, Cost) {
	t.Helper()
	at := OrdinalAbstaining{}.WithPrice(price)
	how, c, err := Method(at, Defaults(at, fit.Spec{}), k, loss.Interval{})
	if err != nil || how.Family.ID != "al-cost" {
		t.Fatal(how.Family.ID, err)
	}
	return how.Family.New(how.Values, k), c
}

// TestOrdinalAbstainingCosts compares costs with hand calculation.
func TestOrdinalAbstainingCosts(t *testing.T) {
	_, c := surrogate(t, .7, 4)
	want := Cost{{0, 1, 2, 3}, {1, 0, 1, 2}, {2, 1, 0, 1}, {3, 2, 1, 0}, {.7, .7, .7, .7}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("costs %v", c)
	}
	// distance 2, correct, abstained, distance 1, abstained
	if got := c.Mean([]int{0, 3, stat.Abstained, 1, stat.Abstained}, []int{2, 3, 0, 2, 1}); !(math.Abs(got-4.4/5) <= 1e-15) {
		t.Errorf("mean cost %v", got)
	}
	for _, q := range []struct {
		price float64
		p     []float64
		want  int
	}{
		{.49, []float64{.5, .5, 0, 0}, stat.Abstained}, {.51, []float64{.5, .5, 0, 0}, 0},
		{1.4, []float64{.5, 0, 0, .5}, stat.Abstained}, {1.6, []float64{.5, 0, 0, .5}, 0}, // expected cost 1.5 for every class
		{.3, []float64{.1, .8, .1, 0}, 1}, {.1, []float64{.1, .8, .1, 0}, stat.Abstained},
		{0, []float64{0, 1, 0, 0}, 1}, {0, []float64{0, .99, .01, 0}, stat.Abstained},
	} {
		if _, c := surrogate(t, q.price, 4); c.Least(q.p) != q.want {
			t.Errorf("at %v of %v: %d, want %d", q.price, q.p, c.Least(q.p), q.want)
		}
	}
}

// TestOrdinalAbstainingSurrogate compares the loss with exact fractions, computed by a program
// that enumerates the sets of tight rows (Shapley and Snow 1950) instead of solving a linear
// program.
func TestOrdinalAbstainingSurrogate(t *testing.T) {
	f4, f5 := []float64{.2, -.1, .35, 0}, []float64{1, 1.3, .9, -.5, .2}
	for _, c := range []struct {
		price float64
		f     []float64
		want  float64 // if class 1 is true
	}{
		{0, f4, 9. / 20}, {.3, f4, 291. / 400}, {.8, f4, 119. / 100}, {1.4, f4, 327. / 200}, {3, f4, 17. / 10},
		{.5, f5, 7. / 20}, {1.2, f5, 119. / 150}, {1.9, []float64{-1.5, .25, 0, 1.1, .4}, 63. / 40},
		{.9, []float64{1. / 3, -2. / 7, 5. / 11, 1. / 13, 3. / 17, -1. / 19}, 111. / 70},
		{.8, []float64{3, -1, -2, 0}, 4},
	} {
		if l, _ := surrogate(t, c.price, len(c.f)); !(math.Abs(l.Value(1, c.f)-c.want) <= 1e-14) {
			t.Errorf("at %v of %v: %v, want %v", c.price, c.f, l.Value(1, c.f), c.want)
		}
	}
}

// TestOrdinalAbstainingGame solves random games of three to nine classes: gonum's simplex finds
// the same value, both mixtures guarantee it, and the gradient matches finite differences.
func TestOrdinalAbstainingGame(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 300 {
		k := 3 + r.IntN(7)
		price := []float64{.05, .4, .95, 1.3, 2.1, 3.7}[n%6]
		l, c := surrogate(t, price, k)
		f, y := make([]float64, k), r.IntN(k)
		for j := range f {
			f[j] = r.NormFloat64() * []float64{.3, 1, 3}[n%3]
		}
		name := fmt.Sprintf("price %v, f = %v, class %d", price, f, y)
		got, value := l.Value(y, f), byLP(t, c, f)-f[y]
		if !(math.Abs(got-value) <= 1e-9) {
			t.Errorf("%s: %v, gonum's simplex %v", name, got, value)
		}
		q, p := make([]float64, k), make([]float64, len(c))
		game := l.(loss.Adversary)
		game.Adversary(q, f)
		game.Predict(p, f)
		secured, conceded := math.Inf(1), math.Inf(-1)
		for _, row := range c {
			secured = min(secured, sumOf(k, func(j int) float64 { return q[j] * (row[j] + f[j] - f[y]) }))
		}
		for j := range k {
			conceded = max(conceded, f[j]-f[y]+sumOf(len(c), func(i int) float64 { return p[i] * c[i][j] }))
		}
		if !(math.Abs(secured-got) <= 1e-10) || !(math.Abs(conceded-got) <= 1e-10) {
			t.Errorf("%s: %v, but q* secures %v and p* concedes %v", name, got, secured, conceded)
		}
		grad, above, below := make([]float64, k), make([]float64, k), make([]float64, k)
		l.Grad(grad, y, f)
		for j := range f {
			const h = 1e-7
			up, down := slices.Clone(f), slices.Clone(f)
			up[j], down[j] = f[j]+h, f[j]-h
			l.Grad(above, y, up)
			if l.Grad(below, y, down); !(math.Abs(above[j]-below[j]) <= 1e-9) {
				continue // a kink lies between the two points
			}
			if slope := (l.Value(y, up) - l.Value(y, down)) / (2 * h); !(math.Abs(slope-grad[j]) <= 1e-6) {
				t.Errorf("%s: slope %d is %v, by differences %v", name, j, grad[j], slope)
			}
		}
	}
}

// TestOrdinalAbstainingLimits: at a high price the loss is that of ordered classes and no row
// abstains; at price 0 every row does.
func TestOrdinalAbstainingLimits(t *testing.T) {
	family, _ := loss.FamilyByID("al-ordinal")
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 200 {
		k := 3 + r.IntN(6)
		f, y := make([]float64, k), r.IntN(k)
		for j := range f {
			f[j] = 2 * r.NormFloat64()
		}
		ordinal := family.New(family.Defaults(), k).Value(y, f)
		for _, price := range []float64{float64(k-1) / 2, float64(k), 1000} {
			l, _ := surrogate(t, price, k)
			if got := l.Value(y, f); !(math.Abs(got-ordinal) <= 1e-9) {
				t.Errorf("%d: at %v of %v: %v, without that answer %v", n, price, f, got, ordinal)
			}
			if l.(loss.Decider).Decide(f) == k && price >= float64(k) {
				t.Errorf("%d: at %v of %v: no answer", n, price, f)
			}
		}
		l, _ := surrogate(t, 0, k)
		if got := l.Value(y, f); !(math.Abs(got-(slices.Max(f)-f[y])) <= 1e-12) || l.(loss.Decider).Decide(f) != k {
			t.Errorf("%d: for nothing, of %v: %v and answer %d", n, f, got, l.(loss.Decider).Decide(f))
		}
	}
}

// byLP maximises w + f·q over mixtures q of the classes with w ≤ Cq, row by row.
func byLP(t *testing.T, c Cost, f []float64) float64 {
	t.Helper()
	k, rows := len(f), len(c)
	low := slices.Min(f)
	cost := make([]float64, k+1+rows) // q, w, slacks
	cost[k] = -1
	a, b := mat.NewDense(rows+1, len(cost), nil), make([]float64, rows+1)
	for i, row := range c {
		for j := range row {
			a.Set(i, j, row[j]+f[j]-low)
		}
		a.Set(i, k, -1)
		a.Set(i, k+1+i, -1)
	}
	for j := range k {
		a.Set(rows, j, 1)
	}
	b[rows] = 1
	best, _, err := lp.Simplex(cost, a, b, 1e-12, nil)
	if err != nil {
		t.Fatal(err)
	}
	return low - best
}

func sumOf(n int, of func(int) float64) (sum float64) {
	for i := range n {
		sum += of(i)
	}
	return sum
}
