package templates

import "github.com/a-h/templ"

// NextStep is a next step after a result.
type NextStep struct{ Label, URL, Say string }

// RunActions are the buttons beside the title of a run.
type RunActions struct {
	Main []Button // shown
	More []Button // in the menu
}

// RunAbout are the changeable fields of a run.
type RunAbout struct {
	URL         string
	Name, Notes string
	Problem     string
}

// ScoreForm is the form for a file of new rows.
type ScoreForm struct {
	URL      string
	Gets     string // columns added to the file: "score, band"
	Limits   string // printed before the upload
	MaxBytes string // the same limit for the script
	MaxText  string
	Needs    string // "4 columns"
	Columns  string // the columns a file needs
	Outcome  string // column needed for external validation
	Evaluate bool
	By       *Choice // column of the subgroups; nil for several classes
	Problem  string  // why the last file was refused
}

// Scored is the summary of a scored file.
type Scored struct {
	File         string // name of the returned file
	Strong, Rest string
	Bands        []ScoredBand
	Issues       []string // "age outside the training range: 2 rows"
	First        Table
	Behind       Table       // predictions for rows outside the training data
	Evaluation   *Evaluation // external validation, if requested
	Answers      bool        // Bands are the answers of a multiclass model
	Again        string      // URL to upload the file again, needed without scripts
}

// Sorted is what the rows are counted by: bands, or the answers of a multiclass model.
func (s Scored) Sorted() string {
	if s.Answers {
		return "Answer"
	}
	return "Band"
}

// ScoredBand is the number of rows of one band.
type ScoredBand struct {
	Band              int // from 1; 0 = none
	Swatch            SVG
	Name, Rows, Share string
}

// Evaluation is an external validation.
type Evaluation struct {
	Title        string
	Refused      string // why it is no external validation
	Report       string // URL of its report; "" if it was not stored
	Kept         string // what was stored
	Strong, Rest string
	Parts        []templ.Component // tables, statistics and figures
	Notices      []Notice
}

// PatientForm is the form for one patient.
type PatientForm struct {
	URL    string
	Note   string
	Ask    string // label of the button
	Fields []PatientField
	Answer *PatientAnswer // nil before the first prediction
}

// PatientField is one column of the model: an Input, or a Choice for a categorical one.
type PatientField struct {
	Input  *Input
	Choice *Choice
}

// PatientAnswer is the predicted band of one patient.
type PatientAnswer struct {
	Problem      string // why there is no prediction
	Band         int    // predicted, from 1; 0 = none
	Strong, Rest string
	Scale        SVG
	Facts        []Fact
	Warnings     []string
	Behind       *PatientAnswer // for a patient outside the training data: the prediction shown on demand
}
