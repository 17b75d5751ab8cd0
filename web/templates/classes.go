package templates

// Classes is what a run of several classes found.
type Classes struct {
	Strong, Rest string
	Open         []Notice // harmful questions nobody answered
	Notices      []Notice
	Facts        []Fact // the task's figures
	Confusion    SVG
	Table        Table // the confusion matrix
	PerClass     Table
	Beside       Table
	Say          string // how the rows were judged
	Figures      []Chart
	Starts       *Starts // where the starts of a fit that is not convex led
	Coefficients *Table
	Predictors   Table // by class
	Flow         Table
	Fit          []Fact
}

// Several is the page /stratify/{dataset} for tasks without an event: controls
// beside a result.
type Several struct {
	URL, Live, Save string
	Panel           SeveralPanel
	Problem         string
	Result          *Classes
	Progress        *Progress
	Empty           *Empty
}

// SeveralPanel is the column of controls.
type SeveralPanel struct {
	Hidden   []Field
	Shape    string // what decides which controls there are
	Task     Choice
	TaskNote string
	Outcome  Choice
	Bins     *Choice // a number as the outcome
	BinsBy   *Choice
	Order    []LevelPlace
	Loss     Choice
	Kind     Choice
	Features *Choice
	Selects  []Choice // settings of the loss
	Sliders  []Slider
	Costs    *CostGrid
	Note     string
	L2       Choice
	Lambda   *Slider
	Noise    NoisePanel
	Folds    Choice
	Seed     Input
	Errors   []string
}

// LevelPlace is a level at its place in the order; Up moves it before the last.
type LevelPlace struct {
	Name, Rows, Up string
}

// CostGrid edits what each answer costs where a class is true.
type CostGrid struct {
	Columns []string // true classes
	Rows    []CostRow
}

// CostRow is one answer.
type CostRow struct {
	Name   string
	Values []string
}
