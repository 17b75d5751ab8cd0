package templates

// DataList is the page of all datasets, where files are uploaded and opened.
type DataList struct {
	Problem                                      *Banner // why the last form failed
	Loss                                         string  // chosen in the explorer, "" for none
	WithoutLoss, Upload, Paste, Generate, Sample string  // addresses
	Limits                                       string  // printed before an upload
	MaxBytes                                     string  // the same limit for the script, in bytes
	MaxText                                      string  // and in words
	Samples                                      []DataSample

	Generators    []Option
	GenRows, Seed string

	Datasets []DataItem
	Newer    string // URL of the page before this one, "" on the first
	Older    string // URL of the next page, "" on the last
}

// DataSample is a file that is part of the program.
type DataSample struct {
	Name, Description string
	URL               string // its dataset, "" if it was deleted
	File              string // its file name, to load it again
}

// DataItem is one line of the list.
type DataItem struct {
	ID, URL, Name string
	DeleteURL     string
	File          string // name of the uploaded file
	Chips         []Chip
	Rows, Size    string
	Outcome       string
	Runs          string
	Added         string // day and time
	AddedAt       string // the same in machine-readable form
	State         string
	Delete        Dialog
}

// Dataset is the page of one dataset. Its parts are replaced one by one after a form of the page was answered;
// DatasetParts names them.
type Dataset struct {
	URL               string // target of its forms
	Upload            string // target for a newer file
	Loss, WithoutLoss string // chosen in the explorer, "" for none; the address that drops it
	DeleteURL         string
	Stamps            string // stamps of the parts shown, so that only changes are sent
	All               string // URL of the page with every column, "" when all are shown
	Strong            string // result sentence, the bold part
	Rest              string // and the rest
	Problem           *Banner
	Facts             []Fact
	Storage           string // what is kept of the upload, and for how long
	File              string // URL to download what is kept
	Chips             []Chip

	Dialect []Control // empty when the uploaded file was deleted
	Fixed   string    // how the deleted file was read
	Preview DataPreview
	Outcome *DataOutcome // nil for a draft
	Columns []DataColumn
	More    string // number of columns not shown, in words
	Codes   *DataCodes
	Notices []Notice
	// MoreNotices are collapsed below the most serious ones.
	MoreNotices []Notice
	Open        string // "3 open", "" for none
	Bar         *DataBar
	Ask         *DataAsk // before the upload is deleted; nil where nothing is
	Delete      Dialog
	Rename      string // the name, to be changed
	Replaces    string // id, for a newer file that takes over the answers; "" for none
}

// Control is one part of the dialect: a drop-down, or with Text a field.
type Control struct {
	Choice
	Text  bool
	Value string
	Hint  string
}

// DataPreview is the start of the file as text.
type DataPreview struct {
	Lines string // "lines 2 – 21, 294 rows in all"
	Head  []PreviewHead
	Rows  []PreviewRow
	Note  string
	Draft bool // of a file that cannot be read: rows show their number of cells
}

// PreviewHead is a header of the preview.
type PreviewHead struct {
	Name string
	Off  bool // excluded from the model
	Num  bool
}

// PreviewRow is a row of the file; Bad is its error.
type PreviewRow struct {
	Line  string
	Cells []PreviewCell
	Bad   string
}

// PreviewCell is a cell as in the file.
type PreviewCell struct {
	Text    string
	Missing bool // read as missing
	Asked   bool // a question concerns it
}

// DataOutcome is the choice of the outcome.
type DataOutcome struct {
	Column Choice
	Event  *Choice     // two levels
	Levels []DataLevel // more than two
	Rate   string      // "106"
	Of     string      // "of 294 rows"
	Share  string      // "36.1 %"
	Bar    string      // SVG of the prevalence
	Others string      // rows that are not trained on, in words
	Hint   string      // what is missing before training
	Tasks  []Link      // tasks that use all levels
}

// DataLevel is one level of an outcome with more than two.
type DataLevel struct {
	Name, Rows string
	Role       Choice
}

// DataColumn is one line of the table of columns.
type DataColumn struct {
	Name      string
	Chips     []Chip
	Off       bool // excluded
	Outcome   bool
	Kind      string // its type, in a word
	Type      Choice
	TypeText  string // in place of Type when the file was deleted
	Missing   string
	Codes     string // missing codes of this column only
	Distinct  string
	Range     []string // its parts, which are not broken if there are two
	Histogram string   // SVG
	Role      Choice
}

// DataCodes adds missing codes to one column.
type DataCodes struct{ Columns []Option }

// DataAsk is the dialog that Stratify opens before the upload is deleted: the serious questions that nobody
// answered.
type DataAsk struct {
	Title, Text string
	Notices     []Notice // empty when all are answered
	Refused     string   // why nothing can be stratified now
	Shown       bool     // the page opens with it
}

// DataBar is the decision at the end of the page.
type DataBar struct {
	Asks         bool // Stratify opens the dialog of DataAsk first
	Strong, Rest string
	Note         string // what Stratify does to the upload
	Refused      string // why nothing can be stratified yet
	Stratify     string // URL when the columns are confirmed; "" means by a form
}
