package tune

import (
	"slices"
	"testing"
)

// TestEdges: a setting inside the grid is on no edge, one at an end is, unless the loss has
// stopped changing there: at the largest λ by its mean, at the smallest also by the standard
// error over the folds.
func TestEdges(t *testing.T) {
	line := func(means ...float64) (all []Point) { // λ = 1, 2, 4, …
		for i, m := range means {
			all = append(all, Point{Setting: Setting{L2: float64(int(1) << i)}, Mean: m})
		}
		return all
	}
	spread := func(se float64, means ...float64) []Point {
		all := line(means...)
		for i := range all {
			all[i].SE = se
		}
		return all
	}
	plane := func(gamma ...float64) (all []Point) {
		for _, g := range gamma {
			all = append(all, Point{Setting: Setting{Gamma: g, L2: 1}, Mean: g})
		}
		return all
	}
	for _, c := range []struct {
		name   string
		all    []Point
		chosen Setting
		want   []Edge
	}{
		{"inside", line(3, 2, 3), Setting{L2: 2}, nil},
		{"the least λ", line(1, 2, 3), Setting{L2: 1}, []Edge{{Value: 1}}},
		{"the largest λ", line(3, 2, 1), Setting{L2: 4}, []Edge{{High: true, Value: 4}}},
		{"the largest λ, where the model is constant", line(3, .6931, .6930), Setting{L2: 4}, nil},
		{"the least λ, where the loss changes no more", line(.6930, .6931, 3), Setting{L2: 1}, nil},
		{"the least λ, a change below a tenth of the SE", spread(.02, .31, .3119, .35), Setting{L2: 1}, nil},
		{"the least λ, a change above a tenth of the SE", spread(.02, .31, .3121, .35), Setting{L2: 1}, []Edge{{Value: 1}}},
		{"the largest λ, a change below a tenth of the SE", spread(.02, .35, .311, .31), Setting{L2: 4},
			[]Edge{{High: true, Value: 4}}},
		{"the least λ, tried alone at its γ", append(plane(.5), Point{Setting: Setting{Gamma: 1, L2: 2}, Mean: .5}),
			Setting{Gamma: .5, L2: 1}, []Edge{{Value: 1}, {Gamma: true, Value: .5}}},
		{"λ given", line(1), Setting{L2: 1}, nil},
		{"the least γ", plane(.5, 1, 2), Setting{Gamma: .5, L2: 1}, []Edge{{Gamma: true, Value: .5}}},
		{"the largest γ", plane(.5, 1, 2), Setting{Gamma: 2, L2: 1}, []Edge{{Gamma: true, High: true, Value: 2}}},
		{"γ inside", plane(.5, 1, 2), Setting{Gamma: 1, L2: 1}, nil},
	} {
		if got := Edges(c.all, c.chosen); !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestSummedPath: the λ for a sum over n rows are 2n times those for a mean, with n rounded to
// a power of two.
func TestSummedPath(t *testing.T) {
	mean := Space{L2: true}.Search(true).Grid.Stages[0](&Curve{Rows: 250}, Setting{})[0].L2s
	sum := Space{L2: true, Summed: true}.Search(true).Grid.Stages[0](&Curve{Rows: 250}, Setting{})[0].L2s
	if len(mean) != 26 || len(sum) != len(mean) || mean[0] != 1024 || sum[0] != 1024*512 || sum[25] != mean[25]*512 {
		t.Errorf("%v for means, %v for sums", mean, sum)
	}
}

// TestFlatEnd: the losses may differ by a thousandth of the mean, and at the lower end by a
// tenth of the standard error. The nearest neighbour at the same γ counts; without one an end
// is not flat.
func TestFlatEnd(t *testing.T) {
	at := func(l2, gamma, mean, se float64) Point {
		return Point{Setting: Setting{L2: l2, Gamma: gamma}, Mean: mean, SE: se}
	}
	end := at(1, 0, 1000, 0)
	for _, c := range []struct {
		name string
		all  []Point
		low  bool
		want bool
	}{
		{"a thousandth", []Point{end, at(2, 0, 1001, 0)}, false, true},
		{"more than that", []Point{end, at(2, 0, 1001.5, 0)}, false, false},
		{"less than that, below", []Point{end, at(2, 0, 998.5, 0)}, false, false},
		{"a tenth of the standard error", []Point{at(1, 0, 0, 1), at(2, 0, .1, 0)}, true, true},
		{"of the standard error, at the other end", []Point{at(1, 0, 0, 1), at(2, 0, .1, 0)}, false, false},
		{"the nearest", []Point{at(4, 0, 2000, 0), end, at(2, 0, 1000, 0)}, false, true},
		{"the nearest at this γ", []Point{end, at(2, 5, 1000, 0), at(4, 0, 2000, 0)}, false, false},
		{"alone", []Point{end}, false, false},
	} {
		if got := flatEnd(c.all, Setting{L2: 1}, c.low); got != c.want {
			t.Errorf("%s: flat %t", c.name, got)
		}
	}
}
