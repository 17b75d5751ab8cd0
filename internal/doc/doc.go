// Package doc is a page of results as a value: sections of tables, figures, facts
// and sentences, from which screen, print, one file, CSV and the report that
// outlives its data are rendered.
//
// Numbers stay numbers with a format until something renders them. The tables of
// counts of a document are declared once, in Counts. What would tell one of their
// counts says so in Reveals, and says in Instead what print has in its place; what
// is made of counts is made in a Counted, of those that Mask releases. Mask is then
// one pass over any document, and after it no function is left: what it returns can
// be stored as JSON and rendered when it is opened.
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
	Use      string                  `json:"use,omitempty"` // what it is for, and what not
	Facts    []Fact                  `json:"facts,omitempty"`
	Counts   map[string][]mask.Split `json:"-"`
	Sections []Section               `json:"sections"`
	Foot     []string                `json:"foot,omitempty"`
}

// Fact is a short label and its value. With Counted, the value is made of the counts
// that Mask releases.
type Fact struct {
	Label   string                     `json:"label"`
	Value   string                     `json:"value"`
	Mono    bool                       `json:"mono,omitempty"` // ids and hashes
	Counted func(mask.Released) string `json:"-"`
}

// Level says where print sets a section: on the first page, in the numbered body, or behind
// it. The screen shows sections in their order.
type Level string

// The levels.
const (
	Main     Level = ""
	Summary  Level = "summary"  // on the first page, which stands alone
	Appendix Level = "appendix" // lettered, behind all others
)

// Section is a part of a document, or of another section. Print leaves out one
// without a body.
type Section struct {
	ID    string `json:"id,omitempty"`
	Title string `json:"title,omitempty"`
	Label string `json:"label,omitempty"` // names one without a title to a screen reader
	Lower bool   `json:"lower,omitempty"` // its title is one level below that of the others
	Say   string `json:"say,omitempty"`   // the sentence below the title
	Class string `json:"class,omitempty"` // how the screen lays it out
	Level Level  `json:"level,omitempty"`
	Body  Nodes  `json:"body,omitempty"`
}

// Node is one thing in a section.
type Node interface{ node() }

// Nodes follow one another. As JSON each of them carries its kind.
type Nodes []Node

// View is something that a page draws by itself, such as a form.
type View interface {
	Render(ctx context.Context, w io.Writer) error
}

// The nodes.
type (
	// Verdict are the sentences that a report begins with.
	Verdict []string
	// Note is small print.
	Note string
	// Say is a sentence in the place of a figure or table.
	Say string
	// List is a list of sentences.
	List []string
	// Code is text for a machine.
	Code string
	// Facts are labelled values.
	Facts []Fact
	// Highlights are the values that one looks for first, side by side.
	Highlights []Fact
	// Figures stand side by side.
	Figures []Figure
	// Pair sets parts side by side.
	Pair []Nodes
	// Block keeps parts closer than those of a section.
	Block Nodes
	// Curves are figures of what columns add, with their words and table.
	Curves Nodes
	// Reference leads to what stands elsewhere in the document: a sentence that ends in a
	// link. Paged makes it, so that none is stored.
	Reference struct{ Text, Link, To string }
	// Flow is the way of the rows from station to station.
	Flow []Station
	// Icons draw groups as a hundred people each.
	Icons []Icon
	// Group is a part of a page with an element of its own. A page that follows its
	// controls replaces one by its ID; one of Screen alone is no part of print.
	Group struct {
		ID     string `json:"id,omitempty"`
		Class  string `json:"class,omitempty"`
		Screen bool   `json:"-"`
		Body   Nodes  `json:"body"`
	}
	// Drawing is a drawing over the whole width. Narrow is its form for narrow
	// screens; without one it scrolls. Reveals is that of a Figure.
	Drawing struct {
		Wide    string   `json:"wide"`
		Narrow  string   `json:"narrow,omitempty"`
		Reveals mask.Ref `json:"-"`
	}
	// Part is a view that tells of results and of no count, and no picture: Mask keeps it
	// as it is.
	Part struct{ View View }
	// Form is a view that acts. It is for the screen alone.
	Form struct{ View View }
	// Counted makes nodes of the counts that Mask releases. It is told no others.
	Counted func(mask.Released) []Node
	// Guarded is a node that tells of counts as a whole: print has Instead of it, or
	// nothing.
	Guarded struct {
		Node    Node
		Reveals mask.Ref
		Instead func(mask.Released) Node
	}
)

