package web

import (
	"context"
	"math"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/internal/viz"
	"taper/internal/web/page/review"
	"taper/web/templates"
)

// review is the queue with its card.
func (v *auditView) review(ctx context.Context, decisions []audit.Decision) (*templates.AuditReview, error) {
	list := v.queue.List(app.Selection(v.q.Selection), v.decided)
	at := currentRow(v.queue, v.q, list, v.decided)
	r := &templates.AuditReview{URL: "/audit/" + v.run.ID, Tally: v.tally(decisions), Running: running(decisions),
		Nothing: "No row is in this list."}
	v.choices(r)
	page := max(1, v.q.Page)
	if v.q.Page == 0 && at >= 0 {
		page = at/review.Shown + 1
	}
	pages := max(1, (len(list)+review.Shown-1)/review.Shown)
	page = min(page, pages)
	from, to := (page-1)*review.Shown, min(page*review.Shown, len(list))
	r.Table = v.table(list[from:to], from, at)
	r.Range = viz.Range(viz.Count(min(from+1, to)), viz.Count(to)) + " of " + viz.Count(len(list))
	link := func(page int) string {
		q := v.q
		q.Page, q.Row = page, 0
		if page == 1 {
			q.Row = v.dataRow(list, 0)
		}
		return q.URL(v.run.ID)
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

// dataRow is the data row, from 1, at a place of the list; 0 beyond it.
func (v *auditView) dataRow(list []int, at int) int {
	if at < 0 || at >= len(list) {
		return 0
	}
	return v.queue.Audit.Rows[list[at]].Row + 1
}

func (v *auditView) choices(r *templates.AuditReview) {
	option := func(value, label, on string) templates.Option {
		return templates.Option{Value: value, Label: label, On: value == on}
	}
	first := "Suspicion"
	if v.queue.Audit.Summary.Basis == audit.ByMargin {
		first = "Suspicion (margin)"
	}
	sort := v.q.Sort
	if sort == "review" {
		sort = ""
	}
	r.Sort = templates.Choice{ID: "a-sort", Name: "sort", Label: "Order", Options: []templates.Option{
		option("", "Review, controls mixed in", sort), option("suspicion", first, sort), option("margin", "Margin", sort),
		option("row", "Row", sort)}}
	if v.queue.Audit.Summary.Median != nil || sort == "weight" {
		r.Sort.Options = append(r.Sort.Options, option("weight", "Weight g", sort))
	}
	r.State = templates.Choice{ID: "a-state", Name: "state", Label: "Decision", Options: []templates.Option{
		option("", "All", v.q.State), option("open", "Open", v.q.State), option("decided", "Decided", v.q.State),
		option("keep", "Keep", v.q.State),
		option("flip", "Flip", v.q.State), option("exclude", "Exclude", v.q.State), option("unsure", "Unsure", v.q.State)}}
	r.Label = templates.Choice{ID: "a-label", Name: "label", Label: "Label",
		Options: []templates.Option{option("", "All", v.q.Label)}}
	for _, class := range v.queue.Audit.Summary.Classes {
		r.Label.Options = append(r.Label.Options, option(class, class, v.q.Label))
	}
	blind := ""
	if v.q.Blind {
		blind = "1"
	}
	r.Evidence = templates.Choice{ID: "a-blind", Name: "blind", Label: "Evidence",
		Options: []templates.Option{option("", "Shown", blind), option("1", "Hidden until decided", blind)}}
}

// hidden reports whether what the model says of a row is not to be seen yet.
func (v *auditView) hidden(at int) bool {
	d, is := v.decided[v.queue.Audit.Keys[at]]
	return v.q.Blind && (!is || d.Kind == "")
}

// table lists rows: places in the ranking from one of the list on; on is the
// place in the list of the card's row.
func (v *auditView) table(list []int, from, on int) templates.Table {
	a := &v.queue.Audit.Summary
	t := templates.Table{Label: "Rows to review", Class: "tbl-tight audit-list", Columns: []templates.Column{
		{Label: "Row", Num: true}, {Label: v.run.Spec.Outcome}, {Label: "Margin", Num: true}, {Label: "Decision"}}}
	if a.Basis == audit.ByProbability {
		t.Columns[2] = templates.Column{Label: "s", Num: true}
	}
	for i, at := range list {
		row := &v.queue.Audit.Rows[at]
		q := v.q
		q.Row, q.Page = row.Row+1, 0
		value := viz.None
		switch {
		case v.hidden(at):
		case a.Basis == audit.ByProbability:
			value = viz.Number(row.Suspicion(), 3)
		default:
			value = numberOrNone(row.Margin, 3)
		}
		line := templates.Row{Cells: []templates.Cell{{Text: viz.Count(row.Row + 1), URL: q.URL(v.run.ID) + "#card"},
			{Text: v.queue.Label(row.Row), Class: "wrap"}, {Text: value}, {Text: kindWords(v.decided[v.queue.Audit.Keys[at]])}}}
		if from+i == on {
			line.Class = "is-sel"
			line.Cells[0] = templates.Cell{Content: templates.AuditCurrent(line.Cells[0])}
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// numberOrNone is a number as text, or the mark of none.
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
