package data

import (
	"cmp"
	"slices"
	"strconv"

	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/web/templates"
)

// A list of the dialect shows the value in use. The value "" means "detect" and is labelled with the detected
// value, so that after changing one field the others are detected again.

// option is a value with its label.
type option struct{ value, label string }

var (
	delimiterOptions = []option{{",", ", comma"}, {";", "; semicolon"}, {"\t", "tab"}, {"|", "| bar"}, {" ", "blanks"}}
	decimalOptions   = []option{{".", ". point"}, {",", ", comma"}}
	thousandOptions  = []option{{"none", "none"}, {",", ", comma"}, {".", ". point"}, {" ", "blank"},
		{"'", "' apostrophe"}}
	encodingOptions = []option{{"utf-8", "UTF-8"}, {"windows-1252", "Windows-1252"}, {"iso-8859-1", "ISO-8859-1"},
		{"utf-16le", "UTF-16 LE"}, {"utf-16be", "UTF-16 BE"}}
	quoteOptions  = []option{{"", `" quotes cells`}, {"none", `" is text`}}
	badRowOptions = []option{{"", "refuse the file"}, {"skip", "skip them"}}
)

// choose makes a list: asked is the user's choice ("" = detect), used the value in use.
func choose(name, label, asked, used string, options []option) templates.Control {
	c := templates.Control{Choice: templates.Choice{ID: "d-" + name, Name: name, Label: label}}
	if asked != "" {
		c.Options = append(c.Options, templates.Option{Label: "detect"})
	}
	for _, o := range options {
		v := templates.Option{Value: o.value, Label: o.label, On: o.value == asked}
		if asked == "" && o.value == used {
			v.Value, v.On = "", true
		}
		c.Options = append(c.Options, v)
	}
	if asked == "" && !slices.ContainsFunc(options, func(o option) bool { return o.value == used }) {
		c.Options = slices.Insert(c.Options, 0, templates.Option{Label: cmp.Or(used, "detect"), On: true})
	}
	return c
}

// fixed makes a list without "detect".
func fixed(name, label, value string, options []option) templates.Control {
	c := templates.Control{Choice: templates.Choice{ID: "d-" + name, Name: name, Label: label}}
	for _, o := range options {
		c.Options = append(c.Options, templates.Option{Value: o.value, Label: o.label, On: o.value == value})
	}
	return c
}

// dialectView shows how the file is read; for a draft, the dialect of the preview is the detected one.
func dialectView(d store.Dataset, head table.Preview) []templates.Control {
	asked, used := d.Options.Dialect, d.Dialect
	if d.State == store.Draft {
		used = head.Dialect
	}
	var cs []templates.Control
	if used.Format == "xlsx" {
		cs = append(cs, choose("sheet", "Sheet", asked.Sheet, used.Sheet, sheetOptions(head, used.Sheet)))
	} else {
		cs = append(cs, choose("delimiter", "Delimiter", asked.Delimiter, used.Delimiter, delimiterOptions))
	}
	cs = append(cs, choose("decimal", "Decimal mark", asked.Decimal, used.Decimal, decimalOptions))
	if asked.Thousands != "" || used.Thousands != "" && used.Thousands != "none" {
		cs = append(cs, choose("thousands", "Thousands mark", asked.Thousands, used.Thousands, thousandOptions))
	}
	if used.Format != "xlsx" {
		cs = append(cs, choose("encoding", "Encoding", asked.Encoding, used.Encoding, encodingOptions))
	}
	cs = append(cs, headerControl(asked, used), missingControl(used))
	if d.State == store.Draft || asked.Quote != "" {
		cs = append(cs, fixed("quote", "Quotes", asked.Quote, quoteOptions))
	}
	if d.State == store.Draft || asked.BadRows != "" {
		cs = append(cs, fixed("bad_rows", "Rows that do not fit", asked.BadRows, badRowOptions))
	}
	return cs
}

func sheetOptions(head table.Preview, used string) []option {
	sheets := head.Sheets
	if !slices.Contains(sheets, used) {
		sheets = append(sheets, used)
	}
	var out []option
	for _, s := range sheets {
		out = append(out, option{s, s})
	}
	return out
}

// headerControl offers the first lines of the file, the line in use, and "no header".
func headerControl(asked, used table.Dialect) templates.Control {
	lines := []int{1, 2, 3, 4, 5}
	text := func(n *int) string {
		if n == nil {
			return ""
		}
		if *n > 5 && !slices.Contains(lines, *n) {
			lines = append(lines, *n)
		}
		return strconv.Itoa(*n)
	}
	a, u := text(asked.HeaderRow), text(used.HeaderRow)
	slices.Sort(lines)
	var options []option
	for _, n := range lines {
		options = append(options, option{strconv.Itoa(n), "Line " + strconv.Itoa(n)})
	}
	return choose("header_row", "Header", a, u, append(options, option{"0", "none"}))
}

func missingControl(used table.Dialect) templates.Control {
	codes := used.Missing
	if codes == nil {
		codes = table.DefaultMissing
	}
	return templates.Control{
		Choice: templates.Choice{ID: "d-missing", Name: "missing", Label: "Missing codes"}, Text: true,
		Value: codesText(codes),
		Hint:  "Separated by commas. The word empty stands for the empty cell. Clear the field to restore the usual codes.",
	}
}

func encodingName(value string) string {
	for _, o := range encodingOptions {
		if o.value == value {
			return o.label
		}
	}
	return value
}
