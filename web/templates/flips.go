package templates

// Flips compares a state of /stratify with the same state under label noise.
type Flips struct {
	URL, Back    string
	Show         string  // the same for an audience
	End          string  // where that ends; "" on the page with controls
	Fields       []Field // the rest of the state
	Noise        NoisePanel
	Draw         *Input // nil where the noise is not random
	Stamps       string
	Strong, Rest string
	Draws        string // what stands for the summary of the draws before it is known
	Note         string // how both tables were evaluated
	Tables       [2]FlipTable
	Progress     *Progress // while one of them is computed
}

// FlipTable is one of the two.
type FlipTable struct {
	Title, Say string
	Table      Table
}
