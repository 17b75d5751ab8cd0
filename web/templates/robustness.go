package templates

// Robustness is the page that shows accuracy against label noise.
type Robustness struct {
	Form     *StudyGridForm // nil before an audience
	Progress *Progress
	Controls []Button
	Live     string
	Banner   *Banner
	Empty    *Empty
	Chart    *Chart
	Weights  RobustWeights
	Table    *Table
	Notes    []string
	Label    string // what the result is: stored or one's own
	More     []Button
	Scene    *RobustScene
}

// RobustWeights is what a model leaves the rows, at one rate of noise.
type RobustWeights struct {
	Title string
	Say   string
	Rates []View
	Model []View
	Chart *Chart
}

// RobustScene is one of the scenes before an audience.
type RobustScene struct {
	Number, Of int
	Prev, Next string // URLs, "" at the ends
	End        string // back to the page
}
