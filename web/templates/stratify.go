package templates

import "github.com/a-h/templ"

// Stratify is the page /stratify/{dataset}: controls beside a result.
type Stratify struct {
	URL     string // action of the form
	Live    string // where it asks while something moves
	Keep    string // λ in use and the axes of the charts, for a drag
	Stamps  string // what the page shows, so that only changes are sent
	Panel   Panel
	Problem string // why there is no result, or what was wrong with the URL

	Result   *Result   // nil while it is computed
	Progress *Progress // the computation under way
	Empty    *Empty    // why nothing is computed
	Early    []Chart   // what can be shown before the result
}

// Panel is the column of controls.
type Panel struct {
	Hidden     []Field // the part of the state that has no control
	Rule       Choice
	Template   Choice
	Was        string // the template shown
	WasRule    string // the rule shown
	Strip      SVG
	Boundaries []Slider
	Add        string // URL with one boundary more, "" when there is no room
	NoAdd      string // why
	PiError    string
	Took       string // how the last fit was made
	How        Choice // how λ is chosen
	Lambda     Slider
	LambdaNote string
	Model      MethodPanel
	Noise      NoisePanel
	Folds      Choice
	Seed       Input
	FoldsError string
	Predictors PredictorPick
}

// MethodPanel chooses the model and its numbers.
type MethodPanel struct {
	Method  Choice
	Choices []Choice
	Sliders []Slider
	Note    string
	Error   string
}

// NoisePanel spoils training rows on purpose.
type NoisePanel struct {
	Kind  Choice
	Rates []Slider
	Note  string // what was spoilt
	Error string
}

// PredictorPick chooses the predictors.
type PredictorPick struct {
	URL     string
	Base    string // the state around them, as a query
	Count   string // "10 of 30"
	Names   string // the chosen ones in words
	Error   string
	Knots   string // what the choices of knots mean, or why there are none
	Columns []PredictorColumn
}

// PredictorColumn is one column that can be a predictor, or why it cannot.
type PredictorColumn struct {
	Name, Note string
	On, Off    bool    // Off: cannot be chosen
	Knots      *Choice // how a number enters; nil: as it is
}

// RemoveBoundary is the button that takes a boundary away.
func RemoveBoundary(url, label string) templ.Component { return removeBoundary(url, label) }
