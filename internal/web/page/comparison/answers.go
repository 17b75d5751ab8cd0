package comparison

import (
	"taper/internal/engine/compare"
	"taper/internal/viz"
	"taper/web/templates"
)

// answerTables are who changed answer, a table for each true class.
func (v Page) answerTables(i int, list []compare.Answers) []templates.MoveTable {
	empty := true // nobody went without an answer
	for _, a := range list {
		last := len(a.Counts) - 1
		for k := range a.Counts {
			empty = empty && a.Counts[k][last] == 0 && a.Counts[last][k] == 0
		}
	}
	var all []templates.MoveTable
	for c, a := range list {
		names := make([]string, 0, len(list)+1)
		for _, other := range list {
			names = append(names, other.Level)
		}
		if !empty {
			names = append(names, "no answer")
		}
		all = append(all, v.answerTable(i, c, a, names))
	}
	return all
}

func (v Page) answerTable(i, c int, a compare.Answers, names []string) templates.MoveTable {
	t := templates.MoveTable{Title: "Class " + a.Level, N: viz.Count(a.N), From: v.Names[v.Base], To: v.Names[i],
		By: "answer"}
	right, wrong, stayed := 0, 0, 0
	for from := range names {
		row, all := templates.MoveBand{Name: names[from]}, 0
		for to := range names {
			n := a.Counts[from][to]
			all += n
			cell := templates.MoveCell{Text: viz.Count(n)}
			switch {
			case from == to:
				cell.Kind = "stay"
				stayed += n
			case to == c:
				cell.Kind, cell.Spoken = "better", " become right"
				right += n
			case from == c:
				cell.Kind, cell.Spoken = "worse", " no longer right"
				wrong += n
			}
			if n == 0 {
				cell.Text = "·"
				if cell.Kind != "stay" {
					cell.Kind, cell.Spoken = "", ""
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		row.All = viz.Count(all)
		t.Bands = append(t.Bands, row)
	}
	t.Right, t.Wrong, t.Stay = viz.Count(right)+" become right", viz.Count(wrong)+" no longer right", viz.Count(stayed)+
		" answered the same"
	return t
}
