package mask

// Answers masks a table of predictions by true class. It assumes a reader who knows the size of
// each class, the number of correct predictions (from the accuracy) and the number of
// abstentions, which are the last column. It hides the small counts, and as many others as
// needed to keep this reader from computing them. Correct predictions of class i are
// counts[i][i]. A hidden count is printed as the range that this reader can deduce; for a class
// under 10 rows, whose size is hidden too, nothing is printed.
//
// If few predictions are wrong in total, no table leaves five possible values to a reader who
// knows the accuracy and the abstention rate. counted is then false, and neither may be
// printed.
//
// Hide is applied to two kinds of tables: the classes by correct and other predictions, and the
// predictions for one class. If the first hides a class, its correct predictions and its most
// frequent wrong one are hidden too, since each would reveal the other. If both together still
// reveal a small count, whole classes are hidden, smallest first.
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

// answerTable holds the predictions by true class, and which classes are hidden.
type answerTable struct {
	counts  [][]int
	classes []Split
	byClass Table
	hidden  []bool
	counted bool // the reader knows the numbers of correct predictions and of abstentions
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

// guess is what a reader can deduce about every count.
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

// hideClass hides the smallest visible class; false if none is left.
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

// maskRow masks predictions whose total is known.
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

// commonestOther is the most frequent wrong prediction.
func commonestOther(row []int, right int) int {
	best := -1
	for j, n := range row {
		if j != right && (best < 0 || n > row[best]) {
			best = j
		}
	}
	return best
}

// tighten narrows the ranges by the sizes of the classes and the number of correct predictions.
func (t *answerTable) tighten(cells [][]Span) {
	right, none := 0, -1
	for i, c := range t.classes {
		right += c.Events
		if len(t.counts[i]) > len(t.classes) { // the total of the abstentions
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

// sumTo narrows ranges of counts with a known sum.
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
