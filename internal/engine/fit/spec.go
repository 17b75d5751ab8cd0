package fit

import (
	"encoding/json"
	"maps"
	"slices"

	"taper/internal/engine/fit/boost"
	"taper/internal/engine/loss"
)

// Spec is the field "model" of POST /api/v1/runs: what is fitted, and how.
type Spec struct {
	Kind        string         `json:"kind"`           // linear kernel boost given
	Loss        string         `json:"loss,omitempty"` // empty for kind given
	Params      map[string]any `json:"params,omitempty"`
	Solver      string         `json:"solver,omitempty"` // auto lbfgs cmp newton smo subgradient pegasos
	L2          L2             `json:"l2"`
	Tuning      string         `json:"tuning,omitempty"`      // "" = nested; "same-folds" = optimistic, and labelled so
	Standardize *bool          `json:"standardize,omitempty"` // nil = true

	Features  string  `json:"features,omitempty"`   // ordinal: th mc
	Kernel    *Kernel `json:"kernel,omitempty"`     // kind kernel
	Rounds    int     `json:"rounds,omitempty"`     // kind boost
	Depth     int     `json:"depth,omitempty"`      // kind boost
	ThetaRule string  `json:"theta_rule,omitempty"` // kind boost: half-log alpha-log line-search

	Columns []string `json:"columns,omitempty"` // kind given: the prediction, or one column per class
	Formula string   `json:"formula,omitempty"` // kind given: instead of columns
	// kind given: the content of a model.json, in place of columns
	File      json.RawMessage `json:"file,omitempty"`
	Scale     string          `json:"scale,omitempty"`     // kind given: probability logit score
	Direction string          `json:"direction,omitempty"` // kind given, scale score: higher lower; "" = from the data
}

// Kernel is the kernel of kind "kernel".
type Kernel struct {
	Name   string `json:"name"`            // linear rbf poly
	Gamma  any    `json:"gamma,omitempty"` // a number or "cv"
	Degree int    `json:"degree,omitempty"`
}

// BoostLoss is the loss whose gradient gives the row weights of AdaBoost.α.
const BoostLoss = "alpha"

// Family is the loss of the model; the zero value if there is none of that id.
func (m Spec) Family() loss.Family {
	f, _ := loss.FamilyByID(m.Loss)
	return f
}

// Banded reports whether the loss estimates only whether P exceeds the boundaries. Such a score
// is cut into bands and has no probability.
func (m Spec) Banded() bool { return m.Family().Kind == loss.KindInterval }

// WithDefaults fills in zero fields: a linear model, own or else the logistic loss, 100 stumps
// of the α-loss for kind boost, λ by cross-validation and standardised columns. The result
// shares no memory with m.
func (m Spec) WithDefaults(own string) Spec {
	m.Kind = or(m.Kind, "linear")
	if m.Given() { // λ and standardisation are those of the regression it is compared with
		m = m.withGivenDefaults()
		own, m.Columns = "", slices.Clone(m.Columns)
	}
	if m.Boosted() {
		own = BoostLoss
		m.Rounds, m.Depth, m.ThetaRule = or(m.Rounds, 100), or(m.Depth, 1), or(m.ThetaRule, boost.HalfLog)
	}
	if !m.Given() {
		m.Loss = or(m.Loss, or(own, "logistic"))
		m.Solver = or(m.Solver, "auto")
	}
	if m.L2 == (L2{}) {
		m.L2.Mode = "cv"
	}
	if m.Kernelled() {
		m.Kernel = m.Kernel.withDefaults()
	}
	on := m.Standardize == nil || *m.Standardize
	m.Standardize = &on
	m.Params = maps.Clone(m.Params)
	return m
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Title is the model's name, such as "α-loss, α = 4". A spec that cannot be parsed is named
// after its loss.
func (m Spec) Title() string {
	if m.Given() {
		return m.givenTitle()
	}
	how, err := Parse(m)
	if err != nil {
		return m.Loss
	}
	return how.Title()
}

// Link is the id of the link from score to probability.
func (m Spec) Link() string {
	how, err := Parse(m)
	if err != nil {
		return LinkNone
	}
	return how.Link.ID
}
