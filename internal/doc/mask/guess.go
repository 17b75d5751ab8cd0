package mask

import (
	"taper/internal/engine/phrase"
	"taper/internal/viz"
)

// prior is the range printed for row i by itself.
func (m *masker) prior(i int) Row {
	r, all := m.rows[i], m.rows[len(m.rows)-1].N
	exact := func(n int) Span { return Span{n, n} }
	p := Row{exact(r.N), exact(r.Events), exact(r.N - r.Events)}
	switch {
	case m.hide[i] == open:
	case m.hide[i] == gone && m.known[i] && few(r.N):
		p = Row{Span{1, below - 1}, Span{0, below - 1}, Span{0, below - 1}}
	case m.hide[i] == gone: // a hidden total under 10 says nothing
		none := Span{0, max(all, below-1)}
		p = Row{none, none, none}
	case !m.known[i]:
		p.Events, p.Others = Span{0, r.N}, Span{0, r.N}
	case r.N <= 2*(below-1): // few events and few non-events have one range, since distinguishing them would reveal both
		p.Events, p.Others = Span{1, r.N - 1}, Span{1, r.N - 1}
	case few(r.Events):
		p.Events, p.Others = Span{1, below - 1}, Span{r.N - below + 1, r.N - 1}
	default:
		p.Events, p.Others = Span{r.N - below + 1, r.N - 1}, Span{1, below - 1}
	}
	return p
}

// guess narrows the ranges until nothing changes. The bounds are exact: size, events and
// non-events of a row satisfy one equation, rows add up to the totals in all three, and such
// systems have no gaps between the bounds (a test compares with an enumeration of all tables).
func (m *masker) guess() Table {
	p := make([]Row, len(m.rows))
	for i := range p {
		p[i] = m.prior(i)
	}
	last := len(p) - 1
	for moved := true; moved; {
		moved = false
		for i := range p {
			moved = balance(&p[i].N, &p[i].Events, &p[i].Others) || moved
		}
		for _, part := range []func(*Row) *Span{
			func(s *Row) *Span { return &s.N },
			func(s *Row) *Span { return &s.Events },
			func(s *Row) *Span { return &s.Others },
		} {
			moved = addUp(p, last, part) || moved
		}
	}
	return Table{Rows: p[:last:last], Total: p[last]}
}

// balance narrows by sum = a + b.
func balance(sum, a, b *Span) bool {
	moved := narrow(sum, a.Low+b.Low, a.High+b.High)
	moved = narrow(a, sum.Low-b.High, sum.High-b.Low) || moved
	return narrow(b, sum.Low-a.High, sum.High-a.Low) || moved
}

// addUp narrows one column by its total.
func addUp(p []Row, last int, part func(*Row) *Span) bool {
	var low, high int
	for i := range p[:last] {
		low, high = low+part(&p[i]).Low, high+part(&p[i]).High
	}
	total := part(&p[last])
	moved := narrow(total, low, high)
	for i := range p[:last] {
		s := part(&p[i])
		was := *s
		if narrow(s, total.Low-(high-was.High), total.High-(low-was.Low)) {
			low, high, moved = low+s.Low-was.Low, high+s.High-was.High, true
		}
	}
	return moved
}

// narrow intersects s with [low, high].
func narrow(s *Span, low, high int) bool {
	was := *s
	s.Low, s.High = max(s.Low, low), min(s.High, high)
	return *s != was
}

// Rates returns the range of possible observed rates; ok if the row certainly contains rows of
// data.
func (r Row) Rates() (low, high float64, ok bool) {
	if r.N.Low <= 0 {
		return 0, 1, false
	}
	most := min(r.Others.High, r.N.High-r.Events.Low)
	least := max(r.Others.Low, r.N.Low-r.Events.High)
	low = float64(r.Events.Low) / float64(max(1, r.Events.Low+most))
	high = float64(r.Events.High) / float64(max(1, r.Events.High+least))
	return low, high, true
}

// CountText formats a count for print: "213", or "1 – 9".
func (s Span) CountText() string {
	if s.Shown() {
		return phrase.Int(s.Low)
	}
	return viz.Range(phrase.Int(s.Low), phrase.Int(s.High))
}
