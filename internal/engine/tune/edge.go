package tune

import "math"

// Edge is an end of what was tried at which a choice lies, so that the least loss may lie
// beyond it.
type Edge struct {
	Gamma bool // of γ, else of λ
	High  bool
	Value float64
}

// flat is the relative difference of mean losses below which the largest λ changes no
// more: the model is constant there, which is the natural end of a grid and no edge.
const flat = 1e-3

// Edges are those of a chosen setting among the points of one model. Neighbours of the best
// extend a grid of two stages, so that what ends the grid is the end of all that was tried.
func Edges(all []Point, chosen Setting) (edges []Edge) {
	low, high := chosen, chosen
	next, at := math.Inf(-1), math.NaN() // the largest λ below the chosen, the chosen's mean loss
	for _, p := range all {
		low.L2, high.L2 = min(low.L2, p.L2), max(high.L2, p.L2)
		low.Gamma, high.Gamma = min(low.Gamma, p.Gamma), max(high.Gamma, p.Gamma)
		if p.Gamma == chosen.Gamma && p.L2 < chosen.L2 {
			next = max(next, p.L2)
		}
		if p.Setting == chosen {
			at = p.Mean
		}
	}
	switch {
	case low.L2 == high.L2: // given
	case chosen.L2 == low.L2:
		edges = append(edges, Edge{Value: low.L2})
	case chosen.L2 == high.L2:
		constant := false
		for _, p := range all {
			constant = constant || p.Gamma == chosen.Gamma && p.L2 == next && math.Abs(p.Mean-at) <= flat*math.Abs(at)
		}
		if !constant {
			edges = append(edges, Edge{High: true, Value: high.L2})
		}
	}
	switch {
	case low.Gamma == high.Gamma:
	case chosen.Gamma == low.Gamma:
		edges = append(edges, Edge{Gamma: true, Value: low.Gamma})
	case chosen.Gamma == high.Gamma:
		edges = append(edges, Edge{Gamma: true, High: true, Value: high.Gamma})
	}
	return edges
}
