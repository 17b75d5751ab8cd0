package fit

import (
	"taper/internal/engine/cost"
	"taper/internal/engine/fit/multiclass"
)

// Memory returns upper bounds in bytes, on top of the design matrix: of the working memory of a
// fit, and of the fitted model. terms is the number of columns of the design.
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

// linearMemory counts a factored copy of the design, the rows gathered for a Hessian, vectors
// per row, the sums of up to 128 blocks of rows and the history of L-BFGS.
func linearMemory(rows, terms, outputs int) int64 {
	return cost.Of(24, rows, terms) + cost.Of(200, rows, outputs) + cost.Of(8*200, terms+1, outputs) + 4<<20
}

// kernelMemory counts the features that span the Gram matrix (or the matrix itself, where the
// solver uses its columns) and the rows stored in the model.
func (m Spec) kernelMemory(rows, terms, outputs int) (work, model int64) {
	span := rows
	switch exact := ExactRows(m.Family()); {
	case rows <= exact:
	case outputs > 1 && rows <= multiclass.MaxExact: // a smooth loss uses landmarks
		span = exact
	default:
		span = LandmarksLarge
	}
	return cost.Of(24, rows, span) + linearMemory(rows, min(span, ExactSmooth), outputs),
		cost.Of(8, span, terms+outputs+4)
}

// treeMemory counts the sorted order of the rows by column with its thresholds, the same order
// grouped by node for the current and the next level, and the best split of each node in each
// column.
func (m Spec) treeMemory(rows, terms int) (work, model int64) {
	nodes := rows
	if m.Depth < 30 {
		nodes = min(rows, 1<<m.Depth)
	}
	work = cost.Of(17+4*max(0, min(m.Depth-1, 2)), rows, terms) + cost.Of(160, rows) + cost.Of(40, terms, nodes)
	return work, cost.Of(2*nodeBytes, nodes, m.Rounds)
}

// nodeBytes is the size of a boost.Node.
const nodeBytes = 48

// passes is a typical number of passes of a solver over its rows.
const passes = 100

// Work estimates the number of multiply-adds of a fit.
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
