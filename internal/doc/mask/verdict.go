package mask

import "taper/internal/engine/stat"

// Verdict is the verdict on a row that is the band (lower, upper], where it is
// the same for all that print says its counts may be; metric.Masked elsewhere.
// So neither a word nor its absence narrows a hidden count.
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

// Rise reports whether the rates rise from row to row, certain when that
// follows from what is printed. Rows without rows are passed over.
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
