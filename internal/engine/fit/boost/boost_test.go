package boost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/usererr"
	"taper/internal/testtime"
)

// TestStumpIsBest compares the scan with brute force over every threshold, on columns with
// ties, constant columns and rows without weight.
func TestStumpIsBest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for trial := range 300 {
		x, y, v := awkward(r)
		f := prepared(t, x, y, v, Options{})
		got, found := f.grow()
		best := math.Inf(1)
		for j := range x.Cols {
			for _, threshold := range cuts(x, v, j) {
				for _, vote := range []float64{1, -1} {
					s := newStump(j, threshold, vote)
					best = min(best, weightedError(&s, x, y, v))
				}
			}
		}
		if found != !math.IsInf(best, 1) {
			t.Fatalf("trial %d: found %v, best %v", trial, found, best)
		}
		if found && !(math.Abs(weightedError(&got, x, y, v)-best) <= 1e-12) {
			t.Errorf("trial %d: error %v, best %v", trial, weightedError(&got, x, y, v), best)
		}
	}
}

// TestTieRules: among equal stumps the first column, then the lowest threshold, then the vote
// +1 above is chosen, whatever the order of the rows.
func TestTieRules(t *testing.T) {
	x := design([][]float64{{0, 5, 5}, {1, 6, 6}, {2, 7, 7}, {3, 8, 8}})
	for _, c := range []struct {
		y         []float64
		feature   int
		threshold float64
		above     float64
	}{
		{[]float64{-1, 1, -1, 1}, 0, .5, 1},  // errors 1/4 at .5 and 2.5
		{[]float64{1, -1, 1, -1}, 0, .5, -1}, // the same with labels reversed
	} {
		m := mustFit(t, x, c.y, nil, Options{Rounds: 1})
		root := m.Trees[0].Nodes[0]
		if root.Feature != c.feature || root.Threshold != c.threshold || m.Trees[0].Nodes[root.Above].Vote != c.above {
			t.Errorf("y = %v: split %+v", c.y, m.Trees[0].Nodes)
		}
	}
}

// TestMidpoint: between adjacent floating-point numbers there is no third.
func TestMidpoint(t *testing.T) {
	for _, a := range []float64{1, -1, 0, 1e100, 3e-320, -5e-324} {
		b := math.Nextafter(a, math.Inf(1))
		if m := midpoint(a, b); !(a <= m && m < b) {
			t.Errorf("midpoint(%v, %v) = %v", a, b, m)
		}
	}
	if m := midpoint(1, 2); m != 1.5 {
		t.Errorf("midpoint(1, 2) = %v", m)
	}
}

// TestDeepTreeIsGreedy compares the first tree with plain recursion.
func TestDeepTreeIsGreedy(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	for trial := range 200 {
		x, y, v := awkward(r)
		depth := 2 + r.IntN(3)
		f := prepared(t, x, y, v, Options{Depth: depth})
		got, found := newGrower(f).tree()
		total := 0.0
		for _, w := range v {
			total += w
		}
		var rows []int
		for i, w := range v {
			if w > 0 {
				rows = append(rows, i)
			}
		}
		want := greedy(x, y, v, rows, depth, total)
		if !found {
			continue
		}
		if e := weightedError(&got, x, y, v); !(math.Abs(e-want/total) <= 1e-9) {
			t.Errorf("trial %d, depth %d: error %v, recursion has %v", trial, depth, e, want/total)
		}
	}
}

