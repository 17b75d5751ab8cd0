package stat

import "math"

// Boundary is the 2×2 table of calling the rows above one boundary events. A row
// on the boundary belongs to the band below; pROC's coords calls it positive.
type Boundary struct {
	Threshold   float64  `json:"threshold"`
	TP          int      `json:"tp"`
	FP          int      `json:"fp"`
	FN          int      `json:"fn"`
	TN          int      `json:"tn"`
	Sensitivity Estimate `json:"sensitivity"` // Wilson, as the next four
	Specificity Estimate `json:"specificity"`
	PPV         Estimate `json:"ppv"`
	NPV         Estimate `json:"npv"`
	Flagged     Estimate `json:"flagged_per_100"`
	LRPositive  Estimate `json:"lr_positive"` // log-normal, as the next
	LRNegative  Estimate `json:"lr_negative"`
}

// Boundaries returns the table at each boundary of the bands.
func Boundaries(pi []float64, band []int, event []bool) []Boundary {
	s := Strata(pi, band, event)
	rows := make([]Boundary, len(pi))
	events, n := count(event), len(event)
	fn, below := 0, 0
	for k := range rows {
		fn, below = fn+s[k].Events, below+s[k].N
		rows[k] = boundary(pi[k], events-fn, n-below-events+fn, fn, below-fn)
	}
	return rows
}

// boundary fills in what follows from the counts.
func boundary(threshold float64, tp, fp, fn, tn int) Boundary {
	return Boundary{
		Threshold: threshold, TP: tp, FP: fp, FN: fn, TN: tn,
		Sensitivity: Proportion(tp, tp+fn),
		Specificity: Proportion(tn, tn+fp),
		PPV:         Proportion(tp, tp+fp),
		NPV:         Proportion(tn, tn+fn),
		Flagged:     Proportion(tp+fp, tp+fp+fn+tn).times(100),
		LRPositive:  Ratio(tp, tp+fn, fp, fp+tn),
		LRNegative:  Ratio(fn, tp+fn, tn, fp+tn),
	}
}

// Ratio returns (a/m)/(b/n) with the interval of its logarithm, whose standard
// error is √(1/a − 1/m + 1/b − 1/n) (Katz et al. 1978; for likelihood ratios
// Simel et al. 1991). An empty cell leaves no interval.
func Ratio(a, m, b, n int) Estimate {
	value := float64(a) / float64(m) / (float64(b) / float64(n))
	if a == 0 || b == 0 {
		return Estimate{Value: finite(value)}
	}
	return logNormal(math.Log(value), math.Sqrt(1/float64(a)-1/float64(m)+1/float64(b)-1/float64(n)))
}

// times scales an estimate.
func (e Estimate) times(c float64) Estimate {
	for _, v := range []**float64{&e.Value, &e.Low, &e.High} {
		if *v != nil {
			scaled := c * **v
			*v = &scaled
		}
	}
	return e
}

// BandRatio is how much more often events fall into a band than other rows.
type BandRatio struct {
	Lower         float64  `json:"lower"`
	Upper         float64  `json:"upper"`
	N             int      `json:"n"`
	Events        int      `json:"events"`
	LR            Estimate `json:"likelihood_ratio"` // P(band|event)/P(band|none), log-normal
	RowsPer1000   Estimate `json:"rows_per_1000"`    // of 1000 rows, those in the band; Wilson
	EventsPer1000 Estimate `json:"events_per_1000"`  // of 1000 rows, events in the band; Wilson
}

// BandRatios returns the likelihood ratio of each band.
func BandRatios(pi []float64, band []int, event []bool) []BandRatio {
	n, events := len(event), count(event)
	var rows []BandRatio
	for _, s := range Strata(pi, band, event) {
		rows = append(rows, BandRatio{
			Lower: s.Lower, Upper: s.Upper, N: s.N, Events: s.Events,
			LR:            Ratio(s.Events, events, s.N-s.Events, n-events),
			RowsPer1000:   Proportion(s.N, n).times(1000),
			EventsPer1000: Proportion(s.Events, n).times(1000),
		})
	}
	return rows
}
