package tune

import "math"

// Edge is an end of the grid on which the chosen setting lies, so that the optimum may lie
// beyond.
type Edge struct {
	Gamma bool // of γ, otherwise of λ
	High  bool
	Value float64
}

// flatShare and flatPart decide when the criterion has stopped changing between two
// neighbouring λ at an end of the grid, which is then no Edge. At the largest λ the model is
// constant, and the mean loss changes by less than a thousandth. Towards λ = 0, if the fit has
// a limit, the mean loss is linear in λ: all further halvings together gain no more than the
// last one did. Where that gain is below a tenth of the standard error over the folds, the
// folds cannot distinguish λ = 0 from the smallest λ.
const (
	flatShare = 1e-3 // of the mean loss, at both ends
	flatPart  = .1   // of its standard error, at the lower end
)

// Edges returns the edges that the chosen setting lies on, among the points of one model. The
// second stage of a grid extends the first, so the ends are those of all tried points.
func Edges(all []Point, chosen Setting) (edges []Edge) {
	low, high := chosen, chosen
	for _, p := range all {
		low.L2, high.L2 = min(low.L2, p.L2), max(high.L2, p.L2)
		low.Gamma, high.Gamma = min(low.Gamma, p.Gamma), max(high.Gamma, p.Gamma)
	}
	isLow, isHigh := chosen.L2 == low.L2, chosen.L2 == high.L2
	if isLow != isHigh && !flatEnd(all, chosen, isLow) { // both = λ was fixed
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

// flatEnd reports whether the mean loss at the chosen λ, an end of the grid, equals that of its
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
