package viz

// Curve is a function drawn in a panel.
type Curve struct {
	ID    string // unchanged while its parameters change
	Name  string // for the tooltip
	Label string // next to the line; "" = Name
	Mark  string // s1 = active, s2…s7, step, esc, ref0…: see strokes
	F     func(x float64) float64
	Kinks []float64 // points at which F has a kink or a jump
	Quiet bool      // without a dot at the crosshair
}

// Panel is a chart of curves with a fixed axis, so that it does not rescale while a slider
// moves.
type Panel struct {
	ID, Title, Sentence, Label string

	Curves []Curve
	X, Y   [2]float64
	XName  string

	Cross     float64 // position of the crosshair
	CrossName string  // symbol of the axis; "" = z
	NoCross   bool
	Cap       *Rule  // horizontal line
	Flags     []Rule // short lines upwards from the axis to their Height
	Ranges    []Rule // shaded from At to To
	Dots      []Dot  // marked points on the curves
	Inline    bool   // curves are labelled next to their line where there is room
	Short     bool   // 180 px high instead of 340
}

// Rule is a line or a range with a label.
type Rule struct {
	At, To float64
	Height float64
	Text   string
	Mark   string // design token; "" = accent
}

// Dot is a marked point.
type Dot struct {
	X, Y float64
	Mark string // design token
	Text string
}

// stroke is the style of a line: design token, dash, width.
type stroke struct {
	ink   string
	dash  any
	width any
}

// strokes are the marks of figures.css in ECharts' terms.
var strokes = map[string]stroke{
	"s1":   {"@s1", "solid", "@s1-width"},
	"s2":   {"@s2", "@s2-dash", "@s-width"},
	"s3":   {"@s3", "@s3-dash", 2.25},
	"s4":   {"@s4", "@s4-dash", "@s-width"},
	"s5":   {"@s5", "@s5-dash", "@s-width"},
	"s6":   {"@s6", "@s6-dash", "@s-width"},
	"s7":   {"@s7", "@s7-dash", "@s-width"},
	"step": {"@ink-3", "solid", 1.25},
	"esc":  {"@s1", []int{4, 2}, 1.5},
	"ref0": {"@ink-2", []int{1, 2}, 1.25},
	"ref1": {"@ink-2", []int{8, 2, 1, 2}, 1.25},
	"ref2": {"@ink-3", []int{3, 3}, 1.25},
	"thin": {"@edge", "solid", 1.25},
	"c0l":  {"@c0", "solid", "@s1-width"},
	"c1l":  {"@c1", []int{6, 3}, "@s1-width"},
	"c0b":  {"@c0", []int{1, 3}, 1.5},
	"c1b":  {"@c1", []int{1, 3}, 1.5},
}
