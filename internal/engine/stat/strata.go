package stat

import "math"

// The verdicts of a stratum (docs/clinical.md, Statistics).
const (
	Inside     = "inside"     // the whole interval lies in the band
	Compatible = "compatible" // the observed rate lies in the band
	Unclear    = "unclear"    // the interval overlaps the band, the rate lies outside
	Outside    = "outside"    // the interval lies outside the band
	TooFew     = "too few"    // too few rows or events for any of the above
	Masked     = "masked"     // withheld: it would reveal masked counts
	NoVerdict  = "no verdict" // the rows are of one class, or of another population
)

// BandVerdicts explains the verdicts below a table of bands.
const BandVerdicts = "Inside: the whole CI lies in the band. Compatible: the rate and part of the CI do. Unclear: " +
	"only part of the CI does. Outside: none of it does. Too few: under 30 rows, or under 5 events or non-events, and " +
	"neither inside nor outside."

// With fewer rows or events a stratum gets no verdict, unless its interval settles it. MinEvents applies to
// events and to non-events.
const (
	MinRows   = 30
	MinEvents = 5
)

// Wilson returns the 95 % score interval of a proportion (Wilson 1927):
// (p̂ + z²/2n ± z√(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n). NaN without rows.
func Wilson(events, n int) (low, high float64) {
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	low, high = wilson(float64(events)/float64(n), float64(n))
	if events == 0 {
		low = 0 // exactly 0, where rounding would give 1e-18
	}
	if events == n {
		high = 1
	}
	return low, high
}

// wilson returns the interval for a share p of n; p·n need not be an integer.
func wilson(p, n float64) (low, high float64) {
	const z = Z95
	mid := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return (mid - half) / (1 + z*z/n), (mid + half) / (1 + z*z/n)
}

// Strata tabulates rows by band. Band j contains π_j < p ≤ π_{j+1}, so the K boundaries in pi define K+1 strata
// from 0 to 1.
func Strata(pi []float64, band []int, event []bool) []Stratum {
	sameLength(len(band), len(event))
	s := make([]Stratum, len(pi)+1)
	events := 0
	for i, k := range band {
		s[k].N++
		if event[i] {
			s[k].Events++
			events++
		}
	}
	for k := range s {
		s[k].Upper = 1
		if k < len(pi) {
			s[k].Upper = pi[k]
		}
		if k > 0 {
			s[k].Lower = pi[k-1]
		}
		s[k].assess(events, len(event)-events)
	}
	return s
}

// assess computes what follows from the counts; events and others are the totals over all strata.
func (s *Stratum) assess(events, others int) {
	s.Verdict = BandVerdict(s.Lower, s.Upper, s.N, s.Events)
	s.LR = Finite((float64(s.Events) / float64(events)) / (float64(s.N-s.Events) / float64(others)))
	if s.N == 0 {
		return
	}
	rate := float64(s.Events) / float64(s.N)
	low, high := Wilson(s.Events, s.N)
	s.Observed, s.Low, s.High = &rate, &low, &high
}

// BandVerdict returns the verdict for events out of n rows in the band (lower, upper]. An interval inside or
// outside the band settles it for any n, because the interval is wide when n is small.
func BandVerdict(lower, upper float64, n, events int) string {
	if n == 0 {
		return TooFew
	}
	rate := float64(events) / float64(n)
	low, high := Wilson(events, n)
	switch {
	case lower <= low && high <= upper:
		return Inside
	case low > upper || high < lower:
		return Outside
	case n < MinRows || min(events, n-events) < MinEvents:
		return TooFew
	case lower < rate && rate <= upper:
		return Compatible
	}
	return Unclear
}

// MostNeeded is the largest number of rows that RowsForVerdict returns.
const MostNeeded = 100_000

// RowsForVerdict returns the smallest number of rows, MinRows at least, at which, with the same observed rate, the
// interval would lie inside the band or outside it; 0 without rows and where it exceeds MostNeeded.
func (s Stratum) RowsForVerdict() int {
	if s.N == 0 {
		return 0
	}
	rate := float64(s.Events) / float64(s.N)
	need := 0.0
	// The end of the interval is at π where (p̂ − π)² = z² π(1 − π)/n.
	away := func(pi float64) { need = max(need, Z95*Z95*pi*(1-pi)/((rate-pi)*(rate-pi))) }
	if s.Lower > 0 && rate <= s.Upper {
		away(s.Lower)
	}
	if s.Upper < 1 && rate >= s.Lower {
		away(s.Upper)
	}
	if !(need < MostNeeded) {
		return 0
	}
	return max(int(need)+1, MinRows)
}

// Monotone reports whether the observed rates never decrease from band to band; bands without rows are ignored.
func Monotone(s []Stratum) bool {
	last := Stratum{N: 1}
	for _, k := range s {
		if k.N == 0 {
			continue
		}
		if k.Events*last.N < last.Events*k.N {
			return false
		}
		last = k
	}
	return true
}

// IntervalLoss is the mean theoretical loss ℓ_π of predicting a band (docs/math.md, Interval
// classification). An event costs (2/K) Σ (1−π_k) over the boundaries above its band, a non-event (2/K) Σ
// π_k over those below. It equals (2/K) Σ (1−π_k)·(event rate − net benefit at π_k), so it is a sum over
// the decision curve at the boundaries. NaN without rows or boundaries.
func IntervalLoss(pi []float64, band []int, event []bool) float64 {
	sameLength(len(band), len(event))
	if len(pi) == 0 || len(band) == 0 {
		return math.NaN()
	}
	events, others := bandCosts(pi)
	sum := 0.0
	for i, k := range band {
		if event[i] {
			sum += events[k]
		} else {
			sum += others[k]
		}
	}
	return sum / float64(len(band))
}

// bandCosts returns ℓ_π of each band, for events and for non-events.
func bandCosts(pi []float64) (events, others []float64) {
	k := len(pi)
	events, others = make([]float64, k+1), make([]float64, k+1)
	for j, p := range pi {
		others[j+1] = others[j] + 2/float64(k)*p
	}
	for j := k - 1; j >= 0; j-- {
		events[j] = events[j+1] + 2/float64(k)*(1-pi[j])
	}
	return events, others
}

// RejectSummary describes the rule with boundaries c and 1−c: the lowest band predicts "no event", the highest
// "event", and the middle one rejects the row at cost c. Its loss equals ℓ_π.
func RejectSummary(cost float64, band []int, event []bool) Reject {
	sameLength(len(band), len(event))
	r := Reject{Cost: cost}
	for i, k := range band {
		switch {
		case k != 1:
			r.Accepted++
			if (k == 2) != event[i] {
				r.Errors++
			}
		case event[i]:
			r.RejectedEvents++
		}
	}
	if n := float64(len(band)); n > 0 {
		rejected := n - float64(r.Accepted)
		r.Rate = float64(r.Accepted) / n
		r.Loss = (float64(r.Errors) + cost*rejected) / n
	}
	r.ErrorRate = Finite(float64(r.Errors) / float64(r.Accepted))
	return r
}

// Finite returns a pointer to v, nil when it is NaN or infinite.
func Finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// sameLength panics when two slices over the same rows differ in length.
func sameLength(a, b int) {
	if a != b {
		panic("stat: slices over the same rows differ in length")
	}
}
