package engine

import "testing"

// TestOneSE: the largest λ within one standard error of the best, at its γ.
func TestOneSE(t *testing.T) {
	for _, c := range []struct {
		name       string
		tried      []Tried
		best, want int
	}{
		{"one", []Tried{{L2: 1, Mean: .2, SE: .1}}, 0, 0},
		{"larger λ within", []Tried{{L2: 4, Mean: .35}, {L2: 2, Mean: .29}, {L2: 1, Mean: .2, SE: .1}}, 2, 1},
		{"on the limit", []Tried{{L2: 2, Mean: .3}, {L2: 1, Mean: .2, SE: .1}}, 1, 0},
		{"no error", []Tried{{L2: 2, Mean: .21}, {L2: 1, Mean: .2}}, 1, 1},
		{"beyond a gap", []Tried{{L2: 4, Mean: .25}, {L2: 2, Mean: .4}, {L2: 1, Mean: .2, SE: .1}}, 2, 0},
		{"other γ", []Tried{{Gamma: 1, L2: 8, Mean: .2}, {Gamma: 2, L2: 2, Mean: .25}, {Gamma: 2, L2: 1, Mean: .2, SE: .1}}, 2, 1},
		{"its own error", []Tried{{L2: 2, Mean: .25, SE: 9}, {L2: 1, Mean: .2, SE: .01}}, 1, 1},
	} {
		if got := OneSE(c.tried, c.best); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestTunersAgreeOnOneSE: the tuners of two classes and of several choose the same
// setting from the same losses.
func TestTunersAgreeOnOneSE(t *testing.T) {
	losses := map[trial][]float64{ // by fold; one standard error of the best is .1
		{gamma: .5, l2: .5}: {.2, .4}, {gamma: .5, l2: 1}: {.3, .4}, {gamma: .5, l2: 2}: {.5, .6},
		{gamma: 2, l2: 4}: {.3, .4}, {gamma: .25, l2: 1}: {.31, .31},
	}
	c, s := &curve{loss: make([][]float64, 2)}, &search{}
	for at, by := range losses {
		c.tried, s.tried, s.price = append(c.tried, at), append(s.tried, setting{at.l2, at.gamma}), append(s.price, by)
		for k := range by {
			c.loss[k] = append(c.loss[k], by[k])
		}
	}
	best, oneSE := c.choose()
	severalBest, severalOneSE := s.choose()
	if want := (trial{.5, 1}); best != (trial{.5, .5}) || oneSE != want || severalBest != (setting{.5, .5}) || severalOneSE != (setting{want.l2, want.gamma}) {
		t.Errorf("two classes choose %v and %v, several %v and %v", best, oneSE, severalBest, severalOneSE)
	}
}
