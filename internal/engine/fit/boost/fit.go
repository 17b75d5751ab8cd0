package boost

import (
	"context"
	"fmt"
	"math"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
)

// fit is the state of a fit over its rounds.
type fit struct {
	ctx   context.Context
	x     linear.Matrix
	y     []float64
	o     Options
	order *order
	mass  *mass
	theta theta
	u     []float64 // y·h of the current tree
	scan  *scanner  // for stumps
	grow  func() (Tree, bool)
	leaf  []int32 // for deeper trees: leaf of each row in the current tree; −1 = unknown
	model *Model
}

func newFit(ctx context.Context, x linear.Matrix, y, shares []float64, o Options) *fit {
	f := &fit{ctx: ctx, x: x, y: y, o: o, order: &order{}, mass: newMass(o.Alpha, y, shares), u: make([]float64, x.Rows),
		model: &Model{Alpha: Alpha(o.Alpha), Rule: o.Rule, Columns: x.Cols, Trees: make([]Tree, 0, o.Rounds)}}
	f.theta = theta{rule: o.Rule, mass: f.mass}
	if o.Depth > 1 {
		g := newGrower(f)
		f.grow, f.leaf = g.tree, g.leaf
	} else {
		f.scan = &scanner{f: f}
		f.grow = f.scan.tree
	}
	return f
}

// Bounds on the weighted error (docs/math.md, Margin alpha-loss): from noEdge on, a tree is no
// better than chance; up to perfect, θ would grow without bound.
const (
	noEdge  = 0.5 - 1e-12
	perfect = 1e-10
)

// run adds trees until the rounds are done or no tree helps.
func (f *fit) run() (*Model, error) {
	loss := f.mass.reweigh()
	f.model.Stopped = StoppedRounds
	for t := 1; t <= f.o.Rounds && f.model.Stopped == StoppedRounds; t++ {
		tree, found := f.grow()
		if err := parallel.Yield(f.ctx); err != nil {
			return nil, err
		}
		eps := noEdge
		if found {
			eps = f.vote(&tree)
		}
		if eps >= noEdge {
			f.model.Stopped = StoppedNoEdge
			break
		}
		if eps <= perfect {
			eps = perfect
			f.model.Stopped = StoppedPerfect
		}
		f.watchCollapse(t)
		tree.Theta, tree.Error = f.theta.of(eps, f.u), eps
		f.mass.move(tree.Theta, f.u)
		f.trace(t, &tree)
		loss = f.mass.reweigh()
		tree.Loss = loss
		f.model.Trees = append(f.model.Trees, tree)
		f.report(t, loss)
	}
	f.finish(loss)
	return f.model, nil
}

// vote stores y·h for the tree and returns its weighted error. Summing over the misclassified
// rows only keeps it exact when their weight is tiny.
func (f *fit) vote(t *Tree) float64 {
	if f.scan != nil {
		f.scan.signs(t.Nodes[0].Threshold, f.u)
	} else {
		for i, y := range f.y {
			if f.leaf[i] >= 0 {
				f.u[i] = y * t.Nodes[f.leaf[i]].Vote
			} else {
				f.u[i] = y * t.Vote(f.x.Row(i))
			}
		}
	}
	eps, u := 0.0, f.u
	for i, d := range f.mass.d[:len(u)] {
		eps += d * (1 - u[i]) / 2
	}
	return eps
}

func (f *fit) trace(t int, tree *Tree) {
	if f.o.Trace != nil {
		f.o.Trace(Step{Round: t, D: f.mass.d, U: f.u, M: f.mass.m, Tree: tree, Error: tree.Error})
	}
}

func (f *fit) report(t int, loss float64) {
	if f.o.Report != nil {
		f.o.Report(linear.Progress{Fraction: float64(t) / float64(f.o.Rounds),
			Message: fmt.Sprintf("Tree %d of %d", t, f.o.Rounds), Iteration: t, Objective: loss})
	}
}

// Limits of the warning on concentrated weights: the effective number of rows, 1/ΣD², is below
// fewRows and below the number of rows divided by fewShares.
const (
	fewRows   = 10
	fewShares = 10
)

// watchCollapse warns once when the weights concentrate on a handful of rows; later trees then
// depend on differences below 1e-9 (docs/math.md, Margin alpha-loss).
func (f *fit) watchCollapse(t int) {
	left := f.mass.effective
	if f.model.Collapsed == 0 && left < fewRows && left*fewShares < float64(len(f.y)) {
		f.model.Collapsed = t
		f.model.Warnings = append(f.model.Warnings,
			fmt.Sprintf("From tree %d on the weights concentrate on about %.0f of %d rows, which the trees then follow. A "+
				"smaller α or the half-log rule spreads them.", t, math.Max(left, 1), len(f.y)))
	}
}

func (f *fit) finish(loss float64) {
	m := f.model
	m.Objective = loss
	switch {
	case len(m.Trees) == 0:
		m.Warnings = append(m.Warnings, "No tree of this depth is better than chance on the training rows, so every score "+
			"is zero. Deeper trees may find a pattern.")
	case m.Stopped == StoppedPerfect:
		m.Warnings = append(m.Warnings, fmt.Sprintf("Tree %d alone separates the two outcomes in all training rows "+
			"with a weight; the fit stopped there.", len(m.Trees)))
	}
	if f.theta.flat > 0 {
		m.Warnings = append(m.Warnings, fmt.Sprintf("Along %d of %d trees the loss has no minimum; these trees have "+
			"the half-log coefficient.", f.theta.flat, len(m.Trees)))
	}
}
