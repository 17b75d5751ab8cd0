package doc

import (
	"cmp"
	"slices"
	"strings"

	"taper/internal/engine/phrase"
)

// longRows is the number of rows from which a table of the body moves to the appendix.
const longRows = 21

// Paged returns a masked document in print order: summary, body, appendices. A table of more
// than 20 rows moves from the body to an appendix of its own, before the existing appendices,
// and is replaced by a Reference. A document without a summary is returned unchanged, as are
// reports stored by older versions: they have no first page to keep short.
func Paged(d Document) Document {
	of := func(level Level) (all []Section) {
		for _, s := range d.Sections {
			if s.Level == level && len(s.Body) > 0 {
				all = append(all, s)
			}
		}
		return all
	}
	summary := of(Summary)
	if len(summary) == 0 {
		return d
	}
	var moved appendices
	body := of(Main)
	for i := range body {
		body[i].Body = moved.without(body[i].Body)
	}
	behind := append(moved, of(Appendix)...)
	for i := range behind {
		behind[i].ID = appendixID(i)
	}
	d.Sections = slices.Concat(summary, body, behind)
	return d
}

// appendices collects the long tables in the order of the body.
type appendices []Section

// without replaces long tables in nodes by references.
func (a *appendices) without(nodes []Node) (out Nodes) {
	for _, n := range nodes {
		switch v := n.(type) {
		case Table:
			if len(v.Rows) < longRows {
				break
			}
			if n = a.move(v, out); n == nil {
				continue
			}
		case Section:
			v.Body = a.without(v.Body)
			n = v
		case Group:
			v.Body = a.without(v.Body)
			n = v
		case Block:
			n = Block(a.without(v))
		case Curves:
			n = Curves(a.without(v))
		case Pair:
			columns := make(Pair, len(v))
			for i, column := range v {
				columns[i] = a.without(column)
			}
			n = columns
		}
		out = append(out, n)
	}
	return out
}

// move moves a table to the appendix and returns its replacement; before are the nodes
// preceding it. A wide table consists of several parts with the same name: later parts join the
// first and have no replacement.
func (a *appendices) move(t Table, before Nodes) Node {
	name := cmp.Or(t.Caption, t.Label, "Table")
	if last := len(*a) - 1; last >= 0 && (*a)[last].Title == name && len(before) > 0 {
		if r, is := before[len(before)-1].(Reference); is && r.To == appendixID(last) {
			(*a)[last].Body = append((*a)[last].Body, t)
			return nil
		}
	}
	t.Caption, t.Tall = "", false
	t.Label = cmp.Or(t.Label, name)
	*a = append(*a, Section{Title: name, Level: Appendix, Body: Nodes{t}})
	at := len(*a) - 1
	return Reference{Text: "The table ‘" + name + "’ has " + phrase.Count(len(t.Rows), "row") + ": see",
		Link: "appendix " + Letter(at), To: appendixID(at)}
}

func appendixID(i int) string { return "appendix-" + strings.ToLower(Letter(i)) }

// Letter is the name of appendix i, counted from 0: A to Z, then AA.
func Letter(i int) string {
	text := ""
	for ; i >= 0; i = i/26 - 1 {
		text = string(rune('A'+i%26)) + text
	}
	return text
}
