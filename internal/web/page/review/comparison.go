package review

import (
	"taper/internal/engine/audit"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/web/templates"
)

// OriginalAndReviewed is the page that compares a run on reviewed labels with its parent.
func OriginalAndReviewed(v *audit.Reviewed, parent, child string) templates.AuditComparison {
	b := templates.AuditComparison{
		Banner: templates.Banner{Fact: "Evaluated on labels that a model helped to change.", Text: circular},
		Facts:  reviewedFacts(v),
		Buttons: []templates.Button{{Label: "Compare in full", URL: "/compare?ids=" + parent + "," + child},
			{Label: "Open the child run", URL: "/runs/" + child}},
	}
	add := func(t templates.Table, title string) {
		b.Parts = append(b.Parts, templates.AuditPart{Title: title, Table: t})
	}
	switch {
	case v.Classes != nil:
		add(reviewedAnswers(v.Classes), "Answers for the same rows")
	case v.Moves != nil:
		add(reviewedChanges(v), "Bands of the same rows")
	}
	if len(v.Strata[0]) > 0 {
		add(reviewedStrata(v), "Strata")
	}
	if len(v.Terms) > 0 {
		add(reviewedTerms(v), "Coefficients")
	}
	return b
}

// OriginalAndReviewedSentence is the summary of the comparison.
func OriginalAndReviewedSentence(v *audit.Reviewed) (strong, rest string) {
	name, d, word := "ΔAUC", v.AUC.Difference, stat.ByID("auc").VerdictWords(v.AUC.Difference)
	if c := v.Classes; c != nil {
		name, d = "Difference in "+c.Criterion, c.Difference
		word = stat.LowerBetter.VerdictWords(stat.LowerBetter.Verdict(d), c.Criterion)
	}
	value := viz.None
	if d.Value != nil {
		value = viz.Signed(*d.Value, 3)
	}
	strong = name + " " + value + " on " + phrase.Count(v.Untouched, "row") + " whose label was not changed."
	if word != "" {
		rest = phrase.UpperFirst(word) + ", child minus parent. "
	} else {
		rest = "Child minus parent. "
	}
	return strong, rest + "The review changed " + phrase.Count(v.Changed, "row") + "."
}

// reviewedFacts are the statistics on rows with unchanged labels.
func reviewedFacts(v *audit.Reviewed) []templates.Fact {
	rows := phrase.Count(v.Untouched, "row")
	if c := v.Classes; c != nil {
		name := phrase.UpperFirst(c.Criterion)
		return []templates.Fact{{Label: "Rows tested", Value: rows},
			{Label: name + " of the parent", Value: viz.Number(c.Before, 3)},
			{Label: name + " of the child", Value: viz.Number(c.After, 3)},
			{Label: "Difference, paired", Value: differenceWords(c.Difference, stat.LowerBetter)}}
	}
	return []templates.Fact{{Label: "Rows tested", Value: rows + ", " + phrase.Int(v.Events) + " events"},
		{Label: "AUC of the parent", Value: viz.NumberOf(v.AUC.B.Value, 3)},
		{Label: "AUC of the child", Value: viz.NumberOf(v.AUC.A.Value, 3)},
		{Label: "ΔAUC, paired (DeLong)", Value: differenceWords(v.AUC.Difference, stat.HigherBetter)}}
}

// differenceWords is a difference with its interval and the resulting verdict.
func differenceWords(d stat.Estimate, better stat.Direction) string {
	if d.Value == nil {
		return viz.None
	}
	words := viz.Signed(*d.Value, 3)
	if d.Low != nil && d.High != nil {
		words += ", 95" + format.Pc + " CI " + viz.Range(viz.Signed(*d.Low, 3), viz.Signed(*d.High, 3)) + ": " +
			stat.VerdictWord(better.Verdict(d))
	}
	return words
}

// reviewedAnswers counts the rows with unchanged labels by the answers of both runs.
func reviewedAnswers(c *audit.ReviewedClasses) templates.Table {
	t := templates.Table{Label: "Rows by the answer of parent and child",
		Columns: []templates.Column{{Label: "Parent’s answer"}}}
	for _, answer := range c.Answers {
		t.Columns = append(t.Columns, templates.Column{Label: model.InWords(answer), Unit: "child", Num: true, Class: "wrap"})
	}
	for k, answer := range c.Answers {
		cells := []string{model.InWords(answer)}
		for _, n := range c.Moves[k] {
			cells = append(cells, phrase.Int(n))
		}
		t.Rows = append(t.Rows, control.Row(cells))
	}
	return t
}

