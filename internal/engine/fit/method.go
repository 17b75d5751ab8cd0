// Package fit joins what makes a model: a loss with its parameters, a solver for it, and the
// link that reads its score.
//
// It is the only package that knows which solver serves which loss. Runs, studies and the
// playground all fit through Trainer, so a method gives the same fit on every page. A Trainer
// fits one λ, or a path of λ for callers that choose among them.
package fit

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"taper/internal/engine/fit/boost"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// Method is a parsed spec: the loss, its parameters and the link of its score.
type Method struct {
	Family loss.Family
	Values loss.Values
	Loss   loss.Margin
	Link   Link
	Spec   Spec
}

// Parse reads the loss and its parameters, and refuses what does not fit together.
func Parse(m Spec) (Method, error) {
	if m.Given() {
		return m.given()
	}
	family, ok := loss.FamilyByID(m.Loss)
	if !ok || family.Untrained {
		return Method{}, usererr.BadField("model.loss", "must be one of %s (got %q)", strings.Join(Losses(), ", "), m.Loss)
	}
	values, err := parseParams(family, "model.params", m.Params)
	if err != nil {
		return Method{}, err
	}
	how := Method{Family: family, Values: values, Spec: m, Link: Link{ID: LinkNone}}
	if family.Margin != nil {
		how.Loss, how.Link = family.Margin(values), NewLink(family, values)
	}
	return how, nil
}

// Costs returns the cost matrix (answers × classes) of a loss that takes one; nil where the
// loss takes none or the spec leaves it out.
func (m Method) Costs() [][]float64 {
	name := m.Family.CostParam()
	if name == "" || m.Spec.Params[name] == nil {
		return nil
	}
	return m.Values.Matrix(name)
}

// WithCosts sets the cost matrix c, unless the spec has its own or the loss takes none.
func (m Method) WithCosts(c [][]float64) Method {
	if name := m.Family.CostParam(); name != "" && m.Costs() == nil {
		m.Values = maps.Clone(m.Values)
		m.Values[name] = loss.Value{Matrix: c}
	}
	return m
}

// parseParams reads free-form JSON parameters by the rules of the loss family.
func parseParams(family loss.Family, field string, params map[string]any) (loss.Values, error) {
	raw := map[string]json.RawMessage{}
	for name, v := range params {
		if x, ok := v.(float64); ok && math.IsInf(x, 1) {
			v = "inf"
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, usererr.BadField(field+"."+name, "must be a number")
		}
		raw[name] = b
	}
	return family.ParseJSON(field, raw)
}

