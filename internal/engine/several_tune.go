package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/parallel"
)

// setting is a candidate of the tuning.
type setting struct{ l2, gamma float64 }

// The grids have two stages, as in paper 001 §6: every third power of two, then
// all within two steps of the best.
var (
	coarseL2    = powers(3, -15, 3)
	coarseGamma = powers(0, -12, 3)
)

// powers are those of two from one exponent down to another.
func powers(from, to, step int) []float64 {
	var all []float64
	for e := from; e >= to; e -= step {
		all = append(all, math.Ldexp(1, e))
	}
	return all
}

// neighbours are the neighbours of a power of two and itself.
func neighbours(v float64) []float64 { return []float64{4 * v, 2 * v, v, v / 2, v / 4} }

// fitter is one method on the cohort, with what is left open for tuning.
type fitter struct {
	how        fit.Method
	rule       string
	prices     prices
	l2         L2
	gamma      float64
	gammaTuned bool
	what       string // for progress
	seed       uint64
}

// tuned reports whether anything is.
func (f *fitter) tuned() bool { return f.l2.Tuned() || f.gammaTuned }

// first are the settings of the first stage.
func (f *fitter) first() []setting { return f.cross(coarseL2, coarseGamma) }

// second are those of the second about the best of the first, without what was
// tried.
func (f *fitter) second(best setting, tried []setting) []setting {
	return slices.DeleteFunc(f.cross(neighbours(best.l2), neighbours(best.gamma)),
		func(s setting) bool { return slices.Contains(tried, s) })
}

func (f *fitter) cross(l2s, gammas []float64) []setting {
	if !f.l2.Tuned() {
		l2s = []float64{f.l2.Value}
	}
	if !f.gammaTuned {
		gammas = []float64{f.gamma}
	}
	var all []setting
	for _, g := range gammas {
		for _, l := range l2s {
			all = append(all, setting{l, g})
		}
	}
	return all
}

// fit trains on a design, with the options beside setting and seed.
func (f *fitter) fit(ctx context.Context, d *design, s setting, o fit.Options) (*fit.Model, error) {
	how := f.how
	if how.Spec.Kind == "kernel" {
		k := Kernel{Name: "rbf"}
		if how.Spec.Kernel != nil {
			k = *how.Spec.Kernel
		}
		k.Gamma = s.gamma
		how.Spec.Kernel = &k
	}
	o.L2, o.Seed = s.l2, f.seed
	return how.Train(ctx, d.x, d.label, d.w, fit.Task{Classes: f.prices.classes()}, o)
}

// tuningGap is enough to rank settings: a smaller one changes next to no answer.
const tuningGap = 1e-3

// reader reads a fit.
func (f *fitter) reader(m *fit.Model) *reader {
	return newReader(m.Potential.Model, f.rule, f.prices)
}

// search is one cross-validation: its folds, and the price of every setting in
// each.
type search struct {
	*curve
	tried []setting
	price [][]float64 // by setting, then by fold
}

// mean returns mean and standard error of a setting over the folds.
func (c *search) mean(m int) (mean, se float64) {
	by := c.price[m]
	n := float64(len(by))
	mean = sum(by) / n
	for _, v := range by {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / max(n-1, 1) / n)
}

// choose returns the best setting, of equals that of the largest λ, then the
// smaller γ, and its one-standard-error choice.
func (c *search) choose() (best, oneSE setting) {
	tried, least := make([]Tried, len(c.tried)), math.Inf(1)
	for m, s := range c.tried {
		mean, se := c.mean(m)
		tried[m] = Tried{s.gamma, s.l2, mean, se}
		least = min(least, mean)
	}
	at := -1
	for m, s := range tried {
		switch {
		case s.Mean > least+tie*math.Abs(least):
		case at < 0, s.L2 > tried[at].L2,
			s.L2 == tried[at].L2 && (s.Mean < tried[at].Mean || s.Mean == tried[at].Mean && s.Gamma < tried[at].Gamma):
			at = m
		}
	}
	return c.tried[at], c.tried[OneSE(tried, at)]
}

// points is the curve in ascending λ; with a kernel, at the γ chosen.
func (c *search) points(gamma float64) []TuningPoint {
	var all []TuningPoint
	for m, s := range c.tried {
		if s.gamma == gamma {
			mean, se := c.mean(m)
			all = append(all, TuningPoint{L2: s.l2, Mean: mean, SE: se})
		}
	}
	slices.SortFunc(all, func(a, b TuningPoint) int {
		if a.L2 < b.L2 {
			return -1
		}
		return 1
	})
	return all
}

// tuneSeveral fills the searches in two stages; every fold of every setting is
// one piece of work for the pool.
func (p *Prepared) tuneSeveral(ctx context.Context, f *fitter, all []*search, t *tracker) error {
	for stage := range 2 {
		type task struct {
			c    *search
			m, j int
		}
		var todo []task
		for _, c := range all {
			next := f.first()
			if stage > 0 {
				best, _ := c.choose()
				next = f.second(best, c.tried)
			}
			for _, s := range next {
				c.tried, c.price = append(c.tried, s), append(c.price, make([]float64, len(c.parts)))
				for j := range c.parts {
					todo = append(todo, task{c, len(c.tried) - 1, j})
				}
			}
		}
		err := parallel.ForEach(ctx, len(todo), 0, func(i int) error {
			c, m, j := todo[i].c, todo[i].m, todo[i].j
			var err error
			c.price[m][j], err = p.priceOf(ctx, f, c.parts[j], c.tried[m])
			t.step(1, "%s%s, %d of %d settings", f.what, c.name, m+1, len(c.tried))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// priceOf is the mean price of a setting on the judged rows of a part.
func (p *Prepared) priceOf(ctx context.Context, f *fitter, q *part, s setting) (float64, error) {
	d, err := p.designOf(ctx, q)
	if err != nil {
		return 0, err
	}
	m, err := f.fit(ctx, d, s, fit.Options{Quick: true, Gap: tuningGap}) // from one start
	if err != nil {
		return 0, fmt.Errorf("fit: %w", err)
	}
	return f.prices.mean(f.reader(m).all(d.xt).class, pick(p.cohort.label, q.test())), nil
}
