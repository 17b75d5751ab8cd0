package templates

// Compare is the page that holds runs against each other. Runs stand in the
// order of Heads, the baseline first.
type Compare struct {
	Views   []View // "Differences only", "Everything"
	Base    Choice // of the baseline
	Hidden  []Field
	Notices []Notice
	Heads   []CompareHead
	Corner  string // head of the first column
	Rows    []CompareRow
	Same    string // what is the same and hidden
	Note    string
	Figures []Slot

	Surfaces *CompareSurfaces // nil without a plane

	Bands []CompareBands
	Moves []CompareMoves
	Terms *Table // nil where no run has coefficients
}

// View is a link to another state of the page.
type View struct {
	Label, URL string
	On         bool
	At         string // its place on a chart's axis, where a chart leads to it
}

// CompareHead names a run by the mark of its lines.
type CompareHead struct {
	Name, URL, Mark string
	Base            bool
}

func (h CompareHead) legend() LegendEntry { return LegendEntry{Mark: h.Mark} }

// CompareRow is a setting or a metric. Formula is set for ℓ_π.
type CompareRow struct {
	Label   string
	Formula bool
	Arrow   string // "↑", "↓", "→ 1": which value is the better one
	Spoken  string // the same in words
	Cells   []CompareCell
}

// CompareCell is a run's value, and how far it is from the baseline's.
type CompareCell struct {
	Text    string
	Delta   string
	CI      string // 95 % of the paired difference
	Verdict string // "better", "worse", "not clear", ""
	Wrap    bool   // a text that may break
}

func (c CompareCell) tone() string {
	switch c.Verdict {
	case "better", "worse":
		return c.Verdict
	}
	return "muted"
}

// CompareSurfaces are the runs' planes beside each other, with one legend.
type CompareSurfaces struct {
	Title, Say string
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

// CompareBands are the strata of runs that share their boundaries.
type CompareBands struct {
	Heads []CompareHead
	Rows  []CompareBand
}

// CompareBand is a band in each of these runs.
type CompareBand struct {
	Name   string
	Swatch SVG
	Cells  []StrataBand
}

// CompareMoves is who changed band between the baseline and a run.
type CompareMoves struct {
	ID, Title string
	Why       string // why there is no table
	Sides     []MoveTable
}

// MoveTable counts the events or the other rows by band before and after.
type MoveTable struct {
	Title, N           string
	From, To           string // names of the two runs
	By                 string // what they moved by, "" = band
	Bands              []MoveBand
	Right, Wrong, Stay string // "65 moved the right way"
	Net                string // the share that moved up less the share that moved down
}

// MoveBand is a line: a band of the baseline.
type MoveBand struct {
	Name   string
	Swatch SVG
	Cells  []MoveCell
	All    string
}

// MoveCell is a number of rows; Kind is "stay", "better", "worse" or "".
type MoveCell struct{ Text, Kind, Spoken string }

func moveBy(t MoveTable) string {
	if t.By == "" {
		return "band"
	}
	return t.By
}