// Losses lists the ids of the losses that can be trained.
func Losses() []string {
	var ids []string
	for _, f := range loss.Families {
		if !f.Untrained {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// MarginLosses lists the ids of the two-class losses that can be trained.
func MarginLosses() []string {
	var ids []string
	for _, f := range loss.Families {
		if f.Margin != nil && !f.Untrained {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// Boosted reports whether the model is a sum of trees, which has no λ.
func (m Spec) Boosted() bool { return m.Kind == "boost" }

// Penalised reports whether the model has a penalty λ. Trees have none; of a given model it is
// unknown.
func (m Spec) Penalised() bool { return !m.Boosted() && !m.Given() }

// Tuned reports whether cross-validation chooses λ or γ.
func (m Spec) Tuned() bool { return m.Penalised() && m.L2.Tuned() || m.GammaTuned() }

// Plain reports whether the loss and the model are those of logistic regression. Whether its
// terms are linear (no splines) is known to the spec of the run only.
func (m Spec) Plain() bool { return m.Kind == "linear" && m.Loss == "logistic" }

// learner returns the learner of a single-score method.
func (m Method) learner(iv loss.Interval, seed uint64) learner {
	switch {
	case m.Spec.Boosted():
		return trees{options: m.Boosting()}
	case m.Spec.Kernelled():
		return m.kernelled(iv, seed)
	case m.Family.Kind == loss.KindInterval:
		return interval{iv: iv, solver: m.solver()}
	case m.Family.ID == "logistic":
		return logistic{seed: seed}
	case m.Family.Prior:
		t := m.Values.Number("t")
		return student{t: t, losses: linear.NewTLosses(t), solver: m.solver(), seed: seed}
	}
	return margin{loss: linear.Ready(m.Loss), seed: seed, soft: sync.OnceValue(func() (soft []loss.Margin) {
		for _, l := range linear.Soften(m.Family.ID, m.Values) {
			soft = append(soft, linear.Ready(l))
		}
		return soft
	})}
}

// solver is the solver's name, "" for the default.
func (m Method) solver() string {
	if m.Spec.Solver == "auto" {
		return ""
	}
	return m.Spec.Solver
}

func (m Method) Boosting() boost.Options {
	return boost.Options{Alpha: m.Values.Number("alpha"), Rule: m.Spec.ThetaRule, Rounds: m.Spec.Rounds,
		Depth: m.Spec.Depth}
}

// Title is the method's name in tables and sentences.
func (m Method) Title() string {
	if m.Spec.Given() {
		return m.Spec.givenTitle()
	}
	if m.Spec.Kernelled() {
		return m.lossTitle() + ", " + m.Spec.Kernel.Title()
	}
	return m.lossTitle()
}

func (m Method) lossTitle() string {
	switch {
	case m.Spec.Boosted():
		return fmt.Sprintf("AdaBoost.α, %s, %s", m.settings(), treeCount(m.Spec.Rounds))
	case m.Family.Kind == loss.KindInterval:
		return "Interval surrogate"
	case m.Family.ID == "logistic" && m.Spec.Kernelled():
		return "Logistic"
	case m.Family.ID == "logistic":
		return "Logistic, thresholded"
	case m.settings() == "":
		return m.Family.Title
	}
	return m.Family.Title + ", " + m.settings()
}

// treeCount is the number of trees in words: "1 tree", "100 trees".
func treeCount(n int) string {
	if n == 1 {
		return "1 tree"
	}
	return strconv.Itoa(n) + " trees"
}

// settings lists the parameters as text: "t₁ = 0.6, t₂ = 1.6".
func (m Method) settings() string {
	var each []string
	for _, p := range m.Family.Params {
		switch p.Type {
		case loss.Number:
			each = append(each, p.Symbol+" = "+plainNumber(m.Values.Number(p.Name)))
		case loss.ID:
			each = append(each, p.Symbol+" = "+m.Values.ID(p.Name))
		}
	}
	return strings.Join(each, ", ")
}

// plainNumber formats a parameter with up to four digits, ∞ for infinity and a real minus.
func plainNumber(v float64) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	return strings.Replace(strconv.FormatFloat(v, 'g', 4, 64), "-", "−", 1)
}

// Params lists every parameter by name, as written to model.json; infinity is "inf".
func (m Method) Params(iv loss.Interval) map[string]any {
	if m.Family.Kind == loss.KindInterval {
		return map[string]any{"pi": iv.Pi}
	}
	all := map[string]any{}
	for _, p := range m.Family.Params {
		switch p.Type {
		case loss.Matrix:
			all[p.Name] = m.Values.Matrix(p.Name)
			continue
		case loss.ID:
			all[p.Name] = m.Values.ID(p.Name)
			continue
		}
		all[p.Name] = m.Values.Number(p.Name)
		if math.IsInf(m.Values.Number(p.Name), 1) {
			all[p.Name] = "inf"
		}
	}
	return all
}

// Weight is the weight factor of a row of class s (±1) at score f. It is nil where the loss has
// none or it is infinite (docs/clinical.md, Label audit).
func (m Method) Weight(s, f float64) *float64 {
	w, ok := m.Loss.(loss.Weigher)
	if !ok || m.Family.ID == "logistic" {
		return nil
	}
	g := w.Importance(s * f)
	if math.IsInf(g, 0) || math.IsNaN(g) {
		return nil
	}
	return &g
}

// Check refuses boundaries at which the score has no cut-off: without a link the only known
// cut-off is 0, at π = ½ (Kimes et al. 2016, Theorem 2).
func (m Method) Check(pi []float64) error {
	if m.Family.Kind == loss.KindInterval {
		return nil
	}
	if !m.Link.Has() {
		if !slices.Equal(pi, []float64{0.5}) {
			return usererr.BadField("model.loss",
				"recovers no probability (%s), so no cut-off exists for boundaries other than "+
					"0.5: take boundaries [0.5] or a loss with a link, as logistic, alpha or tempered", m.Title())
		}
		return nil
	}
	last := math.Inf(-1)
	for k, p := range pi {
		d := m.Link.Cut(p)
		if math.IsInf(d, 0) || math.IsNaN(d) || d < last {
			return usererr.BadField(fmt.Sprintf("boundaries[%d]", k),
				"has no finite cut-off for %s: choose a boundary or parameters less extreme", m.Title())
		}
		last = d
	}
	return nil
}
