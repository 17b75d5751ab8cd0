package resample

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/testtime"
)

// TestDeal: each count of a class differs from its share by less than one row, groups stay
// together, and every row is assigned once.
func TestDeal(t *testing.T) {
	label := make([]int, 103)
	for i := range label {
		label[i] = map[bool]int{true: 1}[i%7 == 0]
	}
	groups := make([]int, len(label))
	for i := range groups {
		groups[i] = i / 2
	}
	for _, c := range []struct {
		name   string
		shares []float64
		group  []int
		off    float64 // largest difference from the share, in rows of a class
	}{
		{"five folds", []float64{.2, .2, .2, .2, .2}, nil, 1},
		{"a third held out", []float64{.67, .33}, nil, 1},
		{"pairs", []float64{.5, .5}, groups, 2},
	} {
		r := Rows{Label: label, Classes: 2, Group: c.group}
		d, err := r.Deal(context.Background(), Positions(len(label)), c.shares, Folds(1, 0, 0))
		if err != nil {
			t.Fatal(err)
		}
		n := make([][2]float64, len(c.shares)+1)
		for i, part := range d {
			n[part][label[i]]++
			if c.group != nil && i%2 == 1 && d[i-1] != part {
				t.Errorf("%s: rows %d and %d are parted", c.name, i-1, i)
			}
		}
		if n[0] != [2]float64{} {
			t.Errorf("%s: %v rows in no part", c.name, n[0])
		}
		for p, share := range c.shares {
			for k, all := range []float64{88, 15} {
				if math.Abs(n[p+1][k]-share*all) >= c.off {
					t.Errorf("%s: part %d holds %v of %v rows of class %d", c.name, p+1, n[p+1][k], all, k)
				}
			}
		}
		again, _ := r.Deal(context.Background(), Positions(len(label)), c.shares, Folds(1, 0, 0))
		other, _ := r.Deal(context.Background(), Positions(len(label)), c.shares, Folds(2, 0, 0))
		if !slices.Equal(d, again) || slices.Equal(d, other) {
			t.Errorf("%s: the seed does not decide", c.name)
		}
	}
}

// TestDealFollowsRule: every unit goes where Σ n²/(share·N²) is smallest after it, ties to the
// emptiest part relative to its share, then to the first. The sum is recomputed here for every
// part. Larger groups come first.
func TestDealFollowsRule(t *testing.T) {
	const classes = 3
	for seed := range uint64(20) {
		draw := Source(seed, 9, 0, 0)
		label, group := make([]int, 40), make([]int, 40)
		for i := range label {
			label[i], group[i] = draw.IntN(classes-1), draw.IntN(1+i/2) // class 2 has no row
		}
		for _, shares := range [][]float64{{.53, .31, .16}, Even(3), {.61, .39}} {
			r := Rows{Label: label, Classes: classes, Group: group}
			if seed%2 == 0 {
				r.Group = nil
			}
			got, err := r.Deal(t.Context(), Positions(40), shares, Folds(seed, 0, 0))
			if err != nil {
				t.Fatal(err)
			}
			if want := dealt(r, shares, Folds(seed, 0, 0)); !slices.Equal(got, want) {
				t.Errorf("seed %d, shares %v: %v, want %v", seed, shares, got, want)
			}
		}
	}
}

// dealt implements Deal by its definition.
func dealt(r Rows, shares []float64, rng *rand.Rand) Division {
	units, at := [][]int{}, map[int]int{}
	for i := range r.Label {
		key := i
		if r.Group != nil {
			key = r.Group[i]
		}
		if _, ok := at[key]; !ok {
			at[key] = len(units)
			units = append(units, nil)
		}
		units[at[key]] = append(units[at[key]], i)
	}
	for i := len(units) - 1; i > 0; i-- { // Fisher and Yates
		j := rng.IntN(i + 1)
		units[i], units[j] = units[j], units[i]
	}
	slices.SortStableFunc(units, func(a, b []int) int { return len(b) - len(a) })
	harm := func(d Division) (sum float64) {
		for k := range r.Classes {
			all, n := 0., make([]float64, len(shares))
			for i, part := range d {
				if r.Label[i] == k {
					all++
					if part > 0 {
						n[part-1]++
					}
				}
			}
			for p := range shares {
				if all > 0 {
					sum += n[p] * n[p] / (shares[p] * all * all)
				}
			}
		}
		return sum
	}
	d := make(Division, len(r.Label))
	for _, unit := range units {
		best, least, emptiest := 0, math.Inf(1), math.Inf(1)
		for p := range shares {
			filled := float64(len(d.Where(func(part uint8) bool { return int(part) == p+1 }))) / shares[p]
			with := slices.Clone(d)
			for _, i := range unit {
				with[i] = uint8(p + 1)
			}
			h := harm(with)
			if h < least-1e-12 || h < least+1e-12 && filled < emptiest-1e-12 {
				best, least, emptiest = p, h, filled
			}
		}
		for _, i := range unit {
			d[i] = uint8(best + 1)
		}
	}
	return d
}

