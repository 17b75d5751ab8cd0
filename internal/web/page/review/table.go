package review

import (
	"context"
	"math"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/web/templates"
)

// review is the queue with its card.
func (v *Page) review(ctx context.Context) (*templates.AuditReview, error) {
	list := v.Queue.List(app.Selection(v.State.Selection), v.decided)
	at := currentRow(v.Queue, v.State, list, v.decided)
	r := &templates.AuditReview{URL: "/audit/" + v.Run.ID, Tally: v.tally(), Running: running(v.Decisions),
		Nothing: "No row is in this list."}
	v.choices(r)
	page := max(1, v.State.Page)
	if v.State.Page == 0 && at >= 0 {
		page = at/Shown + 1
	}
	pages := max(1, (len(list)+Shown-1)/Shown)
	page = min(page, pages)
	from, to := (page-1)*Shown, min(page*Shown, len(list))
	r.Table = v.table(list[from:to], from, at)
	r.Range = viz.Range(phrase.Int(min(from+1, to)), phrase.Int(to)) + " of " + phrase.Int(len(list))
	link := func(page int) string {
		q := v.State
		q.Page, q.Row = page, 0
		if page == 1 {
			q.Row = v.dataRow(list, 0)
		}
		return q.URL(v.Run.ID)
	}
	if page > 1 {
		r.Newer = link(page - 1)
	}
	if page < pages {
		r.Older = link(page + 1)
	}
	if at < 0 {
		return r, nil
	}
	card, err := v.card(ctx, list, at)
	r.Card = card
	return r, err
}

// dataRow is the data row, from 1, at an index of the list; 0 beyond the list.
func (v *Page) dataRow(list []int, at int) int {
	if at < 0 || at >= len(list) {
		return 0
	}
	return v.Queue.Audit.Rows[list[at]].Row + 1
}

func (v *Page) choices(r *templates.AuditReview) {
	option := func(value, label, on string) templates.Option {
		return templates.Option{Value: value, Label: label, On: value == on}
	}
	first := "Suspicion"
	if v.Queue.Audit.Summary.Basis == audit.ByMargin {
		first = "Suspicion (margin)"
	}
	sort := v.State.Sort
	if sort == "review" {
		sort = ""
	}
	r.Sort = templates.Choice{ID: "a-sort", Name: "sort", Label: "Order", Options: []templates.Option{
		option("", "Review, controls mixed in", sort), option("suspicion", first, sort), option("margin", "Margin", sort),
		option("row", "Row", sort)}}
	if v.Queue.Audit.Summary.Median != nil || sort == "weight" {
		r.Sort.Options = append(r.Sort.Options, option("weight", "Weight g", sort))
	}
	r.State = templates.Choice{ID: "a-state", Name: "state", Label: "Decision", Options: []templates.Option{
		option("", "All", v.State.State), option("open", "Open", v.State.State), option("decided", "Decided", v.State.State),
		option("keep", "Keep", v.State.State),
		option("flip", "Flip", v.State.State), option("exclude", "Exclude", v.State.State),
		option("unsure", "Unsure", v.State.State)}}
	r.Label = templates.Choice{ID: "a-label", Name: "label", Label: "Label",
		Options: []templates.Option{option("", "All", v.State.Label)}}
	for _, class := range v.Queue.Audit.Summary.Classes {
		r.Label.Options = append(r.Label.Options, option(class, class, v.State.Label))
	}
	shown := "0"
	if v.State.Hides() {
		shown = ""
	}
	r.Evidence = templates.Choice{ID: "a-blind", Name: "blind", Label: "Evidence",
		Options: []templates.Option{option("", "Hidden until decided", shown), option("0", "Shown", shown)}}
}

// hidden reports whether the predictions for a row are hidden, as in a blind review before the decision.
func (v *Page) hidden(at int) bool {
	d, is := v.decided[v.Queue.Audit.Keys[at]]
	return v.State.Hides() && (!is || d.Kind == "")
}

// table lists rows of the ranking, starting at index from of the list; on is the index of the card's row.
func (v *Page) table(list []int, from, on int) templates.Table {
	a := &v.Queue.Audit.Summary
	t := templates.Table{Label: "Rows to review", Class: "tbl-tight audit-list", Columns: []templates.Column{
		{Label: "Row", Num: true}, {Label: v.Run.Spec.Outcome}, {Label: "Margin", Num: true}, {Label: "Decision"}}}
	if a.Basis == audit.ByProbability {
		t.Columns[2] = templates.Column{Label: "Suspicion s", Num: true}
	}
	for i, at := range list {
		row := &v.Queue.Audit.Rows[at]
		q := v.State
		q.Row, q.Page = row.Row+1, 0
		value := viz.None
		switch {
		case v.hidden(at):
		case a.Basis == audit.ByProbability:
			value = viz.Number(row.Suspicion(), 3)
		default:
			value = numberOrNone(row.Margin, 3)
		}
		line := templates.Row{Cells: []templates.Cell{{Text: phrase.Int(row.Row + 1), URL: q.URL(v.Run.ID) + "#card"},
			{Text: v.Queue.Label(row.Row), Class: "wrap"}, {Text: value}, {Text: kindWords(v.decided[v.Queue.Audit.Keys[at]])}}}
		if from+i == on {
			line.Class = "is-sel"
			line.Cells[0] = templates.Cell{Content: templates.AuditCurrent(line.Cells[0])}
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// numberOrNone writes a number, or a dash for NaN.
func numberOrNone(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return viz.None
	}
	return viz.Number(v, decimals)
}

func kindWords(d audit.Decision) string {
	switch {
	case d.Kind == audit.Flip:
		return "flip to " + d.To
	case d.Kind == "" && d.Note != "":
		return "note"
	case d.Kind == "":
		return "open"
	}
	return string(d.Kind)
}
