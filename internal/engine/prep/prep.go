// Package prep turns table columns into a design matrix, with everything
// learned from the training rows alone (clinical.md §1): median and
// missing-indicator for numbers, a level of its own for missing categories,
// one-hot with the commonest level as reference, levels under 10 rows pooled,
// standardisation by the population SD.
package prep

// Column is one input column as the model sees it: the part of model.json that
// lets another program rebuild the design matrix.
type Column struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`             // "number" or "category"
	Median float64  `json:"median,omitempty"` // number: stands for a missing value
	Min    float64  `json:"min,omitempty"`    // number: training range
	Max    float64  `json:"max,omitempty"`
	Origin *float64 `json:"origin,omitempty"` // date as days: subtracted first
	// Levels are the categories with a term of their own, Reference the one
	// without, Pooled those that share the term "(other)".
	Reference  string            `json:"reference,omitempty"`
	Levels     []string          `json:"levels,omitempty"`
	Pooled     []string          `json:"pooled,omitempty"`
	Aliases    map[string]string `json:"aliases,omitempty"`     // spelling → level, where spellings were joined
	Missing    []string          `json:"missing"`               // texts read as missing
	Indicator  bool              `json:"indicator"`             // a term for "was missing" exists
	NonNumeric string            `json:"non_numeric,omitempty"` // how odd texts are read
}

// Term is one column of the design matrix: x = (raw − Mean)/SD.
type Term struct {
	Name   string  `json:"name"`   // "age", "sex = M", "chol missing", "site = (other)"
	Column string  `json:"column"` // the Column it comes from
	Kind   string  `json:"kind"`   // "value", "level", "missing", "other"
	Level  string  `json:"level,omitempty"`
	Mean   float64 `json:"mean"`
	SD     float64 `json:"sd"` // population SD on the training rows; 1 when standardisation is off
}

// Preprocessor is fitted on training rows and applied to any.
type Preprocessor struct {
	Columns []Column `json:"columns"`
	Terms   []Term   `json:"terms"`
}
