package templates

// Group shows the bands of a run as a hundred people each, before an audience.
type Group struct {
	URL     string
	End     string // back to the run
	Next    string // the scene of its nomogram, "" without one
	Counts  string // as the address has it
	Stamps  string
	Say     string
	Bands   []GroupBand
	Crowd   SVG // all of them as a hundred people
	Legend  []ReportMark
	Note    string
	Sliders []Slider
	Switch  Link // masks small counts, or shows them
}

// GroupBand is a band as a hundred people; without SVG print masks it.
type GroupBand struct {
	Name, Big, Of, Rows, Share, Came string
	Swatch, SVG                      SVG
}
