package templates

// Compare stands above runs that are held against each other.
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
	At         string // its place on a chart's axis, where a chart leads to it
}

// CompareHead names a run by the mark of its lines.
type CompareHead struct{ Name, URL, Mark string }

func (h CompareHead) legend() LegendEntry { return LegendEntry{Mark: h.Mark} }

// CompareSurfaces are the runs' planes side by side, with one legend.
type CompareSurfaces struct {
	Across, Up *Choice // nil where there is nothing to choose
	Hidden     []Field
	Ramp       bool // some run shows probabilities
	Scale      SVG  // of these
	Legend     []LegendEntry
	Runs       []CompareSurface
}

// CompareSurface is the plane of a run.
type CompareSurface struct {
	Head       CompareHead
	Drawing    SVG
	Label      string // what a screen reader says
	Across, Up string
	Table      Table
}
