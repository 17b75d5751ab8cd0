package templates

// Compare are the controls above the runs compared.
type Compare struct {
	Views   []View // "Differences only", "Everything"
	Base    Choice // of the baseline
	Hidden  []Field
	Notices []Notice
}

// View is a link to another state of the page.
type View struct {
	Label, URL string
	On         bool
	At         string // position on a chart's axis, if a chart leads to it
}

// CompareHead is the name of a run with its line style.
type CompareHead struct{ Name, URL, Mark string }

func (h CompareHead) legend() LegendEntry { return LegendEntry{Mark: h.Mark} }

// CompareSurfaces are the runs' planes side by side, with one legend.
type CompareSurfaces struct {
	Across, Up *Choice // nil if there is no choice
	Hidden     []Field
	Ramp       bool // some run shows probabilities
	Scale      SVG  // colour scale of probabilities
	Legend     []LegendEntry
	Runs       []CompareSurface
}

// CompareSurface is the plane of a run.
type CompareSurface struct {
	Head       CompareHead
	Drawing    SVG
	Label      string // description for screen readers
	Across, Up string
	Table      Table
}
