package templates

import "github.com/a-h/templ"

// NextStep is a way on from a result.
type NextStep struct{ Label, URL, Say string }

// RunActions are the buttons beside the title of a run.
type RunActions struct {
	Main []Button // shown
	More []Button // behind the three dots
}

// RunAbout is what may change of a run.
type RunAbout struct {
	URL         string
	Name, Notes string
	Problem     string
}

// ScoreForm takes a file with new rows.
type ScoreForm struct {
	URL      string
	Gets     string // what the file gets: "score, band"
	Limits   string // printed before the upload
	MaxBytes string // the same for the script
	MaxText  string
	Needs    string // "4 columns"
	Columns  string // the columns a file needs
	Outcome  string // column that external validation needs
	Evaluate bool
	By       *Choice // column of the subgroups; nil for several classes
	Problem  string  // why the last file was refused
}

// Scored is what came of a file.
type Scored struct {
	File         string // name of the file that comes back
	Strong, Rest string
	Bands        []ScoredBand
	Issues       []string // "age outside the training range: 2 rows"
	First        Table
	Behind       Table       // what the model says of rows outside the data
	Evaluation   *Evaluation // external validation, when it was asked for
	Again        string      // URL to send the file again: without scripts it is not at hand any more
}

// ScoredBand is the number of rows of one band.
type ScoredBand struct {
	Swatch            SVG
	Name, Rows, Share string
}

// Evaluation is an external validation.
type Evaluation struct {
	Title        string
	Refused      string // why it is no external validation
	Report       string // URL of its report; "" when nothing was kept
	Kept         string // what was
	Strong, Rest string
	Parts        []templ.Component // tables, statistics and figures
	Notices      []Notice
}

// PatientForm asks for one row.
type PatientForm struct {
	URL    string
	Note   string
	Ask    string // label of the button
	Fields []PatientField
	Answer *PatientAnswer // nil until asked
}

// PatientField is one column of the model: an Input, or a Choice where it has
// levels.
type PatientField struct {
	Input  *Input
	Choice *Choice
}

// PatientAnswer is the band of one row.
type PatientAnswer struct {
	Problem      string // why there is no answer
	Strong, Rest string
	Scale        SVG
	Facts        []Fact
	Warnings     []string
	Behind       *PatientAnswer // outside the data: what the model says all the same
}
