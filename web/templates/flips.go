package templates

// Flips is a state of /stratify with the labels as recorded, and beside it with label noise.
type Flips struct {
	URL, Back    string
	Fields       []Field // the rest of the state
	Noise        NoisePanel
	Seed         Input
	Stamps       string
	Strong, Rest string
	Tables       [2]FlipTable
	Progress     *Progress // while either is computed
}

// FlipTable is one of the two.
type FlipTable struct {
	Title, Say string
	Table      Table
}
