// Package runspec holds the description of a run, its reading, its defaults and every
// check of it, and the rows of a table that it selects: a Spec and a table in, a Cohort
// with the folds that evaluate out. It fits nothing. What is wrong is told in one error
// that names every field.
package runspec

import (
	"encoding/json"

	"taper/internal/engine/fit"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
)

// Spec is the whole input of a run besides the data: the JSON of
// POST /api/v1/runs. The same spec, data and build give the same bits. Zero
// fields mean the defaults of WithDefaults.
type Spec struct {
	Name       string       `json:"name,omitempty"`
	Dataset    string       `json:"dataset"`
	Outcome    string       `json:"outcome"`
	Positive   table.Levels `json:"positive,omitempty"`   // several levels count as one
	Negative   table.Levels `json:"negative,omitempty"`   // none = the only other level
	ScoreOnly  []string     `json:"score_only,omitempty"` // levels scored, never trained on
	Levels     []string     `json:"levels,omitempty"`     // order, for tasks with more classes
	Bins       *Bins        `json:"bins,omitempty"`       // task ordinal: classes of a number
	Predictors []string     `json:"predictors,omitempty"` // nil = every usable column

	// Splines says how many knots, 3 to 5, a numeric predictor of a linear model
	// has as a natural cubic spline; 0 and left out is a straight line.
	Splines map[string]int `json:"splines,omitempty"`

	Group      string     `json:"group,omitempty"` // rows with one value stay in one fold
	Weights    string     `json:"weights,omitempty"`
	Task       string     `json:"task"`            // one of task.All
	Price      *float64   `json:"price,omitempty"` // of no answer, of a task that has one (task.Priced)
	Model      fit.Spec   `json:"model"`
	Boundaries []float64  `json:"boundaries,omitempty"`
	Mode       string     `json:"mode,omitempty"` // hard weighted reject interval: how the page words the bands
	Validation Validation `json:"validation"`
	Noise      Noise      `json:"noise"`
	Review     *Review    `json:"review,omitempty"` // labels changed after an audit
	Seed       uint64     `json:"seed"`
}

// Validation says which rows test the model.
type Validation struct {
	Kind    string  `json:"kind"`              // split cv none
	Test    float64 `json:"test,omitempty"`    // split: share held out
	Folds   int     `json:"folds,omitempty"`   // cv
	Repeats int     `json:"repeats,omitempty"` // cv; 0 = 1
}

// Noise says how labels are corrupted before training.
type Noise struct {
	Kind         string  `json:"kind,omitempty"` // "" = none; the others: synth.NoiseKinds
	Rate         float64 `json:"rate,omitempty"`
	RatePositive float64 `json:"rate_positive,omitempty"` // kind class
	RateNegative float64 `json:"rate_negative,omitempty"`
}

// Bins cuts a numeric outcome into ordered classes (Fathony et al. 2018, section 6).
type Bins struct {
	Count int    `json:"count"`        // 2 to 50 classes
	By    string `json:"by,omitempty"` // "length" (also ""): equal length, or "frequency"
}

// ChosenTask is the task of the spec at its price; of one that no run takes, two classes.
func (s *Spec) ChosenTask() task.Task {
	about := task.Of(s.Task)
	if p, priced := about.(task.PricedAbstention); priced && s.Price != nil {
		return p.WithPrice(*s.Price)
	}
	return about
}

// Multiclass reports a task without an event: many classes, ordered classes, or
// a model that may abstain. Two classes are possible too.
func (s *Spec) Multiclass() bool { return !s.ChosenTask().Event() }

// Review holds the labels that people changed after looking at rows: the part
// of a spec that makes a run the child of another (docs/clinical.md, Label audit). The data
// never change; whoever has the spec and the data gets the same bits.
type Review struct {
	ID      string    `json:"id,omitempty"`     // of these changes, for names and links
	Parent  string    `json:"parent,omitempty"` // the run whose audit was reviewed
	Changes []Relabel `json:"changes"`          // rows ascend
}

// Relabel is one changed row.
type Relabel struct {
	Row int    `json:"row"`          // 0-based data row
	To  string `json:"to,omitempty"` // the class it trains and is evaluated with; "" = left out, scored only
}

// maxFolds, maxRepeats and maxFitted bound what one run may cost. Ten times
// 10 folds of a million rows are within them; 50 folds of 200,000 rows are ten
// times at most.
const (
	maxFolds   = 50
	maxRepeats = 100
	MaxFitted  = 100_000_000 // rows × folds × repeats, or rows × bootstrap samples
)

// Ways of tuning.
const (
	TuningNested = "nested"         // inner folds in each training part; "" means it
	TuningSame   = "same-folds"     // on the evaluation folds: optimistic
	TuningSet    = "validation-set" // the first of the inner folds alone, as in Fathony et al. 2018
)

// PrepareKey is equal for two specs that share a Prepared.
func (s Spec) PrepareKey() string {
	s = s.WithDefaults()
	several := s.Multiclass()
	s.Name, s.Boundaries, s.Mode, s.Price = "", nil, "", nil
	if s.Task = ""; several {
		s.Task = "several"
	}
	own := fit.Spec{Standardize: s.Model.Standardize}
	if m := s.Model; m.Given() { // rows without a prediction are left out
		own.Kind, own.Columns, own.Formula, own.Scale, own.Direction = m.Kind, m.Columns, m.Formula, m.Scale, m.Direction
	}
	s.Model = own
	b, err := json.Marshal(s)
	if err != nil {
		panic("engine: a spec without free values always has JSON")
	}
	return string(b)
}
