package templates

import (
	"maps"

	"github.com/a-h/templ"
)

// Stratify is the page /stratify/{dataset}: controls beside a result, in bands or in
// classes.
type Stratify struct {
	Title   string
	URL     string // action of the form
	Label   string // what the form is
	Keep    string // λ in use and the axes of the charts, for a drag
	Stamps  string // what the page shows, so that only changes are sent
	Panel   Panel
	Problem string // why there is no result, or what was wrong with the URL
	Workers string // queue to which the rows may go; "" = none

	Strong, Rest string                     // the headline
	Open         []Notice                   // harmful questions nobody answered
	Sections     []Section                  // of the result; none while it is computed
	Details      []Detail                   // below it, one at a time
	Below        []Section                  // what one does with the result
	Files        [2]string                  // URLs of its rows and its model
	Changing     map[string]templ.Component // its parts that a move can change
	Places       []Slot                     // its figures that a move redraws in place
	Progress     *Progress                  // the computation under way
	Empty        *Empty                     // why nothing is computed
	Alone        bool                       // nothing can be steered yet
	Early        []Chart                    // what can be shown before the result
}

// Detail is a part of a page behind a tab.
type Detail struct {
	ID, Label string
	Tab       string // as the address has it, "" for the first
	URL       string
	On        bool // it is open
	Parts     []templ.Component
}

// Found reports whether there is a result.
func (s Stratify) Found() bool { return s.Sections != nil }

// Parts are the parts of the page that a move can change.
func (s Stratify) Parts() map[string]templ.Component {
	parts := maps.Clone(s.Changing)
	parts["result"], parts["r-open"] = Sentence(s.Strong, s.Rest), OpenQuestions(s.Open)
	if s.Panel.Bands != nil {
		parts["r-template"] = TemplatePick(*s.Panel.Bands)
		parts["r-strip"] = Draw(s.Panel.Bands.Strip)
		parts["r-took"] = Words(s.Panel.Bands.Took)
		parts["r-predictors"] = Predictors(*s.Panel.Predictors)
	}
	if s.Found() {
		parts["r-files"] = ResultFiles(s.Files)
	}
	parts["r-how"] = HowPick(s.Panel)
	parts["r-noise"] = Words(s.Panel.Noise.Note)
	return parts
}

// Panel is the column of controls: what is learned, in bands or in classes, the model,
// and what every task has.
type Panel struct {
	Hidden     []Field // the part of the state that has no control
	Bands      *BandsPanel
	Classes    *ClassesPanel
	Model      MethodPanel
	How        Choice // how λ is chosen
	Lambda     Slider
	LambdaNote string
	Folds      Choice
	FoldsError string
	Seed       Input
	Noise      NoisePanel
	Predictors *PredictorPick // nil: they cannot be changed here
}

// BandsPanel chooses the rule and its boundaries.
type BandsPanel struct {
	Task       *Choice // nil: the outcome is bands alone
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
}

// ClassesPanel chooses the outcome and the order of its classes.
type ClassesPanel struct {
	Task, Outcome Choice
	Note          string   // what an error costs
	Cut           []Choice // how a number becomes classes
	Order         []LevelPlace
}

// MethodPanel chooses the model and its numbers.
type MethodPanel struct {
	Method  Choice
	Choices []Choice
	Sliders []Slider
	Costs   *CostGrid
	Note    string
	Errors  []string
}

// Fail adds what is wrong with the model, if it is something.
func (m *MethodPanel) Fail(problem string) {
	if problem != "" {
		m.Errors = append(m.Errors, problem)
	}
}

// NoisePanel corrupts training rows deliberately.
type NoisePanel struct {
	Kind  Choice
	Rates []Slider
	Note  string // what was corrupted
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
