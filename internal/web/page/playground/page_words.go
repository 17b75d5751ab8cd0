package playground

import (
	"regexp"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/web/templates"
)

var numbersIn = regexp.MustCompile(`[0-9][0-9,]* of [0-9][0-9,]*|[0-9][0-9.,]*\x{a0}%`)

// boldNumbers sets the numbers of a sentence in bold.
func boldNumbers(text string) templ.Component {
	var words, strong []string
	for {
		at := numbersIn.FindStringIndex(text)
		if at == nil {
			return templates.Mixed(append(words, text), strong)
		}
		words, strong = append(words, text[:at[0]]), append(strong, text[at[0]:at[1]])
		text = text[at[1]:]
	}
}

// notices are the warnings about the two fits.
func notices(a *Answer) []templates.Notice {
	var out []templates.Notice
	said := map[string]bool{}
	for _, f := range a.Problems {
		out = append(out, templates.Notice{Kind: "ask", Fact: worded(f)})
	}
	for k, m := range a.Models.models() {
		letter := string(rune('A' + k))
		if m == nil {
			continue
		}
		if m.Error != "" {
			out = append(out, templates.Notice{Kind: "stop", Fact: letter + " is not fitted.", Text: m.Error})
		}
		for _, w := range m.Warnings {
			if !said[letter+w] {
				out = append(out, templates.Notice{Fact: letter + ".", Text: phrase.UpperFirst(w)})
			}
			said[letter+w] = true
		}
	}
	for _, note := range a.Notes {
		out = append(out, templates.Notice{Fact: "Note.", Text: note})
	}
	return out
}

// noteOf says how to read the figures.
func noteOf(a *Answer) string {
	note := a.Axes.Note
	if a.bench != nil && a.bench.spread {
		note = strings.TrimSpace(note + " Coincident points are jittered.")
	}
	return note
}

// tableView is the table of A and B; the clean accuracy carries the verdict.
func tableView(a *Answer) templates.Table {
	t := templates.Table{Label: "A versus B", Note: a.Table.Note}
	for i, head := range a.Table.Columns {
		col := templates.Column{Label: head, Num: i > 0}
		if m := a.Models.models(); (i == 1 || i == 2) && m[i-1] != nil {
			col.Unit = viz.Unbroken(m[i-1].Title)
		}
		t.Columns = append(t.Columns, col)
	}
	for i, r := range slices.Concat(a.Table.Rows, a.Times.Rows) {
		line := control.Row(r)
		if last := len(r) - 1; i == 0 && last > 0 {
			line.Cells[last] = verdictCell(r[last], a.Table.Verdict)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// verdictCell adds the verdict to a difference, if there is one.
func verdictCell(diff, word string) templates.Cell {
	if word == "" {
		return templates.Cell{Text: diff}
	}
	return templates.Cell{Content: templates.DifferenceVerdict(diff, word)}
}
