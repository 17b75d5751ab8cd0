package data

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"taper/internal/app/datasets"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// previewView shows the first rows, with missing values set apart and cells with open questions marked.
func previewView(d store.Dataset, t *table.Table, head table.Preview) templates.DataPreview {
	v := templates.DataPreview{Lines: linesText(head, d.Rows),
		Note: "Struck-through columns are left out of the model. Highlighted cells need a decision."}
	n := min(len(head.Header), previewColumns)
	if len(head.Header) > n {
		v.Note = fmt.Sprintf("%d of %s columns are shown. %s", n, phrase.Int(len(head.Header)), v.Note)
	}
	if d.State == store.Kept {
		v.Note = "The columns that are kept."
	}
	asked := askedCells(d, t)
	empty := make([]func(string) bool, n)
	for j, name := range head.Header[:n] {
		c := t.Column(name)
		h := templates.PreviewHead{Name: name}
		empty[j] = func(text string) bool { return text == "" }
		if c != nil {
			h.Num, h.Off = c.Num != nil && c.Type != table.Date, offIn(d, name)
			empty[j] = func(text string) bool { return text == "" || slices.Contains(c.MissingCodes, text) }
		}
		v.Head = append(v.Head, h)
	}
	for i, cells := range head.Rows {
		row := templates.PreviewRow{Line: lineText(head, i)}
		for j, text := range cells[:min(n, len(cells))] {
			plain := strings.TrimSpace(text)
			c := templates.PreviewCell{Text: text, Missing: empty[j](plain), Asked: isAsked(asked[head.Header[j]], plain)}
			if plain == "" {
				c.Text = emptyWord
			}
			row.Cells = append(row.Cells, c)
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

func offIn(d store.Dataset, name string) bool {
	for _, p := range d.Profiles {
		if p.Name == name {
			return p.Role == table.Exclude
		}
	}
	return false
}

func lineText(head table.Preview, i int) string {
	if i < len(head.Line) {
		return phrase.Int(head.Line[i])
	}
	return ""
}

func linesText(head table.Preview, rows int) string {
	n := len(head.Line)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("lines %s, %s in all", viz.Range(phrase.Int(head.Line[0]), phrase.Int(head.Line[n-1])),
		phrase.Count(rows, "row"))
}

// askedCells are the texts that open questions refer to, by column.
func askedCells(d store.Dataset, t *table.Table) map[string]map[string]bool {
	asked := map[string]map[string]bool{}
	mark := func(column, text string) {
		if asked[column] == nil {
			asked[column] = map[string]bool{}
		}
		asked[column][text] = true
	}
	for _, w := range d.Warnings {
		if w.Level != "ask" || w.Settled {
			continue
		}
		for _, s := range proposed(w) {
			for _, code := range s.MissingCodes {
				mark(s.Name, code)
			}
		}
		if c := t.Column(w.Column); c != nil && w.Code == "odd-text" {
			for _, o := range c.OddTexts {
				mark(c.Name, o.Text)
			}
		}
	}
	return asked
}

// isAsked reports whether a cell is one of the texts, or numerically equal to one, as 0.0 and 0 are.
func isAsked(texts map[string]bool, cell string) bool {
	if texts[cell] || len(texts) == 0 {
		return texts[cell]
	}
	v, err := strconv.ParseFloat(strings.Replace(cell, ",", ".", 1), 64)
	for text := range texts {
		if code, bad := strconv.ParseFloat(text, 64); err == nil && bad == nil && code == v {
			return true
		}
	}
	return false
}

// proposed are the changes of columns by the first choice.
func proposed(w table.Warning) []table.ColumnSpec {
	if len(w.Choices) == 0 {
		return nil
	}
	specs := slices.Clone(w.Choices[0].Columns)
	if c := w.Choices[0].Column; c != nil {
		specs = append(specs, *c)
	}
	return specs
}

// draftView shows what can be read of an invalid file: the first rows, and those around the error.
func draftView(ctx context.Context, service *datasets.Service, d store.Dataset, v *templates.Dataset) {
	v.Strong, v.Rest = "The file cannot be read as it is.",
		"It is kept: change how it is read below, and what comes out shows at once."
	v.Problem = draftProblem(d, v.URL)
	rows := previewRows
	if d.Problem.Row > 0 && d.Problem.Row < 20_000 {
		rows = max(rows, d.Problem.Row+2)
	}
	head, err := service.Preview(ctx, d, rows)
	if err != nil { // not even the start can be read
		head = table.Preview{Dialect: d.Options.Dialect}
	}
	v.Dialect = dialectView(d, head)
	v.Preview = draftPreview(d, head)
}

// draftProblem is the error with its remedy.
func draftProblem(d store.Dataset, at string) *templates.Banner {
	b := &templates.Banner{Bad: true, Fact: d.Problem.Detail,
		Text: "Change the delimiter, the quotes or the header line below."}
	if d.Problem.Row > 0 && d.Options.Dialect.BadRows == "" {
		b.Text = "Change the delimiter or the quotes below, or leave out rows that do not fit."
		b.Button = &templates.Button{Label: "Skip such rows", URL: at, Method: "POST",
			Fields: []templates.Field{{Name: "bad_rows", Value: "skip"}}}
	}
	return b
}

// draftPreview shows the first rows and those around the invalid one.
func draftPreview(d store.Dataset, head table.Preview) templates.DataPreview {
	v := templates.DataPreview{Draft: true, Note: "Rows are shown as they are cut now."}
	bad, shown, widest := d.Problem.Row-1, []int{}, 0
	for i, cells := range head.Rows {
		if i < 4 || i >= bad-2 && i <= bad+2 || bad < 0 {
			shown, widest = append(shown, i), max(widest, len(cells))
		}
	}
	n := min(len(head.Header), previewColumns)
	for _, name := range head.Header[:n] {
		v.Head = append(v.Head, templates.PreviewHead{Name: name})
	}
	for n == len(head.Header) && len(v.Head) < min(widest, n+5) {
		v.Head = append(v.Head, templates.PreviewHead{Name: "no header"})
	}
	for k, i := range shown {
		if k > 0 && i > shown[k-1]+1 {
			v.Rows = append(v.Rows, templates.PreviewRow{Line: "…", Cells: make([]templates.PreviewCell, len(v.Head))})
		}
		v.Rows = append(v.Rows, draftRow(head, i, len(v.Head), i == bad))
	}
	if k := len(head.Line); k > 0 {
		v.Lines = "from line " + phrase.Int(head.Line[0])
	}
	return v
}

// draftRow shows a record in a row of this width; Bad is its number of cells where that differs.
func draftRow(head table.Preview, i, width int, bad bool) templates.PreviewRow {
	cells := head.Rows[i]
	row := templates.PreviewRow{Line: lineText(head, i), Cells: make([]templates.PreviewCell, width)}
	for j, text := range cells[:min(len(cells), width)] {
		row.Cells[j].Text = format.Cut(text, 60)
	}
	if bad || len(cells) != len(head.Header) {
		row.Bad = phrase.Count(len(cells), "cell")
	}
	return row
}
