package compare

import "taper/internal/engine/stat"

// Reclassification counts changes of band between the baseline and a run, among the rows tested
// in both. If there is no table, Reason says why: "data", "event", "reading", "task", "rows",
// "boundaries".
type Reclassification struct {
	Run      string                 `json:"run"`
	Baseline string                 `json:"baseline"`
	N        int                    `json:"n"`
	Reason   string                 `json:"reason,omitempty"`
	Table    *stat.Reclassification `json:"table"`
	Classes  []Answers              `json:"classes,omitempty"` // several classes: in place of Table
}

// Answers counts changes of the predicted class among rows of one true class: Counts[from][to],
// with abstention in the last row and column.
type Answers struct {
	Level  string  `json:"level"`
	N      int     `json:"n"`
	Counts [][]int `json:"counts"`
}

// answerChanges counts the predictions of the baseline against those of a run.
func answerChanges(p pair, levels []string) []Answers {
	k := len(levels)
	list := make([]Answers, k)
	for c := range list {
		list[c] = Answers{Level: levels[c], Counts: make([][]int, k+1)}
		for i := range list[c].Counts {
			list[c].Counts[i] = make([]int, k+1)
		}
	}
	for i, c := range p.label {
		list[c].N++
		list[c].Counts[p.answer[0][i]][p.answer[1][i]]++
	}
	return list
}

const otherBands = "boundaries"

// reclassify makes a table for each run except the baseline.
func (b *joined) reclassify() []Reclassification {
	list := []Reclassification{}
	b.others(func(i int, r Run) {
		p := b.pairs[i]
		m := Reclassification{Run: r.ID, Baseline: b.baseline().ID, N: p.n, Reason: p.reason}
		if m.Reason == "" && p.label != nil {
			m.Classes = answerChanges(p, levels(r))
			list = append(list, m)
			return
		}
		if m.Reason == "" && p.scores[0].Event == nil {
			m.Reason = otherTask
		}
		if m.Reason == "" && (!sameBands(b.baseline(), r) || len(r.Result.Boundaries) == 0) {
			m.Reason = otherBands
		}
		if m.Reason == "" {
			table := stat.Reclassify(p.scores[0].Band, p.scores[1].Band, p.scores[0].Event, len(r.Result.Boundaries)+1)
			if !Ranked(b.baseline()) || !Ranked(r) {
				table = table.Untested()
			}
			m.Table = &table
		}
		list = append(list, m)
	})
	return list
}

// Ranked reports whether the bands of a run say how well it places rows, so that rows can move the right way: not on
// the rows that it was trained on, nor on rows of another population than its own.
func Ranked(r Run) bool { return r.Result.RanksModels() && !r.Result.IsRecalibrated() }
