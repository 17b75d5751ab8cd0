package boost

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"taper/internal/engine/fit/linear"
)

// Shapley values by their definition: the mean over all orders of the players of what each
// adds, with v(S) from independent code. Covers trees of depth 1 to 4, columns that share a
// player, and columns met twice on a path.
func TestShapleyAgainstAllSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const n, d, players = 120, 6, 4
	player := []int{0, 1, 1, 2, 3, 3}
	x := linear.Matrix{Rows: n, Cols: d, Data: make([]float64, n*d)}
	y := make([]float64, n)
	for i := range n {
		for j := range d {
			x.Data[i*d+j] = math.Round(4 * rng.NormFloat64()) // ties
		}
		if y[i] = -1; x.Row(i)[0]*x.Row(i)[1]+x.Row(i)[3]+3*rng.NormFloat64() > 0 {
			y[i] = 1
		}
	}
	met := 0
	for depth := 1; depth <= 4; depth++ {
		m, err := Fit(context.Background(), x, y, nil, Options{Alpha: 2, Rounds: 6, Depth: depth})
		if err != nil {
			t.Fatal(err)
		}
		cover := m.Cover(x)
		for _, row := range []int{0, 17, 63} {
			total := 0.0
			for k := range m.Trees {
				tree := &m.Trees[k]
				phi := make([]float64, players)
				mean := tree.Shapley(phi, x.Row(row), cover[k], player)
				v := func(set int) float64 { return tree.Theta * expected(tree, 0, x.Row(row), cover[k], player, set) }
				if !(math.Abs(mean-v(0)) <= 1e-12) {
					t.Fatalf("depth %d: mean %v, want %v", depth, mean, v(0))
				}
				for p, got := range phi {
					if want := shapley(players, p, v); !(math.Abs(got-want) <= 1e-12) {
						t.Fatalf("depth %d, tree %d, row %d, player %d: %v, want %v", depth, k, row, p, got, want)
					}
					if phi[p] != 0 {
						met++
					}
					total += got
				}
				total += mean
			}
			if f := m.Score(x.Row(row)); !(math.Abs(total-f) <= 1e-12) {
				t.Errorf("depth %d, row %d: values add up to %v, score %v", depth, row, total, f)
			}
		}
	}
	if met < 100 {
		t.Errorf("%d values differ from 0: nothing was tested", met)
	}
}

// expected is E[h | x_S], from the definition.
func expected(t *Tree, at int, x []float64, cover, player []int, set int) float64 {
	n := t.Nodes[at]
	switch {
	case n.Below == 0:
		return n.Vote
	case set>>player[n.Feature]&1 == 1 && x[n.Feature] > n.Threshold:
		return expected(t, n.Above, x, cover, player, set)
	case set>>player[n.Feature]&1 == 1:
		return expected(t, n.Below, x, cover, player, set)
	}
	below, above := float64(cover[n.Below]), float64(cover[n.Above])
	return (below*expected(t, n.Below, x, cover, player, set) + above*expected(t, n.Above, x, cover, player, set)) / (below + above)
}

// shapley is Σ_S |S|!(n−|S|−1)!/n!·(v(S∪p) − v(S)).
func shapley(n, p int, v func(set int) float64) (sum float64) {
	for set := range 1 << n {
		if set>>p&1 == 1 {
			continue
		}
		size := 0
		for q := range n {
			size += set >> q & 1
		}
		sum += factorial(size) * factorial(n-size-1) / factorial(n) * (v(set|1<<p) - v(set))
	}
	return sum
}

func factorial(n int) float64 {
	f := 1.0
	for ; n > 1; n-- {
		f *= float64(n)
	}
	return f
}

// The cover of a root is the number of rows, and that of a split is the sum of its children's.
// The mean that Shapley returns is the mean score over the rows.
func TestCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	x := linear.Matrix{Rows: 80, Cols: 3, Data: make([]float64, 240)}
	y := make([]float64, 80)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for i := range y {
		y[i] = math.Copysign(1, x.Row(i)[0]+x.Row(i)[2]*x.Row(i)[1]+rng.NormFloat64())
	}
	m, err := Fit(context.Background(), x, y, nil, Options{Alpha: 4, Rounds: 5, Depth: 3})
	if err != nil {
		t.Fatal(err)
	}
	cover, mean := m.Cover(x), 0.0
	for k, tree := range m.Trees {
		if cover[k][0] != x.Rows {
			t.Errorf("tree %d: %d rows at the root", k, cover[k][0])
		}
		for i, n := range tree.Nodes {
			if n.Below != 0 && cover[k][n.Below]+cover[k][n.Above] != cover[k][i] {
				t.Errorf("tree %d, node %d: %v", k, i, cover[k])
			}
		}
		mean += tree.Shapley(make([]float64, 3), x.Row(0), cover[k], []int{0, 1, 2})
	}
	want := 0.0
	for i := range x.Rows {
		want += m.Score(x.Row(i)) / float64(x.Rows)
	}
	if !(math.Abs(mean-want) <= 1e-12) {
		t.Errorf("mean score %v, want %v", mean, want)
	}
}
