package stat

import "math"

// Boundary is the 2×2 table of predicting an event for the rows above one boundary. A row exactly on the
// boundary belongs to the band below it; pROC's coords predicts an event there. The statistics in All that
// exist at a boundary follow from the counts, so JSON is written with them and read without.
type Boundary struct {
	Threshold float64 `json:"threshold"`
	TP        int     `json:"tp"`
	FP        int     `json:"fp"`
	FN        int     `json:"fn"`
	TN        int     `json:"tn"`
}

// Of returns a statistic at the boundary. It panics on one that does not exist there.
func (b Boundary) Of(id string) Estimate { return ByID(id).at(b) }

// MarshalJSON writes the counts and all statistics that follow from them.
func (b Boundary) MarshalJSON() ([]byte, error) {
	type counts Boundary
	list := Which(Statistic.AtBoundaries)
	return appended(counts(b), list, func(s Statistic) any { return s.at(b) })
}

// ratioInterval names the intervals of Ratio.
const ratioInterval = "log-normal; score interval (Koopman 1984) where a cell is 0"

// Each of them is monotone in every single count above or below a boundary. The printed report relies on it: it
// gives the range of a statistic whose counts are masked (page/report, atBoundary).
var bounded = []Statistic{
	{ID: "sensitivity", Label: "Sensitivity", Unit: "%", Better: HigherBetter, Digits: 1, Averaged: true,
		Needs: NeedCut, Text: "Of the events, those predicted as events.", How: "Wilson",
		of: func(r *scored) Estimate { return Estimate{Value: Finite(r.decided().share(1))} },
		at: func(b Boundary) Estimate { return Proportion(b.TP, b.TP+b.FN) }},
	{ID: "specificity", Label: "Specificity", Unit: "%", Better: HigherBetter, Digits: 1, Averaged: true,
		Needs: NeedCut, Text: "Of the non-events, those predicted as non-events.", How: "Wilson",
		of: func(r *scored) Estimate { return Estimate{Value: Finite(r.decided().share(0))} },
		at: func(b Boundary) Estimate { return Proportion(b.TN, b.TN+b.FP) }},
	{ID: "ppv", Label: "PPV", Unit: "%", Better: HigherBetter, Digits: 1,
		Text: "Positive predictive value: of the rows predicted as events, those that are.", How: "Wilson",
		at: func(b Boundary) Estimate { return Proportion(b.TP, b.TP+b.FP) }},
	{ID: "npv", Label: "NPV", Unit: "%", Better: HigherBetter, Digits: 1,
		Text: "Negative predictive value: of the rows predicted as non-events, those that are.", How: "Wilson",
		at: func(b Boundary) Estimate { return Proportion(b.TN, b.TN+b.FN) }},
	{ID: "flagged_per_100", Label: "Positive", Unit: "per 100", Better: NoDirection, Digits: 1,
		Text: "Rows predicted as events, per 100.", How: "Wilson",
		at: func(b Boundary) Estimate { return Proportion(b.TP+b.FP, b.TP+b.FP+b.FN+b.TN).times(100) }},
	{ID: "lr_positive", Label: "LR+", Better: HigherBetter, Digits: Figures,
		Text:   "Positive likelihood ratio: sensitivity over 1 − specificity.",
		Source: "Simel, Samsa and Matchar 1991", How: ratioInterval,
		at: func(b Boundary) Estimate { return Ratio(b.TP, b.TP+b.FN, b.FP, b.FP+b.TN) }},
	{ID: "lr_negative", Label: "LR−", Better: LowerBetter, Digits: Figures,
		Text:   "Negative likelihood ratio: 1 − sensitivity over specificity.",
		Source: "Simel, Samsa and Matchar 1991", How: ratioInterval,
		at: func(b Boundary) Estimate { return Ratio(b.FN, b.TP+b.FN, b.TN, b.FP+b.TN) }},
	{ID: "standardized_net_benefit", Label: "Standardised net benefit", Better: HigherBetter, Digits: 3,
		Text:   "Net benefit over the share of events: 1 for perfect predictions, 0 for treating nobody.",
		Source: "Kerr, Brown, Zhu and Janes 2016, doi:10.1200/JCO.2015.65.5654", How: NetBenefitInterval, at: standardized},
}

