package report

import (
	"math"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/stat"
	"taper/internal/viz"
)

// quad is the 2×2 table of a boundary as print may show it: what follows from
// the printed bands, and nothing beyond.
type quad struct {
	tp, fp, fn, tn mask.Span
	above, below   mask.Span // rows: they are often shown where their events are not
}

// at collapses the masked bands at boundary k: a sum lies between the sums of
// the bounds on its own side, and the total less those of the other side.
func (t printedTable) at(k int) quad {
	side := func(of func(mask.Row) mask.Span) (above, below mask.Span) {
		for j, r := range t.Rows {
			if j > k {
				above = plus(above, of(r))
			} else {
				below = plus(below, of(r))
			}
		}
		total := of(t.Total)
		return narrowed(above, total, below), narrowed(below, total, above)
	}
	var q quad
	q.tp, q.fn = side(func(m mask.Row) mask.Span { return m.Events })
	q.fp, q.tn = side(func(m mask.Row) mask.Span { return m.Others })
	q.above, q.below = side(func(m mask.Row) mask.Span { return m.N })
	return q
}

// printedTable is the masked strata.
type printedTable mask.Table

// narrowed is a part whose rest is known too.
func narrowed(part, total, rest mask.Span) mask.Span {
	return mask.Span{Low: max(part.Low, total.Low-rest.High), High: min(part.High, total.High-rest.Low)}
}

// shareSpan is the range of a/(a+b).
func shareSpan(a, b mask.Span) (low, high float64, ok bool) {
	if a.Low+b.Low <= 0 {
		return 0, 0, false
	}
	return float64(a.Low) / float64(a.Low+b.High), float64(a.High) / float64(max(1, a.High+b.Low)), true
}

// atBoundary is a cell of the table at boundary k. Where counts are masked it is
// the range of the statistic over every table that the printed bands allow, and
// where all of these give the same estimate, that.
func atBoundary(t mask.Table, b stat.Boundary, k int, s stat.Statistic) doc.Cell {
	undefined := math.NaN()
	if s.Digits == stat.Figures {
		undefined = math.Inf(1) // a ratio by nothing
	}
	low, high, alike := math.Inf(1), math.Inf(-1), true
	all := printedTable(t).at(k).corners(b.Threshold)
	for _, corner := range all {
		e := corner.Of(s.ID)
		v := undefined
		if e.Value != nil {
			v = *e.Value
		}
		low, high, alike = min(low, v), max(high, v), alike && sameEstimate(e, all[0].Of(s.ID))
	}
	switch {
	case alike:
		return statisticCell(s, b.Of(s.ID))
	case s.Digits == stat.Figures:
		return ratioCell(low, high, !math.IsInf(low, 1))
	}
	return rangeCell(low, high, !math.IsNaN(low))(doc.Of(s))
}

// corners are tables between which every other one lies that the printed bands
// allow: the ends of the four counts, as far as the rows above and below the
// boundary allow them together. A statistic that moves in one direction with each
// count has its ends there.
func (q quad) corners(threshold float64) (all []stat.Boundary) {
	for _, above := range together(q.tp, q.fp, q.above) {
		for _, below := range together(q.fn, q.tn, q.below) {
			all = append(all, stat.Boundary{Threshold: threshold, TP: above[0], FP: above[1], FN: below[0], TN: below[1]})
		}
	}
	return all
}

// together are the corners of all pairs within two spans whose sum lies in a third.
func together(a, b, sum mask.Span) (all [][2]int) {
	add := func(x, y int) {
		if x >= a.Low && x <= a.High && y >= b.Low && y <= b.High && x+y >= sum.Low && x+y <= sum.High {
			all = append(all, [2]int{x, y})
		}
	}
	for _, x := range []int{a.Low, a.High} {
		for _, y := range []int{b.Low, b.High, sum.Low - x, sum.High - x} {
			add(x, y)
		}
	}
	for _, y := range []int{b.Low, b.High} {
		add(sum.Low-y, y)
		add(sum.High-y, y)
	}
	return all
}

func sameEstimate(a, b stat.Estimate) bool {
	same := func(x, y *float64) bool { return x == y || x != nil && y != nil && *x == *y }
	return same(a.Value, b.Value) && same(a.Low, b.Low) && same(a.High, b.High)
}

// ends are the ends of a range that may not exist.
type ends struct {
	low, high float64
	ok        bool
}

func rangeCell(low, high float64, ok bool) func(doc.Format) doc.Cell {
	return func(as doc.Format) doc.Cell {
		if !ok {
			return doc.Cell{}
		}
		return doc.Cell{Value: doc.Range{Low: low, High: &high}, Format: as}
	}
}

// ratioCell is the range of a ratio, whose upper end may be infinite.
func ratioCell(low, high float64, ok bool) doc.Cell {
	switch {
	case !ok, math.IsInf(high, 1) && viz.Ratio(low) == viz.Ratio(0):
		return doc.Cell{}
	case math.IsInf(high, 1):
		return doc.Cell{Value: doc.Range{Low: low}, Format: inRatios}
	}
	return rangeCell(low, high, true)(inRatios)
}

