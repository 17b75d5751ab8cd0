package review

import (
	"cmp"
	"context"
	"slices"

	"taper/internal/app"
	"taper/internal/app/datasets"
	"taper/internal/engine/audit"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/web/templates"
)

const (
	cardParts = 3 // columns with the largest contributions
	cardNear  = 3 // nearest rows of each label
	nearCols  = 4 // columns of their values shown
)

// card is the row to decide about.
func (v *Page) card(ctx context.Context, list []int, at int) (*templates.AuditCard, error) {
	place := list[at]
	row := v.Queue.Audit.Rows[place]
	a := &v.Queue.Audit.Summary
	label, other := v.Queue.Label(row.Row), app.FlipTo(a.Classes, v.Queue.Label(row.Row), row)
	to := "/audit/" + v.Run.ID
	q := v.State
	q.Row, q.Page = row.Row+1, 0
	d, is := v.decided[v.Queue.Audit.Keys[place]]
	c := &templates.AuditCard{
		Title: "Row " + phrase.Int(row.Row+1), Place: phrase.Int(at+1) + " of " + phrase.Int(len(list)),
		Question: "Recorded as " + v.Run.Spec.Outcome + " = " + label + ". Is that right? Flipping makes it " + other + ".",
		Note:     d.Note, Decide: to + "/decide", Undo: to + "/undo", Key: v.Queue.Audit.Keys[place].String(),
		Back: q.URL(v.Run.ID), Values: v.values(row.Row),
	}
	if is && d.Kind != "" {
		c.Decision = &templates.Chip{Label: kindWords(d), Icon: kindIcon(d.Kind),
			Kind: map[audit.Kind]string{audit.Flip: "bad", audit.Unsure: "warn"}[d.Kind]}
		c.Decided = "Decided " + d.Made.UTC().Format("2 January 2006, 15:04") +
			" UTC. Decide again at any time; the last decision counts."
	}
	if len(a.Classes) > 2 {
		c.Question = "Recorded as " + v.Run.Spec.Outcome + " = " + label + ". Is that right?"
		c.Targets = v.targets(label, other)
	}
	if at+1 < len(list) {
		q.Row = v.dataRow(list, at+1)
		c.Next = q.URL(v.Run.ID) + "#card"
	}
	if at > 0 {
		q.Row = v.dataRow(list, at-1)
		c.Previous = q.URL(v.Run.ID) + "#card"
	}
	if v.hidden(place) {
		c.Hidden = "The evidence of the model appears once you have decided."
		return c, v.near(ctx, c, row, nil)
	}
	e, err := a.Explain(ctx, v.Queue.Table, row)
	if err != nil {
		return nil, err
	}
	v.evidence(c, row)
	v.made(c, row, e)
	return c, v.near(ctx, c, row, e)
}

func kindIcon(k audit.Kind) string {
	switch k {
	case audit.Keep:
		return "check"
	case audit.Flip:
		return "reset"
	case audit.Exclude:
		return "dash"
	}
	return "help"
}

// targets are the classes a label may be changed to, the most probable first.
func (v *Page) targets(label, likeliest string) *templates.Choice {
	c := &templates.Choice{ID: "a-to", Name: "to", Label: "Flip to"}
	for _, class := range v.Queue.Audit.Summary.Classes {
		if class != label {
			c.Options = append(c.Options, templates.Option{Value: class, Label: class, On: class == likeliest})
		}
	}
	return c
}

// shownColumns are the columns on a card: those of the model and the group, if stored.
func (v *Page) shownColumns() []string {
	names := slices.Clone(v.Run.Spec.Predictors)
	if g := v.Run.Spec.Group; g != "" {
		names = append(names, g)
	}
	return slices.DeleteFunc(names, func(n string) bool { return v.Queue.Table.Column(n) == nil })
}

// values are the cells of a row.
func (v *Page) values(row int) []templates.Fact {
	var facts []templates.Fact
	for _, name := range v.shownColumns() {
		facts = append(facts, templates.Fact{Label: name, Value: cmp.Or(datasets.CellText(v.Queue.Table.Column(name), row),
			"missing")})
	}
	return facts
}

// near lists the nearest rows of each label, with the columns that contribute most, or else the first columns.
func (v *Page) near(ctx context.Context, c *templates.AuditCard, row audit.Row, e *audit.Explanation) error {
	vicinity, err := v.Queue.Vicinity(ctx)
	if err != nil {
		return err
	}
	a := &v.Queue.Audit.Summary
	columns := v.nearColumns(e)
	each := vicinity.Nearest(row.Row, cardNear, row.Label, row.Other)
	for i, label := range []int{row.Label, row.Other} {
		t := templates.Table{Caption: "Nearest rows labelled " + a.Classes[label], Class: "tbl-tight",
			Columns: []templates.Column{{Label: "Row", Num: true}, {Label: "Distance", Num: true}}}
		for _, name := range columns {
			t.Columns = append(t.Columns, templates.Column{Label: name, Num: v.Queue.Table.Column(name).Numeric(),
				Class: "wrap"})
		}
		for _, n := range each[i] {
			q := v.State
			q.Row, q.Page, q.State, q.Label = n.Row+1, 0, "", ""
			cells := []templates.Cell{{Text: phrase.Int(n.Row + 1), URL: q.URL(v.Run.ID) + "#card"},
				{Text: viz.Number(n.Distance, 2)}}
			for _, name := range columns {
				cells = append(cells, templates.Cell{Text: cmp.Or(datasets.CellText(v.Queue.Table.Column(name), n.Row), "missing")})
			}
			t.Rows = append(t.Rows, templates.Row{Cells: cells})
		}
		c.Near = append(c.Near, templates.AuditNear{Table: t})
	}
	c.Near[len(c.Near)-1].Table.Note = "Euclidean distance over standardised terms, missing values filled as for the " +
		"model."
	return nil
}

// nearColumns are the columns of the tables of neighbours. The contributions are evidence by the model, so in a
// blind review the columns are in their original order.
func (v *Page) nearColumns(e *audit.Explanation) []string {
	all := v.shownColumns()
	if e != nil && !v.State.Hides() {
		var first []string
		for _, s := range e.Spoken {
			first = append(first, s.Column)
		}
		all = append(first, all...)
	}
	var names []string
	for _, name := range all {
		if len(names) < nearCols && !slices.Contains(names, name) && v.Queue.Table.Column(name) != nil {
			names = append(names, name)
		}
	}
	return names
}
