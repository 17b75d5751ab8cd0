package compare

import (
	"slices"

	"taper/internal/engine"
)

// sample is the rows that judged a run, in the order of the table. It is empty
// for a task of more than two classes.
type sample struct {
	row         []int
	outcome     []string // as uploaded
	event       []bool
	score       []float64
	probability []float64 // nil where a row has none
	band        []int
	called      []bool // an event is predicted; nil where the cut is none of the boundaries and there is no probability
}

// twoClasses reports whether a run tells events from other rows.
func twoClasses(r Run) bool {
	return (r.Spec.Task == "binary" || r.Spec.Task == "interval") && r.Model != nil && r.Result.Positive != ""
}

// judgedBy picks the rows that judged a run: the test rows, those out of fold,
// or without validation all.
func judgedBy(r Run) (s sample) {
	if !twoClasses(r) {
		return s
	}
	class := map[string]int8{} // 1 event, −1 other, 0 neither; parsed once a spelling
	soft := true
	for i := range r.Rows {
		x := &r.Rows[i]
		if x.Split == "scored" || x.Split == "train" && !r.Result.Apparent {
			continue
		}
		k, known := class[x.Outcome]
		if !known {
			k = classOf(r.Model, x.Outcome)
			class[x.Outcome] = k
		}
		if k == 0 {
			continue
		}
		s.row, s.outcome, s.event = append(s.row, x.Row), append(s.outcome, x.Outcome), append(s.event, k > 0)
		s.score, s.band = append(s.score, x.Score), append(s.band, x.Stratum)
		if soft = soft && x.Probability != nil; soft {
			s.probability = append(s.probability, *x.Probability)
		}
	}
	if !soft {
		s.probability = nil
	}
	s.call(r)
	return s
}

// call says which rows are predicted to be events: those above the boundary
// that accuracy is cut at, or above that probability.
func (s *sample) call(r Run) {
	k := slices.Index(r.Result.Boundaries, r.Result.Cut)
	if k < 0 && s.probability == nil {
		return
	}
	s.called = make([]bool, len(s.row))
	for i := range s.called {
		if k >= 0 {
			s.called[i] = s.band[i] > k
		} else {
			s.called[i] = s.probability[i] > r.Result.Cut
		}
	}
}

func classOf(m *engine.Model, outcome string) int8 {
	switch event, ok := m.Event(outcome); {
	case !ok:
		return 0
	case event:
		return 1
	}
	return -1
}

// Reasons why rows of two runs are not paired.
const (
	otherData    = "data"    // other files
	otherEvent   = "event"   // the same file, another outcome or event
	otherReading = "reading" // the same file, read another way: row 5 is not row 5
	noClasses    = "task"    // no two classes to pair by
	noRows       = "rows"    // no row was judged by both
)

// pair is the rows that the baseline (0) and a run (1) both judged.
type pair struct {
	reason      string // why there are none
	event       []bool
	score       [2][]float64
	probability [2][]float64 // nil unless both have them
	band        [2][]int
	right       [2][]bool // nil unless both predict
}

func (p pair) n() int { return len(p.event) }

// join pairs run i with the baseline.
func (b *bench) join(i int) pair {
	x, y := b.baseline(), b.runs[i]
	switch {
	case x.SHA256 != y.SHA256:
		return pair{reason: otherData}
	case !sameEvent(x, y):
		return pair{reason: otherEvent}
	case !twoClasses(x) || !twoClasses(y):
		return pair{reason: noClasses}
	}
	return match(b.judged[b.base], b.judged[i])
}

// sameEvent reports whether two runs on one file predict the same.
func sameEvent(x, y Run) bool {
	return x.Spec.Outcome == y.Spec.Outcome && x.Result.Positive == y.Result.Positive && x.Result.Negative == y.Result.Negative &&
		slices.Equal(x.Spec.Levels, y.Spec.Levels)
}

// match merges two samples by their row numbers, which rise in both.
func match(x, y sample) (p pair) {
	calls := x.called != nil && y.called != nil
	soft := x.probability != nil && y.probability != nil
	for i, j := 0, 0; i < len(x.row) && j < len(y.row); {
		switch {
		case x.row[i] < y.row[j]:
			i++
			continue
		case x.row[i] > y.row[j]:
			j++
			continue
		case x.outcome[i] != y.outcome[j]:
			return pair{reason: otherReading}
		}
		p.event = append(p.event, x.event[i])
		p.score[0], p.score[1] = append(p.score[0], x.score[i]), append(p.score[1], y.score[j])
		p.band[0], p.band[1] = append(p.band[0], x.band[i]), append(p.band[1], y.band[j])
		if soft {
			p.probability[0], p.probability[1] = append(p.probability[0], x.probability[i]), append(p.probability[1], y.probability[j])
		}
		if calls {
			p.right[0], p.right[1] = append(p.right[0], x.called[i] == x.event[i]), append(p.right[1], y.called[j] == x.event[i])
		}
		i, j = i+1, j+1
	}
	if len(p.event) == 0 {
		p.reason = noRows
	}
	return p
}
