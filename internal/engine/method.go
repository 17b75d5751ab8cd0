package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/boost"
	"taper/internal/engine/errs"
	"taper/internal/engine/loss"
	"taper/internal/engine/train"
)

// method is the model of a spec: its loss, how it is fitted, and how its score
// is read.
type method struct {
	family loss.Family
	values loss.Values
	loss   loss.Margin
	link   link
	spec   ModelSpec
}

// parseMethod reads the loss and its parameters.
func parseMethod(m ModelSpec) (method, error) {
	family, ok := loss.FamilyByID(m.Loss)
	if !ok || family.Margin == nil {
		return method{}, errs.BadField("model.loss", "must be one of %s (got %q)", strings.Join(marginLosses(), ", "), m.Loss)
	}
	values, err := parseParams(family, "model.params", m.Params)
	if err != nil {
		return method{}, err
	}
	return method{family: family, values: values, loss: family.Margin(values), link: newLink(family, values), spec: m}, nil
}

// parseParams reads free JSON values by the family's own rules.
func parseParams(family loss.Family, field string, params map[string]any) (loss.Values, error) {
	raw := map[string]json.RawMessage{}
	for name, v := range params {
		if x, ok := v.(float64); ok && math.IsInf(x, 1) {
			v = "inf"
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, errs.BadField(field+"."+name, "must be a number")
		}
		raw[name] = b
	}
	return family.ParseJSON(field, raw)
}

// marginLosses lists the ids of the two-class losses that can be trained.
func marginLosses() []string {
	var ids []string
	for _, f := range loss.Families {
		if (f.Kind == loss.KindMargin || f.Kind == loss.KindInterval) && f.ID != "zero-one" {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// boosted reports whether the model is a sum of trees, which has no λ.
func (m ModelSpec) boosted() bool { return m.Kind == "boost" }

// Penalised reports whether the model has a penalty λ.
func (m ModelSpec) Penalised() bool { return !m.boosted() }

// tuned reports whether cross-validation chooses the model's own λ.
func (m ModelSpec) tuned() bool { return m.Penalised() && m.L2.Tuned() }

// plain reports whether the model is logistic regression itself, which then
// stands beside nothing but the null model.
func (m ModelSpec) plain() bool { return m.Kind == "linear" && m.Loss == "logistic" }

// learner returns what fits the method.
func (m method) learner(iv loss.Interval, seed uint64) learner {
	judged := proper{m.link, iv}
	switch {
	case m.spec.boosted():
		return trees{options: m.boosting()}
	case m.family.ID == "interval":
		return newInterval(iv, m.spec.Solver)
	case m.family.ID == "logistic":
		return logistic{}
	case m.family.ID == "t-logistic":
		t := m.values.Number("t")
		return student{proper: judged, t: t, losses: train.NewTLosses(t), solver: m.solver(), seed: seed}
	}
	l := margin{proper: judged, loss: train.Ready(m.loss), seed: seed}
	for _, soft := range train.Soften(m.family.ID, m.values) {
		l.soft = append(l.soft, train.Ready(soft))
	}
	return l
}

// solver is the trainer's name of the solver, "" for its own choice.
func (m method) solver() string {
	if m.spec.Solver == "auto" {
		return ""
	}
	return m.spec.Solver
}

func (m method) boosting() boost.Options {
	return boost.Options{Alpha: m.values.Number("alpha"), Rule: m.spec.ThetaRule, Rounds: m.spec.Rounds, Depth: m.spec.Depth}
}

// title names the method in tables and sentences.
func (m method) title() string {
	switch {
	case m.spec.boosted():
		return fmt.Sprintf("AdaBoost.α, %s, %s", m.settings(), count(m.spec.Rounds, "tree", "trees"))
	case m.family.ID == "interval":
		return "Interval surrogate"
	case m.family.ID == "logistic":
		return "Logistic, thresholded"
	case len(m.family.Params) == 0:
		return m.family.Title
	}
	return m.family.Title + ", " + m.settings()
}

// settings lists the parameters: "t₁ = 0.6, t₂ = 1.6".
func (m method) settings() string {
	var each []string
	for _, p := range m.family.Params {
		if p.Type == loss.Number {
			each = append(each, p.Symbol+" = "+plainNumber(m.values.Number(p.Name)))
		}
	}
	return strings.Join(each, ", ")
}

// plainNumber writes a parameter: four digits, ∞ for infinity, a real minus.
func plainNumber(v float64) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	return strings.Replace(strconv.FormatFloat(v, 'g', 4, 64), "-", minus, 1)
}

// params are those of model.json: every one by name, "inf" for ∞.
func (m method) params(iv loss.Interval) map[string]any {
	if m.family.ID == "interval" {
		return map[string]any{"pi": iv.Pi}
	}
	all := map[string]any{}
	for _, p := range m.family.Params {
		all[p.Name] = m.values.Number(p.Name)
		if math.IsInf(m.values.Number(p.Name), 1) {
			all[p.Name] = "inf"
		}
	}
	return all
}

// weight is the give-up factor of a row of class s at a score, nil where the
// loss has none or it is infinite (clinical.md §4).
func (m method) weight(s, f float64) *float64 {
	w, ok := m.loss.(loss.Weigher)
	if !ok || m.family.ID == "logistic" {
		return nil
	}
	g := w.Importance(s * f)
	if math.IsInf(g, 0) || math.IsNaN(g) {
		return nil
	}
	return &g
}

// check reports boundaries that the method's score cannot be cut at: without a
// link ½ alone has a cut-off, 0 (paper 004, Theorem 2).
func (m method) check(f *fieldErrors, pi []float64) {
	if m.family.ID == "interval" {
		return
	}
	if !m.link.has() {
		if !slices.Equal(pi, []float64{0.5}) {
			f.add("model.loss", "recovers no probability (%s), so no cut-off exists for boundaries other than 0.5: take boundaries [0.5] or a loss with a link, as logistic, alpha or tempered", m.title())
		}
		return
	}
	last := math.Inf(-1)
	for k, p := range pi {
		if d := m.link.cut(p); math.IsInf(d, 0) || math.IsNaN(d) || d < last {
			f.add(fmt.Sprintf("boundaries[%d]", k), "has no finite cut-off for %s: choose a boundary or parameters less extreme", m.title())
		} else {
			last = d
		}
	}
}