// NetBenefit is the net benefit, in events per row, of predicting an event above the boundary, with the interval of
// DecisionCurve. It has no value without rows.
func (b Boundary) NetBenefit() Estimate {
	return twoValued(float64(b.TP+b.FP+b.FN+b.TN), float64(b.TP), 1, float64(b.FP), -b.Threshold/(1-b.Threshold))
}

// standardized returns the net benefit divided by the event rate, (TP − FP·w)/events with w = π/(1−π). Its
// limits are found, as in twoValued, from the Wilson limits of TP/events and of FP/(FP + events), whose odds are
// FP/events: given the events the two vary independently. It has no value without events, and no interval where no
// row is above the boundary.
func standardized(b Boundary) Estimate {
	events := float64(b.TP + b.FN)
	if events == 0 {
		return Estimate{}
	}
	w, q := b.Threshold/(1-b.Threshold), float64(b.FP)/events
	r := (float64(b.TP) - w*float64(b.FP)) / events
	if b.TP == 0 && b.FP == 0 {
		return Estimate{Value: Finite(r)}
	}
	low, high := Wilson(b.FP, b.FP+b.TP+b.FN)
	right, wrong := weighted(1, float64(b.TP), events), spread{w * (high/(1-high) - q), w * (q - low/(1-low))}
	return estimate(r, r-together(right.below, wrong.below, 0), r+together(right.above, wrong.above, 0))
}

// Boundaries returns the table at each boundary of the bands.
func Boundaries(pi []float64, band []int, event []bool) []Boundary {
	s := Strata(pi, band, event)
	rows := make([]Boundary, len(pi))
	events, n := count(event), len(event)
	fn, below := 0, 0
	for k := range rows {
		fn, below = fn+s[k].Events, below+s[k].N
		rows[k] = Boundary{Threshold: pi[k], TP: events - fn, FP: n - below - events + fn, FN: fn, TN: below - fn}
	}
	return rows
}

// Ratio returns (a/m)/(b/n) with a log-normal interval, whose standard error is √(1/a − 1/m + 1/b − 1/n) (Katz
// et al. 1978; for likelihood ratios Simel et al. 1991). Where one of the four cells is 0 that error has no value, or
// leaves out one of the two proportions, and the interval is Koopman's score interval; it has no upper end where b is
// 0.
func Ratio(a, m, b, n int) Estimate {
	value := float64(a) / float64(m) / (float64(b) / float64(n))
	switch {
	case a == 0 && b == 0 || m == 0 || n == 0 || a == m && b == n:
		return Estimate{Value: Finite(value)}
	case a == 0:
		return estimate(0, 0, scoreLimit(a, m, b, n))
	case b == 0:
		return Estimate{Low: Finite(1 / scoreLimit(b, n, a, m))}
	case a == m || b == n:
		return estimate(value, 1/scoreLimit(b, n, a, m), scoreLimit(a, m, b, n))
	}
	return logNormal(math.Log(value), math.Sqrt(1/float64(a)-1/float64(m)+1/float64(b)-1/float64(n)))
}