// TestBoundsMissNoSplit compares trees of many blocks of rows with plain recursion, for weights
// and columns that make the bounds loose: steps, many ties, signals in the middle, rows without
// weight.
func TestBoundsMissNoSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for trial := range 24 {
		n, depth := 3*chunk+r.IntN(5*chunk), 2+r.IntN(2)
		x := linear.Matrix{Rows: n, Cols: 4, Data: make([]float64, 4*n)}
		y, v := make([]float64, n), make([]float64, n)
		for i := range n {
			row := x.Row(i)
			row[0], row[1] = r.NormFloat64(), float64(r.IntN(3))
			row[2], row[3] = math.Round(3*r.NormFloat64())/3, r.ExpFloat64()
			y[i] = math.Copysign(1, math.Abs(row[0])-.7+.4*r.NormFloat64()*float64(trial%3))
			v[i] = []float64{1, r.ExpFloat64(), math.Pow(10, -6*r.Float64())}[trial%3]
			if r.IntN(20) == 0 {
				v[i] = 0
			}
		}
		f := prepared(t, x, y, v, Options{Depth: depth})
		g := newGrower(f)
		got, _ := g.tree()
		total, rows := 0.0, []int(nil)
		for i, w := range v {
			total += w
			if w > 0 {
				rows = append(rows, i)
			}
		}
		want := greedy(x, y, v, rows, depth, total)
		if e := weightedError(&got, x, y, v); !(math.Abs(e-want/total) <= 1e-9) {
			t.Errorf("trial %d, %d rows, depth %d: error %v, recursion has %v", trial, n, depth, e, want/total)
		}
		for i, w := range v {
			if at := g.leaf[i]; w == 0 != (at < 0) || w > 0 && got.Nodes[at].Vote != got.Vote(x.Row(i)) {
				t.Fatalf("trial %d: row %d of weight %v is in leaf %d", trial, i, w, at)
			}
		}
	}
}

// greedy returns the weighted error of a greedy tree, computed from the definitions: Gini
// impurity above the last level, weighted error on the last.
func greedy(x linear.Matrix, y, v []float64, rows []int, depth int, total float64) float64 {
	plus, minus := sides(y, v, rows)
	wrong := min(plus, minus)
	if depth == 0 || wrong == 0 {
		return wrong
	}
	least, at, threshold := math.Inf(1), -1, 0.0
	if depth == 1 {
		least = wrong / total
	}
	for j := range x.Cols {
		for _, c := range nodeCuts(x, rows, j) {
			below, above := parts(x, rows, j, c)
			cost := 0.0
			for _, part := range [][]int{below, above} {
				p, m := sides(y, v, part)
				if depth == 1 {
					cost += min(p, m) / total
				} else {
					cost += 2 * p * m / (p + m) / total
				}
			}
			// Both costs are half of 1 − purity.
			if cost < least-tie/2 {
				least, at, threshold = cost, j, c
			}
		}
	}
	if at < 0 {
		return wrong
	}
	below, above := parts(x, rows, at, threshold)
	return greedy(x, y, v, below, depth-1, total) + greedy(x, y, v, above, depth-1, total)
}

func sides(y, v []float64, rows []int) (plus, minus float64) {
	for _, i := range rows {
		if y[i] > 0 {
			plus += v[i]
		} else {
			minus += v[i]
		}
	}
	return plus, minus
}

func parts(x linear.Matrix, rows []int, j int, c float64) (below, above []int) {
	for _, i := range rows {
		if x.Row(i)[j] > c {
			above = append(above, i)
		} else {
			below = append(below, i)
		}
	}
	return below, above
}

func nodeCuts(x linear.Matrix, rows []int, j int) []float64 {
	var values, c []float64
	for _, i := range rows {
		values = append(values, x.Row(i)[j])
	}
	slices.Sort(values)
	values = slices.Compact(values)
	for k := 1; k < len(values); k++ {
		c = append(c, midpoint(values[k-1], values[k]))
	}
	return c
}

// cuts lists the thresholds of a column over the rows with a weight.
func cuts(x linear.Matrix, v []float64, j int) []float64 {
	var rows []int
	for i := range v {
		if v[i] > 0 {
			rows = append(rows, i)
		}
	}
	return nodeCuts(x, rows, j)
}

func weightedError(tree *Tree, x linear.Matrix, y, v []float64) float64 {
	wrong, total := 0.0, 0.0
	for i := range y {
		total += v[i]
		if y[i]*tree.Vote(x.Row(i)) < 0 {
			wrong += v[i]
		}
	}
	return wrong / total
}

