package mask

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"taper/internal/engine/loss"
)

// intervalLoss is ℓ_π from the counts.
func intervalLoss(iv loss.Interval, rows []Split) float64 {
	sum, n := 0.0, 0
	for j, r := range rows {
		sum += float64(r.Events)*iv.Theory(1, j) + float64(r.N-r.Events)*iv.Theory(-1, j)
		n += r.N
	}
	return sum / float64(n)
}

// TestLossAdversary enumerates all tables that fit the printed counts and the printed loss: no
// small count is determined, and the true loss is within LossRange.
func TestLossAdversary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 2).Draw(t, "k")
		pi := []float64{0.25, 0.6}[:k]
		rows := make([]Split, k+1)
		for j := range rows {
			n := rapid.IntRange(10, 60).Draw(t, "n")
			few := rapid.IntRange(0, 9).Draw(t, "few")
			rows[j] = Split{n, few}
			if rapid.Bool().Draw(t, "events are common") {
				rows[j].Events = n - few
			}
		}
		iv := loss.Interval{Pi: pi}
		value, masked := intervalLoss(iv, rows), Hide(rows)
		if lo, hi := LossRange(pi, masked); value < lo-1e-12 || value > hi+1e-12 {
			t.Fatalf("loss %v outside %v … %v", value, lo, hi)
		}
		decimals := LossDecimals(rows, masked, value)
		if decimals < 0 {
			return
		}
		unit := math.Pow10(-decimals)
		for j, left := range fitting(iv, masked, math.Round(value/unit)*unit, unit/2+1e-12) {
			e, m := rows[j].Events, rows[j].N-rows[j].Events
			if (few(e) || few(m)) && len(left) < least {
				t.Fatalf("%d events of %d: only %v fit a loss printed with %d decimals", e, rows[j].N, left, decimals)
			}
		}
	})
}

// fitting lists the possible numbers of events per row over all tables with that loss; the
// sizes of rows are printed in these tables.
func fitting(iv loss.Interval, t Table, value, within float64) []map[int]bool {
	out := make([]map[int]bool, len(t.Rows))
	for j := range out {
		out[j] = map[int]bool{}
	}
	rows := make([]Split, len(t.Rows))
	var walk func(j, e int)
	walk = func(j, e int) {
		if j == len(rows) {
			if e >= t.Total.Events.Low && e <= t.Total.Events.High && math.Abs(intervalLoss(iv, rows)-value) <= within {
				for i, r := range rows {
					out[i][r.Events] = true
				}
			}
			return
		}
		for ev := t.Rows[j].Events.Low; ev <= t.Rows[j].Events.High; ev++ {
			rows[j] = Split{t.Rows[j].N.Low, ev}
			walk(j+1, e+ev)
		}
	}
	walk(0, 0)
	return out
}

// TestLossDecimals: with one boundary the loss would reveal the counts and is not printed;
// without hidden counts it is.
func TestLossDecimals(t *testing.T) {
	iv := loss.Interval{Pi: []float64{0.5}}
	rows := []Split{{100, 3}, {60, 50}}
	if got := LossDecimals(rows, Hide(rows), intervalLoss(iv, rows)); got != -1 {
		t.Errorf("one boundary, 3 hidden events: %d decimals", got)
	}
	shown := []Split{{369, 30}, {200, 160}}
	if got := LossDecimals(shown, Hide(shown), intervalLoss(iv, shown)); got != 3 {
		t.Errorf("nothing hidden: %d decimals", got)
	}
	design := []Split{{326, 9}, {43, 13}, {24, 15}, {176, 175}}
	if got := LossDecimals(design, Hide(design), 0.0501); got != 2 { // with 3 decimals the first band would have 9, 8 or 7 events
		t.Errorf("design: %d decimals", got)
	}
}
