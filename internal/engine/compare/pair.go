package compare

import "taper/internal/engine/stat"

// Reasons why rows of two runs are not paired.
const (
	otherData    = "data"    // different files
	otherEvent   = "event"   // the same file, different outcome or event
	otherReading = "reading" // the same file, parsed differently: row numbers do not match
	otherTask    = "task"    // two classes in one run, several in the other
	noRows       = "rows"    // no row was tested in both
)

// pair holds the rows tested both in the baseline (0) and in a run (1). A field is filled in if
// both samples have it.
type pair struct {
	reason  string // why there are no rows
	n       int
	scores  [2]stat.Scores // two classes
	correct [2][]bool
	label   []int // true class, with several classes in both
	answer  [2][]int
	losses  map[string]stat.Pair // several classes: by metric

	found map[string]Difference // differences by metric, after measure
}

// match merges two samples by row number; both are ascending.
func match(x, y sample) (p pair) {
	var at [2][]int
	for i, j := 0, 0; i < len(x.row) && j < len(y.row); {
		switch {
		case x.row[i] < y.row[j]:
			i++
		case x.row[i] > y.row[j]:
			j++
		case x.outcome[i] != y.outcome[j]:
			return pair{reason: otherReading}
		default:
			at[0], at[1] = append(at[0], i), append(at[1], j)
			i, j = i+1, j+1
		}
	}
	if p.n = len(at[0]); p.n == 0 {
		p.reason = noRows
		return p
	}
	p.scores, p.correct = [2]stat.Scores{x.scores.Select(at[0]), y.scores.Select(at[1])},
		picksOfBoth(x.correct, y.correct, at)
	if p.answer = picksOfBoth(x.answer, y.answer, at); p.answer[0] != nil {
		p.label, p.losses = picked(x.label, at[0]), map[string]stat.Pair{}
	}
	for id := range x.losses {
		if l := picksOfBoth(x.losses[id], y.losses[id], at); l[0] != nil {
			p.losses[id] = stat.Pair{A: l[1], B: l[0]}
		}
	}
	return p
}

// picksOfBoth selects rows of two columns, and nothing unless both exist.
func picksOfBoth[T any](a, b []T, at [2][]int) (out [2][]T) {
	if a != nil && b != nil {
		out[0], out[1] = picked(a, at[0]), picked(b, at[1])
	}
	return out
}

func picked[T any](list []T, at []int) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(at))
	for k, i := range at {
		out[k] = list[i]
	}
	return out
}

// Difference is a paired difference over the N rows tested in both runs.
type Difference struct {
	N      int      `json:"n"`
	Value  *float64 `json:"difference"`
	Low    *float64 `json:"ci_low"`
	High   *float64 `json:"ci_high"`
	Method string   `json:"method"`
	Draws  int      `json:"draws,omitempty"` // bootstrap replicates
}
