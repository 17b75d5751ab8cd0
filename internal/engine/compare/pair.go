package compare

import "taper/internal/engine/stat"

// Reasons why rows of two runs are not paired.
const (
	otherData    = "data"    // other files
	otherEvent   = "event"   // the same file, another outcome or event
	otherReading = "reading" // the same file, read another way: row 5 is not row 5
	otherTask    = "task"    // two classes here, several there
	noRows       = "rows"    // no row was evaluated by both
)

// pair is the rows that the baseline (0) and a run (1) both evaluated. A side has
// what its sample has, and nothing where the other side has not.
type pair struct {
	reason  string // why there are none
	n       int
	scores  [2]stat.Scores // two classes
	correct [2][]bool
	label   []int // true class, where both parted several
	answer  [2][]int
	losses  map[string]stat.Pair // of several classes

	found map[string]Difference // by metric, once measured
}

// match merges two samples by their row numbers, which rise in both.
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

// picksOfBoth picks the rows of two columns, nothing unless both are there.
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

// Difference is a paired difference over N rows that both runs evaluated.
type Difference struct {
	N      int      `json:"n"`
	Value  *float64 `json:"difference"`
	Low    *float64 `json:"ci_low"`
	High   *float64 `json:"ci_high"`
	Method string   `json:"method"`
	Draws  int      `json:"draws,omitempty"` // of the bootstrap
}
