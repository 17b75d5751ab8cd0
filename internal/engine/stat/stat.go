// Package stat computes the statistics that pages, reports and the API show: strata with Wilson
// intervals, discrimination, calibration, densities (docs/clinical.md, Statistics). Functions take scores
// or probabilities of rows on which the model was not trained. A value that is undefined is nil or NaN.
//
// Conventions: event[i] is true for an event; score and probability increase with its risk; band[i] is the
// number of boundaries π below row i's probability (0…K). Inputs are not modified. Slices over the same rows
// must have the same length, otherwise functions panic.
package stat

// Z95 is the 97.5 % quantile of the normal distribution.
const Z95 = 1.959963984540054

// Stratum is one band of the strata table. Rates are nil where it has no rows.
type Stratum struct {
	Lower    float64  `json:"lower"`
	Upper    float64  `json:"upper"`
	N        int      `json:"n"`
	Events   int      `json:"events"`
	Observed *float64 `json:"observed"`
	Low      *float64 `json:"ci_low"` // Wilson 95 %
	High     *float64 `json:"ci_high"`
	Verdict  string   `json:"verdict"`          // inside, compatible, unclear, outside, too few
	LR       *float64 `json:"likelihood_ratio"` // P(band|event)/P(band|non-event)
	// counts below 10, and counts from which they could be derived, are withheld in a kept run
	Masked bool `json:"masked,omitempty"`
}

// Reject summarises a rule that can reject a row.
type Reject struct {
	Rate           float64  `json:"reportable_rate"`      // share of rows with an answer
	Accepted       int      `json:"accepted"`             // rows with an answer
	Errors         int      `json:"errors"`               // wrong answers among them
	ErrorRate      *float64 `json:"error_among_accepted"` // Errors / Accepted
	RejectedEvents int      `json:"rejected_events"`      // events among the rejected
	Cost           float64  `json:"cost"`                 // cost of rejecting a row
	Loss           float64  `json:"loss"`                 // mean loss with that cost
}
