package report

import (
	"strings"

	"taper/internal/doc"
	"taper/internal/store"
	"taper/internal/web/format"
)

// handled says how predictors enter the model.
func (p Printed) handled() string {
	m := p.run.Spec.Model
	switch {
	case m.Boosted():
		return "Prepared as in item 7; trees split them at cut points, without an assumed shape."
	case m.Kernelled():
		return "Prepared as in item 7; their shape and interactions follow from the kernel."
	case format.Splines(p.run.Spec) != "":
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
	if p.bySubgroup() {
		text += "Performance by " + p.c.By + " under Subgroups. "
	}
	if text == "" {
		return ""
	}
	return text + "Effects were not compared across clusters. " + authorFills
}

// described is the clause where Table 1 is printed, "" elsewhere.
func (p Printed) described(clause string) string {
	if len(p.r.Table1) > 0 && p.tellsNothing() {
		return clause
	}
	return ""
}

// bySubgroup reports whether the section Subgroups has a table.
func (p Printed) bySubgroup() bool { return p.c.Known && p.c.By != "" }

// measuresSay lists the measures that this report prints, "" without any.
func (p Printed) measuresSay() string {
	var all []string
	if len(p.r.Strata) > 0 {
		all = append(all, "bands with Wilson intervals")
	}
	if p.c.Known {
		if t, some := p.masked(p.c.performance()).(doc.Table); some {
			for _, r := range t.Rows {
				all = append(all, format.InSentence(r.Cells[0].Text()))
			}
		}
		if p.masked(p.c.calibrationFigure()) != nil {
			all = append(all, "calibration curve")
		}
		if len(p.decisionSection()) > 0 {
			all = append(all, "sensitivity, specificity, predictive values and likelihood ratios at the boundaries")
			figures, _ := p.masked(p.c.decisionFigures()).(doc.Figures)
			for _, f := range figures {
				all = append(all, format.LowerTitle(f.Title))
			}
		}
	} else if len(p.r.Beside) > 0 {
		if t, some := p.masked(p.besideTable()).(doc.Table); some {
			for _, c := range t.Shown().Columns[1:] {
				all = append(all, format.InSentence(c.Label))
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return format.UpperFirst(strings.Join(all, ", ")) + "."
}

// performanceSay names the sections with performance that this report has.
func (p Printed) performanceSay() string {
	var all []string
	for _, s := range []struct {
		title string
		there bool
	}{{"Strata", len(p.r.Strata) > 0}, {"Performance", len(p.performanceParts()) > 0},
		{"Decisions", len(p.decisionSection()) > 0},
		{"Robustness", len(p.r.Beside) > 0}, {"Subgroups", p.bySubgroup()}} {
		if s.there {
			all = append(all, s.title)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "Under " + format.List(all) + "."
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
	return format.UpperFirst(format.Count(n, "predictor")) +
		" with missing values; handled as in item 7, never by dropping rows."
}
