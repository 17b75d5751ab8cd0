// Package stat holds the statistics that are shown: strata with Wilson
// intervals, discrimination, calibration, densities (docs/clinical.md §2). Functions
// take scores or probabilities of rows that the model did not see; what is
// undefined is nil or NaN, never a made-up number.
//
// Conventions: event[i] is true where the event happened, score and
// probability rise with the risk of it, band[i] counts the boundaries π below
// row i's probability (0…K). Inputs are left as they are; slices over the same
// rows must have the same length.
package stat

// Z95 is the 97.5 % quantile of the normal distribution.
const Z95 = 1.959963984540054

// Stratum is one band of the strata table. Rates are nil without rows.
type Stratum struct {
	Lower    float64  `json:"lower"`
	Upper    float64  `json:"upper"`
	N        int      `json:"n"`
	Events   int      `json:"events"`
	Observed *float64 `json:"observed"`
	Low      *float64 `json:"ci_low"` // Wilson 95 %
	High     *float64 `json:"ci_high"`
	Verdict  string   `json:"verdict"`          // inside, compatible, unclear, outside, too few
	LR       *float64 `json:"likelihood_ratio"` // P(band|event)/P(band|none)
	Masked   bool     `json:"masked,omitempty"` // counts below 10, or beside such, are withheld: the rows are gone
}

// Reject summarises a rule that may answer "don't know".
type Reject struct {
	Rate           float64  `json:"reportable_rate"`      // share of rows that get an answer
	Accepted       int      `json:"accepted"`             // rows that get an answer
	Errors         int      `json:"errors"`               // wrong answers among them
	ErrorRate      *float64 `json:"error_among_accepted"` // Errors / Accepted
	RejectedEvents int      `json:"rejected_events"`      // events among the rejected
	Cost           float64  `json:"cost"`                 // of rejecting one row
	Loss           float64  `json:"loss"`                 // mean loss at that cost
}
