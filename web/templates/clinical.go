package templates

import "github.com/a-h/templ"

// ClinicalSection is one part of the statistics on a run's page.
type ClinicalSection struct {
	ID, Title, Say string
	Parts          []templ.Component
}

// CheckForm asks for the refits of a run.
type CheckForm struct {
	URL        string
	Replicates string
	Again      bool   // there is an answer already
	Problem    string // why the last one has none
}

// SubgroupForm asks for a column.
type SubgroupForm struct {
	URL    string
	Choice Choice
}
