package stat

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// priceOfCut is the mean loss of one boundary when rows above c are called above it, as docs/math.md §6 has it.
func priceOfCut(score []float64, event []bool, weight []float64, pi, c float64) (sum float64) {
	for i, s := range score {
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		switch {
		case event[i] && s <= c:
			sum += w * (1 - pi)
		case !event[i] && s > c:
			sum += w * pi
		}
	}
	return sum
}

// TestCutMinimises tries every cut-off there is, on scores with and without ties, with and without weights, where
// the score rises with the risk, falls with it, and says nothing of it.
func TestCutMinimises(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 17))
	pi := []float64{.05, .1, .25, .4, .5, .75, .9}
	for trial := range 600 {
		n := 1 + random.IntN(60)
		score, event := make([]float64, n), make([]bool, n)
		var weight []float64
		if trial%4 < 2 {
			weight = make([]float64, n)
		}
		slope := []float64{2, -2, 0}[trial%3]
		share := []float64{-2, 0, 1.5}[trial/3%3]
		for i := range score {
			if score[i] = random.NormFloat64(); trial%5 < 3 { // ties
				score[i] = math.Round(2 * score[i])
			}
			event[i] = random.Float64() < 1/(1+math.Exp(-share-slope*score[i]))
			if weight != nil {
				weight[i] = .2 + random.Float64()*3
			}
		}
		cuts := NewCutter(score, event, weight).Cut(nil, pi)
		if !slices.IsSorted(cuts) {
			t.Fatalf("trial %d: cut-offs do not rise with their boundaries: %v", trial, cuts)
		}
		for k, p := range pi {
			best := math.Inf(1)
			for _, c := range append(slices.Clone(score), math.Inf(-1)) {
				best = min(best, priceOfCut(score, event, weight, p, c))
			}
			if got := priceOfCut(score, event, weight, p, cuts[k]); got > best+1e-9 {
				t.Fatalf("trial %d, π = %v: cut-off %v costs %v, another %v", trial, p, cuts[k], got, best)
			}
		}
	}
}

// TestCutJointly holds the cut-offs of three boundaries together against every ascending triple.
func TestCutJointly(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	pi := []float64{.15, .35, .6}
	for trial := range 40 {
		score, event := make([]float64, 14), make([]bool, 14)
		for i := range score {
			score[i] = float64(random.IntN(8))
			event[i] = random.Float64() < (score[i]+1)/10
		}
		loss := func(c []float64) float64 {
			band := make([]int, len(score))
			for i, s := range score {
				for _, v := range c {
					if v < s {
						band[i]++
					}
				}
			}
			return IntervalLoss(pi, band, event)
		}
		best := math.Inf(1)
		for a := -0.5; a < 8; a++ {
			for b := a; b < 8; b++ {
				for c := b; c < 8; c++ {
					best = min(best, loss([]float64{a, b, c}))
				}
			}
		}
		if got := loss(NewCutter(score, event, nil).Cut(nil, pi)); math.Abs(got-best) > 1e-12 {
			t.Fatalf("trial %d: ℓ_π = %v, the least of all cut-offs %v", trial, got, best)
		}
	}
}

// TestCutByHand reads cut-offs from a table that fits on a page: 0 to 4 points with 0/8, 1/4, 1/4, 3/4 and 4/4
// events. The isotonic fit is the rates themselves.
func TestCutByHand(t *testing.T) {
	var score []float64
	var event []bool
	for k, n := range [][2]int{{8, 0}, {4, 1}, {4, 1}, {4, 3}, {4, 4}} {
		for i := range n[0] {
			score, event = append(score, float64(k)), append(event, i < n[1])
		}
	}
	c := NewCutter(score, event, nil)
	// At 25 % the rate of 1 and 2 points is not above it.
	if got, want := c.Cut(nil, []float64{.2, .25, .5, .75, .9}), []float64{.5, 2.5, 2.5, 3.5, 3.5}; !slices.Equal(got, want) {
		t.Errorf("cut-offs %v, want %v", got, want)
	}
	all := c.of[:12] // 0 and 1 points alone: a rate of 0 and of 1/4
	rows := make([]int, len(all))
	for i := range rows {
		rows[i] = i
	}
	if got, want := c.Cut(rows, []float64{.2, .3}), []float64{.5, 1.5}; !slices.Equal(got, want) {
		t.Errorf("cut-offs of some rows %v, want %v", got, want)
	}
	found, err := c.Cutoffs(context.Background(), []float64{.2, .6}, Draws{Replicates: 500, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.Low == nil || f.High == nil || *f.Low > f.Value || *f.High < f.Value {
			t.Errorf("π = %v: cut-off %v outside its interval %v to %v", f.Boundary, f.Value, f.Low, f.High)
		}
	}
	none := NewCutter([]float64{3, 5, 5}, []bool{false, false, false}, nil)
	found, _ = none.Cutoffs(context.Background(), []float64{.5}, Draws{})
	if found[0].Beyond != BeyondAbove || found[0].Value != 6 || found[0].Low != nil {
		t.Errorf("without events: %+v", found[0])
	}
	every := NewCutter([]float64{3, 5, 5}, []bool{true, true, true}, nil)
	found, _ = every.Cutoffs(context.Background(), []float64{.5}, Draws{})
	if found[0].Beyond != BeyondBelow || found[0].Value != 2 {
		t.Errorf("with events alone: %+v", found[0])
	}
}

// TestCutEnds tries every cut-off there is on scores whose neighbours are neighbours among the doubles, so large that a
// half is lost in rounding, or so far apart that their difference overflows.
func TestCutEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pools := [][]float64{{1.5, math.Nextafter(1.5, 2)}, {1e16, 1e16 + 2, 1e16 + 4}, {-1.7e308, 0, 1.7e308}, {1e300}, {5e-324, 0}, {-1e17}, {1.7e308, 1.6e308},
		{math.Copysign(0, -1), 0, 5e-324}, {-1.7e308, 1.7e308}, {1e308, 1.7e308, math.MaxFloat64}, {-1.7e308, -1e308}}
	for n := range 3000 {
		pool := pools[n%len(pools)]
		m := 1 + r.IntN(6)
		score, event, weight := make([]float64, m), make([]bool, m), make([]float64, m)
		for i := range score {
			score[i], event[i], weight[i] = pool[r.IntN(len(pool))], r.IntN(2) == 0, float64(1+r.IntN(3))
		}
		pi := []float64{.2, .5, .8}
		for k, c := range NewCutter(score, event, weight).Cut(nil, pi) {
			least := priceOfCut(score, event, weight, pi[k], math.Inf(-1))
			for _, v := range score {
				least = min(least, priceOfCut(score, event, weight, pi[k], v))
			}
			if got := priceOfCut(score, event, weight, pi[k], c); !(math.Abs(got-least) < 1e-12) || math.IsInf(c, 0) || math.IsNaN(c) {
				t.Fatalf("scores %v, events %v, weights %v, π = %v: cut-off %v costs %v, the best %v", score, event, weight, pi[k], c, got, least)
			}
		}
	}
}
