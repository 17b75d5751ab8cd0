package engine

import (
	"cmp"
	"context"
	"math"
	"slices"

	"taper/internal/engine/fit"
)

// Ways of tuning.
const (
	TuningNested = "nested"         // inner folds in each training part; "" means it
	TuningSame   = "same-folds"     // on the folds that judge: optimistic
	TuningSet    = "validation-set" // the first of the inner folds alone, as in paper 001
)

// trial is a setting that tuning tries; γ is 0 where it is not tuned.
type trial struct{ gamma, l2 float64 }

// simpler reports whether a trial is preferred to another that does as well.
func (s trial) simpler(than trial) bool {
	return s.l2 > than.l2 || s.l2 == than.l2 && s.gamma < than.gamma
}

// The first stage of paper 001 §6 in exponents of two, and the second about the
// best of the first.
var (
	stageC     = []int{0, 3, 6, 9, 12}
	stageGamma = []int{-12, -9, -6, -3, 0}
	stageNear  = []int{-2, -1, 0, 1, 2}
)

// trials of γ and λ together: both stages share their middle.
const (
	trialsBoth  = 49
	trialsGamma = 9
)

// near is the exponent of the power of two next to n, so that every λ is one.
func near(n int) int { return int(math.Round(math.Log2(float64(n)))) }

// tuneGamma tunes γ, and λ with it where it is open: C = 1/(λn) over the grids
// of paper 001, n rounded to a power of two.
func (p *Prepared) tuneGamma(ctx context.Context, l fit.Kernelled, pl plan, t *tracker, what string) error {
	first := func(c *curve) (all []attempt) {
		n := len(c.from.train())
		if n == 0 {
			n = len(p.cohort.rows) // of all folds
		}
		for _, e := range stageGamma {
			g := math.Ldexp(1, e)
			a := attempt{learner: l.At(g), gamma: g, l2s: []float64{pl.rule.Value}}
			if pl.rule.Tuned() {
				a.l2s = nil
				for _, e := range stageC {
					a.l2s = append(a.l2s, math.Ldexp(1, -e-near(n)))
				}
			}
			all = append(all, a)
		}
		return all
	}
	if err := p.try(ctx, pl.curves, first, t, what); err != nil {
		return err
	}
	second := func(c *curve) (all []attempt) {
		best, _ := c.choose()
		for _, e := range stageNear {
			g := math.Ldexp(best.gamma, e)
			a := attempt{learner: l.At(g), gamma: g}
			for _, e := range stageNear {
				s := trial{g, math.Ldexp(best.l2, -e)}
				if (pl.rule.Tuned() || e == 0) && s != best {
					a.l2s = append(a.l2s, s.l2)
				}
			}
			if len(a.l2s) > 0 {
				all = append(all, a)
			}
		}
		return all
	}
	return p.try(ctx, pl.curves, second, t, what)
}

// points returns the trials for the result: the curve in ascending λ at the γ
// chosen, and where γ was tuned all trials by γ, then λ.
func (c *curve) points(gamma float64) (at, all []TuningPoint) {
	for m, s := range c.tried {
		mean, se := c.point(m)
		v := TuningPoint{L2: s.l2, Mean: mean, SE: se}
		if s.gamma > 0 {
			v.Gamma = &s.gamma
			all = append(all, v)
		}
		if s.gamma == gamma {
			at = append(at, v)
		}
	}
	slices.SortFunc(at, func(a, b TuningPoint) int { return cmp.Compare(a.L2, b.L2) })
	slices.SortFunc(all, func(a, b TuningPoint) int {
		return cmp.Or(cmp.Compare(*a.Gamma, *b.Gamma), cmp.Compare(a.L2, b.L2))
	})
	return at, all
}
