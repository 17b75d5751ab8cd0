package comparison

import (
	"slices"
	"strconv"

	"taper/internal/engine/compare"
	"taper/internal/web/format"
)

// Lines are the lines of the CSV file: one per run and number.
func (x Page) Lines() (lines [][]string) {
	add := func(part, item string, i int, cells ...string) {
		line := []string{part, item, x.IDs[i], x.Names[i], x.Baseline}
		lines = append(lines, append(append(line, cells...), make([]string, 9-len(cells))...))
	}
	for _, w := range x.Warnings {
		for i, id := range x.IDs {
			if slices.Contains(w.Runs, id) {
				add("warning", w.Code, i, w.Message)
			}
		}
	}
	for _, list := range [][]compare.Setting{x.Differences, x.Same} {
		for _, s := range list {
			for i := range x.IDs {
				add("setting", s.Field, i, x.Setting(s.Field, i))
			}
		}
	}
	for _, m := range x.Metrics {
		for i := range x.IDs {
			cells := []string{format.ExactNumber(m.Values[i]), format.ExactNumber(m.Deltas[i]), "", "", "", "", "",
				"", m.Verdicts[i]}
			if p := m.PairedDifferences[i]; p != nil {
				copy(cells[2:], []string{strconv.Itoa(p.N), format.ExactNumber(p.Value), format.ExactNumber(p.Low),
					format.ExactNumber(p.High), p.Method})
				if p.Draws > 0 {
					cells[7] = strconv.Itoa(p.Draws)
				}
			}
			add("metric", m.ID, i, cells...)
		}
	}
	for _, t := range x.Terms {
		for i := range x.IDs {
			add("coefficient per SD", termName(t), i, format.ExactNumber(t.Standardized[i]), format.ExactNumber(t.Deltas[i]))
		}
	}
	return lines
}
