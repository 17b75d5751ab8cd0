package doc

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tableOf is a table with so many rows.
func tableOf(label string, rows int) Table {
	t := Table{Label: label, Columns: []Column{{Label: "Term"}}}
	for i := range rows {
		t.Rows = append(t.Rows, TextRow([]string{fmt.Sprint(i)}))
	}
	return t
}

// TestPaged: tables of more than 20 rows move from anywhere in the body to appendices, with
// references in their places.
func TestPaged(t *testing.T) {
	summary := Section{Title: "Verdict", Level: Summary, Body: Nodes{tableOf("On page one", 30)}}
	settings := Section{Title: "Settings", Level: Appendix, Body: Nodes{tableOf("Behind", 30)}}
	moved := func(name string, rows int) Section {
		return Section{Title: name, Level: Appendix, Body: Nodes{tableOf(name, rows)}}
	}
	to := func(name string, rows int, letter, id string) Reference {
		return Reference{fmt.Sprintf("The table ‘%s’ has %d rows: see", name, rows), "appendix " + letter, id}
	}
	for _, c := range []struct {
		name       string
		body, want Nodes
		appendices []Section
	}{
		{"20 rows stay", Nodes{tableOf("Terms", 20)}, Nodes{tableOf("Terms", 20)}, nil},
		{"21 rows move", Nodes{Note("before"), tableOf("Terms", 21), Note("after")},
			Nodes{Note("before"), to("Terms", 21, "A", "appendix-a"), Note("after")}, []Section{moved("Terms", 21)}},
		{"out of a pair, a block and a group",
			Nodes{Pair{{tableOf("Left", 25)}, {Note("right")}}, Block{tableOf("In", 25)}, Group{Body: Nodes{Curves{tableOf("Deep", 25)}}}},
			Nodes{Pair{{to("Left", 25, "A", "appendix-a")}, {Note("right")}}, Block{to("In", 25, "B", "appendix-b")},
				Group{Body: Nodes{Curves{to("Deep", 25, "C", "appendix-c")}}}},
			[]Section{moved("Left", 25), moved("In", 25), moved("Deep", 25)}},
		{"parts of one table together", Nodes{tableOf("Wide", 22), tableOf("Wide", 22), tableOf("Other", 22)},
			Nodes{to("Wide", 22, "A", "appendix-a"), to("Other", 22, "B", "appendix-b")},
			[]Section{{Title: "Wide", Level: Appendix, Body: Nodes{tableOf("Wide", 22), tableOf("Wide", 22)}}, moved("Other", 22)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := []Section{summary, {Title: "Model", Body: c.want}}
			for i, s := range append(c.appendices, settings) {
				s.ID = appendixID(i)
				want = append(want, s)
			}
			// an appendix follows the body even if it came before it
			d := Document{Sections: []Section{settings, summary, {Title: "Empty"}, {Title: "Model", Body: c.body}}}
			before := Document{Sections: []Section{settings, summary, {Title: "Empty"}, {Title: "Model", Body: c.body}}}
			if diff := cmp.Diff(want, Paged(d).Sections); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(before, d); diff != "" {
				t.Errorf("the document itself changed: %s", diff)
			}
		})
	}
	older := Document{Sections: []Section{{Title: "Model", Body: Nodes{tableOf("Terms", 50)}}}}
	if diff := cmp.Diff(older, Paged(older)); diff != "" {
		t.Errorf("a document without a summary: %s", diff)
	}
}

func TestLetter(t *testing.T) {
	for i, want := range map[int]string{0: "A", 1: "B", 25: "Z", 26: "AA", 27: "AB", 52: "BA"} {
		if got := Letter(i); got != want {
			t.Errorf("appendix %d is %s, want %s", i, got, want)
		}
	}
}
