// Package doc represents a page of results as a value: sections of tables, figures, facts and
// sentences. Screen, print, self-contained HTML, CSV and the report kept after the data are
// deleted are rendered from it.
//
// Numbers keep their values and formats until they are rendered. The tables of counts of a
// document are declared once, in Counts. Anything that would reveal one of these counts names
// it in Reveals, and has a substitute for print in Instead; nodes computed from counts are
// Counted functions of the released counts. Mask is then a single pass over any document. A
// masked document contains no function, so it can be stored as JSON and rendered later.
package doc

import (
	"context"
	"io"

	"taper/internal/doc/mask"
	"taper/internal/viz"
)

// Document is a page of results.
type Document struct {
	Title    string                  `json:"title"`
	Use      string                  `json:"use,omitempty"` // intended use
	Facts    []Fact                  `json:"facts,omitempty"`
	Counts   map[string][]mask.Split `json:"-"`
	Sections []Section               `json:"sections"`
	Foot     []string                `json:"foot,omitempty"`
}

// Fact is a label with a value. Counted computes the value from the counts that Mask releases.
type Fact struct {
	Label   string                     `json:"label"`
	Value   string                     `json:"value"`
	Mono    bool                       `json:"mono,omitempty"` // monospaced: ids and hashes
	Counted func(mask.Released) string `json:"-"`
}

// Level says where print puts a section: on the first page, in the numbered body, or in the
// appendix. The screen shows sections in their order.
type Level string

// The levels.
const (
	Main     Level = ""
	Summary  Level = "summary"  // on the first page, which must be understandable alone
	Appendix Level = "appendix" // lettered, after all others
)

// Section is a part of a document or of another section. Print omits a section without a body.
type Section struct {
	ID    string `json:"id,omitempty"`
	Title string `json:"title,omitempty"`
	Label string `json:"label,omitempty"` // accessible name of a section without a title
	Lower bool   `json:"lower,omitempty"` // its heading is one level lower
	Say   string `json:"say,omitempty"`   // sentence below the title
	Class string `json:"class,omitempty"` // layout on the screen
	Level Level  `json:"level,omitempty"`
	Body  Nodes  `json:"body,omitempty"`
}

// Node is an element of a section.
type Node interface{ node() }

// Nodes is a sequence of nodes. Its JSON includes the kind of each.
type Nodes []Node

// View is an element that a page renders itself, such as a form.
type View interface {
	Render(ctx context.Context, w io.Writer) error
}

// The kinds of nodes.
type (
	// Verdict is the sentences at the start of a report.
	Verdict []string
	// Note is small print.
	Note string
	// Say is a sentence in place of a figure or a table.
	Say string
	// List is a list of sentences.
	List []string
	// Code is text in a formal language.
	Code string
	// Facts are labelled values.
	Facts []Fact
	// Highlights are the most important values, side by side.
	Highlights []Fact
	// Figures are shown side by side.
	Figures []Figure
	// Pair shows parts side by side.
	Pair []Nodes
	// Block groups nodes with less space between them.
	Block Nodes
	// Curves are the figures of the columns' partial effects, with text and table.
	Curves Nodes
	// Reference is a sentence that ends in a link to another place of the document. It is made
	// by Paged and never stored.
	Reference struct{ Text, Link, To string }
	// Flow is the flow chart of the rows.
	Flow []Station
	// Icons are icon arrays of a hundred people per group.
	Icons []Icon
	// Group is a part of a page in an element of its own. A page with controls replaces a group
	// by its ID; one with Screen is not printed.
	Group struct {
		ID     string `json:"id,omitempty"`
		Class  string `json:"class,omitempty"`
		Screen bool   `json:"-"`
		Body   Nodes  `json:"body"`
	}
	// Drawing is an SVG of full width. Narrow is the version for narrow screens; without one it
	// scrolls. Reveals is as in Figure.
	Drawing struct {
		Wide    string   `json:"wide"`
		Narrow  string   `json:"narrow,omitempty"`
		Reveals mask.Ref `json:"-"`
	}
	// Part is a view of results without counts and pictures; Mask keeps it unchanged.
	Part struct{ View View }
	// Form is an interactive view, shown on the screen only.
	Form struct{ View View }
	// Counted computes nodes from the counts that Mask releases, and has access to no others.
	Counted func(mask.Released) []Node
	// Guarded is a node that reveals counts as a whole: print has Instead in its place, or
	// nothing.
	Guarded struct {
		Node    Node
		Reveals mask.Ref
		Instead func(mask.Released) Node
	}
)

