package table

import (
	"math"
	"strings"
)

// n returns the number of cells that are not missing.
func (m *merged) n() int {
	n := 0
	for _, k := range m.seen {
		n += k
	}
	return n
}

// numeric reports whether the texts are numbers: at least nine in ten (limits such as <0.01 count), and at
// least half of them plain. Codes with leading zeros (007) are not numbers.
func (m *merged) numeric() bool {
	n, like, plain := m.n(), 0, 0
	for k, count := range m.seen {
		like += count * btoi(kind(k).numberLike())
		plain += count * btoi(kind(k).reads())
	}
	switch m.spec.Type {
	case Number, Integer:
		return true
	case Category, Text, Identifier, Boolean, Date:
		return false
	}
	return n > 0 && 10*like >= 9*n && 2*plain >= n && 2*m.zeros <= n
}

// settled reports whether the first pass stored what the column's type needs: texts too, unless it is a column
// of numbers.
func (m *merged) settled() bool {
	if m.code != nil {
		return !m.odd.over
	}
	if !m.numeric() || m.odd.over {
		return false
	}
	t := m.numberType()
	return t == Number || t == Integer || t == Date
}

// numberType is the type of a numeric column.
func (m *merged) numberType() Type {
	s := m.survey()
	odd := m.n() > m.seen[kindNumber]+m.seen[kindGrouped]+m.seen[kindMinus]
	switch {
	case m.spec.Type == Integer && s.whole, m.spec.Type == Number:
		return m.spec.Type
	case s.n == 0 || s.lo == s.hi && !odd:
		return Constant // so binary below means that both 0 and 1 occur
	case s.binary && len(m.dict.text) == 2 && !odd:
		return Boolean
	case !s.whole:
		return Number
	case m.marks > 0 || odd || m.spec.Type != "":
		return Integer
	case calendar(m.num, s):
		return Date
	case s.identifier(NamesRows(m.name), m.different):
		return Identifier
	}
	return Integer
}

// stats are the properties that decide the type of a numeric column.
type stats struct {
	n, steps      int // number of values; number of neighbouring values that differ by one
	lo, hi        float64
	whole, binary bool // all are integers; all are 0 or 1
	different     int  // number of distinct values; −1 before it was counted
}

// survey computes the properties once; asNumbers and asDates reset them.
func (m *merged) survey() stats {
	if m.stats == nil {
		s := survey(m.num)
		m.stats = &s
	}
	return *m.stats
}

// different counts the distinct values once, since that takes longer than reading them.
func (m *merged) different() int {
	m.survey()
	if m.stats.different < 0 {
		m.stats.different, _ = distinct(m.num)
	}
	return m.stats.different
}

func survey(x []float64) stats {
	s := stats{lo: math.Inf(1), hi: math.Inf(-1), whole: true, binary: true, different: -1}
	last := math.NaN()
	for _, v := range x {
		if v != v {
			continue
		}
		s.n++
		if v < s.lo {
			s.lo = v
		}
		if v > s.hi {
			s.hi = v
		}
		if s.whole {
			s.whole = whole(v)
			s.binary = s.binary && (v == 0 || v == 1)
			s.steps += btoi(v-last == 1)
			last = v
		}
	}
	s.binary = s.binary && s.whole
	return s
}

// identifier reports whether whole numbers identify rows or people and measure nothing: row numbers, long codes
// that rarely repeat, and columns whose header names an identifier.
func (s stats) identifier(named bool, different func() int) bool {
	if s.n < 3 {
		return false
	}
	if fromStart := s.lo == 0 || s.lo == 1; fromStart && s.n >= 10 && s.steps >= (s.n-1)*19/20 {
		return true
	}
	permutation := s.n >= 50 && s.lo >= 0 && s.lo <= 1 && s.hi-s.lo < 1.05*float64(s.n)
	long := s.n >= 10 && s.lo >= 1e6 && math.Floor(math.Log10(s.lo)) == math.Floor(math.Log10(s.hi))
	if !named && !permutation && !long {
		return false
	}
	share := float64(different()) / float64(s.n)
	return share > 0.95 || named && share >= 0.2 && share*float64(s.n) >= 10
}

// calendar reports whether every number is a date written 20240131.
func calendar(x []float64, s stats) bool {
	if s.n < 3 || s.lo < 19000101 || s.hi > 21001231 {
		return false
	}
	for _, v := range x {
		if v == v {
			if _, ok := compactDay(v); !ok {
				return false
			}
		}
	}
	return true
}

// textType returns the type of a column of texts, and the order of day and month if it holds dates.
func (m *merged) textType() (Type, dateOrder) {
	order, dates := m.dates()
	used := 0
	for _, c := range m.dict.count {
		used += btoi(c > 0)
	}
	n := m.rows - m.gone
	switch {
	case m.spec.Type == Boolean && used != 2:
		return Category, order
	case m.spec.Type != "" && m.spec.Type != Constant && m.spec.Type != Number && m.spec.Type != Integer:
		return m.spec.Type, order
	case used <= 1:
		return Constant, order
	case dates:
		return Date, order
	case used == 2:
		return Boolean, order
	case m.identifies(used, n):
		return Identifier, order
	case used > MaxLevels:
		return Text, order
	}
	return Category, order
}

// identifies reports whether texts identify rows or people: nearly all different and not prose, or many
// different below a header that names an identifier.
func (m *merged) identifies(used, n int) bool {
	like := 0
	for k, count := range m.seen {
		like += count * btoi(kind(k).numberLike())
	}
	if 2*like > n && m.zeros == 0 {
		return false // measurements with many odd texts
	}
	share := float64(used) / float64(n)
	if NamesRows(m.name) && n >= 3 && (share > 0.95 || share >= 0.2 && used >= 10) {
		return true
	}
	return n >= 10 && share > 0.95 && !m.prose()
}

// prose reports whether most texts have four words or more.
func (m *merged) prose() bool {
	words := 0
	for _, t := range m.dict.text {
		words += len(strings.Fields(t))
	}
	return words >= 4*len(m.dict.text)
}
