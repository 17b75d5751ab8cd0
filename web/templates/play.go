package templates

import "encoding/json"

// Play is the playground: two models on the same points. Every number arrives
// as text; Data holds what the browser paints.
type Play struct {
	URL     string // canonical address
	Keep    string // what the first live request carries along: which controls there are
	Problem string // what of the address could not be used
	Present bool   // for an audience: no controls, large letters

	Groups []PlayGroup // of the control column
	Shared PlayGroup   // of both models
	Models []PlayModel // A and B
	Points PlayPoints
	Steps  *PlaySteps // nil where nothing is fitted

	Legend   []LegendEntry
	Bars     []PlayBar
	Note     string // what the plane is, where there are other columns
	Table    Table
	Warn     []Notice
	Demos    []Preset
	Hidden   []Field
	Saves    []Option // what can be saved: a, b, both
	SaveNote string   // what a run takes along
	State    []Field  // the address as fields, to be saved
	Leave    string   // URL without presenting
	Show     string   // URL that presents
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
	Seed   *Input  // with a button for another one
	Input  *Input
	Check  *Option
	Links  []Link // templates of boundaries and the like
	On     string // label of the link that is on
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

// PlayFigure is a picture the server drew.
type PlayFigure struct {
	ID, Title, Say, Finding string
	Drawing                 SVG
	Legend                  []LegendEntry
	Table                   Table
	Open                    bool
	Bars                    bool   // its bars are buttons
	Held                    string // the ends of its axes, to keep them still
}

// PlaySteps is the way of both solvers.
type PlaySteps struct {
	Slider Slider
	Word   string // what the step shown is
}

// PlayBar explains the colours of a surface.
type PlayBar struct {
	Title  string
	Scale  SVG           // a scale, or
	Sample []LegendEntry // bands and classes by name
}

// PlayPoints is the list of points set by hand.
type PlayPoints struct {
	UserPoints bool
	Text       string // "x,y,class;…"
	Classes    []Option
	Rows       []PlayPoint
	Take       string // URL of the present points as own ones, "" when there are too many
	Sample     Table  // of generated points: the first of them
	Note       string
}

// PlayPoint is one of them.
type PlayPoint struct {
	X, Y  string
	Class string
}
