package engine

import "taper/internal/engine/runspec"

// Move counts the rows of one band, and the events among them, that other boundaries place in a given band.
type Move struct{ N, Events int }

// Moves counts the test rows of a run by their present band and their band under the boundaries pi: [from][to].
// With a probability, pi is applied to it. A loss without probabilities has to be fitted again for pi; then
// again are the rows of that fit on the same folds.
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
