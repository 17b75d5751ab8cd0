// Package tune chooses λ, γ and every other parameter that nobody gave: it tries
// settings on folds, and takes the one that held-out rows like best. Runs, audits,
// bootstraps and studies choose by it. What they do differently is a setting: the
// folds, the grid, which of equal settings is taken.
package tune

import (
	"context"
	"math"
	"slices"

	"taper/internal/engine/parallel"
)

// Setting is what is tried.
type Setting struct {
	Model int     // which of the models, where other parameters than λ and γ are tuned
	Gamma float64 // of a kernel; 0 where it is not tuned
	L2    float64
}

// Path are λ of one model at one γ. They descend, so that a solver may start each
// fit from the one before.
type Path struct {
	Model int
	Gamma float64
	L2s   []float64
}

// Curve is one cross-validation and what it found.
type Curve struct {
	Rows  int // that train the model it is for
	Folds int
	Tried []Setting
	Loss  [][]float64 // mean over the held-out rows, by fold and setting
}

// Point is a setting with its mean loss over the folds and the standard error of
// that, 0 of a single fold.
type Point struct {
	Setting
	Mean, SE float64
}

// Point is that of setting m.
func (c *Curve) Point(m int) Point {
	p, k := Point{Setting: c.Tried[m]}, float64(len(c.Loss))
	for _, fold := range c.Loss {
		p.Mean += fold[m]
	}
	p.Mean /= k
	for _, fold := range c.Loss {
		p.SE += (fold[m] - p.Mean) * (fold[m] - p.Mean)
	}
	p.SE = math.Sqrt(p.SE / max(k-1, 1) / k)
	return p
}

// Points are those of all settings, in the order in which they were tried.
func (c *Curve) Points() []Point {
	all := make([]Point, len(c.Tried))
	for m := range all {
		all[m] = c.Point(m)
	}
	return all
}

// tie is the relative difference below which two losses are one: the same rows
// with the same answers, added in another order.
const tie = 1e-12

// Ties says which of settings with equal means is taken. The zero value takes the
// simplest: the larger λ, and at equal λ the smaller γ.
type Ties struct {
	Within float64 // means are equal that differ by less; 0 = one part in 10¹²
	First  bool    // takes the first tried, as presets of papers do
}

// before reports whether a is taken before b.
func (t Ties) before(a, b Setting) bool {
	return !t.First && (a.L2 > b.L2 || a.L2 == b.L2 && a.Gamma < b.Gamma)
}

// Best is the place of the setting with the least mean, −1 of none.
func (t Ties) Best(all []Point) int {
	least, best := math.Inf(1), -1
	for _, p := range all {
		if p.Mean < least { // NaN is never the least
			least = p.Mean
		}
	}
	within := t.Within
	if within == 0 {
		within = tie * math.Abs(least)
	}
	for m, p := range all {
		if p.Mean <= least+within && (best < 0 || t.before(p.Setting, all[best].Setting)) {
			best = m
		}
	}
	if best < 0 && len(all) > 0 {
		return 0
	}
	return best
}

// OneSE is the place of the one-standard-error choice: the largest λ, of the model
// and at the γ of the best setting, whose mean is within one standard error of the
// best's (Breiman et al. 1984). γ stays, because the rule prefers the simpler of two
// models and of two γ neither is simpler at another λ.
func OneSE(all []Point, best int) int {
	b, at := all[best], best
	limit := b.Mean + b.SE + tie*math.Abs(b.Mean)
	for m, p := range all {
		if p.Model == b.Model && p.Gamma == b.Gamma && p.L2 > all[at].L2 && p.Mean <= limit {
			at = m
		}
	}
	return at
}

// Stage proposes what is tried next, given the best so far; the first is given the
// zero setting.
type Stage func(c *Curve, best Setting) []Path

// Search is how parameters are found.
type Search struct {
	Grid    Grid
	Ties    Ties
	Workers int // goroutines; 0 = as many as there are cores
	// Loss stores the mean loss of each λ of a piece on the held-out rows.
	Loss func(ctx context.Context, p Piece, dst []float64) error
	// Found hears that the losses of a piece are known, wherever they were computed; may be nil.
	Found func(p Piece)
}

// Piece is one piece of work: a path on a fold of a curve.
type Piece struct {
	Path
	Curve, Fold int
	First       int // place of its first setting among those tried
}

// Run fills the curves. All folds of all curves of a stage are worked on together.
func (s Search) Run(ctx context.Context, curves []*Curve) error {
	for k, stage := range s.Grid.Stages {
		var todo []Piece
		for i, c := range curves {
			if c.Loss == nil {
				c.Loss = make([][]float64, c.Folds)
			}
			best := Setting{}
			if k > 0 {
				best, _ = s.Choose(c)
			}
			for _, path := range stage(c, best) {
				first := len(c.Tried)
				for _, l2 := range path.L2s {
					c.Tried = append(c.Tried, Setting{path.Model, path.Gamma, l2})
				}
				for j := range c.Folds {
					c.Loss[j] = append(c.Loss[j], make([]float64, len(path.L2s))...)
					todo = append(todo, Piece{path, i, j, first})
				}
			}
		}
		err := parallel.Spread(ctx, parallel.Step{Name: "path", N: len(todo), Workers: s.Workers,
			Do: func(ctx context.Context, i int) ([]float64, error) {
				losses := make([]float64, len(todo[i].L2s))
				return losses, s.Loss(ctx, todo[i], losses)
			},
			Take: func(i int, losses []float64) {
				p := todo[i]
				copy(curves[p.Curve].Loss[p.Fold][p.First:p.First+len(p.L2s)], losses)
				if s.Found != nil {
					s.Found(p)
				}
			}})
		if err != nil {
			return err
		}
	}
	return nil
}

// Choose are the best setting of a curve and its one-standard-error choice.
func (s Search) Choose(c *Curve) (best, oneSE Setting) {
	all := c.Points()
	at := s.Ties.Best(all)
	return c.Tried[at], c.Tried[OneSE(all, at)]
}

// BestSetting is the place of the least of losses on one set of held-out rows, the first
// of those that differ by less than within.
func BestSetting(losses []float64, within float64) int {
	all := make([]Point, len(losses))
	for m, v := range losses {
		all[m].Mean = v
	}
	return Ties{Within: within}.Best(all)
}

// contains reports whether a setting was tried.
func (c *Curve) contains(s Setting) bool { return slices.Contains(c.Tried, s) }
