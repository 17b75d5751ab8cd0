// Package model defines model.json, a fitted model as it is stored, and applies it: it scores
// rows given as texts, JSON or files, assigns outcomes to classes, recalibrates the model for
// another population, and removes information on single training rows.
package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/boost"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/prep"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// Model is the content of model.json, which is enough for other programs to score rows.
type Model struct {
	Format    string             `json:"format"` // "taper-model/1"
	Columns   []prep.Column      `json:"columns"`
	Terms     []prep.Term        `json:"terms"`
	Kind      string             `json:"kind,omitempty"`  // linear (also ""), boost or kernel
	Weights   []float64          `json:"weights"`         // one per term, on the standardised scale; empty for trees
	Intercept float64            `json:"intercept"`       // 0 for trees
	Trees     []boost.Tree       `json:"trees,omitempty"` // kind boost: the score is Σ θ·vote; features are terms
	Kernel    *multiclass.Kernel `json:"kernel,omitempty"`
	// kind kernel: the standardised support rows
	Support      [][]float64    `json:"support,omitempty"`
	Coefficients []float64      `json:"coefficients,omitempty"` // kind kernel: one per support row
	Loss         string         `json:"loss"`
	Params       map[string]any `json:"params"`
	Link         string         `json:"link"`                 // a loss.Link id
	LinkScale    float64        `json:"link_scale,omitempty"` // loss.LinkScaled: P = σ(scale·score)
	Boundaries   []float64      `json:"boundaries"`           // π
	Delta        []float64      `json:"delta"`                // cut-offs; stratum = number of delta below the score
	Cut          float64        `json:"cut"`                  // probability from which an event is predicted
	Outcome      string         `json:"outcome"`
	Positive     table.Levels   `json:"positive"`
	Negative     table.Levels   `json:"negative"`
	Levels       []string       `json:"levels"` // names of the classes: [negative, positive]

	// Multiclass models: the task, the rule from potentials to the answer, the cost matrix, the
	// potentials, and the edges of a binned outcome. Levels are the classes in order. Weights,
	// Delta and the other two-class fields are empty.
	Task       string            `json:"task,omitempty"`
	Rule       string            `json:"rule,omitempty"`
	Costs      [][]float64       `json:"costs,omitempty"`
	Potentials *multiclass.Model `json:"potentials,omitempty"`
	Bins       []float64         `json:"bins,omitempty"`

	OutcomeAliases map[string]string `json:"outcome_aliases,omitempty"` // other spelling → its class
	// classes that differ only by blanks, case or a final dot are the same
	OutcomeJoin bool `json:"outcome_join,omitempty"`

	Decimal string `json:"decimal"`
	Version string `json:"version"`
}

// Format identifies the file format that this version writes and reads.
const Format = "taper-model/1"

// Multiclass reports a model without an event; its answer is a class, or abstention.
func (m *Model) Multiclass() bool { return m.Task != "" }

// NotGiven returns an error for a model fitted elsewhere: only its predictions are known.
func (m *Model) NotGiven() error {
	if m.Kind != fit.KindGiven {
		return nil
	}
	return usererr.New(usererr.Conflict, "There is no model to apply to new rows: this run evaluates predictions that "+
		"came with the data.")
}

// check validates the content of a model file.
func (m *Model) check() error {
	broken := func(format string, args ...any) error {
		return usererr.New(usererr.Invalid, "model.json: "+format, args...)
	}
	switch {
	case m.Format != Format:
		return broken("the format is %q, this version reads %q.", m.Format, Format)
	case m.Kind == fit.KindGiven:
		return m.NotGiven()
	case m.Multiclass():
		return m.checkClasses()
	case m.Kind != "" && m.Kind != "linear" && m.Kind != "boost" && m.Kind != "kernel":
		return broken("the kind %q is unknown: linear, kernel or boost.", m.Kind)
	case len(m.Terms) == 0 || m.Kind != "boost" && m.Kind != "kernel" && len(m.Weights) != len(m.Terms):
		return broken("%d weights for %d terms.", len(m.Weights), len(m.Terms))
	case len(m.Delta) != len(m.Boundaries):
		return broken("%d cut-offs for %d boundaries.", len(m.Delta), len(m.Boundaries))
	case !(m.Cut > 0 && m.Cut < 1):
		return broken("the cut %v is not a probability.", m.Cut)
	case math.IsNaN(m.Intercept) || math.IsInf(m.Intercept, 0):
		return broken("the intercept is not a finite number.")
	}
	if err := loss.CheckBoundaries("boundaries", m.Boundaries); err != nil {
		return err
	}
	if m.Kind == "boost" {
		if err := m.boosted().Check(); err != nil {
			return broken("%v", err)
		}
	}
	return m.checkTerms()
}

// checkTerms reports a term without scale or knot, or out of order.
func (m *Model) checkTerms() error {
	broken := func(format string, args ...any) error {
		return usererr.New(usererr.Invalid, "model.json: "+format, args...)
	}
	at := 0 // terms of one column are adjacent, in the order of the columns
	for _, c := range m.Columns {
		from := at
		for at < len(m.Terms) && m.Terms[at].Column == c.Name {
			if t := m.Terms[at]; !(t.SD > 0) {
				return broken("term %q has no positive sd.", t.Name)
			}
			at++
		}
		if err := c.CheckKnots(m.Terms[from:at]); err != nil {
			return broken("%v", err)
		}
	}
	if at < len(m.Terms) {
		return broken("term %q is not in the order of the columns.", m.Terms[at].Name)
	}
	return nil
}

