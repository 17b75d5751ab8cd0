package resultview

import (
	"cmp"
	"slices"

	"taper/internal/engine"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/web/templates"
)

// rowsAPage is the number of rows of a band listed at once.
const rowsAPage = 20

// rowList lists the out-of-fold rows of the chosen band, a page at a time. An
// interval model's rows show their score and band, never a percentage.
func (s Bands) rowList() (templates.RowList, error) {
	var l templates.RowList
	names := viz.BandNames(s.Result.Boundaries)
	for k, b := range s.Result.Strata {
		l.Bands = append(l.Bands, templates.BandLink{Name: names[k], Rows: viz.Count(b.N), URL: s.List(k, 1),
			On: k == s.Band})
	}
	if s.Band < 0 || s.Band >= len(names) {
		return l, nil
	}
	rows, err := s.Rows()
	if err != nil {
		return l, err
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r engine.RowScore) bool {
		return r.Stratum != s.Band || r.Split == "train" && !s.Result.Apparent
	})
	pages := max(1, (len(rows)+rowsAPage-1)/rowsAPage)
	page := min(s.Page, pages)
	from, to := (page-1)*rowsAPage, min(page*rowsAPage, len(rows))
	l.Title = s.rowsTitle(names[s.Band], rows)
	l.Table = s.rowTable(rows[from:to], names[s.Band])
	l.Range = viz.Range(viz.Count(min(from+1, to)), viz.Count(to)) + " of " + viz.Count(len(rows))
	if page > 1 {
		l.Newer = s.List(s.Band, page-1)
	}
	if page < pages {
		l.Older = s.List(s.Band, page+1)
	}
	return l, nil
}

// rowsTitle counts the rows listed.
func (s Bands) rowsTitle(band string, rows []engine.RowScore) string {
	aside := 0
	for _, r := range rows {
		if r.Split == "scored" {
			aside++
		}
	}
	text := band + ": " + format.Count(len(rows)-aside, "row") + " scored by a model that had not seen them"
	if s.Result.Apparent {
		text = band + ": " + format.Count(len(rows)-aside, "row") + " scored by the model that was trained on them"
	}
	if aside > 0 {
		text += ", and " + format.Count(aside, "row") + " never trained on, scored by the final fit"
	}
	return text + "."
}

func (s Bands) rowTable(rows []engine.RowScore, band string) templates.Table {
	t := templates.Table{Label: "Rows in the band " + band, Class: "tbl-tight", Columns: []templates.Column{
		{Label: "Row", Num: true}, {Label: s.Result.Outcome}, {Label: "Score f(x)", Num: true}, {Label: "Band"},
		{Label: "Scored in"},
	}}
	prob := slices.ContainsFunc(rows, func(r engine.RowScore) bool { return r.Probability != nil })
	if prob {
		t.Columns = slices.Insert(t.Columns, 3, templates.Column{Label: "Probability", Unit: "%", Num: true})
	}
	for _, r := range rows {
		cells := []string{viz.Count(r.Row + 1), cmp.Or(r.Outcome, "missing"), viz.Number(r.Score, 3), band,
			splitWords(r.Split)}
		if prob {
			text := viz.None
			if r.Probability != nil {
				text = viz.Percent(*r.Probability, 1)
			}
			cells = slices.Insert(cells, 3, text)
		}
		t.Rows = append(t.Rows, control.Row(cells))
	}
	return t
}

// splitWords says where a row was scored.
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
