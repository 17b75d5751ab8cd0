package templates

// RunList is the page of all runs.
type RunList struct {
	Filter  RunFilter
	Columns []Column // Sort and Sorted are the links of the heads; same order as the cells
	Runs    []RunItem
	Shown   string // "1 – 15 of 15"
	Note    string // what bold means, "" when nothing is bold
	Prev    string // URLs of the pages beside, "" at the ends
	Next    string
	CSV     string   // all runs of the filter as a file
	Back    string   // this page, where a deletion returns
	Also    []string // ids ticked on another page of the list
	Most    int      // runs that can be compared
	Empty   *Empty   // stands for the table
}

// RunFilter is the form above the list; its state is the query of the URL.
type RunFilter struct {
	Query                string
	Data, Status, Losses Choice
	Hidden               []Field // the sorting, which a new filter keeps
	Clear                string  // URL without the filter, "" when there is none
}

// RunItem is one line of the list.
type RunItem struct {
	ID, URL, Name string
	Status        *Chip  // nil when done
	Chip          *Chip  // what else is to be known; nil for nothing
	Sub           string // data and loss in short, for narrow screens
	Saved         string // "today 09:41"
	SavedAt       string // for machines
	SavedTitle    string // the whole date in UTC
	Data, DataURL string
	Hash          string // start of the data's hash
	Loss          string // with Bounds
	Bounds        string
	Rows          string
	Statistics    []Cell // of the columns in the middle
	Bands, Fit    string
	On            bool   // ticked
	Ask           string // URL of the question before it is deleted
}
