package tune

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
)

func at(gamma, l2, mean, se float64) Point {
	return Point{Setting: Setting{Gamma: gamma, L2: l2}, Mean: mean, SE: se}
}

// TestOneSE: the largest λ within one standard error of the best, at the γ of the best.
func TestOneSE(t *testing.T) {
	for _, c := range []struct {
		name       string
		tried      []Point
		best, want int
	}{
		{"one", []Point{at(0, 1, .2, .1)}, 0, 0},
		{"larger λ within", []Point{at(0, 4, .35, 0), at(0, 2, .29, 0), at(0, 1, .2, .1)}, 2, 1},
		{"on the limit", []Point{at(0, 2, .3, 0), at(0, 1, .2, .1)}, 1, 0},
		{"no error", []Point{at(0, 2, .21, 0), at(0, 1, .2, 0)}, 1, 1},
		{"beyond a gap", []Point{at(0, 4, .25, 0), at(0, 2, .4, 0), at(0, 1, .2, .1)}, 2, 0},
		{"other γ", []Point{at(1, 8, .2, 0), at(2, 2, .25, 0), at(2, 1, .2, .1)}, 2, 1},
		{"its own error", []Point{at(0, 2, .25, 9), at(0, 1, .2, .01)}, 1, 1},
		{"other model", []Point{{Setting{1, 0, 8}, .2, 0}, at(0, 1, .2, .1)}, 1, 1},
	} {
		if got := OneSE(c.tried, c.best); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestTies: which of equal settings is chosen, and when they are equal.
func TestTies(t *testing.T) {
	low, hair := .1372, .1372+2e-17
	for _, c := range []struct {
		name            string
		tried           []Point
		simplest, first int
	}{
		{"none", nil, -1, -1},
		{"one", []Point{at(0, 1, .3, 0)}, 0, 0},
		{"the least", []Point{at(0, 1, .2, 0), at(0, 2, .1, 0), at(0, 3, .15, 0)}, 1, 1},
		{"the larger λ of equals", []Point{at(0, 2, low, 0), at(0, 3, hair, 0), at(0, 1, low, 0)}, 1, 0},
		{"beyond rounding", []Point{at(0, 1, low, 0), at(0, 2, low+1e-9, 0)}, 0, 0},
		{"γ at equal λ", []Point{at(2, 1, low, 0), at(1, 1, low+1e-16, 0), at(3, 1, low, 0)}, 1, 0},
	} {
		if got := (Ties{}).Best(c.tried); got != c.simplest {
			t.Errorf("%s: %d, want %d", c.name, got, c.simplest)
		}
		if got := (Ties{First: true}).Best(c.tried); got != c.first {
			t.Errorf("%s, the first: %d, want %d", c.name, got, c.first)
		}
	}
	if got := BestSetting([]float64{.5, .2 + 1e-10, .2}, 1e-9); got != 1 {
		t.Errorf("within 1e-9: %d", got)
	}
}

// TestSearch: two stages over two folds find the minimum of the held-out loss at λ = 2^-7 and γ
// = 2^-5, which the first stage does not try.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name string
		grid Grid
		n    int // number of settings tried
	}{
		{"warm", Space{L2: true, Gamma: true}.warm(), 49},
		{"cold", Space{L2: true, Gamma: true}.cold(), 59},
		{"γ alone", Space{Gamma: true, Fixed: Setting{L2: 0x1p-7}}.warm(), 9},
		{"λ alone", Space{L2: true}.warm(), 26},
	} {
		off := func(v, least float64) float64 { return (v/least-1)*(v/least-1) + (least/v-1)*(least/v-1) }
		s := Search{Grid: c.grid, Loss: func(_ context.Context, p Piece, dst []float64) error {
			for i, l2 := range p.L2s {
				dst[i] = 1 + float64(p.Fold) + off(l2, 0x1p-7)
				if p.Gamma > 0 {
					dst[i] += off(p.Gamma, 0x1p-5)
				}
			}
			return nil
		}}
		v := &Curve{Rows: 1, Folds: 2}
		if err := s.Run(t.Context(), []*Curve{v}); err != nil {
			t.Fatal(err)
		}
		want := Setting{L2: 0x1p-7}
		if c.name != "λ alone" {
			want.Gamma = 0x1p-5
		}
		if best, _ := s.Choose(v); best != want || len(v.Tried) != c.n {
			t.Errorf("%s: %v after %d settings, want %v after %d", c.name, best, len(v.Tried), want, c.n)
		}
		if sorted := slices.Clone(v.Tried); len(slices.Compact(sorted)) != len(v.Tried) {
			t.Errorf("%s tries a setting twice", c.name)
		}
	}
}

