package audit

import (
	"math"
	"slices"

	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// Reviewed compares a run on reviewed labels with its parent (docs/clinical.md, Label audit).
// The models are evaluated on the rows whose labels were not changed: on changed rows the child
// agrees with the review by construction.
type Reviewed struct {
	Changed   int                `json:"changed"`   // rows with a changed label, or left out
	Untouched int                `json:"untouched"` // rows with the label as uploaded, tested in both
	Events    int                `json:"events"`    // among them
	AUC       stat.AUCDifference `json:"auc"`       // child − parent, DeLong
	// from the parent's bands to the child's; null if the boundaries differ
	Moves      *stat.Reclassification `json:"moves"`
	Terms      []ReviewedTerm         `json:"terms"`  // of linear models
	Strata     [2][]stat.Stratum      `json:"strata"` // all tested rows: parent, child, each by its own labels
	OddsRatios bool                   `json:"odds_ratios"`
	Classes    *ReviewedClasses       `json:"classes"` // several classes: in place of AUC, moves and strata
}

// ReviewedTerm is a coefficient before and after the review, with odds ratios if the link has
// them.
type ReviewedTerm struct {
	Name   string   `json:"name"`
	Class  string   `json:"class,omitempty"` // several classes: the class whose score it belongs to
	Before *float64 `json:"before"`          // per natural unit; null = not in the parent
	After  *float64 `json:"after"`
	ORs    [2]*float64
}

// CompareReviewed compares the results and rows of a parent and its child.
func CompareReviewed(parent, child *engine.Result, before, after []engine.RowScore,
	review *runspec.Review) (*Reviewed, error) {
	if (parent.Classes == nil) != (child.Classes == nil) {
		return nil, usererr.New(usererr.Invalid, "One run has two classes and the other is multiclass: they have no "+
			"common measure.")
	}
	v := &Reviewed{Changed: len(review.Changes), Terms: reviewedTerms(parent, child)}
	a, b := untouched(before, after, review)
	v.Untouched = len(a)
	for _, t := range v.Terms {
		v.OddsRatios = v.OddsRatios || t.ORs[0] != nil || t.ORs[1] != nil
	}
	if parent.Classes != nil {
		v.ofClasses(parent.Classes, a, b)
		return v, nil
	}
	v.two(parent, child, a, b)
	return v, nil
}

// untouched are the rows with unchanged labels that both runs tested, as in the parent and as
// in the child.
func untouched(before, after []engine.RowScore, review *runspec.Review) (a, b []engine.RowScore) {
	changed := map[int]bool{}
	for _, c := range review.Changes {
		changed[c.Row] = true
	}
	of := make(map[int]int, len(before))
	for i := range before {
		if before[i].Evaluates(false) {
			of[before[i].Row] = i
		}
	}
	for i := range after {
		if was, both := of[after[i].Row]; both && after[i].Evaluates(false) && !changed[after[i].Row] {
			a, b = append(a, before[was]), append(b, after[i])
		}
	}
	return a, b
}

// two compares AUC and bands.
func (v *Reviewed) two(parent, child *engine.Result, before, after []engine.RowScore) {
	v.Strata = [2][]stat.Stratum{parent.Strata, child.Strata}
	var a, b []float64
	var event []bool
	var from, to []int
	for i := range after {
		e := parent.Positive.Has(after[i].Outcome)
		a, b, event = append(a, after[i].Score), append(b, before[i].Score), append(event, e)
		from, to = append(from, before[i].Stratum), append(to, after[i].Stratum)
		if e {
			v.Events++
		}
	}
	v.AUC = stat.CompareAUC(a, b, event)
	if slices.Equal(parent.Boundaries, child.Boundaries) {
		m := stat.Reclassify(from, to, event, len(parent.Boundaries)+1)
		v.Moves = &m
	}
}

func reviewedTerms(parent, child *engine.Result) []ReviewedTerm {
	var all []ReviewedTerm
	at := map[[2]string]int{}
	for side, r := range []*engine.Result{parent, child} {
		for _, c := range r.Coefficients {
			key := [2]string{c.Class, c.Name}
			i, seen := at[key]
			if !seen {
				i = len(all)
				at[key] = i
				all = append(all, ReviewedTerm{Name: c.Name, Class: c.Class})
			}
			value := c.Value
			if side == 0 {
				all[i].Before = &value
			} else {
				all[i].After = &value
			}
			if c.Name != model.InterceptName {
				all[i].ORs[side] = c.OddsRatio
			}
		}
	}
	return all
}

// ReviewedClasses compares the predictions of a multiclass parent and its child on the rows
// with unchanged labels.
type ReviewedClasses struct {
	Criterion  string        `json:"criterion"` // what prices mean: "error rate"
	Answers    []string      `json:"answers"`   // the classes, then abstention where allowed
	Before     float64       `json:"before"`    // mean cost of the predictions
	After      float64       `json:"after"`
	Difference stat.Estimate `json:"difference"` // child − parent, paired, normal 95 %
	Moves      [][]int       `json:"moves"`      // number of rows by the parent's prediction, then the child's
}

func (v *Reviewed) ofClasses(c *engine.ClassResult, before, after []engine.RowScore) {
	p, n := task.Cost(c.Costs), float64(len(after))
	r := &ReviewedClasses{Criterion: c.Criterion, Answers: slices.Clone(c.Levels)}
	if p.Abstains() {
		r.Answers = append(r.Answers, model.AbstainText)
	}
	for range r.Answers {
		r.Moves = append(r.Moves, make([]int, len(r.Answers)))
	}
	place := func(answer int) int {
		if answer == stat.Abstained {
			return len(c.Levels)
		}
		return answer
	}
	sum, squares := 0.0, 0.0
	for i := range after {
		k := slices.Index(c.Levels, after[i].Outcome)
		a, b := before[i].Predicted, after[i].Predicted
		r.Before += p.Of(a, k) / n
		r.After += p.Of(b, k) / n
		d := p.Of(b, k) - p.Of(a, k)
		sum, squares = sum+d, squares+d*d
		r.Moves[place(a)][place(b)]++
	}
	if n > 1 {
		mean := sum / n
		se := math.Sqrt(max(squares/n-mean*mean, 0) / (n - 1))
		r.Difference = stat.WithError(&mean, &se)
	}
	v.Classes = r
}
