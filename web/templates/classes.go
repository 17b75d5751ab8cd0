package templates

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
