package templates

// EvaluationTools are the actions below the report of an external validation; they are not printed.
type EvaluationTools struct {
	URL     string // of the page
	Run     Link   // whose model was evaluated
	Name    Input
	Moves   []Button // runs with recalibrated risks, by the numbers of this validation
	Say     string   // their effect, or why there are none
	ForRate bool     // another prevalence can be entered
}

// Externals lists the external validations of a run.
type Externals struct {
	Say   string
	Table *Table // nil without
}
