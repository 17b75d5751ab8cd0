package templates

// EvaluationTools stand around the sheet of an external validation and are not
// printed.
type EvaluationTools struct {
	URL     string // of the page
	Run     Link   // whose model was evaluated
	Name    Input
	Moves   []Button // runs with recalibrated risks, by the numbers of this validation
	Say     string   // what they do, or why there are none
	ForRate bool     // another prevalence can be asked for
}

// Externals lists the external validations of a run.
type Externals struct {
	Say   string
	Table *Table // nil without
}
