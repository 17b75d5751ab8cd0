package mask

import "sort"

// Moves releases a table of moves between bands: cells[i][j] are the rows of band i that are
// now in band j. A reader knows the printed bands (Hide), so the cells of a band are hidden
// given its printed totals. If these are masked, a cell gets the range that follows from the
// totals. A move that no row made is not a small count.
func Moves(cells [][]Split) [][]Row {
	totals := make([]Split, len(cells))
	for i, row := range cells {
		for _, c := range row {
			totals[i].N, totals[i].Events = totals[i].N+c.N, totals[i].Events+c.Events
		}
	}
	printed := Hide(totals).Rows
	out := make([][]Row, len(cells))
	for i, row := range cells {
		out[i] = parts(row, printed[i])
	}
	return out
}

// parts releases the cells of a row whose total is printed.
func parts(cells []Split, whole Row) []Row {
	out, filled := make([]Row, len(cells)), 0
	for j, c := range cells {
		if c.N > 0 {
			out[j] = whole
			filled++
		}
	}
	if filled < 2 { // the single cell equals the total
		return out
	}
	if whole.N.Shown() && whole.Events.Shown() {
		if t := Hide(cells); t.Total.N.Shown() && t.Total.Events.Shown() {
			return t.Rows
		}
	}
	sizes := make([]Split, len(cells))
	for j, c := range cells {
		sizes[j] = Split{N: c.N, Events: c.N}
	}
	known := Hide(sizes)
	for j, c := range cells {
		if c.N == 0 {
			continue
		}
		n := Span{Low: 0, High: whole.N.High}
		if whole.N.Shown() && known.Total.N.Shown() {
			n = known.Rows[j].N
		}
		events, others := min(n.High, whole.Events.High), min(n.High, whole.Others.High)
		out[j] = Row{N: n, Events: Span{max(0, n.Low-others), events}, Others: Span{max(0, n.Low-events), others}}
	}
	return out
}

// Sum adds rows with disjoint data and returns bounds of their sum, exact if all of them are
// shown.
func Sum(rows ...Row) (s Row) {
	for _, r := range rows {
		for _, part := range []struct{ to, of *Span }{{&s.N, &r.N}, {&s.Events, &r.Events}, {&s.Others, &r.Others}} {
			part.to.Low, part.to.High = part.to.Low+part.of.Low, part.to.High+part.of.High
		}
	}
	return s
}

// People are the rows of a Row as icons of a hundred: certain events, certain non-events, and
// unknown.
type People struct{ Events, Others, Unsure int }

// All is the total.
func (p People) All() int { return p.Events + p.Others + p.Unsure }

// Hundred converts rows to a hundred people in whole numbers (largest remainder method); an
// unknown size counts as the middle of its range. All are 0 if no row certainly contains data.
func Hundred(rows []Row) []People {
	out := make([]People, len(rows))
	var shares []float64
	least := 0
	for _, r := range rows {
		unsure := float64(r.N.Low+r.N.High)/2 - float64(r.Events.Low+r.Others.Low)
		shares = append(shares, float64(r.Events.Low), float64(r.Others.Low), max(0, unsure))
		least += r.N.Low
	}
	if least == 0 {
		return out
	}
	whole := Apportion(shares, 100)
	for i := range out {
		out[i] = People{Events: whole[3*i], Others: whole[3*i+1], Unsure: whole[3*i+2]}
	}
	return out
}

// Apportion divides a number of people in proportion to shares, which need not add up to it:
// each gets the integer part, and those with the largest remainders one more, the first of
// equals. If all shares are 0, everyone gets 0.
func Apportion(shares []float64, people int) []int {
	out, sum, left := make([]int, len(shares)), 0.0, people
	for _, s := range shares {
		sum += s
	}
	if !(sum > 0) {
		return out
	}
	order, rest := make([]int, len(shares)), make([]float64, len(shares))
	for i, s := range shares {
		exact := s / sum * float64(people)
		out[i], order[i] = int(exact), i
		rest[i] = exact - float64(out[i])
		left -= out[i]
	}
	sort.SliceStable(order, func(a, b int) bool { return rest[order[a]] > rest[order[b]]+1e-9 })
	for _, i := range order[:max(0, left)] {
		out[i]++
	}
	return out
}
