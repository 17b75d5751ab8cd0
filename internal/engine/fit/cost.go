package fit

import (
	"taper/internal/engine/cost"
	"taper/internal/engine/fit/multiclass"
)

// Memory is what a fit takes at most besides the rows that it is given: while it works, and of its
// model. Rows have so many terms; two classes are an event.
func (m Spec) Memory(rows, terms, classes int) (work, model int64) {
	outputs := classes
	if classes == 2 {
		outputs = 1
	}
	switch {
	case m.Boosted():
		return m.treeMemory(rows, terms)
	case m.Kernelled():
		return m.kernelMemory(rows, terms, outputs)
	}
	return linearMemory(rows, terms, outputs), cost.Of(24, terms+1, outputs)
}

// linearMemory counts a copy of the design where it is factored, the part of it that a Hessian
// gathers, vectors by row, and sums of up to 128 blocks of rows beside the steps of L-BFGS.
func linearMemory(rows, terms, outputs int) int64 {
	return cost.Of(24, rows, terms) + cost.Of(200, rows, outputs) + cost.Of(8*200, terms+1, outputs) + 4<<20
}

// kernelMemory counts the features that stand for the Gram matrix, or its columns where those
// are used as they are, and the rows that the model keeps.
func (m Spec) kernelMemory(rows, terms, outputs int) (work, model int64) {
	span := rows
	switch exact := ExactRows(m.Family()); {
	case rows <= exact:
	case outputs > 1 && rows <= multiclass.MaxExact: // the landmarks of a smooth loss
		span = exact
	default:
		span = LandmarksLarge
	}
	return cost.Of(24, rows, span) + linearMemory(rows, min(span, ExactSmooth), outputs),
		cost.Of(8, span, terms+outputs+4)
}

// treeMemory counts the order of the rows by every column with its thresholds, that order node by node
// for the level under way and the next, and of the nodes that grow at a time their best split in every
// column.
func (m Spec) treeMemory(rows, terms int) (work, model int64) {
	nodes := rows
	if m.Depth < 30 {
		nodes = min(rows, 1<<m.Depth)
	}
	work = cost.Of(17+4*max(0, min(m.Depth-1, 2)), rows, terms) + cost.Of(160, rows) + cost.Of(40, terms, nodes)
	return work, cost.Of(2*nodeBytes, nodes, m.Rounds)
}

// nodeBytes are those of a boost.Node.
const nodeBytes = 48

// passes are about how often a solver goes over its rows.
const passes = 100

// Work is about how many multiply-adds a fit takes.
func (m Spec) Work(rows, terms, classes int) float64 {
	n, d, outputs := float64(rows), float64(terms), float64(classes)
	if classes == 2 {
		outputs = 1
	}
	switch {
	case m.Boosted():
		return float64(m.Rounds) * float64(m.Depth) * n * d
	case m.Kernelled():
		span := float64(min(rows, LandmarksLarge))
		if rows <= ExactRows(m.Family()) {
			span = n
		}
		return n*span*d + passes*n*min(span, ExactSmooth)*outputs
	}
	return passes * n * d * outputs
}