// checkClasses validates the fields of a multiclass model.
func (m *Model) checkClasses() error {
	broken := func(format string, args ...any) error {
		return usererr.New(usererr.Invalid, "model.json: "+format, args...)
	}
	k := len(m.Levels)
	about, known := task.ByID(m.Task)
	switch {
	case !known || about.Rule(loss.Family{}) == "":
		return broken("the task %q is unknown.", m.Task)
	case m.Potentials == nil:
		return broken("the potentials are missing.")
	case m.Potentials.Classes != k:
		return broken("%d levels for %d classes.", k, m.Potentials.Classes)
	case m.Potentials.Columns() != len(m.Terms):
		return broken("potentials of %d terms for %d.", m.Potentials.Columns(), len(m.Terms))
	case m.Potentials.Family.ID != m.Loss:
		return broken("potentials of the %s loss for %s.", m.Potentials.Family.ID, m.Loss)
	case m.Rule != about.Rule(m.Potentials.Family):
		return broken("the rule %q is not that of %s.", m.Rule, m.Loss)
	case len(m.Costs) < k || len(m.Costs) > k+1:
		return broken("%d rows of costs for %d classes.", len(m.Costs), k)
	case m.Bins != nil && len(m.Bins) != k-1:
		return broken("%d edges for %d classes.", len(m.Bins), k)
	}
	for _, row := range m.Costs {
		if len(row) != k {
			return broken("a row of %d costs for %d classes.", len(row), k)
		}
	}
	return nil
}

// method parses the loss of the model and checks its link against the file's.
func (m *Model) method() (fit.Method, error) {
	how, err := fit.Parse(fit.Spec{Kind: cmp.Or(m.Kind, "linear"), Loss: m.Loss, Params: m.Params})
	if err != nil {
		return how, usererr.New(usererr.Invalid, "model.json: %v", err)
	}
	if how.Link.ID != m.Link {
		return how, usererr.New(usererr.Invalid, "model.json: the link %q is not that of %s, %s.", m.Link, m.Loss,
			how.Link.ID)
	}
	return how, nil
}

// boosted returns the trees of the model.
func (m *Model) boosted() *boost.Model {
	return &boost.Model{Alpha: 1, Columns: len(m.Terms), Trees: m.Trees}
}

// SetExpansion stores a kernel score in the model.
func (m *Model) SetExpansion(e *fit.Expansion) {
	k := e.Kernel
	if k.Name == multiclass.KernelLinear {
		k.Gamma = 0
	}
	if k.Name != multiclass.KernelPoly {
		k.Degree = 0
	}
	m.Kernel, m.Coefficients, m.Intercept = &k, e.Coefficients, e.B
	for i := range e.Rows.Rows {
		m.Support = append(m.Support, slices.Clone(e.Rows.Row(i)))
	}
}

// expansion reverses SetExpansion.
func (m *Model) expansion() (*fit.Expansion, error) {
	if m.Kernel == nil {
		return nil, fmt.Errorf("kind kernel without a kernel")
	}
	return fit.NewExpansion(*m.Kernel, m.Support, m.Coefficients, m.Intercept, len(m.Terms))
}

// Importance is a term's share of Σ|θ| in a boosted model; a tree's |θ| is divided equally
// among its splits.
type Importance struct {
	Name   string  `json:"name"`
	Share  float64 `json:"share"`
	Splits int     `json:"splits"`
}

// TreeImportance returns the importance of every term.
func TreeImportance(m *boost.Model, terms []prep.Term) []Importance {
	all := make([]Importance, len(terms))
	for k, t := range terms {
		all[k].Name = t.Name
	}
	total := 0.0
	for _, tree := range m.Trees {
		splits := len(tree.Nodes) / 2
		for _, n := range tree.Nodes {
			if n.Below != 0 {
				all[n.Feature].Splits++
				all[n.Feature].Share += math.Abs(tree.Theta) / float64(splits)
			}
		}
		total += math.Abs(tree.Theta)
	}
	for k := range all {
		if total > 0 {
			all[k].Share /= total
		}
	}
	return all
}

// Influence returns |weight| per term, or its importance in trees, to list the strongest terms
// first.
func (m *Model) Influence() []float64 {
	all := make([]float64, len(m.Terms))
	if m.Multiclass() {
		for _, w := range m.Potentials.Weights {
			for k, v := range w {
				all[k] = max(all[k], math.Abs(v))
			}
		}
		return all
	}
	if m.Kind != "boost" {
		for k, w := range m.Weights {
			all[k] = math.Abs(w)
		}
		return all
	}
	for k, v := range TreeImportance(m.boosted(), m.Terms) {
		all[k] = v.Share
	}
	return all
}

// UsedColumns returns the columns that the score depends on: those with a non-zero weight or a
// split; for kernels all.
func (m *Model) UsedColumns() map[string]bool {
	all, influence := map[string]bool{}, m.Influence()
	for k, t := range m.Terms {
		if m.HoldsRows() || influence[k] != 0 {
			all[t.Column] = true
		}
	}
	return all
}

// linkNames are the links' names for readers.
var linkNames = map[string]string{
	fit.LinkIdentity: "identity", loss.LinkNone: "none (bands only)", loss.LinkSoftmax: "softmax",
	loss.LinkLogistic: "logistic", loss.LinkScaled: "logistic, scaled",
	loss.LinkEscort: "power", loss.LinkSquaredHinge: "squared hinge", loss.LinkDWD: "distance-weighted",
}

// LinkName is the name of a link for readers, or its id where it has none.
func LinkName(id string) string { return cmp.Or(linkNames[id], id) }

// InterceptName is the row of the intercept in lists of terms.
const InterceptName = "(intercept)"
