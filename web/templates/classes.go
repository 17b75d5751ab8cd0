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
