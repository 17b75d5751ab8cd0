package tune

import (
	"context"
	"slices"
	"testing"
)

func at(gamma, l2, mean, se float64) Point {
	return Point{Setting: Setting{Gamma: gamma, L2: l2}, Mean: mean, SE: se}
}

// TestOneSE: the largest λ within one standard error of the best, at its γ.
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

// TestTies: which of equal settings is taken, and what counts as equal.
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

// TestSearch: two stages over two folds, whose held-out loss has its least at
// λ = 2^-7 and γ = 2^-5, find it though the first stage tries neither.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name string
		grid Grid
		n    int // settings tried
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
