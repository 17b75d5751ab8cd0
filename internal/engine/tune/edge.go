package tune

import "math"

// Edge is an end of what was tried at which a choice lies, so that the least loss may lie
// beyond it.
type Edge struct {
	Gamma bool // of γ, else of λ
	High  bool
	Value float64
}

// flatShare and flatPart say when the criterion changes no more between two neighbouring λ at
// an end of the grid: that is its natural end and no edge. Where the largest λ are, the model is
// constant, and the mean loss changes by a thousandth at most. Towards λ = 0 the mean loss of a
// fit that has a limit is linear in λ: one more halving and all that follow it gain together no
// more than the halving that led to the last λ did. Where that is a tenth of the standard error
// of the mean loss over the folds, the folds can't tell λ = 0 from the last.
const (
	flatShare = 1e-3 // of the mean loss, at both ends
	flatPart  = .1   // of its standard error, at the lower end
)

// Edges are those of a chosen setting among the points of one model. Neighbours of the best
// extend a grid of two stages, so that what ends the grid is the end of all that was tried.
func Edges(all []Point, chosen Setting) (edges []Edge) {
	low, high := chosen, chosen
	for _, p := range all {
		low.L2, high.L2 = min(low.L2, p.L2), max(high.L2, p.L2)
		low.Gamma, high.Gamma = min(low.Gamma, p.Gamma), max(high.Gamma, p.Gamma)
	}
	isLow, isHigh := chosen.L2 == low.L2, chosen.L2 == high.L2
	if isLow != isHigh && !flatEnd(all, chosen, isLow) { // both: λ was given
		edges = append(edges, Edge{High: isHigh, Value: chosen.L2})
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

// flatEnd reports whether the mean loss at the chosen λ, an end of all, is that of its
// neighbour at the same γ.
func flatEnd(all []Point, chosen Setting, low bool) bool {
	var end, neighbour Point
	distance := math.Inf(1)
	for _, p := range all {
		if p.Setting == chosen {
			end = p
		} else if d := math.Abs(p.L2 - chosen.L2); p.Gamma == chosen.Gamma && d < distance {
			neighbour, distance = p, d
		}
	}
	within := flatShare * math.Abs(end.Mean)
	if low {
		within = max(within, flatPart*end.SE)
	}
	return !math.IsInf(distance, 1) && math.Abs(neighbour.Mean-end.Mean) <= within
}