// TestShuffleCancelled: a shuffle of many rows stops when its context ends.
func TestShuffleCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := shuffle(ctx, Positions(2*cancelEvery), Source(1, 2, 3, 4)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestCheapest: a class with one row counts like any other, and ties go to the part emptiest
// relative to its share.
func TestCheapest(t *testing.T) {
	for _, c := range []struct {
		name             string
		held             [][]float64
		shares, total, n []float64
		want             int
	}{
		{"one row of a class: 1/.2 or 1/.8", [][]float64{{0}, {0}}, []float64{.2, .8}, []float64{1}, []float64{1}, 1},
		{"emptiest: 2/.2 or 6/.8", [][]float64{{2, 0}, {6, 0}}, []float64{.2, .8}, []float64{8, 0}, []float64{0, 0}, 1},
		{"the first of equals", [][]float64{{1}, {1}}, []float64{.5, .5}, []float64{4}, []float64{1}, 0},
	} {
		if got := cheapest(c.held, c.shares, c.total, c.n); got != c.want {
			t.Errorf("%s: part %d, want %d", c.name, got, c.want)
		}
	}
}

func TestDealCancelled(t *testing.T) {
	r := Rows{Label: make([]int, 5000), Classes: 1}
	for _, c := range []struct {
		name  string
		group []int
	}{{"rows", nil}, {"groups", Positions(5000)}} {
		r.Group = c.group
		for looks := 0; ; looks++ {
			ctx := testtime.EndAfter(t.Context(), looks)
			_, err := r.Deal(ctx, Positions(5000), Even(2), Folds(1, 0, 0))
			if ended := ctx.Ended(); ended != errors.Is(err, context.Canceled) {
				t.Fatalf("%s: ended after %d looks: %v, error %v", c.name, looks, ended, err)
			}
			if err == nil {
				if looks < 8 || looks > 10 {
					t.Errorf("%s: %d looks at the context while 5,000 rows are shuffled and dealt", c.name, looks)
				}
				break
			}
		}
	}
}

func TestSmallParts(t *testing.T) {
	if d := cmp.Diff([]float64{.25, .25, .25, .25}, Even(4)); d != "" {
		t.Error(d)
	}
	d := Division{1, 2, 0, 2}
	if got := d.Where(func(part uint8) bool { return part == 2 }); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("part 2 is %v", got)
	}
	if got := Repeat([]string{"a", "b", "c"}, []int{2, 0, 1}); !slices.Equal(got, []string{"a", "a", "c"}) {
		t.Errorf("repeated: %v", got)
	}
	if got := Pick([]string{"a", "b", "c"}, []int{2, 0}); !slices.Equal(got, []string{"c", "a"}) {
		t.Errorf("picked: %v", got)
	}
	held, err := HoldOut(context.Background(), []int{0, 0, 0, 0, 0, 0, 1, 1, 1}, 2, 1./3, 5)
	if err != nil {
		t.Fatal(err)
	}
	var n [2]int
	for i, is := range held {
		if is {
			n[i/6]++
		}
	}
	if n != [2]int{2, 1} {
		t.Errorf("a third of 6 and 3 rows is %v", n)
	}
	if d, err := (Rows{Label: []int{0, 0, 0, 0, 0, 0, 1, 1, 1}, Classes: 2}).Deal(t.Context(), Positions(9),
		[]float64{2. / 3, 1. / 3}, Folds(5, 0, 0)); err != nil || !slices.Equal(d.Where(func(part uint8) bool { return part == 2 }),
		slices.DeleteFunc(Positions(9), func(i int) bool { return !held[i] })) {
		t.Errorf("a run holds %v out, a study %v", d, held)
	}
	if got := d.Where(func(part uint8) bool { return part == 9 }); len(got) != 0 {
		t.Errorf("a part that nobody is in: %v", got)
	}
	// Stored runs depend on these streams.
	if got := [3]int{PurposeSample, PurposeNoise, PurposeBootstrap}; got != [3]int{2, 3, 4} {
		t.Errorf("purposes %v", got)
	}
	// The generators are NewPCG with the seed, and purpose, a and b in separate bits.
	for i, r := range []uint64{Folds(3, 1, 2).Uint64(), Source(3, 1, 1, 2).Uint64()} {
		if want := Source(3, 1, 1, 2).Uint64(); r != want {
			t.Errorf("generator %d: %d, want %d", i, r, want)
		}
	}
	seen := map[uint64]bool{}
	for _, r := range []uint64{Source(3, 1, 1, 2).Uint64(), Source(3, 2, 1, 2).Uint64(), Source(3, 1, 2, 1).Uint64(), Source(4, 1, 1, 2).Uint64()} {
		seen[r] = true
	}
	if len(seen) != 4 {
		t.Error("two purposes have one stream")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := HoldOut(ended, make([]int, 3000), 1, .5, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestShuffleIsUniform: each of the 24 orders of four is equally frequent, and the last
// position is as random as the first (χ² with 23 degrees of freedom, 1 − 1e-6 quantile 73.6;
// the seed is fixed).
func TestShuffleIsUniform(t *testing.T) {
	rng, n := Source(1, 9, 0, 0), map[[4]int]int{}
	for range 2400 {
		list := []int{0, 1, 2, 3}
		if err := shuffle(context.Background(), list, rng); err != nil {
			t.Fatal(err)
		}
		n[[4]int(list)]++
	}
	chi := 0.
	for _, k := range n {
		chi += float64((k-100)*(k-100)) / 100
	}
	if len(n) != 24 || chi > 73.6 {
		t.Errorf("%d orders, χ² = %v", len(n), chi)
	}
}
