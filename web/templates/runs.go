package templates

import "slices"

// RunList is the page of all runs.
type RunList struct {
	Filter  RunFilter
	Columns []Column // heads with their sort links, in the order of the cells
	Runs    []RunItem
	Shown   string // "1 – 15 of 15"
	Note    string // meaning of bold numbers, "" without any
	Prev    string // URLs of the previous and next page, "" at the ends
	Next    string
	CSV     string   // all runs of the filter as a file
	Back    string   // this page, to return to after a deletion
	Also    []string // ids selected on other pages of the list
	Most    int      // runs that can be compared
	Empty   *Empty   // in place of the table
}

// selected reports whether a run is selected, here or on another page.
func (v RunList) selected() bool {
	return len(v.Also) > 0 || slices.ContainsFunc(v.Runs, func(r RunItem) bool { return r.On })
}

// RunFilter is the form above the list; its state is the query of the address.
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
	Chip          *Chip  // further important information; nil for none
	Sub           string // data and loss in short, for narrow screens
	Saved         string // "today 09:41"
	SavedAt       string // machine-readable
	SavedTitle    string // the whole date in UTC
	Data, DataURL string
	Hash          string // start of the data's hash
	Loss          string // with Bounds
	Bounds        string
	Rows          string
	Statistics    []Cell // of the columns in the middle
	Bands, Fit    string
	On            bool   // selected
	Ask           string // URL of the confirmation before deletion
}
