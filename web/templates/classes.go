package templates

// LevelPlace is a level with its place in the order; Up moves it up by one.
type LevelPlace struct {
	Name, Rows, Up string
}

// CostGrid is the editor of the cost of each answer for each true class.
type CostGrid struct {
	Columns []string // true classes
	Rows    []CostRow
}

// CostRow is one answer.
type CostRow struct {
	Name   string
	Values []string
}
