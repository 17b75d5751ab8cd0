package model

import "taper/internal/engine/cost"

// Scoring names this work in the error that refuses it.
const Scoring = "Scoring these rows"

// Work estimates the cost of scoring rows: per row, the products of terms and weights, the
// kernel sums over support rows, or a path through every tree.
func (m *Model) Work(rows int) cost.Work {
	terms := float64(len(m.Terms))
	each := terms
	switch {
	case m.Potentials != nil:
		each *= float64(max(m.Potentials.Classes, len(m.Potentials.Rows)))
	case m.Kind == "kernel":
		each *= float64(len(m.Support))
	case m.Kind == "boost":
		for i := range m.Trees {
			each += float64(min(len(m.Trees[i].Nodes), 64))
		}
	}
	return cost.Work{Total: each * float64(rows), Rows: rows, Terms: len(m.Terms)}
}
