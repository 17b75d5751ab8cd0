package playground

import (
	"taper/internal/engine/fit"
	"taper/internal/engine/playground"
	"taper/internal/engine/usererr"
	"taper/internal/web/live"
)

// Answer is a state as JSON, for GET /playground/live. Except for the times, equal states give equal bytes.
type Answer struct {
	live.Answer
	Sentence string          `json:"sentence"`
	Hash     string          `json:"hash"`   // of the points
	Points   *pointSet       `json:"points"` // nil where the client has them
	Axes     axes            `json:"axes"`
	Models   pair            `json:"models"`
	Table    textTable       `json:"table"`
	Times    textTable       `json:"times"`           // rows of the table that contain fit times
	Notes    []string        `json:"notes,omitempty"` // differences to what a paper claims
	Problems []usererr.Field `json:"problems,omitempty"`

	bench *bench // the points it was made from
	st    state  // the state shown, with methods suited to the points
}

// pointSet are the points of the sample, in order.
type pointSet struct {
	Hash    string   `json:"hash"`
	X       numbers  `json:"x"` // in the two columns shown
	Y       numbers  `json:"y"`
	Class   []int    `json:"class"`   // true
	Given   []int    `json:"given"`   // after noise
	Flipped []bool   `json:"flipped"` // corrupted by noise
	Test    []bool   `json:"test"`    // held out for testing
	Role    []int    `json:"role"`
	Classes []string `json:"classes"`
	Roles   []string `json:"roles"`
	Spread  bool     `json:"spread"` // coincident points were jittered
}

type axes struct {
	X    axis   `json:"x"`
	Y    axis   `json:"y"`
	Note string `json:"note"`
}

type axis struct {
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
	Name string  `json:"name"`
}

// pair holds the models by letter.
type pair struct {
	A *modelView `json:"a"`
	B *modelView `json:"b"`
}

func (p pair) models() [2]*modelView { return [2]*modelView{p.A, p.B} }

// modelView is one model at its frame. A model that could not be fitted has only its title and an Error.
type modelView struct {
	Title     string    `json:"title"`
	Error     string    `json:"error,omitempty"`
	Surface   raster    `json:"surface"`
	Contours  []contour `json:"contours"`
	Histogram histogram `json:"histogram"`
	Loss      lossPlot  `json:"loss"`
	Steps     steps     `json:"steps"`
	MS        float64   `json:"ms"` // duration of the fit
	Warnings  []string  `json:"warnings"`

	fit     *playground.Fit
	model   *fit.Model // at the frame
	surface *playground.Surface
	look    playground.Look
	verdict playground.Evaluation
}

// ok reports whether the model was fitted.
func (m *modelView) ok() bool { return m != nil && m.fit != nil }

// textTable is a table of texts.
type textTable struct {
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Note    string     `json:"note,omitempty"`
	Verdict string     `json:"verdict,omitempty"` // of the difference in the first row, as stat.VerdictWord
}
