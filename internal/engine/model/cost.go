package model

import "taper/internal/engine/cost"

// Scoring names the work of a Model in a refusal.
const Scoring = "Scoring these rows"

// Work is what scoring so many rows computes: of each its terms by the weights, by the rows that a kernel's
// sum is over, or a path through every tree.
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
