package viz

// Curve is one function over a panel's axis.
type Curve struct {
	ID    string // stays the same while the curve is steered
	Name  string // in the tooltip
	Label string // beside the line; "" = Name
	Mark  string // s1 steered, s2…s7, step, esc, ref0…: see strokes
	F     func(x float64) float64
	Kinks []float64 // where F bends or jumps
	Quiet bool      // no dot at the crosshair
}

// Panel is a chart of curves over one axis, frozen while a slider moves.
type Panel struct {
	ID, Title, Sentence, Label string

	Curves []Curve
	X, Y   [2]float64
	XName  string

	Cross     float64 // where the crosshair stands
	CrossName string  // its symbol, "" = z
	NoCross   bool
	Cap       *Rule  // a line across
	Flags     []Rule // short lines upwards from the axis to their Height
	Ranges    []Rule // shaded from At to To
	Dots      []Dot  // marks on the curves
	Inline    bool   // curves are named beside their line where there is room
	Short     bool   // 180 px instead of 340
}

// Rule is a line or a range with a word.
type Rule struct {
	At, To float64
	Height float64
	Text   string
	Mark   string // token of its ink, "" the accent
}

// Dot is a mark at a point.
type Dot struct {
	X, Y float64
	Mark string // token of its ink
	Text string
}

// stroke is how a line is drawn: token, dash, width.
type stroke struct {
	ink   string
	dash  any
	width any
}

// strokes are the marks of figures.css as ECharts draws them.
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
	"thin": {"@rule", "solid", 1.25},
	"c0l":  {"@c0", "solid", "@s1-width"},
	"c1l":  {"@c1", []int{6, 3}, "@s1-width"},
	"c0b":  {"@c0", []int{1, 3}, 1.5},
	"c1b":  {"@c1", []int{1, 3}, 1.5},
}
