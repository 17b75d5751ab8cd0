// Package mask decides what print may say of small counts: 1 to 9 are hidden, with
// as many others as keep a reader from working one out again. A document declares
// its tables of counts once; Hide releases each of them, and every number that
// would tell a hidden count asks what was released.
package mask

import (
	"slices"
	"sort"
)

// Small counts in print.
const (
	below = 10 // counts of 1 … 9 are hidden
	least = 5  // a hidden count keeps at least this many possible values
)

// Span is what print says of a count: the values it can have for a reader who
// knows everything else in the table. Low equals High when it is shown.
type Span struct {
	Low  int `json:"low"`
	High int `json:"high"`
}

// Shown reports whether the count stands there in full.
func (s Span) Shown() bool { return s.Low == s.High }

// Split is one row of a table: rows of the data and how many of them are
// events.
type Split struct{ N, Events int }

// Row is a Split for print.
type Row struct{ N, Events, Others Span }

// Table is a table of splits for print, with its totals.
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

// Hide hides every count of 1 … 9 and as many others as keep a reader from
// working one out again.
//
// A row whose events or non-events are few hides its split; a row that is
// small itself hides its size too. Then the reader's best guess is computed:
// hidden counts are bounded by their neighbours and by the totals, which stay
// printed. While a hidden count has fewer than least possible values,
// another row is hidden (the smallest that settles it, else the smallest);
// when no row is left, the print no longer says that a count is under 10; last
// the totals go. What is printed of a hidden count is exactly that guess, so
// nothing can be gained by subtraction.
func Hide(rows []Split) Table {
	m := newMasker(rows)
	for !m.safe() && m.hideMore() {
	}
	return m.guess()
}

// How much of a row is printed.
const (
	open      = iota // everything
	splitGone        // its size, not its events
	gone             // nothing
)

// masker holds what has been decided so far; total is the last entry of hide
// and known.
type masker struct {
	rows  []Split // with the total at the end
	hide  []int   // open, splitGone, gone
	known []bool  // print admits that a hidden count is small
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

// hideMore takes the next step, false when there is none.
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

// wanted is how much the next row must hide: its size too when the size of
// another is at stake.
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

// safe reports whether every hidden count is vague enough.
func (m *masker) safe() bool {
	g := m.guess()
	for i, r := range append(g.Rows, g.Total) {
		if m.hide[i] != open && (tight(r.Events) || tight(r.Others)) || m.hide[i] == gone && tight(r.N) {
			return false
		}
	}
	return true
}
