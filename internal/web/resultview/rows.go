package resultview

import (
	"cmp"
	"slices"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/web/templates"
)

// rowsAPage is the number of rows per page of a list.
const rowsAPage = 20

// RowList has the rows of the chosen band, and links to those of other bands.
func (s Bands) RowList() (doc.Section, error) {
	body, err := s.rowList()
	return doc.Section{ID: "rows", Title: "List rows in a band",
		Body: []doc.Node{doc.Group{ID: "r-rows", Class: "stack-s", Screen: true, Body: body}}}, err
}

// rowList lists the out-of-fold rows of the chosen band, one page at a time. Rows of an interval model have a score
// and a band, never a probability.
func (s Bands) rowList() ([]doc.Node, error) {
	names := viz.BandNames(s.Result.Boundaries)
	var links []templates.BandLink
	for k, b := range s.Result.Strata {
		links = append(links, templates.BandLink{Name: names[k], Rows: phrase.Int(b.N), URL: s.List(k, 1),
			On: k == s.Band, Band: k + 1})
	}
	nodes := []doc.Node{doc.Form{View: templates.BandLinks(links)}}
	if s.Band < 0 || s.Band >= len(names) {
		return nodes, nil
	}
	rows, err := s.Rows()
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r engine.RowScore) bool {
		return r.Stratum != s.Band || r.Split == "train" && !s.Result.Apparent
	})
	pages := max(1, (len(rows)+rowsAPage-1)/rowsAPage)
	page := min(s.Page, pages)
	from, to := (page-1)*rowsAPage, min(page*rowsAPage, len(rows))
	p := templates.RowPager{Range: viz.Range(phrase.Int(min(from+1, to)), phrase.Int(to)) + " of " +
		phrase.Int(len(rows))}
	if page > 1 {
		p.Newer = s.List(s.Band, page-1)
	}
	if page < pages {
		p.Older = s.List(s.Band, page+1)
	}
	return append(nodes, doc.Say(s.rowsTitle(names[s.Band], rows)), doc.Block{s.rowTable(rows[from:to], names[s.Band])},
		doc.Form{View: templates.RowPagerView(p)}), nil
}

// rowsTitle counts the rows listed.
func (s Bands) rowsTitle(band string, rows []engine.RowScore) string {
	aside := 0
	for _, r := range rows {
		if r.Split == "scored" {
			aside++
		}
	}
	text := band + ": " + phrase.Count(len(rows)-aside, "row") + " scored by a model that had not seen them"
	switch {
	case s.Result.Given != nil:
		text = band + ": " + phrase.Count(len(rows)-aside, "row") + " by the prediction as it was given"
	case s.Result.Apparent:
		text = band + ": " + phrase.Count(len(rows)-aside, "row") + " scored by the model that was trained on them"
	}
	if aside > 0 {
		text += ", and " + phrase.Count(aside, "row") + " never trained on, scored by the final fit"
	}
	return text + "."
}

func (s Bands) rowTable(rows []engine.RowScore, band string) doc.Table {
	t := doc.Table{Label: "Rows in the band " + band, Class: "tbl-tight", Columns: []doc.Column{
		{Label: "Row", Number: true}, {Label: s.Result.Outcome}, {Label: "Score f(x)", Number: true}, {Label: "Band"},
		{Label: "Scored in"},
	}}
	prob := slices.ContainsFunc(rows, func(r engine.RowScore) bool { return r.Probability != nil })
	if prob {
		t.Columns = slices.Insert(t.Columns, 3, doc.Column{Label: "Probability", Unit: "%", Number: true})
	}
	for _, r := range rows {
		cells := []doc.Cell{{Value: r.Row + 1}, {Value: cmp.Or(r.Outcome, "missing")},
			{Value: r.Score, Format: doc.To(3)}, {Value: band, Band: s.Band + 1}, {Value: splitWords(r.Split)}}
		if prob {
			cells = slices.Insert(cells, 3, doc.Cell{Value: r.Probability, Format: doc.Shares(1)})
		}
		t.Rows = append(t.Rows, doc.Row{Cells: cells})
	}
	return t
}

// splitWords says in which part a row was scored.
func splitWords(split string) string {
	switch split {
	case "test":
		return "held-out part"
	case "scored":
		return "final fit, never trained on"
	case "train":
		return "training rows"
	}
	return "fold " + split
}
