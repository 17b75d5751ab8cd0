package table

import (
	"cmp"
	"slices"
)

// merged is one column of the whole file before its type is decided.
type merged struct {
	plan
	rows  int
	num   []float64 // for plan.numbers
	code  []int32   // for plan.numbers, nil when there are more than MaxLevels texts
	dict  dict
	seen  [kinds]int
	marks int
	zeros int
	gone  int
	odd   tally
	lost  tally
	pads  map[int]int
	order dateOrder         // only of a column of dates
	alias map[string]string // other spelling → level
	stats *stats            // properties of num, computed when first needed
}

// merge joins the chunks of a column in their order, so that the result does not depend on the number of
// chunks.
func merge(parts []*cells, num []float64, code []int32, rows int) *merged {
	m := &merged{plan: *parts[0].plan, rows: rows, num: num, code: code}
	kept := true
	for _, c := range parts {
		kept = kept && c.dict != nil
	}
	if kept {
		m.mergeCodes(parts)
	}
	row := 0
	for _, c := range parts {
		for k, n := range c.seen {
			m.seen[k] += n
		}
		m.marks, m.zeros, m.gone = m.marks+c.marks, m.zeros+c.zeros, m.gone+c.gone
		m.odd.join(&c.odd, row)
		m.lost.join(&c.lost, row)
		row += c.rows
	}
	if !m.numbers {
		m.weigh()
	}
	return m
}

// mergeCodes numbers the texts of all chunks in order of first appearance.
func (m *merged) mergeCodes(parts []*cells) {
	if m.numbers {
		m.code = m.memory.codes(m.rows)[:0]
	}
	for _, c := range parts {
		to := make([]int32, len(c.dict.text))
		for k, text := range c.dict.text {
			to[k] = m.dict.find([]byte(text))
			m.dict.count[to[k]] += c.dict.count[k]
			if n := c.pads[k]; n > 0 {
				if m.pads == nil {
					m.pads = map[int]int{}
				}
				m.pads[int(to[k])] += n
			}
		}
		if m.numbers && len(m.dict.text) > MaxLevels {
			m.code, m.dict = nil, dict{}
			return
		}
		for i, code := range c.code {
			if code >= 0 {
				c.code[i] = to[code]
			}
		}
		if m.numbers {
			m.code = append(m.code, c.code...)
		}
		c.dict = nil
	}
	m.dict.slot, m.dict.hash = nil, nil
}

// weigh classifies the levels of a column of texts as numbers.
func (m *merged) weigh() {
	for k, text := range m.dict.text {
		t := []byte(text)
		_, kind := number(t, m.f)
		n := m.dict.count[k]
		m.seen[kind] += n
		m.marks += n * btoi(kind.reads() && hasMark(t, m.f.mark))
		m.zeros += n * btoi(kind.reads() && leadingZero(t))
	}
}

// join adds the counts of a later chunk; row is the index of its first row.
func (t *tally) join(o *tally, row int) {
	t.over = t.over || o.over
	for _, x := range o.list {
		t.add([]byte(x.text), x.kind, x.count, x.row+row)
	}
}

// sorted returns the texts in order of first appearance.
func (t *tally) sorted() []tallied {
	return slices.SortedFunc(slices.Values(t.list), func(a, b tallied) int { return cmp.Compare(a.row, b.row) })
}
