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
	Label   string // name of the form
	Keep    string // λ in use and the axes of the charts, kept during a drag
	Stamps  string // stamps of the parts shown, so that only changes are sent
	Panel   Panel
	Problem string // why there is no result, or what was invalid in the address
	Workers string // queue of workers that may receive the rows; "" = none

	Strong, Rest string                     // the headline
	Open         []Notice                   // serious open questions
	Lead         []Section                  // of the result, before the controls on a narrow screen; nil without one
	Sections     []Section                  // of the result, after Lead
	Details      []Detail                   // below the result, shown one at a time
	Below        []Section                  // actions on the result
	Files        [2]string                  // URLs of its rows and its model
	Changing     map[string]templ.Component // parts that a move can change
	Places       []Slot                     // figures that a move redraws in place
	Validates    string                     // the validation of a saved run, such as "5 folds"
	Extent       *Extent                    // which rows the result shows; nil where it is always all of them
	Progress     *Progress                  // of the running computation
	Empty        *Empty                     // why nothing is computed
	Alone        bool                       // there is nothing to control yet
	Early        []Chart                    // charts that can be shown before the result
}

// InternalValidation says which validation the buttons that validate and save a run do.
const InternalValidation = "Internal validation on these rows, by cross-validation, or by a hold-out where there " +
	"are very many or one is chosen; then saves the run. External validation, on other patients, is on the page " +
	"Patients of the run."

// Extent says which rows a result shows: all of them, or a sample while a slider moves.
type Extent struct {
	Preview bool
	Text    string
	Link    Link // to the other way of evaluating; without URL none
}

// Detail is a part of a page behind a tab.
type Detail struct {
	ID, Label string
	Tab       string // as in the address, "" for the first
	URL       string
	On        bool // it is open
	Parts     []templ.Component
}

// Found reports whether there is a result.
func (s Stratify) Found() bool { return s.Lead != nil }

// Parts are the parts of the page that a move can change.
func (s Stratify) Parts() map[string]templ.Component {
	parts := maps.Clone(s.Changing)
	parts["result"], parts["r-open"] = Sentence(s.Strong, s.Rest), OpenQuestions(s.Open)
	if s.Panel.Bands != nil {
		parts["r-template"] = TemplatePick(*s.Panel.Bands)
		parts["r-strip"] = Draw(s.Panel.Bands.Strip)
		parts["r-took"] = Words(s.Panel.Bands.Took)
	}
	if s.Panel.Predictors != nil {
		parts["r-predictors"] = Predictors(*s.Panel.Predictors)
	}
	if s.Found() {
		parts["r-files"] = ResultFiles(s.Files)
	}
	if s.Extent != nil {
		parts["r-extent"] = ExtentView(*s.Extent)
	}
	parts["r-how"] = HowPick(s.Panel)
	parts["r-noise"] = Words(s.Panel.Noise.Note)
	return parts
}

// Panel is the column of controls: the task, in bands or in classes, the model, and the settings common to all
// tasks.
type Panel struct {
	Hidden     []Field // state without a control
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
	Predictors *PredictorPick // nil: not changeable here
}

// BandsPanel are the decision rule and its boundaries.
type BandsPanel struct {
	Task       *Choice // nil: only bands are possible
	Rule       Choice
	Template   Choice
	Was        string // the template shown
	WasRule    string // the rule shown
	Strip      SVG
	Boundaries []Slider
	Add        string // URL with an additional boundary, "" if there is no room
	NoAdd      string // why there is no room
	Took       string // duration of the last fit
}

// ClassesPanel are the outcome and the order of its classes.
type ClassesPanel struct {
	Task, Outcome Choice
	Note          string   // cost of an error
	Cut           []Choice // ways to cut a number into classes
	Order         []LevelPlace
}

// MethodPanel are the model and its parameters.
type MethodPanel struct {
	Method  Choice
	Choices []Choice
	Sliders []Slider
	Costs   *CostGrid
	Note    string
	Errors  []string
}

// Fail adds an error of the model, if there is one.
func (m *MethodPanel) Fail(problem string) {
	if problem != "" {
		m.Errors = append(m.Errors, problem)
	}
}

// NoisePanel are the settings of injected noise.
type NoisePanel struct {
	Kind  Choice
	Rates []Slider
	Note  string // effect of the noise
	Error string
}

// PredictorPick is the choice of the predictors.
type PredictorPick struct {
	URL     string
	Base    string // the rest of the state, as a query
	Count   string // "10 of 30"
	Names   string // names of the chosen predictors
	Error   string
	Knots   string // meaning of the knots, or why there are none
	Columns []PredictorColumn
}

// PredictorColumn is a column that can be a predictor, or the reason why it cannot.
type PredictorColumn struct {
	Name, Note string
	On, Off    bool    // Off: cannot be chosen
	Knots      *Choice // knots of a number; nil: linear only
}

// RemoveBoundary is the button that takes a boundary away.
func RemoveBoundary(url, label string) templ.Component { return removeBoundary(url, label) }