// awkward draws a small set with coarse, sparse and constant columns, and
// random weights, some zero.
func awkward(r *rand.Rand) (x linear.Matrix, y, v []float64) {
	n, d := 3+r.IntN(60), 1+r.IntN(5)
	if r.IntN(8) == 0 {
		n *= 6 // more than a block
	}
	x = linear.Matrix{Rows: n, Cols: d, Data: make([]float64, n*d)}
	y, v = make([]float64, n), make([]float64, n)
	kind := r.IntN(4)
	for i := range n {
		y[i], v[i] = float64(1-2*r.IntN(2)), float64(r.IntN(5))*r.Float64()
		for j := range d {
			switch (kind + j) % 4 {
			case 0:
				x.Row(i)[j] = r.NormFloat64()
			case 1:
				x.Row(i)[j] = math.Round(2 * r.NormFloat64())
			case 2:
				x.Row(i)[j] = float64(r.IntN(12) / 11)
			}
		}
	}
	y[0], y[1], v[0], v[1] = 1, -1, 1.25, .75
	return x, y, v
}

// prepared returns a fit before its first round.
func prepared(t *testing.T, x linear.Matrix, y, v []float64, o Options) *fit {
	t.Helper()
	if err := o.check(); err != nil {
		t.Fatal(err)
	}
	shares, err := linear.Shares(x, y, v)
	if err != nil {
		t.Fatal(err)
	}
	f := newFit(context.Background(), x, y, shares, o)
	if err := f.order.sort(f.ctx, x, shares); err != nil {
		t.Fatal(err)
	}
	f.mass.reweigh()
	return f
}

// TestExclusiveOr: no stump is better than chance, trees of depth 2 are.
func TestExclusiveOr(t *testing.T) {
	x := design([][]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}})
	y := []float64{-1, 1, 1, -1}
	m := mustFit(t, x, y, nil, Options{})
	if m.Stopped != StoppedNoEdge || len(m.Trees) != 0 || len(m.Warnings) != 1 {
		t.Errorf("stumps: %s, %d trees, warnings %q", m.Stopped, len(m.Trees), m.Warnings)
	}
	m = mustFit(t, x, y, nil, Options{Depth: 2})
	if m.Stopped != StoppedPerfect || !slices.Equal(m.StagedAccuracy(x, y), []float64{1}) {
		t.Errorf("depth 2: %s, accuracy %v", m.Stopped, m.StagedAccuracy(x, y))
	}
}

// TestLineSearch compares θ with the first minimum on a fine grid of the loss, computed from
// its closed form.
func TestLineSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, alpha := range []float64{.5, .7, 1, 1.5, 3, 10} {
		for trial := range 20 {
			n := 30
			x, y := gaussian(r, n, 2)
			y = flip(r, y, .2)
			f := prepared(t, x, y, nil, Options{Alpha: alpha, Rule: LineSearch})
			for i := range f.mass.m {
				f.mass.m[i] = 3 * r.NormFloat64()
			}
			f.mass.move(0, f.u)
			f.mass.reweigh()
			tree, _ := f.grow()
			eps := f.vote(&tree)
			if eps > .45 {
				continue
			}
			got := f.theta.of(eps, f.u)
			j := func(theta float64) float64 {
				sum := 0.0
				for i, m := range f.mass.m {
					sum += alphaLoss(alpha, m+theta*f.u[i])
				}
				return sum / float64(n)
			}
			const step = 1e-2
			want := 0.0
			for want < 25 && j(want+step) < j(want) {
				want += step
			}
			switch {
			case want >= 25: // so flat that rounding decides on the grid
				if got < 24 && f.theta.flat == 0 {
					t.Errorf("α=%v trial %d: θ = %v, but the loss falls to 25", alpha, trial, got)
				}
			case !(math.Abs(got-want) <= 1.1*step):
				t.Errorf("α=%v trial %d: θ = %v, first minimum near %v", alpha, trial, got, want)
			}
		}
	}
}

// alphaLoss is eq. (4) of Sypherd et al. 2023, for moderate margins.
func alphaLoss(alpha, z float64) float64 {
	s := 1 / (1 + math.Exp(-z))
	switch {
	case alpha == 1:
		return -math.Log(s)
	case math.IsInf(alpha, 1):
		return 1 - s
	}
	return alpha / (alpha - 1) * (1 - math.Pow(s, (alpha-1)/alpha))
}

