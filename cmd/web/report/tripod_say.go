package report

import (
	"taper/cmd/web/wording"
	"taper/internal/store"
)

// handled says how predictors enter the model.
func (p Printed) handled() string {
	m := p.run.Spec.Model
	switch {
	case m.Boosted():
		return "Prepared as in item 7; trees split them at cut points, without an assumed shape."
	case m.Kernelled():
		return "Prepared as in item 7; their shape and interactions follow from the kernel."
	case wording.Splines(p.run.Spec) != "":
		return "Prepared as in item 7; the splines named there are curves, all other numbers enter as straight lines."
	}
	return "Prepared as in item 7; numbers enter as straight lines, standardised."
}

// clusters says what is known of differences between clusters, "" for nothing.
func (p Printed) clusters() string {
	text := ""
	if g := p.run.Spec.Group; g != "" {
		text = "Rows of one group by " + g + " were kept together in validation. "
	}
	if p.c.By != "" {
		text += "Performance by " + p.c.By + " under Subgroups. "
	}
	if text == "" {
		return ""
	}
	return text + "Effects were not compared across clusters. " + authorFills
}

// leftOutSay says whether Data names the columns left out, as a clause.
func (p Printed) leftOutSay() string {
	switch {
	case p.Kept:
		return ""
	case p.unlisted():
		return "; columns dropped before storage are not listed"
	}
	return "; columns left out are named with the reason"
}

// unlisted reports whether columns were dropped before storage that nothing
// names: they are named from the confirmation on, and before it all are there.
func (p Printed) unlisted() bool { return p.data.LeftOut == nil && p.data.State != store.Raw }

// missingSay is item 11; incomplete tells of each predictor whether it has missing
// values.
func missingSay(incomplete map[string]bool) string {
	n := 0
	for _, yes := range incomplete {
		if yes {
			n++
		}
	}
	if n == 0 {
		return "No predictor has missing values; rows are never dropped for them."
	}
	return wording.UpperFirst(wording.Count(n, "predictor")) + " with missing values; handled as in item 7, never by dropping rows."
}
