package templates

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// Table is a plain data table with rules above and below and right-aligned numbers. The first cell of a row is its
// header.
type Table struct {
	ID      string
	Caption string   // shown above; "" leaves it to Label
	Label   string   // name for screen readers; "" = Caption
	Note    string   // small print below
	Class   string   // extra classes: "tbl-tight", "tbl-grid", "strata"; "stacks", see stacked
	Head    []Column // a row above Columns; nil for none
	Columns []Column
	Rows    []Row
	Foot    []Cell
	Tall    bool // scrolls below a fixed head, if it has many rows
}

// Column heads a column.
type Column struct {
	Label, Unit string
	Num         bool   // right-aligned
	Class       string // "only-w" hides it on narrow screens, "only-x" below 1200 px
	Sort        string // URL that sorts by this column, "" for none
	Sorted      string // "ascending", "descending" or ""
	Span        int    // in Head: number of columns
	Axis        SVG    // axis of the drawings in the column
	Content     templ.Component
	Band        int    // of all its cells; see Cell
	Stack       string // where rows are stacked, what it is called beside its cells; "" = Label and Unit
}

// Row is one line of the body.
type Row struct {
	ID    string
	Class string // "is-few" greyed, "is-steer" the controlled one, "is-sel" selected
	Cells []Cell
}

// Cell has Content, or Text with an optional interval after it.
type Cell struct {
	Text    string
	CI      string // small and grey after Text
	URL     string
	Class   string
	Content templ.Component
	Swatch  SVG    // before it
	Mark    string // footnote mark after Text
	Verdict string // after it: "better", "worse" or a neutral word
	Spoken  string // for screen readers only
	Band    int    // of its row, from 1, highlighted with it (bands.js); 0 = none
}

// scrolls reports whether the body scrolls: one with a few rows more than fit is shown whole.
func (t Table) scrolls() bool { return t.Tall && len(t.Rows) > 16 }

// box are the classes of the box around the table. The height of one that scrolls follows from the height of a row and
// of the head, which has a second line for units.
func (t Table) box() string {
	out := "scroll"
	if !t.scrolls() {
		return out
	}
	out += " scroll-y"
	if slices.Contains(strings.Fields(t.Class), "tbl-tight") {
		out += " scroll-tight"
	}
	if slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Unit != "" && c.Axis == "" }) {
		out += " scroll-units"
	}
	return out
}

// banded are the attributes by which bands.js finds the band of a cell or of its column.
func banded(row, column int) templ.Attributes {
	all := templ.Attributes{}
	if row > 0 {
		all["data-band"] = strconv.Itoa(row)
	}
	if column > 0 {
		all["data-band-column"] = strconv.Itoa(column)
	}
	return all
}

// stacked names the column beside a cell that is not empty. A narrow screen shows a table of class "stacks" without
// its head, the cells of a row below each other (narrow.css).
func (t Table) stacked(i int, c Cell) templ.Attributes {
	head, empty := t.column(i), c.Content == nil && c.Text == ""
	name := cmp.Or(head.Stack, strings.TrimSpace(head.Label+" "+head.Unit))
	if name == "" || empty || !t.stacks() {
		return nil
	}
	return templ.Attributes{"data-head": name}
}

func (t Table) stacks() bool { return slices.Contains(strings.Fields(t.Class), "stacks") }

// role names what an element of a table of class "stacks" is: where it is shown as a block, some browsers do not know.
func (t Table) role(name string) templ.Attributes {
	if !t.stacks() {
		return nil
	}
	return templ.Attributes{"role": name}
}

func (c Cell) tone() string {
	if c.Verdict == "better" || c.Verdict == "worse" {
		return c.Verdict
	}
	return "muted"
}

// class joins a column's and a cell's own classes.
func (c Column) class(extra string) string {
	out := c.Class
	if c.Num {
		out += " r"
	}
	if extra != "" {
		out += " " + extra
	}
	return out
}

func (t Table) column(i int) Column {
	if i < len(t.Columns) {
		return t.Columns[i]
	}
	return Column{}
}

func (t Table) label() string {
	return cmp.Or(t.Label, t.Caption, "Table")
}
