package templates

// Group shows the bands of a run as a hundred people each, to an audience.
type Group struct {
	URL         string
	End         string // back to the run
	Next        string // the scene of its nomogram, "" without one
	Counts      string // as in the address
	Stamps      string
	Say         string
	Bands       []GroupBand
	Whole       string // says what the crowd is
	Crowd       SVG    // the whole group as a hundred people
	CrowdNarrow SVG    // the same for a narrow screen
	Legend      []GroupMark
	Note        string
	Open        string // questions about the data that were left open, "" for none
	Sliders     []Slider
	Switch      Link // masks or shows small counts
}

// GroupBand is a band as a hundred people; SVG is "" where its count is masked.
type GroupBand struct {
	Name, Big, Of, Rows, Share, Came string
	Swatch, SVG                      SVG
}

// GroupMark explains a mark. An absent one keeps its place, so that nothing moves under a slider when it appears.
type GroupMark struct {
	SVG, Text string
	Absent    bool
}
