package mask

import "taper/internal/engine/stat"

// Verdict is the verdict on a row for the band (lower, upper] if it is the same for all
// possible counts, otherwise metric.Masked. Neither a verdict nor its absence therefore reveals
// anything about a hidden count.
func (r Row) Verdict(lower, upper float64) string {
	word := ""
	for n := r.N.Low; n <= r.N.High; n++ {
		for e := max(r.Events.Low, n-r.Others.High); e <= min(r.Events.High, n-r.Others.Low); e++ {
			switch one := stat.BandVerdict(lower, upper, n, e); {
			case word == "":
				word = one
			case word != one:
				return stat.Masked
			}
		}
	}
	return word
}

// Rise reports whether the rates increase from row to row; certain is false if the printed
// counts leave that open. Empty rows are skipped.
func (t Table) Rise() (rise, certain bool) {
	rise = true
	for j, high := range t.Rows {
		for _, low := range t.Rows[:j] {
			if low.N.High == 0 || high.N.High == 0 {
				continue
			}
			from, to, _ := low.Rates()
			least, most, _ := high.Rates()
			if low.N.Low > 0 && high.N.Low > 0 && from > most {
				return false, true
			}
			rise = rise && to <= least
		}
	}
	return rise, rise
}
