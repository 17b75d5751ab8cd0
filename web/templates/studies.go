package templates

// StudyList is the page of all studies: the papers' figures and tables, and the
// user's own.
type StudyList struct {
	Views          []View // all, and what did not replicate
	Paper, Verdict Choice
	Clear, Count   string // without the filter; "12 of 44", both "" while nothing is chosen
	Rows           []StudyRow
	UserStudies    []StudyItem
	Total          string // "1 – 6 of 60", "" for one page
	Prev           string
	Next           string
}

// StudyRow is a figure or table that can be redone, with its variants.
type StudyRow struct {
	Title, URL       string // of its page: the stored result, or what it would be
	Picture, Finding string // address of its small drawing, "" without; what stands for it
	Figure, Paper    string
	Variants         []Link // "" = Figure names it
	Number           string // one number of it, as printed and as we have it; "" = none is
	Reference, Ours  string
	Verdict          *Chip  // of its reference numbers
	Claims           Link   // to what the paper says and does not hold
	Preset, Form     string // what the button runs, and the form that it belongs to
}

// NotReplicated is the page of what did not replicate.
type NotReplicated struct {
	Views  []View
	Claims []StudyDifference // of a paper that do not hold as stated
	Values []StudyDifference // reference numbers that ours differ from
}

// StudyDifference is what a paper says beside what we have.
type StudyDifference struct {
	ID               string // of the preset, on its first line
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
	Open                 bool // under way
	Made, MadeAt, Worked string
	Control              Button // pauses it, or goes on
	Ask                  string // question before it is deleted
}

// StudyForm starts a study: a preset in a size, or a grid of one's own.
type StudyForm struct {
	Preset  *StudyPresetForm
	Grid    *StudyGridForm
	Problem *Banner
}

// StudyPresetForm is the little that a preset leaves open.
type StudyPresetForm struct {
	ID, Name, Seed string
	Protocol       string
	Sizes          Choice
	Data           *Choice // where an upload may take the place of its data
	AsGrid         string  // URL of the same as a grid, "" where it is none
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
	More                string   // further models, one a line
}

// Study is the report of a study, stored or one's own.
type Study struct {
	Live          string // where partial results come from while it runs
	Progress      *Progress
	Controls      []Button // beside the progress
	Banner        *Banner
	Empty         *Empty
	Body          []Section
	ExternalModel *StudyExternalModel // nil where no other program has a place, or the study is not done
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

// StudyRedo is the call that runs the study again.
type StudyRedo struct{ Say, Call string }