// reviewedStrata compares each band before and after the review.
func reviewedStrata(v *audit.Reviewed) templates.Table {
	t := templates.Table{Label: "Strata of parent and child", Columns: []templates.Column{{Label: "Band"},
		{Label: "Rows", Unit: "parent", Num: true}, {Label: "Rows", Unit: "child", Num: true},
		{Label: "Observed", Unit: "parent", Num: true}, {Label: "Observed", Unit: "child", Num: true},
		{Label: "Difference", Unit: "points", Num: true}},
		Note: "Each run on its own labels, all rows it was tested on: the child’s rates count the changed labels."}
	for k, a := range v.Strata[0] {
		if k >= len(v.Strata[1]) {
			break
		}
		b := v.Strata[1][k]
		diff := viz.None
		if a.Observed != nil && b.Observed != nil {
			diff = viz.Signed(100*(*b.Observed-*a.Observed), 1)
		}
		t.Rows = append(t.Rows, control.Row([]string{viz.Range(viz.Percent(a.Lower, 0), viz.Percent(a.Upper, 0)) + format.Pc,
			phrase.Int(a.N), phrase.Int(b.N), format.PercentOf(a.Observed), format.PercentOf(b.Observed), diff}))
	}
	return t
}

// reviewedChanges counts the rows with unchanged labels by both bands.
func reviewedChanges(v *audit.Reviewed) templates.Table {
	t := templates.Table{Label: "Rows by the band of parent and child",
		Columns: []templates.Column{{Label: "Parent’s band"}}}
	names := make([]string, v.Moves.Bands)
	for k := range names {
		s := v.Strata[0][k]
		names[k] = viz.Range(viz.Percent(s.Lower, 0), viz.Percent(s.Upper, 0)) + format.Pc
		t.Columns = append(t.Columns, templates.Column{Label: names[k], Unit: "child", Num: true})
	}
	for k := range names {
		cells := []string{names[k]}
		for j := range names {
			cells = append(cells, phrase.Int(v.Moves.Cells[k][j].N))
		}
		t.Rows = append(t.Rows, control.Row(cells))
	}
	return t
}

// reviewedTerms lists coefficients, and odds ratios where the link has them.
func reviewedTerms(v *audit.Reviewed) templates.Table {
	t := templates.Table{Label: "Coefficients of parent and child", Columns: []templates.Column{{Label: "Term"},
		{Label: "Coefficient", Unit: "parent", Num: true}, {Label: "Coefficient", Unit: "child", Num: true}}}
	if v.OddsRatios {
		t.Columns = append(t.Columns, templates.Column{Label: "Odds ratio", Unit: "parent", Num: true},
			templates.Column{Label: "Odds ratio", Unit: "child", Num: true}, templates.Column{Label: "Δ odds ratio", Num: true})
	}
	for _, term := range v.Terms {
		cells := []string{termName(term), coefficient(term.Before), coefficient(term.After)}
		if v.OddsRatios {
			diff := viz.None
			if a, b := term.ORs[0], term.ORs[1]; a != nil && b != nil {
				diff = viz.Short(*b-*a, 3)
				if *b > *a {
					diff = "+" + diff
				}
			}
			cells = append(cells, oddsRatio(term.ORs[0]), oddsRatio(term.ORs[1]), diff)
		}
		t.Rows = append(t.Rows, control.Row(cells))
	}
	return t
}

// coefficient and oddsRatio write what a term may lack. A unit may be small, so that they have digits, not decimals.
func coefficient(v *float64) string {
	if v == nil {
		return viz.None
	}
	return viz.Short(*v, 4)
}

func oddsRatio(v *float64) string {
	if v == nil {
		return viz.None
	}
	return viz.OddsNumber(*v)
}

// termName is the name of a term, for several classes with the class of its score.
func termName(t audit.ReviewedTerm) string {
	if t.Class == "" {
		return t.Name
	}
	return t.Class + ": " + t.Name
}
