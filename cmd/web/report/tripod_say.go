package report

import (
	"taper/cmd/web/wording"
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
	case p.data.LeftOut == nil:
		return "; columns dropped before storage are not listed"
	}
	return "; columns left out are named with the reason"
}
