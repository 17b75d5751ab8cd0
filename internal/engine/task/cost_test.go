package task

import (
	"math"
	"slices"
	"testing"

	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// TestLeast: the prediction of least expected cost is the known rule of each task.
func TestLeast(t *testing.T) {
	zero := Cost{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}
	steps := Cost{{0, 1, 2}, {1, 0, 1}, {2, 1, 0}}
	chow := append(slices.Clone(zero), []float64{.3, .3, .3})
	for _, c := range []struct {
		name string
		cost Cost
		p    []float64
		want int
	}{
		{"the likeliest", zero, []float64{.4, .25, .35}, 0},
		{"the median", steps, []float64{.4, .25, .35}, 1},
		{"none below 1 − c", chow, []float64{.1, .65, .25}, stat.Abstained},
		{"one above", chow, []float64{.1, .75, .15}, 1},
		{"the first of equals", zero, []float64{.2, .4, .4}, 1},
	} {
		if got := c.cost.Least(c.p); got != c.want {
			t.Errorf("%s of %v: %d, want %d", c.name, c.p, got, c.want)
		}
	}
}

// TestBandCosts: an event costs 2/K of Σ (1 − π) over the boundaries above its band, a
// non-event 2/K of Σ π over those below (docs/math.md, Interval classification).
func TestBandCosts(t *testing.T) {
	iv, err := loss.NewInterval([]float64{.2, .6})
	if err != nil {
		t.Fatal(err)
	}
	c := Bands(iv)
	for band, want := range [][]float64{{0, 1.2}, {.2, .4}, {.8, 0}} {
		for class := range want {
			if !(math.Abs(c[band][class]-want[class]) <= 1e-15) || c.Of(band, class) != c[band][class] {
				t.Errorf("band %d of class %d costs %v, want %v", band, class, c[band][class], want[class])
			}
		}
	}
	if c.Classes() != 2 || len(c) != 3 || !(math.Abs(c.Mean([]int{0, 2, 1}, []int{1, 0, 0})-2.2/3) <= 1e-15) {
		t.Errorf("%v, mean %v", c, c.Mean([]int{0, 2, 1}, []int{1, 0, 0}))
	}
}
