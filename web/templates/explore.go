package templates

import (
	"context"
	"io"
	"slices"

	"github.com/a-h/templ"
)

// Explore is the loss explorer. Every number arrives as text.
type Explore struct {
	Keep     string // what the first live request carries along
	URL      string // canonical address
	Family   string // its id, also its help topic
	Families []Option
	View     string
	Views    []Option
	Problem  string // what of the address could not be used

	Shape   []ExploreControl // sliders and choices of the family, in order
	Compare *ExploreCompare
	Pins    *ExplorePins

	Lead, More []ExploreChart // charts; Lead comes before the controls on a narrow screen
	Third      []Option       // what the third chart shows, nil without a choice

	Regime   ExploreRegime
	Cross    *ExploreCross
	Formula  ExploreFormula
	Where    *ExploreWhere
	Readout  Table
	Tables   []Table // instead of charts
	Presets  []PresetGroup
	Hidden   []Field // state without a control
	Sentence templ.Component
}

// ExploreControl is one slider or one choice of the control column.
type ExploreControl struct {
	Slider *Slider
	Choice *Choice // a drop-down; a change loads the page again
	Links  []Link  // templates of boundaries and the like
	Title  string  // over Links
	On     string  // label of the link that is on
	Button bool    // the links are buttons
	Help   string  // topic of the control
}

// ExploreCompare is the list of losses to compare with.
type ExploreCompare struct {
	Options []CompareOption
}

// CompareOption is one of them.
type CompareOption struct {
	Value, Label, Mark string
	On                 bool
}

// ExplorePins are the curves kept while another is steered.
type ExplorePins struct {
	Pins []ExplorePin
	Most int
	Add  string // URL that keeps the present curve, "" when it is one or there are enough
	Full bool
}

// ExplorePin is one kept curve.
type ExplorePin struct{ Name, Mark, Remove string }

// ExploreChart is a chart with its place.
type ExploreChart struct {
	Chart
	Half   bool   // half a row
	Drag   string // what dragging in the plot sets: "z" or "psi"
	Inline bool   // names stand in the plot where there is room; the legend is for narrow screens
}

// ExploreRegime names what kind of function the loss is.
type ExploreRegime struct {
	Title string
	Chips []Chip
	Text  string
}

// ExploreCross is the readout at the crosshair.
type ExploreCross struct {
	Slider Slider
	Table  Table
	Title  string
}

// ExploreFormula is the formula with its live numbers.
type ExploreFormula struct {
	Lines []Math
	Note  string
	Link  Link
}

// ExploreWhere is a small map of the parameters.
type ExploreWhere struct {
	Title string
	Map   SVG
	Table *Table
	Text  string
}

// PresetGroup are the figures of one paper.
type PresetGroup struct {
	Title string
	Links []Preset
}

// Preset is one figure, a click away.
type Preset struct {
	Label, Note, URL string
	On               bool
}

// Door leads from here to another page.
type Door struct{ Title, Text, To string }

// Math is a formula in MathML, written by the program: names and numbers in it
// are escaped. Nothing else may become one.
type Math string

// halves reports whether the charts stand side by side.
func halves(charts []ExploreChart) bool { return len(charts) > 1 && charts[0].Half }

// Mixed is a sentence: words, and between them the parts that are set in bold.
func Mixed(words, strong []string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		for i, text := range words {
			if _, err := io.WriteString(w, templ.EscapeString(text)); err != nil {
				return err
			}
			if i < len(strong) {
				if _, err := io.WriteString(w, "<strong>"+templ.EscapeString(strong[i])+"</strong>"); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// anyOn reports whether the page shows one of the presets.
func anyOn(groups []PresetGroup) bool {
	return slices.ContainsFunc(groups, func(g PresetGroup) bool {
		return slices.ContainsFunc(g.Links, func(p Preset) bool { return p.On })
	})
}
