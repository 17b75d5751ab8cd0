package templates

import "github.com/a-h/templ"

// Section is a part of a page of results.
type Section struct {
	ID, Title, Say string
	Label          string // names one without a title to a screen reader
	Lower          bool   // its title is one level below
	Class          string
	Number         string // of a report: "3", "Appendix A"
	Parts          []templ.Component
}

// CheckForm asks for the refits of a run.
type CheckForm struct {
	URL        string
	Replicates string
	Again      bool   // there is an answer already
	Problem    string // why the last one has none
	Workers    string // queue to which the rows may go; "" = none
}

// SubgroupForm asks for a column.
type SubgroupForm struct {
	URL    string
	Choice Choice
}
