// Package viz turns results into pictures: chart options for the browser and
// SVG for the report.
//
// Every number is worked out here; the browser draws what it is told. A chart
// is never alone: a Figure carries the sentence that says what is seen, a label
// that states the finding for a screen reader, and the numbers as a table.
// Colour is never the only carrier, so groups and bands differ in dash or
// symbol too.
//
// Conventions: a colour in an option is the name of a design token ("@s1"),
// which the browser resolves for its theme; SVG takes classes of
// components.css and no style attributes. Names that come from a file are
// escaped where SVG is written and disarmed where an option is (a leading "@"
// would be taken for a token). The same input gives the same bytes.
package viz

import "encoding/json"

// Option is an ECharts option as JSON. It holds no raw '<' and no NaN.
type Option = json.RawMessage

// Figure is a chart with everything that must stand beside it.
type Figure struct {
	ID       string       // unique on a page, fit for an id attribute
	Title    string       // sentence case, no final stop
	Sentence string       // what is seen, with its numbers
	Finding  string       // of a study's figure: the part of Sentence that answers; "" = no number sums it up
	Label    string       // the finding, for a screen reader
	Option   Option       // the chart
	Head     []string     // of the data table
	Rows     [][]string   // of the data table, as wide as Head
	Legend   []LegendItem // empty when labels stand in the chart
}

// LegendItem explains one mark or line; Series is the name it has in the option.
type LegendItem struct {
	Series string
	Text   string
	Mark   string // class of the line or mark in figures.css
	SVG    string // a small sample of the mark
}

// Axes freezes a chart's axes while something is dragged. The zero value lets
// the numbers decide; so does a pair whose ends are equal.
type Axes struct {
	X, Y [2]float64
}
