package templates

// Report is the printable record of a run, on a page or as a file.
type Report struct {
	Run      string // id, for the links around the report
	Title    string
	Facts    []Fact    // run, date, file, …
	Use      string    // intended use, and limits of use
	Summary  []Section // first page; empty for kept reports of early versions
	Sections []Section // numbered; appendices last
	Foot     []string
	Kept     bool   // its data were deleted
	File     string // address of the report as one file
	Counts   Link   // report with small counts shown, or masked; zero for a kept report
}

// Fact is a short label and its value.
type Fact struct {
	Label, Value string
	Mono         bool // ids and hashes
}

// ReportCount is one step of the row flow.
type ReportCount struct {
	Count string
	Lines []string
}

// ReportFigure is a figure with its caption.
type ReportFigure struct {
	Title, Say string
	Place      string // id of the element around a chart
	SVG        string
	Table      *Table // in place of the drawing
	Chart      *Chart // in place of everything else
	Legend     []ReportMark
}

// ReportMark explains a mark of a figure.
type ReportMark struct{ SVG, Text string }

// ReportIcon is a band as a hundred people; SVG is "" where its count is masked.
type ReportIcon struct {
	Name, Text, SVG string
	Band            int // see Cell
}
