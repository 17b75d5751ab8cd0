package templates

import (
	"context"
	"io"
	"slices"

	"github.com/a-h/templ"
)

// Explore is the loss explorer. Every number arrives as text.
type Explore struct {
	Keep     string // data for the first live request
	Stamps   string // of the parts and charts, as JSON
	URL      string // canonical address
	Family   string // its id, also its help topic
	Families []Option
	View     string
	Views    []Option
	Problem  string // parameters of the address that could not be used

	Shape   []ExploreControl // sliders and choices of the family, in order
	Compare *ExploreCompare
	Pins    *ExplorePins

	Lead, More []ExploreChart // charts; Lead comes before the controls on a narrow screen
	Third      []Option       // choices of the third chart, nil without a choice

	Regime   ExploreRegime
	Cross    *ExploreCross
	Formula  ExploreFormula
	Where    *ExploreWhere
	Readout  Table
	Tables   []Table // in place of charts
	Presets  []PresetGroup
	Hidden   []Field // state without a control
	Sentence templ.Component
}

// ExploreControl is one slider or one choice of the control column.
type ExploreControl struct {
	Slider *Slider
	Choice *Choice // a list; a change reloads the page
	Links  []Link  // templates of boundaries and the like
	Title  string  // over Links
	On     string  // label of the active link
	Button bool    // the link is a button, of this ID
	ID     string
	Else   string // id of what takes the focus if there is no such button any more
	Help   string // topic of the control
}

// ExploreCompare is the list of losses for comparison.
type ExploreCompare struct {
	Options []CompareOption
}

// CompareOption is one of them.
type CompareOption struct {
	Value, Label, Mark string
	On                 bool
}

// ExplorePins are the curves kept while another is changed.
type ExplorePins struct {
	Pins []ExplorePin
	Most int
	Add  string // URL that pins the present curve, "" if it is pinned or there are enough
	Full bool
}

// ExplorePin is a pinned curve.
type ExplorePin struct{ Name, Mark, Remove string }

// ExploreChart is a chart with its layout.
type ExploreChart struct {
	Chart
	Half   bool   // half a row
	Drag   string // what dragging in the plot changes: "z" or "psi"
	Inline bool   // labels are in the plot where there is room; the legend is for narrow screens
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

// Preset is one figure, as a link.
type Preset struct {
	Label, Note, URL string
	On               bool
}

// Door is a link to another page.
type Door struct{ Title, Text, To string }

// Math is a formula in MathML written by the program: names and numbers in it are escaped. No other text may be
// converted to it.
type Math string

// halves reports whether the charts stand side by side.
func halves(charts []ExploreChart) bool { return len(charts) > 1 && charts[0].Half }

// Mixed is a sentence with bold parts.
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
