package studyreport

import (
	"cmp"
	"fmt"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/viz"
	"taper/web/templates"
)

// Differing is the page of results that did not replicate: claims of the papers, then numbers.
func (c *Catalogue) Differing() templates.NotReplicated {
	page := templates.NotReplicated{Views: c.views(true)}
	for _, e := range c.entries() {
		id := e.preset.ID // set on the first row only, since an address refers to it
		line := func(claim, ours, why string) templates.StudyDifference {
			d := templates.StudyDifference{ID: id, Figure: e.preset.Figure, Title: e.preset.Title,
				URL: presetPath(e.preset.ID), Paper: paper.PaperOf(e.preset.ID).Name, Claim: viz.Unbroken(claim),
				Ours: viz.Unbroken(ours), Why: viz.Unbroken(why)}
			id = ""
			return d
		}
		for _, n := range e.claims {
			page.Claims = append(page.Claims, line(n.Claim, n.Finding(e.report.cells), n.Text))
		}
		for _, v := range e.verdicts {
			if !v.Holds {
				name, reference, ours := e.report.inWords(v)
				page.Values = append(page.Values, line(fmt.Sprintf("%s: %s (%s)", name, reference, v.Where), ours,
					cmp.Or(phrase.UpperFirst(v.Differs), "No reason is known.")))
			}
		}
	}
	return page
}

// DifferingHead is the summary of that page.
func (c *Catalogue) DifferingHead() (strong, rest string) {
	page := c.Differing()
	return fmt.Sprintf("%s of the papers did not hold as stated,",
			phrase.UpperFirst(phrase.Numeral(len(page.Claims)))+" "+
				map[bool]string{true: "claim", false: "claims"}[len(page.Claims) == 1]),
		fmt.Sprintf("and %s reference numbers differ from ours by more than the standard errors allow.",
			phrase.Numeral(len(page.Values)))
}

// inWords is the name of a number with the published value and ours, each with its 95 % half-width where known.
func (v Report) inWords(d study.Verdict) (name, reference, ours string) {
	cells := v.verdictRow(d).Cells
	text := func(k int) string {
		if cells[k].Note != "" {
			return cells[k].Text() + " " + cells[k].Note
		}
		return cells[k].Text()
	}
	return cells[0].Text(), text(1), text(2)
}
