package mask

// Answers hides the small counts of a table of answers by true class, and
// as many others as keep a reader from working them out who knows how many rows
// each class has and, from the accuracy, how many are right in all; and, from the share
// without an answer, which are counted last, how many those are. Right
// answers of class i are counts[i][i]. What is printed of a hidden count is
// what such a reader can tell; of a class under 10 rows, whose size is not
// known either, nothing.
//
// Where few answers are wrong in all, no table keeps five values beside the accuracy and
// the share without an answer: counted is false then, and neither may be told.
//
// Both are tables that Hide knows: the classes by right and other answers, and
// the answers of one class. A class that the first hides hides its right
// answers and its commonest other one, since they would tell each other. Where
// the two together still tell a small count, whole classes are hidden, the
// smallest first.
func Answers(counts [][]int) (spans [][]Span, counted bool) {
	for _, counted = range []bool{true, false} {
		t := newAnswerTable(counts)
		t.counted = counted
		for more := true; more; more = t.hideClass() {
			if spans = t.guess(); t.safe(spans) {
				return spans, counted
			}
		}
	}
	return spans, false
}

// answerTable is the answers by true class, and which classes are hidden.
type answerTable struct {
	counts  [][]int
	classes []Split
	byClass Table
	hidden  []bool
	counted bool // the reader knows how many answers are right, and how many rows have none
}

func newAnswerTable(counts [][]int) *answerTable {
	t := &answerTable{counts: counts, hidden: make([]bool, len(counts))}
	for i, row := range counts {
		s := Split{Events: row[i]}
		for _, n := range row {
			s.N += n
		}
		t.classes = append(t.classes, s)
		t.hidden[i] = few(s.N)
	}
	t.byClass = Hide(t.classes)
	return t
}

// guess is what a reader can tell of every count.
func (t *answerTable) guess() [][]Span {
	out := make([][]Span, len(t.counts))
	for i, row := range t.counts {
		n := t.classes[i].N
		if t.hidden[i] {
			for range row {
				out[i] = append(out[i], Span{0, max(n, below-1)})
			}
			continue
		}
		out[i] = maskRow(row)
		if right := t.byClass.Rows[i].Events; !right.Shown() {
			if other := commonestOther(row, i); out[i][i].Shown() || out[i][other].Shown() {
				out[i][i], out[i][other] = Span{0, n}, Span{0, n}
			}
			narrow(&out[i][i], right.Low, right.High)
		}
	}
	t.tighten(out)
	return out
}

// safe reports whether every small count keeps enough possible values.
func (t *answerTable) safe(spans [][]Span) bool {
	for i, row := range t.counts {
		for j, n := range row {
			if few(n) && tight(spans[i][j]) {
				return false
			}
		}
	}
	return true
}

// hideClass hides the smallest class that is not, false when none is left.
func (t *answerTable) hideClass() bool {
	best := -1
	for i, c := range t.classes {
		if !t.hidden[i] && c.N > 0 && (best < 0 || c.N < t.classes[best].N) {
			best = i
		}
	}
	if best >= 0 {
		t.hidden[best] = true
	}
	return best >= 0
}

// maskRow masks answers that add up to a total which is known.
func maskRow(row []int) []Span {
	var each []Split
	for _, n := range row {
		each = append(each, Split{N: n, Events: n})
	}
	spans := make([]Span, len(row))
	for j, m := range Hide(each).Rows {
		spans[j] = m.N
	}
	return spans
}

// commonestOther is the most frequent answer that is not right.
func commonestOther(row []int, right int) int {
	best := -1
	for j, n := range row {
		if j != right && (best < 0 || n > row[best]) {
			best = j
		}
	}
	return best
}

// tighten leaves what the sizes of the classes and the number of right answers
// allow.
func (t *answerTable) tighten(cells [][]Span) {
	right, none := 0, -1
	for i, c := range t.classes {
		right += c.Events
		if len(t.counts[i]) > len(t.classes) { // the rows without an answer, in all
			none = max(none, 0) + t.counts[i][len(t.classes)]
		}
	}
	for moved := true; moved; {
		moved = false
		diagonal := make([]*Span, len(cells))
		for i := range cells {
			all := make([]*Span, len(cells[i]))
			for j := range all {
				all[j] = &cells[i][j]
			}
			if !few(t.classes[i].N) {
				moved = sumTo(all, t.classes[i].N) || moved
			}
			diagonal[i] = all[i]
		}
		if !t.counted {
			continue
		}
		moved = sumTo(diagonal, right) || moved
		if none >= 0 {
			column := make([]*Span, len(cells))
			for i := range cells {
				column[i] = &cells[i][len(cells)]
			}
			moved = sumTo(column, none) || moved
		}
	}
}

// sumTo tightens spans that add up to a number.
func sumTo(spans []*Span, total int) (moved bool) {
	low, high := 0, 0
	for _, s := range spans {
		low, high = low+s.Low, high+s.High
	}
	for _, s := range spans {
		was := *s
		if narrow(s, total-(high-was.High), total-(low-was.Low)) {
			low, high, moved = low+s.Low-was.Low, high+s.High-was.High, true
		}
	}
	return moved
}