// TestSlope compares w with central differences of eq. (4), its direct form with its
// logarithmic form, and the curvature with differences of w.
func TestSlope(t *testing.T) {
	for _, alpha := range []float64{.3, .5, .9, 1 - 1e-9, 1, 1 + 1e-9, 1.2, 2, 5, 40, math.Inf(1)} {
		a := newMass(alpha, []float64{1}, []float64{1})
		for _, m := range []float64{-9, -2.5, -.3, 0, .1, 1, 4, 11} {
			w, hit := a.at(m)
			l := a.loss(m)
			const h = 1e-5
			want := (alphaLoss(alpha, m-h) - alphaLoss(alpha, m+h)) / (2 * h)
			if !(math.Abs(alpha-1) <= 1e-6) || alpha == 1 { // else eq. (4) cancels
				if !(math.Abs(l-alphaLoss(alpha, m)) <= 1e-12*(1+l)) {
					t.Errorf("α=%v m=%v: loss %v, want %v", alpha, m, l, alphaLoss(alpha, m))
				}
				if !(math.Abs(w-want) <= 1e-6*(1e-3+w)) {
					t.Errorf("α=%v m=%v: w %v, differences give %v", alpha, m, w, want)
				}
			}
			if far := math.Exp(a.logSlope(m)); !(math.Abs(far-w) <= 1e-12*w) {
				t.Errorf("α=%v m=%v: w %v, by logarithms %v", alpha, m, w, far)
			}
			a.m[0] = m
			if near := a.weigh(0); !(math.Abs(near.loss-l) <= 1e-10*(l+1e-6)) || !(math.Abs(near.sum-w) <= 1e-10*w) {
				t.Errorf("α=%v m=%v: loss %v and w %v, by blocks %v and %v", alpha, m, l, w, near.loss, near.sum)
			}
			up, _ := a.at(m + h)
			down, _ := a.at(m - h)
			if want := (down - up) / (2 * h); !(math.Abs(w*a.curve(hit)-want) <= 1e-6*(1e-3+w)) {
				t.Errorf("α=%v m=%v: curvature %v, differences give %v", alpha, m, w*a.curve(hit), want)
			}
		}
	}
}

// TestFarAlong: the line search gives the same result on both sides of the limit from which
// weights need logarithms.
func TestFarAlong(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	x, y := gaussian(r, 200, 3)
	for _, alpha := range []float64{.5, 1, 4} {
		f := prepared(t, x, y, nil, Options{Alpha: alpha})
		tree, _ := f.grow()
		f.vote(&tree)
		for i := range f.mass.m {
			f.mass.m[i] = 5 * r.NormFloat64()
		}
		f.mass.largest = 40
		a, b := f.theta.rise(1.5, f.u)
		f.mass.largest = 1e6
		c, d := f.theta.rise(1.5, f.u)
		if !(math.Abs(a/b-c/d) <= 1e-10*math.Abs(a/b)) {
			t.Errorf("α=%v: J'/J″ = %v near, %v far", alpha, a/b, c/d)
		}
	}
}

// sameModel compares trees exactly, and numbers up to rounding.
func sameModel(t *testing.T, what string, a, b *Model) {
	t.Helper()
	if len(a.Trees) != len(b.Trees) || a.Stopped != b.Stopped {
		t.Fatalf("%s: %d trees (%s) and %d (%s)", what, len(a.Trees), a.Stopped, len(b.Trees), b.Stopped)
	}
	for k := range a.Trees {
		p, q := a.Trees[k], b.Trees[k]
		if !reflect.DeepEqual(p.Nodes, q.Nodes) || !(math.Abs(p.Theta-q.Theta) <= 1e-9*math.Abs(p.Theta)) || !(math.Abs(p.Loss-q.Loss) <= 1e-9*(1+p.Loss)) {
			t.Fatalf("%s: tree %d is %+v and %+v", what, k+1, p, q)
		}
	}
}

func variants(yield func(string, Options) bool) {
	for name, o := range map[string]Options{
		"AdaBoost":    {Rounds: 30},
		"line search": {Alpha: 2, Rule: LineSearch, Rounds: 15},
		"alpha-log":   {Alpha: .8, Rule: AlphaLog, Rounds: 30},
		"depth 3":     {Alpha: 4, Depth: 3, Rounds: 12},
		"infinite":    {Alpha: math.Inf(1), Rounds: 10},
	} {
		if !yield(name, o) {
			return
		}
	}
}

func TestDuplicatesAreWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 6))
	x, y := gaussian(r, 150, 4)
	y = flip(r, y, .15)
	twice, labels, v := linear.Matrix{Cols: 4}, []float64(nil), make([]float64, len(y))
	for i := range y {
		v[i] = float64(i % 4) // some rows have no weight
		for range i % 4 {
			twice.Data = append(twice.Data, x.Row(i)...)
			labels = append(labels, y[i])
		}
	}
	twice.Rows = len(labels)
	for name, o := range variants {
		sameModel(t, name, mustFit(t, x, y, v, o), mustFit(t, twice, labels, nil, o))
	}
}

func TestRowOrderDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	x, y := longServedio(r, 400)
	y = flip(r, y, .1)
	shuffled, labels := linear.Matrix{Rows: 400, Cols: 21}, []float64(nil)
	for _, i := range r.Perm(400) {
		shuffled.Data = append(shuffled.Data, x.Row(i)...)
		labels = append(labels, y[i])
	}
	for name, o := range variants {
		sameModel(t, name, mustFit(t, x, y, nil, o), mustFit(t, shuffled, labels, nil, o))
	}
}

// TestClassesAreSymmetric: with all labels reversed the scores change sign.
func TestClassesAreSymmetric(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	x, y := gaussian(r, 200, 5) // continuous: no ties to break
	y = flip(r, y, .2)
	other := make([]float64, len(y))
	for i := range y {
		other[i] = -y[i]
	}
	for name, o := range variants {
		a, b := mustFit(t, x, y, nil, o), mustFit(t, x, other, nil, o)
		for i := range y {
			if p, q := a.Score(x.Row(i)), b.Score(x.Row(i)); !(math.Abs(p+q) <= 1e-9*(1+math.Abs(p))) {
				t.Fatalf("%s: row %d scores %v and %v", name, i+1, p, q)
			}
		}
	}
}

// TestMonotoneColumns: a monotone transformation of a column changes no tree.
func TestMonotoneColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	x, y := gaussian(r, 200, 4)
	y = flip(r, y, .2)
	bent := linear.Matrix{Rows: x.Rows, Cols: x.Cols, Data: make([]float64, len(x.Data))}
	for i, c := range x.Data {
		bent.Data[i] = math.Exp(c) + 1000
	}
	for name, o := range variants {
		a, b := mustFit(t, x, y, nil, o), mustFit(t, bent, y, nil, o)
		for i := range y {
			if p, q := a.Score(x.Row(i)), b.Score(bent.Row(i)); !(math.Abs(p-q) <= 1e-9*(1+math.Abs(p))) {
				t.Fatalf("%s: row %d scores %v and %v", name, i+1, p, q)
			}
		}
	}
}

// TestSameBits fits on one core and on four, with enough cells to use all of them.
func TestSameBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 10))
	x, y := gaussian(r, 9000, 12)
	y = flip(r, y, .1)
	for name, o := range variants {
		o.Rounds = min(o.Rounds, 6)
		var fits []*Model
		for _, cores := range []int{1, 4} {
			old := runtime.GOMAXPROCS(cores)
			fits = append(fits, mustFit(t, x, y, nil, o))
			runtime.GOMAXPROCS(old)
		}
		if !reflect.DeepEqual(fits[0], fits[1]) {
			t.Errorf("%s: one core and four differ", name)
		}
	}
}

// TestStaged compares the stages with truncated models, and the last stage with Score.
func TestStaged(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 11))
	x, y := longServedio(r, 300)
	noisy := flip(r, y, .1)
	m := mustFit(t, x, noisy, nil, Options{Rounds: 20})
	curve := m.StagedAccuracy(x, y)
	for stage, h := range m.Staged(x) {
		short := mustFit(t, x, noisy, nil, Options{Rounds: stage})
		right := 0
		for i := range h {
			if h[i] != short.Score(x.Row(i)) {
				t.Fatalf("stage %d, row %d: %v, want %v", stage, i+1, h[i], short.Score(x.Row(i)))
			}
			if h[i]*y[i] > 0 {
				right++
			}
		}
		if curve[stage-1] != float64(right)/300 {
			t.Errorf("stage %d: accuracy %v, want %v", stage, curve[stage-1], float64(right)/300)
		}
	}
	if len(curve) != 20 || curve[0] == curve[19] {
		t.Errorf("curve %v", curve)
	}
}

