package templates

import (
	"encoding/json"
	"slices"
)

// Play is the playground: two models on the same points. Every number is text; Data is painted by the browser.
type Play struct {
	URL     string  // canonical address
	Keep    string  // data for the first live request: identifies the controls
	Stamps  string  // of the parts, for the first live request
	Problem string  // parameters of the address that could not be used
	Present bool    // presentation: no controls except the noise rate, large text
	Rate    *Slider // noise rate of a presentation; nil without noise

	Groups []PlayGroup // of the control column
	Shared PlayGroup   // of both models
	Models []PlayModel // A and B
	Points PlayPoints
	Steps  *PlaySteps // nil if nothing is fitted

	Legend   []LegendEntry
	Bars     []PlayBar
	Note     string // how the plane is defined, if there are other columns
	Table    Table
	Warn     []Notice
	Demos    []Preset
	Hidden   []Field
	Saves    []Option // what can be saved: a, b, both
	SaveNote string   // what a saved run has in common with the page
	State    []Field  // the address as fields, for saving
	Leave    string   // URL without presentation
	Show     string   // URL with presentation
	Data     json.RawMessage
}

// PlayGroup is a titled group of controls.
type PlayGroup struct {
	ID, Title string
	Controls  []PlayControl
}

// PlayControl is one control.
type PlayControl struct {
	Slider *Slider
	Choice *Choice // a drop-down
	Seg    *Choice // joined buttons
	Seed   *Input  // with a button for another seed
	Input  *Input
	Check  *Option
	Links  []Link // templates of boundaries and the like
	On     string // label of the active link
	Title  string // over Links
	Text   string
	Edit   bool // the button that opens the list of points
}

// PlayModel is one of the two models with its pictures.
type PlayModel struct {
	ID, Badge string // "a", "A"
	Title     string
	Method    []OptionGroup
	Chips     []Chip
	Pars      []PlayControl
	Note      string
	Accuracy  string // before an audience
	Measure   string // what it is the accuracy on

	Picture PlayPicture
	Loss    *PlayFigure
	Weights *PlayFigure
}

// OptionGroup are options of a drop-down under one heading.
type OptionGroup struct {
	Label   string
	Options []Option
}

// PlayPicture is a decision surface.
type PlayPicture struct {
	ID      string
	Finding string
	Over    SVG // ticks, level lines
	Grid    Table
	Open    bool
}

// PlayFigure is a figure drawn by the server.
type PlayFigure struct {
	ID, Title, Say, Finding string
	Drawing                 SVG
	Legend                  []LegendEntry
	Table                   Table
	Open                    bool
	Bars                    bool   // its bars are buttons
	Held                    string // fixed ends of its axes during a drag
}

// PlaySteps is the step slider of both fits.
type PlaySteps struct {
	Slider Slider
	Word   string // name of the step shown
}

// PlayBar explains the colours of a surface.
type PlayBar struct {
	Title  string
	Scale  SVG           // a scale, or
	Sample []LegendEntry // bands and classes by name
}

// PlayPoints is the list of hand-placed points.
type PlayPoints struct {
	UserPoints bool
	Text       string // "x,y,class;…"
	Classes    []Option
	Rows       []PlayPoint
	Take       string // URL with the present points as hand-placed ones, "" if there are too many
	Sample     Table  // the first generated points
	Note       string
}

// PlayPoint is one point of the list.
type PlayPoint struct {
	X, Y  string
	Class string
}

// crowded reports whether the parameters stand in three columns: a set of links among them, or five parts and more.
func (m PlayModel) crowded() bool {
	parts := len(m.Pars)
	if m.Note != "" {
		parts++
	}
	return parts >= 5 || slices.ContainsFunc(m.Pars, func(c PlayControl) bool { return len(c.Links) > 0 })
}
