package mask

import (
	"math"
	"sort"

	"taper/internal/engine/loss"
)

// The interval loss of a run is a sum over its bands and reveals counts: if the rows of each
// band and the number of events are printed, n·ℓ_π = constant − (2/K)·Σ_j j·e_j (docs/math.md,
// Interval classification). With one boundary this determines every e_j.

// LossDecimals returns how many decimals of the interval loss may be printed with a masked
// table: 3, 2, or −1 if only LossRange may. The printed loss must leave every hidden count as
// many possible values as the table alone.
func LossDecimals(rows []Split, t Table, value float64) int {
	if !t.Hidden() {
		return 3
	}
	for _, decimals := range []int{3, 2} {
		if lossSafe(rows, t, value, decimals) {
			return decimals
		}
	}
	return -1
}

// The search covers tables near the true one: counts up to reach away, in at most maxHidden
// rows. If it finds enough tables, printing is safe; otherwise less is printed.
const (
	reach     = below - 1
	maxHidden = 8
	maxMoment = 400
)

func lossSafe(rows []Split, t Table, value float64, decimals int) bool {
	var hidden []int
	n := 0
	for j, r := range t.Rows {
		n += rows[j].N
		if !r.N.Shown() {
			return false
		}
		if !r.Events.Shown() {
			hidden = append(hidden, j)
		}
	}
	k := len(rows) - 1
	if k < 1 || !t.Total.Events.Shown() || len(hidden) > maxHidden {
		return false
	}
	// Losses with the same printed value differ by at most half a unit of the last decimal.
	unit := math.Pow10(-decimals)
	printed := math.Round(value/unit) * unit
	moments := float64(n*k) / 2
	from := int(math.Ceil((value - printed - unit/2) * moments))
	to := int(math.Floor((value - printed + unit/2) * moments))
	for _, i := range hidden {
		if possibleShifts(rows, t, hidden, i, from, to) < least {
			return false
		}
	}
	return true
}

// possibleShifts counts the possible values of the events of row i while the other hidden rows
// compensate: shifts add up to 0, and their moment Σ j·shift stays between from and to.
func possibleShifts(rows []Split, t Table, hidden []int, i, from, to int) int {
	type state struct{ sum, moment int }
	states := map[state]bool{{}: true}
	for _, j := range hidden {
		if j == i {
			continue
		}
		next := map[state]bool{}
		for s := range states {
			for d := shiftFrom(rows[j], t.Rows[j]); d <= shiftTo(rows[j], t.Rows[j]); d++ {
				moved := state{s.sum + d, s.moment + j*d}
				if abs(moved.sum) <= 2*reach && abs(moved.moment) <= maxMoment {
					next[moved] = true
				}
			}
		}
		states = next
	}
	count := 0
	for d := shiftFrom(rows[i], t.Rows[i]); d <= shiftTo(rows[i], t.Rows[i]); d++ {
		for m := from - i*d; m <= to-i*d && abs(m) <= maxMoment+i*reach; m++ {
			if states[state{-d, m}] {
				count++
				break
			}
		}
	}
	return count
}

func shiftFrom(r Split, m Row) int { return max(m.Events.Low-r.Events, -reach) }
func shiftTo(r Split, m Row) int   { return min(m.Events.High-r.Events, reach) }

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// LossRange returns bounds of the interval loss that follow from the masked table alone and
// therefore reveal nothing.
func LossRange(pi []float64, t Table) (low, high float64) {
	if len(pi) == 0 || len(t.Rows) != len(pi)+1 || t.Total.N.Low <= 0 {
		return 0, 2
	}
	geometry := loss.Interval{Pi: pi}
	cost := func(event bool, j int) float64 {
		if event {
			return geometry.Theory(1, j)
		}
		return geometry.Theory(-1, j)
	}
	var events, others []Span
	for _, r := range t.Rows {
		events, others = append(events, r.Events), append(others, r.Others)
	}
	low = cheapest(events, t.Total.Events.Low, true, cost, 1) + cheapest(others, t.Total.Others.Low, false, cost, 1)
	high = -cheapest(events, t.Total.Events.High, true, cost, -1) - cheapest(others, t.Total.Others.High, false, cost, -1)
	return low / float64(t.Total.N.High), math.Min(2, high/float64(t.Total.N.Low))
}

// cheapest is the minimum of sign·Σ cost·count over counts within their ranges that add up to
// total.
func cheapest(spans []Span, total int, event bool, cost func(bool, int) float64, sign float64) float64 {
	order := make([]int, len(spans))
	sum, left := 0.0, total
	for j, s := range spans {
		order[j] = j
		sum += sign * cost(event, j) * float64(s.Low)
		left -= s.Low
	}
	sort.SliceStable(order, func(a, b int) bool { return sign*cost(event, order[a]) < sign*cost(event, order[b]) })
	for _, j := range order {
		take := max(0, min(left, spans[j].High-spans[j].Low))
		sum += sign * cost(event, j) * float64(take)
		left -= take
	}
	return sum
}
