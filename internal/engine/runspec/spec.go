// Package runspec describes a run: its Spec, how it is decoded, its defaults, every check, and
// the rows of a table that it selects. From a Spec and a table it makes a Cohort with the folds
// of the evaluation. It fits nothing. One error lists all invalid fields.
package runspec

import (
	"encoding/json"

	"taper/internal/engine/fit"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
)

// Spec is the whole input of a run apart from the data: the JSON of POST /api/v1/runs. The same
// spec, data and build give bit-identical results. WithDefaults documents the meaning of zero
// fields.
type Spec struct {
	Name       string       `json:"name,omitempty"`
	Dataset    string       `json:"dataset"`
	Outcome    string       `json:"outcome"`
	Positive   table.Levels `json:"positive,omitempty"`   // several levels form one class
	Negative   table.Levels `json:"negative,omitempty"`   // none = the only other level
	ScoreOnly  []string     `json:"score_only,omitempty"` // levels that are scored but not trained on
	Levels     []string     `json:"levels,omitempty"`     // order of the classes, for tasks with more than two
	Bins       *Bins        `json:"bins,omitempty"`       // task ordinal: classes of a numeric outcome
	Predictors []string     `json:"predictors,omitempty"` // nil = every usable column

	// Splines gives the number of knots, 3 to 5, of numeric predictors of a linear model that
	// enter as natural cubic splines. A predictor without an entry, or with 0, is linear.
	Splines map[string]int `json:"splines,omitempty"`

	Group      string     `json:"group,omitempty"` // rows of one group stay in one fold
	Weights    string     `json:"weights,omitempty"`
	Task       string     `json:"task"`            // one of task.All
	Price      *float64   `json:"price,omitempty"` // cost of abstaining, for tasks that have it (task.Priced)
	Model      fit.Spec   `json:"model"`
	Boundaries []float64  `json:"boundaries,omitempty"`
	Mode       string     `json:"mode,omitempty"` // hard weighted reject interval: how the page describes the bands
	Validation Validation `json:"validation"`
	Noise      Noise      `json:"noise"`
	Review     *Review    `json:"review,omitempty"` // labels changed after an audit
	Seed       uint64     `json:"seed"`
}

// Validation says which rows test the model.
type Validation struct {
	Kind    string  `json:"kind"`              // split cv none
	Test    float64 `json:"test,omitempty"`    // split: proportion held out
	Folds   int     `json:"folds,omitempty"`   // cv
	Repeats int     `json:"repeats,omitempty"` // cv; 0 = 1
	Rows    string  `json:"rows,omitempty"`    // split: "test" lists the predictions of the test rows only; "" = all rows
}

// HoldOut is the validation of many rows (docs/clinical.md, Folds or a hold-out): a fifth of them, as much as one of
// five folds. The list of predictions leaves out the training rows, because it would be larger than the data.
func HoldOut() Validation { return Validation{Kind: "split", Test: 0.2, Rows: RowsOfTest} }

// RowsOfTest is the value of Validation.Rows that lists test rows only.
const RowsOfTest = "test"

// Noise describes how training labels are corrupted.
type Noise struct {
	Kind         string  `json:"kind,omitempty"` // "" = none; the others: synth.NoiseKinds
	Rate         float64 `json:"rate,omitempty"`
	RatePositive float64 `json:"rate_positive,omitempty"` // kind class
	RateNegative float64 `json:"rate_negative,omitempty"`
	Draw         int     `json:"draw,omitempty"` // which of the random draws for the seed, 0 … MaxDraw; 0 by margin
}

// MaxDraw is the last draw of label noise.
const MaxDraw = 999

// Bins cuts a numeric outcome into ordered classes (Fathony et al. 2018, section 6).
type Bins struct {
	Count int    `json:"count"`        // 2 to 50 classes
	By    string `json:"by,omitempty"` // "length" (also ""): equal length, or "frequency"
}

// ChosenTask is the task of the spec at its price; binary for a task that does not exist.
func (s *Spec) ChosenTask() task.Task {
	about := task.Of(s.Task)
	if p, priced := about.(task.PricedAbstention); priced && s.Price != nil {
		return p.WithPrice(*s.Price)
	}
	return about
}

// Multiclass reports a task without an event: several classes, ordered classes, or a model that
// may abstain. It may have just two classes.
func (s *Spec) Multiclass() bool { return !s.ChosenTask().Event() }

// Review holds labels that people changed after looking at rows. It makes a run the child of
// another (docs/clinical.md, Label audit). The stored data never change, so the spec and the
// data together still determine every bit of the result.
type Review struct {
	ID      string    `json:"id,omitempty"`     // of this set of changes, for names and links
	Parent  string    `json:"parent,omitempty"` // the run whose audit was reviewed, and whose folds are kept
	Changes []Relabel `json:"changes"`          // by row, ascending
}

// Relabel is one changed row.
type Relabel struct {
	Row int    `json:"row"`          // 0-based
	To  string `json:"to,omitempty"` // class to train and evaluate with; "" = left out, only scored
}

// maxFolds, maxRepeats and MaxFitted bound the cost of a run. 10 folds of a million rows
// repeated ten times are allowed; with 50 folds of 200,000 rows ten repeats are the most.
const (
	maxFolds   = 50
	maxRepeats = 100
	MaxFitted  = 100_000_000 // rows × folds × repeats, or rows × bootstrap samples
)

// Ways of tuning.
const (
	TuningNested = "nested"         // inner folds in each training part; the default
	TuningSame   = "same-folds"     // on the evaluation folds: optimistic
	TuningSet    = "validation-set" // only the first inner fold, as in Fathony et al. 2018
	TuningSample = "sample"         // inner folds of TuningRows rows of each training part
)

// TuningRows is the number of rows that TuningSample chooses λ on. A path of λ over them takes about as long
// as the fit of the millions of rows that it is for (docs/clinical.md, Folds or a hold-out).
const TuningRows = 20_000

// PrepareKey is equal for specs that can share a Prepared.
func (s Spec) PrepareKey() string {
	s = s.WithDefaults()
	several := s.Multiclass()
	s.Name, s.Boundaries, s.Mode, s.Price = "", nil, "", nil
	if s.Task = ""; several {
		s.Task = "several"
	}
	own := fit.Spec{Standardize: s.Model.Standardize}
	if m := s.Model; m.Given() { // its rows without a prediction are left out
		own.Kind, own.Columns, own.Formula, own.Scale, own.Direction = m.Kind, m.Columns, m.Formula, m.Scale, m.Direction
		own.File = m.File
	}
	s.Model = own
	b, err := json.Marshal(s)
	if err != nil {
		panic("engine: a spec without free values always has JSON")
	}
	return string(b)
}
