// Package mask decides which counts may be printed: 1 to 9 are hidden, and as many others as
// needed to keep a reader from computing them. A document declares its tables of counts once;
// Hide releases each of them, and every number that would reveal a hidden count is checked
// against the released tables.
package mask

import (
	"slices"
	"sort"
)

// Limits of small-count suppression.
const (
	below = 10 // counts of 1 … 9 are hidden
	least = 5  // least number of possible values of a hidden count
)

// Span is the printed range of a count: the values it can have for a reader who knows
// everything else in the table. Low equals High if it is printed exactly.
type Span struct {
	Low  int `json:"low"`
	High int `json:"high"`
}

// Shown reports whether the count is printed exactly.
func (s Span) Shown() bool { return s.Low == s.High }

// Split is one row of a table: a number of rows of data and how many are events.
type Split struct{ N, Events int }

// Row is the printed form of a Split.
type Row struct{ N, Events, Others Span }

// Table is the printed form of a table of splits, with totals.
type Table struct {
	Rows  []Row
	Total Row
}

// Hidden reports whether the table hides anything.
func (t Table) Hidden() bool {
	for _, r := range t.Rows {
		if !r.Events.Shown() || !r.N.Shown() {
			return true
		}
	}
	return !t.Total.Events.Shown() || !t.Total.N.Shown()
}

// Hide hides every count from 1 to 9, and as many others as needed to keep a reader from
// computing them.
//
// A row with few events or few non-events hides its split; a row with few rows hides its size
// too. Then the reader's best guess is computed: hidden counts are bounded by the other counts
// and by the totals, which stay printed. While a hidden count has fewer than least possible
// values, another row is hidden: the smallest one that suffices, otherwise the smallest. If no
// row is left, the print no longer says that hidden counts are below 10; finally the totals are
// hidden. A hidden count is printed as exactly this guess, so that subtraction gains nothing.
func Hide(rows []Split) Table {
	m := newMasker(rows)
	for !m.safe() && m.hideMore() {
	}
	return m.guess()
}

// How much of a row is hidden.
const (
	open      = iota // nothing
	splitGone        // the split, not the size
	gone             // everything
)

// masker holds the decisions so far; the last entry of hide and known is for the total.
type masker struct {
	rows  []Split // with the total at the end
	hide  []int   // open, splitGone, gone
	known []bool  // the print says that a hidden count is below 10
}

func newMasker(rows []Split) *masker {
	all := append([]Split(nil), rows...)
	var total Split
	for _, r := range rows {
		total.N, total.Events = total.N+r.N, total.Events+r.Events
	}
	all = append(all, total)
	m := &masker{rows: all, hide: make([]int, len(all)), known: make([]bool, len(all))}
	for i, r := range all {
		switch {
		case few(r.N):
			m.hide[i], m.known[i] = gone, true
		case few(r.Events), few(r.N - r.Events):
			m.hide[i], m.known[i] = splitGone, true
		}
	}
	return m
}

func few(n int) bool { return n > 0 && n < below }

// hideMore takes the next step; false if there is none.
func (m *masker) hideMore() bool {
	last := len(m.rows) - 1
	var candidates []int
	for i := range m.rows[:last] {
		if m.hide[i] < m.wanted() && m.rows[i].N > 0 {
			candidates = append(candidates, i)
		}
	}
	sort.SliceStable(candidates, func(a, b int) bool { return m.rows[candidates[a]].N < m.rows[candidates[b]].N })
	for _, i := range candidates {
		was := m.hide[i]
		m.hide[i] = m.wanted()
		if m.safe() {
			return true
		}
		m.hide[i] = was
	}
	if len(candidates) > 0 {
		m.hide[candidates[0]] = m.wanted()
		return true
	}
	if slices.Contains(m.known[:last], true) {
		clear(m.known[:last])
		return true
	}
	if m.hide[last] == open {
		m.hide[last] = splitGone
		return true
	}
	return false
}

// wanted is how much the next row must hide: its size too, if another row's size is hidden.
func (m *masker) wanted() int {
	g := m.guess()
	for i, r := range g.Rows {
		if m.hide[i] == gone && tight(r.N) {
			return gone
		}
	}
	return splitGone
}

func tight(s Span) bool { return s.High-s.Low+1 < least }

// safe reports whether every hidden count has enough possible values.
func (m *masker) safe() bool {
	g := m.guess()
	for i, r := range append(g.Rows, g.Total) {
		if m.hide[i] != open && (tight(r.Events) || tight(r.Others)) || m.hide[i] == gone && tight(r.N) {
			return false
		}
	}
	return true
}
