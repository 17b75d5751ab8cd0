package templates

import "github.com/a-h/templ"

// Section is a part of a page of results.
type Section struct {
	ID, Title, Say string
	Label          string // name for screen readers if it has no title
	Lower          bool   // its title is one level lower
	Class          string
	Number         string // of a report: "3", "Appendix A"
	Parts          []templ.Component
}

// CheckForm is the form that starts the bootstrap of a run.
type CheckForm struct {
	URL        string
	Replicates string
	Again      bool   // there is a result
	Problem    string // why the last one failed
	Workers    string // queue of workers that may receive the rows; "" = none
}

// PickForm is a menu whose answer is in the address of the page.
type PickForm struct {
	URL    string
	Choice Choice
	Button string
	Keep   []Field // other parts of the address
}
