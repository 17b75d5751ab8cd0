package templates

// StudyList is the page of all studies: the papers' figures and tables, and the
// user's own.
type StudyList struct {
	Views          []View // the list, and the results that did not replicate
	Paper, Verdict Choice
	Note           string // explains the columns
	Clear, Count   string // without the filter; "12 of 44", both "" while nothing is chosen
	Rows           []StudyRow
	UserStudies    []StudyItem
	Total          string // "1 – 6 of 60", "" for one page
	Prev           string
	Next           string
}

// StudyRow is a figure or table that can be reproduced, with its variants.
type StudyRow struct {
	Title, URL       string // of its page: the stored result, or the form
	Picture, Finding string // address of its small drawing, "" without; its description
	Figure, Paper    string
	Variants         []Link // "" = Figure has the name
	Number           string // one number, published and ours; "" = none
	Reference, Ours  string
	Verdict          *Chip  // on its published numbers
	Claims           Link   // to claims of the paper that did not replicate
	Preset, Form     string // preset that the button runs, and the form that it belongs to
}

// NotReplicated is the page of results that did not replicate.
type NotReplicated struct {
	Views  []View
	Claims []StudyDifference // claims of a paper that did not replicate as stated
	Values []StudyDifference // published numbers from which ours differ
}

// StudyDifference is a published statement with our result.
type StudyDifference struct {
	ID               string // of the preset, on its first row
	Figure, Title    string
	URL, Paper       string
	Claim, Ours, Why string
}

// StudyItem is a line of the user's own studies.
type StudyItem struct {
	URL, Name, Sub       string
	Status               Chip
	Done                 string // "12 of 140"
	Percent              float64
	Open                 bool // running or queued
	Made, MadeAt, Worked string
	Control              Button // pauses or resumes it
	Ask                  string // URL of the confirmation before deletion
}

// StudyForm starts a study: a preset in a size, or a grid of one's own.
type StudyForm struct {
	Preset  *StudyPresetForm
	Grid    *StudyGridForm
	Problem *Banner
	Helpers *StudyHelpers // nil: no other machine may help
}

// StudyHelpers are other machines that may compute a study.
type StudyHelpers struct {
	Queue   string // address, to which the rows of an upload may go
	Classes Choice // of processors to which it can be held
}

// StudyPresetForm are the open choices of a preset.
type StudyPresetForm struct {
	ID, Name, Seed string
	Protocol       string
	Sizes          Choice
	Data           *Choice // choice of an upload in place of the preset's data
	AsGrid         string  // URL of the preset as a grid, "" if it is none
}

// StudyGridForm is a grid of data, models and noise.
type StudyGridForm struct {
	Name, Rows, Rates   string
	Params              string // of the generator
	Replicates, Test    string
	Boundaries          string // of the bands, for the interval loss
	Seed                string
	Data, Noise, Metric Choice
	Models              []Choice // by kind
	More                string   // further models, one per line
}

// Study is the report of a study, stored or one's own.
type Study struct {
	Live          string // address of partial results while it runs
	Progress      *Progress
	Controls      []Button // beside the progress
	Banner        *Banner
	Empty         *Empty
	Body          []Section
	ExternalModel *StudyExternalModel // nil if the study allows none, or is not done
	Protocol      []string
	Facts         []Fact
	Redo          StudyRedo
	Files         []Button
}

// StudyExternalModel takes the predictions of another program's method.
type StudyExternalModel struct {
	Title, Text, Columns string
	Rows                 string // where the rows come from
	To                   string
}

// StudyRedo is the command that repeats the study.
type StudyRedo struct{ Say, Call string }
