// Package tune chooses parameters that were left open, such as λ and γ: it tries settings on
// folds and takes the one with the smallest held-out loss. Runs, audits, bootstraps and studies
// all use it. They differ in the folds, the grid and the rule for ties.
package tune

import (
	"context"
	"math"
	"slices"

	"taper/internal/engine/parallel"
)

// Setting is a combination of parameters to try.
type Setting struct {
	Model int     // index of the model, if other parameters than λ and γ are tuned
	Gamma float64 // of a kernel; 0 = not tuned
	L2    float64
}

// Path holds several λ of one model at one γ, in descending order, so that a solver can start
// each fit from the one before.
type Path struct {
	Model int
	Gamma float64
	L2s   []float64
}

// Curve is one cross-validation and its results.
type Curve struct {
	Rows  int // number of training rows of the final model
	Folds int
	Tried []Setting
	Loss  [][]float64 // mean over held-out rows, by fold and setting
}

// Point is a setting with its mean loss over the folds and the standard error of that mean; 0
// with a single fold.
type Point struct {
	Setting
	Mean, SE float64
}

// Point returns the result of setting m.
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

// Points returns the results of all settings, in the order tried.
func (c *Curve) Points() []Point {
	all := make([]Point, len(c.Tried))
	for m := range all {
		all[m] = c.Point(m)
	}
	return all
}

// tie is the relative difference below which two losses count as equal: they are sums of the
// same numbers in another order.
const tie = 1e-12

// Ties is the rule for settings with equal means. The zero value takes the simplest: the larger
// λ, and at equal λ the smaller γ.
type Ties struct {
	Within float64 // means that differ by less are equal; 0 = one part in 10¹²
	First  bool    // the first tried is taken, as by presets of papers
}

// before reports whether a is preferred to b.
func (t Ties) before(a, b Setting) bool {
	return !t.First && (a.L2 > b.L2 || a.L2 == b.L2 && a.Gamma < b.Gamma)
}

// Best is the index of the setting with the smallest mean; −1 for no points.
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

// OneSE is the index chosen by the one-standard-error rule: the largest λ, for the model and
// the γ of the best setting, whose mean is within one standard error of the best (Breiman et
// al. 1984). γ is kept, because the rule prefers the simpler model, and settings with different
// γ have no such order.
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

// Stage proposes the settings to try next, given the best so far; the first stage gets the zero
// setting.
type Stage func(c *Curve, best Setting) []Path

// Search is the procedure that chooses parameters.
type Search struct {
	Grid    Grid
	Ties    Ties
	Workers int // goroutines; 0 = number of cores
	// Loss stores the mean held-out loss of each λ of a piece.
	Loss func(ctx context.Context, p Piece, dst []float64) error
	// Found is called when the losses of a piece are known, wherever they were computed; may be
	// nil.
	Found func(p Piece)
}

// Piece is a unit of work: a path on one fold of a curve.
type Piece struct {
	Path
	Curve, Fold int
	First       int // index of its first setting among those tried
}

// Run computes the curves. All folds of all curves of a stage are computed in parallel.
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

// Choose returns the best setting of a curve and its one-standard-error choice.
func (s Search) Choose(c *Curve) (best, oneSE Setting) {
	all := c.Points()
	at := s.Ties.Best(all)
	return c.Tried[at], c.Tried[OneSE(all, at)]
}

// BestSetting is the index of the smallest of losses on one set of held-out rows; of losses
// that differ by less than within, the first.
func BestSetting(losses []float64, within float64) int {
	all := make([]Point, len(losses))
	for m, v := range losses {
		all[m].Mean = v
	}
	return Ties{Within: within}.Best(all)
}

// contains reports whether a setting was tried.
func (c *Curve) contains(s Setting) bool { return slices.Contains(c.Tried, s) }