// Figure is a picture with the sentence that says what it shows, a node by itself
// where it takes the whole width. What it shows is
// one of these: Lines or a Chart, which the screen draws with axes to explore; an SVG,
// the same everywhere; a Table. Reveals is not optional: Mask leaves out a figure that
// doesn't say what it tells of, be it mask.NoCount.
type Figure struct {
	Title string `json:"title,omitempty"`
	Say   string `json:"say,omitempty"`
	// id of the place of a figure that follows controls; "" is that of its chart
	Place string       `json:"-"`
	Lines *viz.Overlay `json:"lines,omitempty"`
	// drawn already; like Lines with a title, a sentence and a legend of its own
	Chart   *viz.Figure                `json:"-"`
	Fit     bool                       `json:"-"` // offers to fit the axes to what was moved
	Height  string                     `json:"-"` // of the chart
	SVG     string                     `json:"svg,omitempty"`
	Table   *Table                     `json:"table,omitempty"`
	Legend  []Mark                     `json:"legend,omitempty"`
	Reveals mask.Ref                   `json:"-"`
	Instead func(mask.Released) Figure `json:"-"`
}

// Mark explains a mark of a figure.
type Mark struct {
	SVG  string `json:"svg"`
	Text string `json:"text"`
}

// Station is a number of rows, and in lines what became of them.
type Station struct {
	Count mask.Span `json:"count"`
	Lines []string  `json:"lines"`
}

// Icon is a group as people; without SVG its Text stands alone.
type Icon struct {
	Name string `json:"name"`
	Text string `json:"text"`
	SVG  string `json:"svg,omitempty"`
}

// Table has a row of cells for each line.
type Table struct {
	ID         string     `json:"id,omitempty"`
	Caption    string     `json:"caption,omitempty"` // shown above
	Label      string     `json:"label,omitempty"`   // name for a screen reader; "" leaves it to Caption
	Class      string     `json:"class,omitempty"`
	Tall       bool       `json:"tall,omitempty"` // scrolls in itself
	Head       []Column   `json:"head,omitempty"`
	Columns    []Column   `json:"columns"`
	Rows       []Row      `json:"rows"`
	Foot       []Cell     `json:"foot,omitempty"`
	Note       string     `json:"note,omitempty"`
	MaskedNote MaskedNote `json:"-"`
	Lean       bool       `json:"lean,omitempty"` // leaves out columns of dashes
}

// MaskedNote is what the note of a table adds in print that hides what Reveals names.
type MaskedNote struct {
	Text    string
	Reveals mask.Ref
}

// Column heads a column. In Head, the line above, it heads Span of them.
type Column struct {
	Label  string `json:"label"`
	Unit   string `json:"unit,omitempty"`
	Number bool   `json:"number,omitempty"`
	Class  string `json:"class,omitempty"`
	Span   int    `json:"span,omitempty"`
	SVG    string `json:"svg,omitempty"` // an axis below the label
	View   View   `json:"-"`             // in place of the label
}

// Row is one line. One that Reveals hidden counts is left out of print, or has
// Instead in its place; so is one whose every value is withheld.
type Row struct {
	Class   string                  `json:"class,omitempty"`
	Cells   []Cell                  `json:"cells"`
	Reveals mask.Ref                `json:"-"`
	Instead func(mask.Released) Row `json:"-"`
}

// Cell is a value: a text, a number, a count, the span of a masked one, or nil for
// what does not exist. Low and High are its interval.
type Cell struct {
	Value  any      `json:"value,omitzero"`
	Format Format   `json:"format,omitzero"`
	Low    *float64 `json:"low,omitempty"`
	High   *float64 `json:"high,omitempty"`
	Note   string   `json:"note,omitempty"` // small print after it
	// a drawing before the value, or in its place where that is ""
	Swatch  string                   `json:"swatch,omitempty"`
	Chip    string                   `json:"chip,omitempty"`    // a verdict on a band, in place of the value
	Mark    string                   `json:"mark,omitempty"`    // of a note below the table, after the value
	Verdict string                   `json:"verdict,omitempty"` // a word on the value: "better", "worse" or neither
	Spoken  string                   `json:"spoken,omitempty"`  // for screen readers alone
	Class   string                   `json:"class,omitempty"`
	View    View                     `json:"-"` // in place of the value
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
