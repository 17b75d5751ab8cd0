package engine

import "taper/internal/engine/runspec"

// Move counts rows of one band that other boundaries put into another, or leave there.
type Move struct{ N, Events int }

// Moves counts the rows that evaluate a run by their band and the band of other boundaries,
// [from][to]. Where the score has a probability, pi cuts it. Where it has none, again are
// the rows of a fit for those boundaries, on the same folds.
func (r *Result) Moves(spec runspec.Spec, rows []RowScore, pi []float64, again []RowScore) [][]Move {
	to := map[int]int{}
	for _, row := range again {
		to[row.Row] = row.Stratum
	}
	all := make([][]Move, len(r.Boundaries)+1)
	for i := range all {
		all[i] = make([]Move, len(pi)+1)
	}
	for _, row := range Judged(spec, rows) {
		now, scored := to[row.Row]
		switch {
		case again != nil && !scored:
			continue
		case again == nil && row.Probability != nil:
			for now < len(pi) && *row.Probability > pi[now] {
				now++
			}
		case again == nil:
			now = row.Stratum
		}
		m := &all[row.Stratum][now]
		if m.N++; r.Positive.Has(row.Outcome) {
			m.Events++
		}
	}
	return all
}