// scoreLimit is the upper 95 % limit of (a/m)/(b/n): the ratio at which Pearson's χ², at the most likely proportions
// with that ratio, reaches its 95 % point (Koopman 1984, Biometrics 40:513).
func scoreLimit(a, m, b, n int) float64 {
	x, rows, y, others := float64(a), float64(m), float64(b), float64(n)
	chi2 := func(ratio float64) float64 {
		half := (ratio*(rows+y) + x + others) / 2
		p := ratio * (x + y) / (half + math.Sqrt(half*half-ratio*(rows+others)*(x+y))) // the smaller root
		sum := 0.0
		for _, g := range [][3]float64{{x, rows, p}, {y, others, p / ratio}} {
			if v := g[1] * g[2] * (1 - g[2]); v > 0 { // else all rows of this group are in the cell
				sum += (g[0] - g[1]*g[2]) * (g[0] - g[1]*g[2]) / v
			}
		}
		return sum
	}
	low, high := -50.0, 50.0 // logarithms of ratios; above the value χ² rises with the ratio
	if a > 0 {
		low = math.Log(x / rows / (y / others))
	}
	for range 100 {
		if mid := (low + high) / 2; chi2(math.Exp(mid)) < Z95*Z95 {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Exp(low)
}

// Infinite reports whether a ratio without a value is infinite: its numerator counts events, its denominator no
// non-events. JSON has null for it as for a ratio that is undefined.
func (b Boundary) Infinite(id string) bool {
	switch id {
	case "lr_positive":
		return b.TP > 0 && b.FP == 0 && b.TN > 0
	case "lr_negative":
		return b.FN > 0 && b.TN == 0 && b.FP > 0
	}
	return false
}

// InfiniteRatio reports whether a band holds events alone, and all bands hold others of the rows: its likelihood ratio
// is infinite.
func InfiniteRatio(n, events, others int) bool { return n > 0 && events == n && others > 0 }

// times multiplies an estimate by a constant.
func (e Estimate) times(c float64) Estimate {
	for _, v := range []**float64{&e.Value, &e.Low, &e.High} {
		if *v != nil {
			scaled := c * **v
			*v = &scaled
		}
	}
	return e
}

// banded are the statistics of a band, read as the result of a diagnostic test.
var banded = []Statistic{
	{ID: "likelihood_ratio", Label: "Likelihood ratio", Unit: "P(band | event) / P(band | non-event)", Better: NoDirection,
		Digits: Figures, Text: "How much more often events than non-events fall into the band.",
		Source: "Simel, Samsa and Matchar 1991", How: ratioInterval,
		inBand: func(b bandCounts) Estimate { return Ratio(b.Events, b.allEvents, b.N-b.Events, b.all-b.allEvents) }},
	{ID: "rows_per_1000", Label: "Rows", Unit: "per 1000", Better: NoDirection,
		Text: "Rows in the band, per 1000.", How: "Wilson",
		inBand: func(b bandCounts) Estimate { return Proportion(b.N, b.all).times(1000) }},
	{ID: "events_per_1000", Label: "Events", Unit: "per 1000", Better: NoDirection,
		Text: "Events in the band, per 1000 rows.", How: "Wilson",
		inBand: func(b bandCounts) Estimate { return Proportion(b.Events, b.all).times(1000) }},
}

// bandCounts are the rows and events of a band, and those of all bands.
type bandCounts struct {
	Stratum
	all, allEvents int
}

// BandRatio is the likelihood ratio of a band, with expected frequencies.
type BandRatio struct {
	Lower         float64  `json:"lower"`
	Upper         float64  `json:"upper"`
	N             int      `json:"n"`
	Events        int      `json:"events"`
	LR            Estimate `json:"likelihood_ratio"` // P(band|event)/P(band|non-event), log-normal
	RowsPer1000   Estimate `json:"rows_per_1000"`    // rows in the band per 1,000 rows; Wilson
	EventsPer1000 Estimate `json:"events_per_1000"`  // events in the band per 1,000 rows; Wilson
}

// BandRatios returns the likelihood ratio of each band.
func BandRatios(pi []float64, band []int, event []bool) []BandRatio {
	n, events := len(event), count(event)
	var rows []BandRatio
	for _, b := range Strata(pi, band, event) {
		row := BandRatio{Lower: b.Lower, Upper: b.Upper, N: b.N, Events: b.Events}
		for _, s := range Which(Statistic.InBands) {
			put(&row, s.ID, s.inBand(bandCounts{b, n, events}))
		}
		rows = append(rows, row)
	}
	return rows
}

// Of returns a statistic of the band.
func (b BandRatio) Of(id string) Estimate { e, _ := get(&b, id); return e }