// TestPoint: .1, .2 and .6 have the mean .3 and the standard deviation √.07.
func TestPoint(t *testing.T) {
	c := Curve{Tried: []Setting{{L2: 2}, {L2: 1}}, Loss: [][]float64{{9, .1}, {9, .2}, {9, .6}}}
	if p := c.Point(1); p.L2 != 1 || !(math.Abs(p.Mean-.3) <= 1e-15) || !(math.Abs(p.SE-math.Sqrt(.07/3)) <= 1e-15) {
		t.Errorf("%+v", p)
	}
	c.Loss = c.Loss[:1]
	if p := c.Point(1); p.Mean != .1 || p.SE != 0 {
		t.Errorf("one fold: %+v", p)
	}
}

// TestTiesByScale: a difference of one part in 10¹² is a tie at any magnitude, except for a
// loss of 0; if no loss is a number the first setting is chosen.
func TestTiesByScale(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		all  []Point
		want int
	}{
		{"large and equal", []Point{at(0, 1, 1e6, 0), at(0, 2, 1e6+5e-7, 0)}, 1},
		{"large and not equal", []Point{at(0, 1, 1e6, 0), at(0, 2, 1e6+2e-6, 0)}, 0},
		{"small and not equal", []Point{at(0, 1, 1e-6, 0), at(0, 2, 1e-6+1e-9, 0)}, 0},
		{"0", []Point{at(0, 2, .1, 0), at(0, 1, 0, 0)}, 1},
		{"no number", []Point{at(0, 1, nan, 0), at(0, 2, nan, 0)}, 0},
		{"one, and no number", []Point{at(0, 1, nan, 0)}, 0},
	} {
		if got := (Ties{}).Best(c.all); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	large := []Point{at(0, 2, 1e6+10+5e-7, 0), at(0, 1, 1e6, 10)}
	if got := OneSE(large, 1); got != 0 {
		t.Error("one standard error is cut without room for rounding")
	}
	small := []Point{at(0, 2, 1e-6+1e-7+1e-9, 0), at(0, 1, 1e-6, 1e-7)}
	if got := OneSE(small, 1); got != 1 {
		t.Error("more than one standard error is taken for rounding")
	}
}