// quotient is the range of a ratio of shares.
func quotient(a, b ends) (low, high float64, ok bool) {
	if !a.ok || !b.ok || b.high == 0 {
		return 0, 0, false
	}
	if b.low == 0 {
		return a.low / b.high, math.Inf(1), true
	}
	return a.low / b.high, a.high / b.low, true
}

// bandCells are the statistics of a band.
func bandCells(b stat.BandRatio) (cells []doc.Cell) {
	for _, s := range stat.Which(stat.Statistic.InBands) {
		cells = append(cells, statisticCell(s, b.Of(s.ID)))
	}
	return cells
}

// bandRatio are the cells of band j, where its counts are masked those of the ranges
// that the printed counts leave.
func bandRatio(strata mask.Table, b stat.BandRatio, j int) []doc.Cell {
	m, t := strata.Rows[j], strata.Total
	if m.N.Shown() && m.Events.Shown() && t.N.Shown() && t.Events.Shown() {
		return bandCells(b)
	}
	of := func(part, whole mask.Span) ends {
		if whole.Low <= 0 {
			return ends{}
		}
		return ends{float64(part.Low) / float64(whole.High), min(1, float64(part.High)/float64(whole.Low)), true}
	}
	per := func(e ends) doc.Cell { return rangeCell(1000*e.low, 1000*e.high, e.ok)(doc.To(0)) }
	rows := per(of(m.N, t.N))
	if m.N.Shown() && t.N.Shown() {
		rows = bandCells(b)[1]
	}
	return []doc.Cell{ratioCell(quotient(of(m.Events, t.Events), of(m.Others, t.Others))), rows,
		per(of(m.Events, t.N))}
}

// decisionSection is the section about decisions in print.
func (p Printed) decisionSection() []doc.Node {
	if !p.c.Known || len(p.c.Statistics.Boundaries) == 0 {
		return nil
	}
	return p.c.decisionParts()
}

// movesTable counts the moves from logistic regression's bands for print.
func (p Printed) movesTable() doc.Table {
	t := doc.Table{Label: "Moves against logistic regression",
		Columns: []doc.Column{{Label: "Against logistic regression’s band"},
			{Label: p.event(), Unit: "rows", Number: true}, {Label: "Others", Unit: "rows", Number: true}}}
	for i, name := range []string{"to a higher band", "same band", "to a lower band"} {
		m := p.released[moves].Rows[i]
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: name}, {Value: m.Events}, {Value: m.Others}}})
	}
	t.Note = "Plain logistic regression cut at the same boundaries on the same folds. Events should move up, the " +
		"others down."
	return t
}

// movesOf counts rows that went to a higher band, stayed, and went to a lower one.
func movesOf(m *stat.Reclassification) []mask.Split {
	var higher, same, lower mask.Split
	add := func(counts [][]int, events int) {
		for i, row := range counts {
			for j, n := range row {
				to := &same
				switch {
				case j > i:
					to = &higher
				case j < i:
					to = &lower
				}
				to.N, to.Events = to.N+n, to.Events+events*n
			}
		}
	}
	add(m.Events.Counts, 1)
	add(m.Others.Counts, 0)
	return []mask.Split{higher, same, lower}
}

// subgroupSection judges the levels of the chosen column; small ones and what
// would tell them are masked.
func (p Printed) subgroupSection() []doc.Node {
	if !p.c.Known {
		return nil
	}
	if p.c.By == "" && p.Kept {
		return []doc.Node{doc.Note("No column was chosen while the data were there.")}
	}
	if p.c.By == "" {
		return []doc.Node{doc.Note("No column was chosen. The page of the run shows subgroups by any " +
			"column, and ?by=COLUMN in the address of the report prints them.")}
	}
	return []doc.Node{p.c.subgroupTable()}
}

// groupRow prints a group. Of a masked one "too few" and the numbers of a judged
// one stand only where its printed counts give that away already.
func groupRow(g stat.Subgroup, m mask.Row) doc.Row {
	r := doc.Row{Cells: []doc.Cell{{Value: g.Level}, {Value: m.N.CountText()}, {Value: m.Events.CountText()}}}
	if m.N.High < stat.SubgroupRows || m.Events.High < stat.SubgroupEvents {
		r.Class = "is-few"
		r.Cells = append(r.Cells, doc.Cell{Value: "too few"}, doc.Cell{Value: ""}, doc.Cell{Value: ""}, doc.Cell{Value: ""})
		return r
	}
	if m.N.Shown() && m.Events.Shown() {
		r.Cells = append(r.Cells, groupCells(g)...)
		return r
	}
	none := doc.Cell{}
	low, high, ok := m.Rates()
	rest := []doc.Cell{rangeCell(low, high, ok)(inPercent), none, none, none}
	if m.N.Low >= stat.SubgroupRows && m.Events.Low >= stat.SubgroupEvents {
		all := groupCells(g)
		rest[1], rest[3] = all[1], all[3]
	}
	r.Cells = append(r.Cells, rest...)
	return r
}
