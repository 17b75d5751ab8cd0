// Package viz turns results into figures: chart options for the browser and SVG for the report.
//
// Every number is computed here; the browser only draws. A Figure contains, besides the chart,
// a sentence that describes it, a label with the finding for screen readers, and the numbers as
// a table. Groups and bands differ in dash or symbol too, never in colour alone.
//
// Conventions: a colour in an option is the name of a design token ("@s1"), which the browser
// resolves for its theme. SVG uses classes of components.css and no style attributes. Names
// from a file are escaped in SVG; in options a leading "@" is escaped, because it would be
// taken for a token. The same input gives the same bytes.
package viz

import "encoding/json"

// Option is an ECharts option as JSON, without raw '<' and without NaN.
type Option = json.RawMessage

// Figure is a chart with its texts and its table.
type Figure struct {
	ID       string       // unique on a page, valid as an id attribute
	Title    string       // sentence case, without a full stop
	Sentence string       // description, with its numbers
	Finding  string       // of a study's figure: the part of Sentence with the result; "" = no number summarises it
	Label    string       // the finding, for a screen reader
	Option   Option       // the chart
	Head     []string     // of the data table
	Rows     [][]string   // of the data table, as wide as Head
	Legend   []LegendItem // empty if labels are in the chart
}

// LegendItem explains one mark or line; Series is its name in the option.
type LegendItem struct {
	Series string
	Text   string
	Mark   string // class of the line or mark in figures.css
	SVG    string // a small sample of the mark
}

// Axes fixes a chart's axes during dragging. For the zero value, or a pair with equal ends, the
// range is that of the data.
type Axes struct {
	X, Y [2]float64
}