// TestGrids: the settings that are tried. For several classes the first stage has every third
// power of two, λ from 2³ to 2⁻¹⁵ and γ from 1 to 2⁻¹²; for two classes λ = 1/(Cn) with C from
// 1 to 2¹² (Fathony et al. 2018, section 6). The second stage extends two steps around the
// best.
func TestGrids(t *testing.T) {
	c := &Curve{Rows: 130} // rounded to 2⁷
	best := Setting{Gamma: .25, L2: 8}
	powers := func(first, step float64, n int) (all []float64) {
		for range n {
			all, first = append(all, first), first*step
		}
		return all
	}
	around := []float64{32, 16, 8, 4, 2}
	gammas := []float64{1, .5, .25, .125, .0625}
	cross := func(gammas, l2s []float64, but Setting) (all []Setting) {
		for _, g := range gammas {
			for _, l := range l2s {
				if s := (Setting{Gamma: g, L2: l}); s != but {
					all = append(all, s)
				}
			}
		}
		return all
	}
	ascending := func(v []float64) []float64 { v = slices.Clone(v); slices.Reverse(v); return v }
	none := Setting{Gamma: -1}
	for _, tt := range []struct {
		name   string
		space  Space
		warm   bool
		trials int
		stages [][]Setting
	}{
		{"several classes", Space{L2: true, Gamma: true}, false, 35 + 25 - 1, [][]Setting{
			cross(powers(1, 1./8, 5), powers(8, 1./8, 7), none), cross(gammas, around, none)}},
		{"several classes, λ alone", Space{L2: true, Fixed: Setting{Gamma: 3}}, false, 7 + 5 - 1, [][]Setting{
			cross([]float64{3}, powers(8, 1./8, 7), none), cross([]float64{3}, around, none)}},
		{"several classes, γ alone", Space{Gamma: true, Fixed: Setting{L2: 5}}, false, 5 + 5 - 1, [][]Setting{
			cross(powers(1, 1./8, 5), []float64{5}, none), cross(gammas, []float64{5}, none)}},
		{"two classes", Space{L2: true, Gamma: true}, true, 49, [][]Setting{
			cross(ascending(powers(1, 1./8, 5)), powers(1./128, 1./8, 5), none), cross(ascending(gammas), around, best)}},
		{"two classes, γ alone", Space{Gamma: true, Fixed: Setting{L2: 8}}, true, 9, [][]Setting{
			cross(ascending(powers(1, 1./8, 5)), []float64{8}, none), cross(ascending(gammas), []float64{8}, best)}},
		{"two classes, λ alone", Space{L2: true}, true, 26, [][]Setting{cross([]float64{0}, powers(1024, .5, 26), none)}},
	} {
		s := tt.space.Search(tt.warm)
		if !tt.space.AnyOpen() || s.Grid.Trials != tt.trials || len(s.Grid.Stages) != len(tt.stages) {
			t.Errorf("%s: %d trials in %d stages", tt.name, s.Grid.Trials, len(s.Grid.Stages))
		}
		for k, want := range tt.stages {
			var got []Setting
			for _, p := range s.Grid.Stages[k](c, best) {
				for _, l2 := range p.L2s {
					got = append(got, Setting{p.Model, p.Gamma, l2})
				}
				if len(p.L2s) == 0 {
					t.Errorf("%s: a path without λ", tt.name)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, stage %d: %v, want %v", tt.name, k+1, got, want)
			}
		}
	}
	if (Space{}).AnyOpen() {
		t.Error("nothing is open, and AnyOpen says so of something")
	}
	if g := SingleStage(Path{L2s: []float64{2, 1}}, Path{Model: 1, L2s: []float64{3}}); g.Trials != 3 {
		t.Errorf("%d trials of 2 and 1", g.Trials)
	}
}

// TestPointByHand: the losses 1, 2 and 6 have mean 3 and standard error √(14/2/3); with one
// fold it is 0. An error of a loss ends the search.
func TestPointByHand(t *testing.T) {
	c := Curve{Tried: []Setting{{L2: 1}, {L2: 2}}, Loss: [][]float64{{1, 5}, {2, 5}, {6, 5}}}
	if p := c.Point(0); p.Mean != 3 || !(math.Abs(p.SE-math.Sqrt(14./2/3)) <= 1e-15) || p.L2 != 1 {
		t.Errorf("%+v", p)
	}
	if p := c.Point(1); p.Mean != 5 || p.SE != 0 || p.L2 != 2 {
		t.Errorf("%+v", p)
	}
	c.Loss = [][]float64{{1, 3}, {4, 3}} // two folds: √(4.5/1/2)
	if p := c.Point(0); !(math.Abs(p.SE-1.5) <= 1e-15) {
		t.Errorf("two folds: %+v", p)
	}
	c.Loss = c.Loss[:1]
	if p := c.Point(0); p.Mean != 1 || p.SE != 0 {
		t.Errorf("one fold: %+v", p)
	}
	full := errors.New("no space left")
	s := Search{Grid: SingleStage(Path{L2s: []float64{1, 2}}), Loss: func(context.Context, Piece, []float64) error { return full }}
	if err := s.Run(t.Context(), []*Curve{{Folds: 2}}); !errors.Is(err, full) {
		t.Errorf("a search whose losses fail ends with %v", err)
	}
}

// TestLimitOfOneSE: a mean exactly at the limit is within it, one above is not.
func TestLimitOfOneSE(t *testing.T) {
	at := func(l2, mean, se float64) Point { return Point{Setting: Setting{L2: l2}, Mean: mean, SE: se} }
	for name, c := range map[string]struct {
		all  []Point
		want int
	}{
		"at it":    {[]Point{at(1, 0, .5), at(2, .5, 0), at(4, .75, 0)}, 1},
		"within":   {[]Point{at(1, 0, .5), at(2, .25, 0), at(4, .375, 0)}, 2},
		"smaller":  {[]Point{at(2, 0, .5), at(1, .25, 0)}, 0},
		"as large": {[]Point{at(2, 0, .5), at(2, .25, 0)}, 0},
	} {
		if got := OneSE(c.all, 0); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
