// Package audit finds labels that are probably wrong and keeps book of what
// people decide about them (docs/clinical.md, Label audit).
//
// It is opinionated:
//   - Rows are ranked by s = 1 − p, p the out-of-fold, link-corrected
//     probability of the row's recorded label; where a loss recovers no probability,
//     by the margin of the recorded label, and the page says so. Boosting weights are
//     never a rank: they are not monotone in the margin.
//   - A label never changes by itself, and the label as uploaded never changes
//     at all: decisions stand beside it.
//   - Some of the rows to review are drawn at random from all rows. What is
//     found among them estimates how many labels are wrong, whatever the
//     ranking thinks.
//
// Conventions: rows of the data count from 0; labels are classes from 0; a
// number that does not exist is NaN here and null in JSON.
package audit

import (
	"cmp"
	"math"
	"slices"
)

// The two things that rows are ranked by.
const (
	ByProbability = "probability" // s = 1 − p of the recorded label
	ByMargin      = "margin"      // the recorded label's margin, where no probability exists
)

// Row is what a model that did not see a row says of its label.
type Row struct {
	Row         int
	Fold        int     // of the model, from 0
	Label       int     // the label it was audited with
	Other       int     // the likeliest other class
	Probability float64 // of the recorded label, link-corrected; NaN without
	Margin      float64 // of the recorded label: y·f, or its score minus the best other one
	Weight      float64 // weight factor g = p^(t2−t1); NaN where the loss has none
	Score       float64 // f; NaN with several classes
}

// Suspicion is s = 1 − p, NaN without a probability.
func (r *Row) Suspicion() float64 { return 1 - r.Probability }

// Rank sorts rows, the most suspicious first. Rows whose s are equal go by
// their margins: beyond 16 digits those still differ.
func Rank(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		by := 0
		if !math.IsNaN(a.Probability) && !math.IsNaN(b.Probability) {
			by = cmp.Compare(a.Probability, b.Probability)
		}
		return cmp.Or(by, cmp.Compare(a.Margin, b.Margin), cmp.Compare(a.Row, b.Row))
	})
}

// Suspicions are numbers that fall along ranked rows, equal where neither
// probability nor margin differ: what evaluates a ranking, ties and all.
func Suspicions(ranked []Row) []float64 {
	s := make([]float64, len(ranked))
	for i := range ranked {
		if i == 0 {
			continue
		}
		a, b := &ranked[i-1], &ranked[i]
		s[i] = s[i-1]
		if a.Margin != b.Margin || a.Probability < b.Probability {
			s[i]--
		}
	}
	return s
}

// MedianWeight is the median of the weight factors, NaN without.
func MedianWeight(rows []Row) float64 {
	var g []float64
	for i := range rows {
		if w := rows[i].Weight; !math.IsNaN(w) {
			g = append(g, w)
		}
	}
	if len(g) == 0 {
		return math.NaN()
	}
	slices.Sort(g)
	if n := len(g); n%2 == 0 {
		return (g[n/2-1] + g[n/2]) / 2
	}
	return g[len(g)/2]
}

// Estimate is the number of labels that disagree confidently with the model, by
// the confident joint. Wrong labels are among them, and so is what overlapping
// classes give without any: only the excess over Expected speaks of errors.
type Estimate struct {
	Wrong    float64     `json:"wrong"` // rows
	Low      float64     `json:"ci_low"`
	High     float64     `json:"ci_high"`
	Share    float64     `json:"share"` // of all rows
	Rows     int         `json:"rows"`
	Draws    int         `json:"draws"`    // of the bootstrap
	Joint    [][]float64 `json:"joint"`    // rows [label as recorded][label by the estimate]
	Expected *Expected   `json:"expected"` // without a wrong label; null in audits made before it was kept
}