// TestTrace: the margins of a step are those of the model so far, and D is the gradient at the
// margins before the step.
func TestTrace(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 12))
	x, y := gaussian(r, 100, 3)
	y = flip(r, y, .2)
	before := make([]float64, len(y))
	steps := 0
	reported := 0
	m := mustFit(t, x, y, nil, Options{Alpha: 3, Rounds: 8, Report: func(p linear.Progress) { reported = p.Iteration }, Trace: func(s Step) {
		steps++
		sum := 0.0
		for i := range y {
			sum += slopeByDifference(3, before[i])
		}
		for i := range y {
			if want := slopeByDifference(3, before[i]) / sum; !(math.Abs(s.D[i]-want) <= 1e-6*(want+1e-3)) {
				t.Fatalf("round %d: D[%d] = %v, want %v", s.Round, i, s.D[i], want)
			}
			if got := before[i] + s.Tree.Theta*s.U[i]; got != s.M[i] {
				t.Fatalf("round %d: margin %v, want %v", s.Round, s.M[i], got)
			}
		}
		copy(before, s.M)
	}})
	if steps != 8 || reported != 8 || m.Objective != m.Trees[7].Loss {
		t.Errorf("%d steps, %d reported, objective %v, last loss %v", steps, reported, m.Objective, m.Trees[7].Loss)
	}
	mean := 0.0
	for i := range y {
		mean += alphaLoss(3, y[i]*m.Score(x.Row(i))) / float64(len(y))
	}
	if !(math.Abs(mean-m.Objective) <= 1e-12) {
		t.Errorf("objective %v, want %v", m.Objective, mean)
	}
}

func slopeByDifference(alpha, m float64) float64 {
	return (alphaLoss(alpha, m-1e-5) - alphaLoss(alpha, m+1e-5)) / 2e-5
}

func TestCancel(t *testing.T) {
	testtime.TwoCores(t)
	r := rand.New(rand.NewPCG(3, 13))
	x, y := gaussian(r, 20000, 20)
	for _, depth := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		var stopped time.Duration
		_, err := Fit(ctx, x, flip(r, y, .1), nil, Options{Rounds: MaxRounds, Depth: depth, Report: func(p linear.Progress) {
			if p.Iteration == 2 {
				stopped = testtime.Spent()
				cancel()
			}
		}})
		if late := testtime.Spent() - stopped; !errors.Is(err, context.Canceled) || late > time.Second {
			t.Errorf("depth %d: error %v after %v", depth, err, late)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, x, y, nil, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v before the start", err)
	}
}

