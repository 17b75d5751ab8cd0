package comparison

import (
	"taper/internal/doc"
	"taper/internal/engine/compare"
)

// answerMoves are who changed answer, a table for each true class.
func (v Page) answerMoves(i int, list []compare.Answers) (tables doc.Pair) {
	empty := true // nobody went without an answer
	for _, a := range list {
		last := len(a.Counts) - 1
		for k := range a.Counts {
			empty = empty && a.Counts[k][last] == 0 && a.Counts[last][k] == 0
		}
	}
	var names []doc.Cell
	for _, a := range list {
		names = append(names, doc.Cell{Value: a.Level})
	}
	if !empty {
		names = append(names, doc.Cell{Value: "no answer"})
	}
	for c, a := range list {
		gain := func(from, to int) int {
			switch c {
			case to:
				return 1
			case from:
				return -1
			}
			return 0
		}
		tables = append(tables, v.crossed(i, crossing{title: "Class " + a.Level, by: "answer", n: a.N, names: names,
			counts: a.Counts, gain: gain, spoken: [2]string{" become right", " no longer right"},
			words: [3]string{" become right", " no longer right", " answered the same"}}))
	}
	return tables
}
