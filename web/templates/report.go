package templates

// Report is the printable record of a run. The page and the file are the same
// sheet.
type Report struct {
	Run      string // id, for the links around the sheet
	Title    string
	Facts    []Fact    // run, date, file, …
	Use      string    // what it is for, and what not
	Summary  []Section // on the first page; none of reports that were kept before there was one
	Sections []Section // by their numbers, appendices last
	Foot     []string
	Kept     bool   // its data are gone
	File     string // address of the report as one file
	Counts   Link   // to the report with small counts shown, or masked; none of a kept one
}

// Fact is a short label and its value.
type Fact struct {
	Label, Value string
	Mono         bool // ids and hashes
}

// ReportCount is one station of the row flow.
type ReportCount struct {
	Count string
	Lines []string
}

// ReportFigure is a picture with the sentence that says what it shows.
type ReportFigure struct {
	Title, Say string
	Place      string // id of the element around a chart
	SVG        string
	Table      *Table // in place of the drawing
	Chart      *Chart // in place of all else
	Legend     []ReportMark
}

// ReportMark explains a mark of a figure.
type ReportMark struct{ SVG, Text string }

// ReportIcon is a band as a hundred people; SVG is "" where counts are masked.
type ReportIcon struct{ Name, Text, SVG string }