func TestErrors(t *testing.T) {
	x := design([][]float64{{0}, {1}, {2}})
	for want, c := range map[string]struct {
		y []float64
		o Options
	}{
		"alpha must be greater than 0": {[]float64{1, -1, 1}, Options{Alpha: -1}},
		"alpha must be greater":        {[]float64{1, -1, 1}, Options{Alpha: math.NaN()}},
		`theta_rule must be ‘half-log’, ‘alpha-log’ or ‘line-search’ (got ‘newton’)`: {[]float64{1, -1, 1}, Options{Rule: "newton"}},
		"theta_rule must not be ‘alpha-log’":                                         {[]float64{1, -1, 1}, Options{Rule: AlphaLog, Alpha: math.Inf(1)}},
		"alpha is above 1e+15 (got 1e+16)":                                           {[]float64{1, -1, 1}, Options{Rule: AlphaLog, Alpha: 1e16}},
		"α log((1−ε)/ε) is then too large":                                           {[]float64{1, -1, 1}, Options{Rule: AlphaLog, Alpha: 1e300}},
		fmt.Sprintf("rounds must be from 1 to %d (got -1)", MaxRounds):               {[]float64{1, -1, 1}, Options{Rounds: -1}},
		fmt.Sprintf("rounds must be from 1 to %d (got %d)", MaxRounds, MaxRounds+1):  {[]float64{1, -1, 1}, Options{Rounds: MaxRounds + 1}},
		"depth must be from 1 to 16 (got 17)":                                        {[]float64{1, -1, 1}, Options{Depth: 17}},
		"depth must be from 1 to 16 (got -1)":                                        {[]float64{1, -1, 1}, Options{Depth: -1}},
		"without the event":                                                          {[]float64{-1, -1, -1}, Options{}},
		"Row 2 has the label 0":                                                      {[]float64{1, 0, -1}, Options{}},
	} {
		_, err := Fit(context.Background(), x, c.y, nil, c.o)
		if !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	x.Data[1] = math.NaN()
	if _, err := Fit(context.Background(), x, []float64{1, -1, 1}, nil, Options{}); err == nil || !strings.Contains(err.Error(), "Row 2, column 1") {
		t.Errorf("error %v for a NaN", err)
	}
}

// TestNoColumnVaries: without a column to split on, the fit returns an error.
func TestNoColumnVaries(t *testing.T) {
	x := design([][]float64{{7}, {7}, {7}})
	for _, depth := range []int{1, 3} {
		m := mustFit(t, x, []float64{1, -1, 1}, nil, Options{Depth: depth})
		if m.Stopped != StoppedNoEdge || m.Score([]float64{7}) != 0 || len(m.Warnings) != 1 {
			t.Errorf("depth %d: %+v", depth, m)
		}
	}
}

// TestCollapse: with the α-log rule and a large α the weights concentrate on a handful of rows
// within a few rounds (docs/math.md, Margin alpha-loss); with AdaBoost they do not.
func TestCollapse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	x, y := gaussian(r, 500, 5)
	y = flip(r, y, .1)
	m := mustFit(t, x, y, nil, Options{Alpha: 20, Rule: AlphaLog})
	if m.Collapsed == 0 || m.Collapsed > 10 || !slices.ContainsFunc(m.Warnings, func(w string) bool { return strings.Contains(w, "of 500 rows") }) {
		t.Errorf("collapsed at %d, warnings %q", m.Collapsed, m.Warnings)
	}
	if m = mustFit(t, x, y, nil, Options{}); m.Collapsed != 0 || len(m.Warnings) != 0 {
		t.Errorf("AdaBoost: collapsed at %d, warnings %q", m.Collapsed, m.Warnings)
	}
}

// TestNoMinimumAlongTree: at α = ∞ the first line search has no zero, because the slope has
// equal tails; the half-log coefficient is used instead.
func TestNoMinimumAlongTree(t *testing.T) {
	x := design([][]float64{{0}, {1}, {2}, {3}})
	y := []float64{-1, 1, -1, 1}
	m := mustFit(t, x, y, nil, Options{Alpha: math.Inf(1), Rule: LineSearch, Rounds: 1})
	if want := .5 * math.Log(3); !(math.Abs(m.Trees[0].Theta-want) <= 1e-12) || len(m.Warnings) != 1 {
		t.Errorf("θ = %v, want %v; warnings %q", m.Trees[0].Theta, want, m.Warnings)
	}
}

// TestExtremeAlpha: weights and losses stay finite where powers overflow; the first stump does
// not depend on α.
func TestExtremeAlpha(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 16))
	x, y := gaussian(r, 200, 3)
	y = flip(r, y, .2)
	first := mustFit(t, x, y, nil, Options{Rounds: 1}).Trees[0].Nodes
	for _, alpha := range []float64{1e-300, 1e-5, 1e-3, .02, 1e8} {
		for _, rule := range []string{HalfLog, AlphaLog, LineSearch} {
			m := mustFit(t, x, y, nil, Options{Alpha: alpha, Rule: rule, Rounds: 20, Trace: func(s Step) {
				total := 0.0
				for _, d := range s.D {
					total += d
				}
				if !(math.Abs(total-1) <= 1e-12) {
					t.Errorf("α=%v %s round %d: weights sum to %v", alpha, rule, s.Round, total)
				}
			}})
			if !reflect.DeepEqual(m.Trees[0].Nodes, first) || math.IsNaN(m.Objective) || math.IsInf(m.Objective, 0) {
				t.Errorf("α=%v %s: first tree %+v, objective %v", alpha, rule, m.Trees[0], m.Objective)
			}
		}
	}
}

func TestModelJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 15))
	x, y := gaussian(r, 100, 3)
	for _, o := range []Options{{Rounds: 3}, {Alpha: math.Inf(1), Depth: 3, Rounds: 3}} {
		m := mustFit(t, x, flip(r, y, .2), nil, o)
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back Model
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m, &back) {
			t.Errorf("%s does not lead back", raw)
		}
	}
}

func TestCheckModel(t *testing.T) {
	for want, raw := range map[string]string{
		"both must be positive": `{"alpha":0,"columns":1}`,
		"has no node":           `{"alpha":1,"columns":1,"trees":[{"theta":1}]}`,
		"votes 0":               `{"alpha":1,"columns":1,"trees":[{"theta":1,"nodes":[{}]}]}`,
		"two later nodes":       `{"alpha":1,"columns":1,"trees":[{"theta":1,"nodes":[{"below":1,"above":0},{"vote":1}]}]}`,
		"splits column 3 of 2":  `{"alpha":1,"columns":2,"trees":[{"theta":1,"nodes":[{"feature":2,"below":1,"above":2},{"vote":1},{"vote":-1}]}]}`,
	} {
		var m Model
		if err := json.Unmarshal([]byte(raw), &m); err != nil {
			t.Fatal(err)
		}
		if err := m.Check(); !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", raw, err, want)
		}
	}
	var a Alpha
	if err := json.Unmarshal([]byte(`"-inf"`), &a); !usererr.Is(err, usererr.Invalid) {
		t.Errorf("error %v", err)
	}
}

// FuzzModel: a decoded model that passes Check scores any row.
func FuzzModel(f *testing.F) {
	f.Add([]byte(`{"alpha":"inf","columns":2,"trees":[{"theta":1,"nodes":[{"feature":1,"threshold":0.5,"below":1,"above":2},{"vote":1},{"vote":-1}]}]}`))
	f.Add([]byte(`{"alpha":1,"columns":1,"trees":[{"theta":1,"nodes":[{"below":1,"above":1},{"below":1,"above":2},{"vote":1}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var m Model
		if json.Unmarshal(raw, &m) != nil || m.Check() != nil || m.Columns > 1000 {
			return
		}
		if h := m.Score(make([]float64, m.Columns)); math.IsNaN(h) && len(m.Trees) < 2 {
			t.Errorf("score %v", h)
		}
	})
}

// TestCollapseLimits: the warning needs an effective number of rows below ten and below a tenth
// of all, and appears once.
func TestCollapseLimits(t *testing.T) {
	for _, c := range []struct {
		rows int
		left float64
		want bool
	}{{1000, 9.9, true}, {1000, 10, false}, {90, 9, false}, {91, 9, true}, {89, 9, false}} {
		f := &fit{mass: &mass{effective: c.left}, model: &Model{}, y: make([]float64, c.rows)}
		f.watchCollapse(7)
		f.watchCollapse(8)
		if got := f.model.Collapsed == 7 && len(f.model.Warnings) == 1; got != c.want || !c.want && f.model.Collapsed != 0 {
			t.Errorf("%v of %d rows: collapsed at %d, %q", c.left, c.rows, f.model.Collapsed, f.model.Warnings)
		}
	}
	if MaxRounds != 10_000 {
		t.Errorf("at most %d trees", MaxRounds)
	}
}

// TestBlocks: blocks follow one another and end at thresholds; a level of many rows is a block, and others have few.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for range 300 {
		var ends []int32
		n := int32(0)
		for range r.IntN(40) {
			n += 1 + int32(math.Exp(r.Float64()*5))
			ends = append(ends, n)
		}
		n += 1 + r.Int32N(9)
		at := int32(0)
		for _, b := range blocks(ends, int(n)) {
			next, _ := slices.BinarySearch(ends, b[0]+1)
			last, found := slices.BinarySearch(ends, b[1])
			switch {
			case b[0] != at || b[1] <= at || !found && b[1] != n:
				t.Fatalf("block %v of %d rows with thresholds %v", b, n, ends)
			case next < last && b[1]-b[0] >= 2*few:
				t.Fatalf("block %v of several levels, of thresholds %v", b, ends)
			}
			at = b[1]
		}
		if at != n {
			t.Fatalf("the last block ends at %d of %d", at, n)
		}
	}
}