// Figure is a picture with a sentence that describes it; as a node of its own it has full
// width. Its content is one of: Lines or a Chart, which are interactive on the screen; an SVG;
// a Table. Lines with an SVG have it in their place on paper. Reveals is required: Mask omits a
// figure without it; use mask.NoCount for one that reveals nothing.
type Figure struct {
	Title string `json:"title,omitempty"`
	Say   string `json:"say,omitempty"`
	// element id for a figure that controls replace; "" = that of its chart
	Place string       `json:"-"`
	Lines *viz.Overlay `json:"lines,omitempty"`
	// a finished chart; like Lines, with its own title, sentence and legend
	Chart   *viz.Figure                `json:"-"`
	Fit     bool                       `json:"-"` // offers to rescale the axes after a change
	Height  string                     `json:"-"` // of the chart
	SVG     string                     `json:"svg,omitempty"`
	Table   *Table                     `json:"table,omitempty"`
	Legend  []Mark                     `json:"legend,omitempty"`
	Reveals mask.Ref                   `json:"-"`
	Instead func(mask.Released) Figure `json:"-"`
}

// Mark is a legend entry of a figure.
type Mark struct {
	SVG  string `json:"svg"`
	Text string `json:"text"`
}

// Station is a step of the flow chart: a number of rows, and what happened to them.
type Station struct {
	Count mask.Span `json:"count"`
	Lines []string  `json:"lines"`
}

// Icon is the icon array of a group; without SVG only its Text is shown.
type Icon struct {
	Name string `json:"name"`
	Text string `json:"text"`
	SVG  string `json:"svg,omitempty"`
	Band int    `json:"-"` // that it shows; see Cell
}

// Table is a table with a row of cells per line.
type Table struct {
	ID         string     `json:"id,omitempty"`
	Caption    string     `json:"caption,omitempty"` // shown above
	Label      string     `json:"label,omitempty"`   // accessible name; "" = Caption
	Class      string     `json:"class,omitempty"`
	Tall       bool       `json:"tall,omitempty"` // scrolls vertically
	Head       []Column   `json:"head,omitempty"`
	Columns    []Column   `json:"columns"`
	Rows       []Row      `json:"rows"`
	Foot       []Cell     `json:"foot,omitempty"`
	Note       string     `json:"note,omitempty"`
	MaskedNote MaskedNote `json:"-"`
	Lean       bool       `json:"lean,omitempty"` // omits columns that contain only dashes
}

// MaskedNote is a note added to a printed table if it hides something that Reveals names.
type MaskedNote struct {
	Text    string
	Reveals mask.Ref
}

// Column is a column header. In Head, the line above, it spans Span columns.
type Column struct {
	Label  string `json:"label"`
	Unit   string `json:"unit,omitempty"`
	Number bool   `json:"number,omitempty"`
	Class  string `json:"class,omitempty"`
	Span   int    `json:"span,omitempty"`
	SVG    string `json:"svg,omitempty"` // an axis below the label
	View   View   `json:"-"`             // instead of the label
	Band   int    `json:"-"`             // of all its cells; see Cell
	Stack  string `json:"-"`             // beside its cells where rows are stacked; "" = Label and Unit
}

// Row is one line. If Reveals names hidden counts, print omits it or shows Instead; it also
// omits a row whose values are all withheld.
type Row struct {
	Class   string                  `json:"class,omitempty"`
	Cells   []Cell                  `json:"cells"`
	Reveals mask.Ref                `json:"-"`
	Instead func(mask.Released) Row `json:"-"`
}

// Cell is a value: a text, a number, a count, the range of a masked count, or nil. Low and High
// are its interval.
type Cell struct {
	Value  any      `json:"value,omitzero"`
	Format Format   `json:"format,omitzero"`
	Low    *float64 `json:"low,omitempty"`
	High   *float64 `json:"high,omitempty"`
	Note   string   `json:"note,omitempty"` // small print after it
	// a drawing before the value, or instead of it if the value is ""
	Swatch  string                   `json:"swatch,omitempty"`
	Chip    string                   `json:"chip,omitempty"`    // verdict on a band, instead of the value
	Mark    string                   `json:"mark,omitempty"`    // of a note below the table, after the value
	Verdict string                   `json:"verdict,omitempty"` // "better", "worse" or neither
	Spoken  string                   `json:"spoken,omitempty"`  // for screen readers alone
	Class   string                   `json:"class,omitempty"`
	View    View                     `json:"-"` // instead of the value
	Band    int                      `json:"-"` // of its row, from 1, highlighted with it on the screen; 0 = none
	Reveals mask.Ref                 `json:"-"`
	Instead func(mask.Released) Cell `json:"-"`
}

func (Section) node()    {}
func (Verdict) node()    {}
func (Note) node()       {}
func (Say) node()        {}
func (List) node()       {}
func (Code) node()       {}
func (Facts) node()      {}
func (Highlights) node() {}
func (Figure) node()     {}
func (Figures) node()    {}
func (Pair) node()       {}
func (Block) node()      {}
func (Group) node()      {}
func (Curves) node()     {}
func (Reference) node()  {}
func (Flow) node()       {}
func (Icons) node()      {}
func (Counted) node()    {}
func (Drawing) node()    {}
func (Part) node()       {}
func (Form) node()       {}
func (Guarded) node()    {}
func (Table) node()      {}
