package compare

import "taper/internal/engine/metric"

// Moves is who changes band between the baseline and a run, among the rows
// that both judged. Reason says why there is no table: "data", "event",
// "reading", "task", "rows", "boundaries".
type Moves struct {
	Run      string                   `json:"run"`
	Baseline string                   `json:"baseline"`
	N        int                      `json:"n"`
	Reason   string                   `json:"reason,omitempty"`
	Table    *metric.Reclassification `json:"table"`
}

const otherBands = "boundaries"

// moves makes a table for each run but the baseline.
func (b *bench) moves() []Moves {
	list := []Moves{}
	b.others(func(i int, r Run) {
		p := b.pairs[i]
		m := Moves{Run: r.ID, Baseline: b.baseline().ID, N: p.n, Reason: p.reason}
		if m.Reason == "" && p.event == nil {
			m.Reason = otherTask
		}
		if m.Reason == "" && (!sameBands(b.baseline(), r) || len(r.Result.Boundaries) == 0) {
			m.Reason = otherBands
		}
		if m.Reason == "" {
			table := metric.Reclassify(p.band[0], p.band[1], p.event, len(r.Result.Boundaries)+1)
			m.Table = &table
		}
		list = append(list, m)
	})
	return list
}

// Tally counts the rows that moved up, that moved down, and that stayed.
func Tally(m metric.Moves) (up, down, same int) {
	for j, line := range m.Counts {
		for k, n := range line {
			switch {
			case k > j:
				up += n
			case k < j:
				down += n
			default:
				same += n
			}
		}
	}
	return up, down, same
}
