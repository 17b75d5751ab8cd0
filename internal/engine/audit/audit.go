// Package audit finds labels that are probably wrong and records what reviewers decide about them
// (docs/clinical.md, Label audit).
//
//   - Rows are ranked by s = 1 − p, where p is the out-of-fold, link-corrected probability of the
//     recorded label; for a loss without probabilities, by the margin of the recorded label, and the
//     page says so. Boosting weights are never used, because they are not monotone in the margin.
//   - The program never changes a label by itself, and the label as uploaded never changes: decisions
//     are stored separately.
//   - Some of the rows to review are drawn at random from all rows. The errors found among them
//     estimate the error rate independently of the ranking.
//
// Conventions: rows of the data count from 0; labels are classes from 0; a number that does not exist is
// NaN here and null in JSON.
package audit

import (
	"cmp"
	"math"
	"slices"
)

// The two quantities by which rows are ranked.
const (
	ByProbability = "probability" // s = 1 − p of the recorded label
	ByMargin      = "margin"      // margin of the recorded label, without probabilities
)

// Row is the prediction for the label of a row, by a model that was not trained on the row.
type Row struct {
	Row         int
	Fold        int     // of the model, from 0
	Label       int     // the label that was audited
	Other       int     // the most likely other class
	Probability float64 // of the recorded label, link-corrected; NaN if there is none
	Margin      float64 // of the recorded label: y·f, or its score minus the largest other one
	Weight      float64 // weight factor g = p^(t2−t1); NaN where the loss has none
	Score       float64 // f; NaN for multiclass models
}

// Suspicion is s = 1 − p; NaN without a probability.
func (r *Row) Suspicion() float64 { return 1 - r.Probability }

// Rank sorts rows by decreasing suspicion. Ties of s are ordered by margins, which still differ where 1 −
// p is rounded to equal values.
func Rank(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		by := 0
		if !math.IsNaN(a.Probability) && !math.IsNaN(b.Probability) {
			by = cmp.Compare(a.Probability, b.Probability)
		}
		return cmp.Or(by, cmp.Compare(a.Margin, b.Margin), cmp.Compare(a.Row, b.Row))
	})
}

// Suspicions returns decreasing numbers for ranked rows, equal where both probability and margin are
// equal, so that an evaluation of the ranking sees its ties.
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

// MedianWeight is the median of the weight factors; NaN if there are none.
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

// Estimate is the number of labels that the model confidently disagrees with, by the confident joint. It
// includes wrong labels and the effect of overlapping classes; only the excess over Expected is evidence
// of errors.
type Estimate struct {
	Wrong    float64     `json:"wrong"` // number of rows
	Low      float64     `json:"ci_low"`
	High     float64     `json:"ci_high"`
	Share    float64     `json:"share"` // of all rows
	Rows     int         `json:"rows"`
	Draws    int         `json:"draws"`    // number of bootstrap samples
	Joint    [][]float64 `json:"joint"`    // number of rows by [label as recorded][estimated label]
	Expected *Expected   `json:"expected"` // if no label were wrong; null in audits of older versions
}
