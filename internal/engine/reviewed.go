package engine

import (
	"taper/internal/engine/errs"
	"taper/internal/engine/metric"
)

// Reviewed holds a run on reviewed labels against its parent (clinical.md §4).
// What is judged is judged on the rows whose label nobody changed: on the others
// the child agrees with the review by construction.
type Reviewed struct {
	Changed    int                      `json:"changed"`   // rows given another label or left out
	Untouched  int                      `json:"untouched"` // rows with the label as uploaded, judged by both
	Events     int                      `json:"events"`    // among them
	AUC        metric.AUCDifference     `json:"auc"`       // child minus parent, DeLong
	Moves      *metric.Reclassification `json:"moves"`     // from the parent's bands to the child's; null where the boundaries differ
	Terms      []ReviewedTerm           `json:"terms"`     // of linear models
	Strata     [2][]metric.Stratum      `json:"strata"`    // all rows judged: parent, child, each by its own labels
	OddsRatios bool                     `json:"odds_ratios"`
}

// ReviewedTerm is a coefficient before and after; odds ratios where the link has
// them.
type ReviewedTerm struct {
	Name   string   `json:"name"`
	Before *float64 `json:"before"` // per natural unit; null: not in the parent
	After  *float64 `json:"after"`
	ORs    [2]*float64
}

// CompareReviewed compares the results and rows of a parent and its child.
func CompareReviewed(parent, child *Result, before, after []RowScore, review *Review) (*Reviewed, error) {
	if parent.Classes != nil || child.Classes != nil {
		return nil, errs.New(errs.Invalid, "Runs of several classes are compared on the page that compares runs.")
	}
	changed := map[int]bool{}
	for _, c := range review.Changes {
		changed[c.Row] = true
	}
	of := make(map[int]RowScore, len(before))
	for _, r := range before {
		if r.Split != "scored" && r.Split != "train" {
			of[r.Row] = r
		}
	}
	v := &Reviewed{Changed: len(changed), Strata: [2][]metric.Stratum{parent.Strata, child.Strata}, Terms: reviewedTerms(parent, child)}
	var a, b []float64
	var event []bool
	var from, to []int
	for _, r := range after {
		p, both := of[r.Row]
		if !both || changed[r.Row] || r.Split == "scored" || r.Split == "train" {
			continue
		}
		e := r.Outcome == parent.Positive
		a, b, event = append(a, r.Score), append(b, p.Score), append(event, e)
		from, to = append(from, p.Stratum), append(to, r.Stratum)
		if e {
			v.Events++
		}
	}
	v.Untouched = len(event)
	v.AUC = metric.CompareAUC(a, b, event)
	if len(parent.Boundaries) == len(child.Boundaries) {
		m := metric.Reclassify(from, to, event, len(parent.Boundaries)+1)
		v.Moves = &m
	}
	for _, t := range v.Terms {
		v.OddsRatios = v.OddsRatios || t.ORs[0] != nil || t.ORs[1] != nil
	}
	return v, nil
}

func reviewedTerms(parent, child *Result) []ReviewedTerm {
	var all []ReviewedTerm
	at := map[string]int{}
	for side, r := range []*Result{parent, child} {
		for _, c := range r.Coefficients {
			i, seen := at[c.Name]
			if !seen {
				i = len(all)
				at[c.Name] = i
				all = append(all, ReviewedTerm{Name: c.Name})
			}
			value := c.Value
			if side == 0 {
				all[i].Before = &value
			} else {
				all[i].After = &value
			}
			if c.Name != interceptName {
				all[i].ORs[side] = c.OddsRatio
			}
		}
	}
	return all
}
