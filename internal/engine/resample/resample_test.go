package resample

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDeal: each part holds its share of every class to less than one row, whole
// groups stay together, and every row is dealt once.
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
		off    float64 // rows of a class that a part may be off its share
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
	// The generators are NewPCG of the seed and of purpose, a and b in bits of their own.
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

// TestShuffleIsUniform: each of the 24 orders of four comes as often, and the last
// position is as free as the first (χ² of 23, 1e-6 quantile 73.6; the seed is fixed).
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
