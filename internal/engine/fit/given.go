package fit

import (
	"encoding/json"
	"strings"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// KindGiven is a model that was fitted elsewhere. Its predictions are columns of the data or a
// formula of columns. Nothing is fitted here, except the cut-offs of the bands where Scale is a
// score.
const KindGiven = "given"

// Scales of the predictions of a given model.
const (
	ScaleProbability = "probability" // 0 to 1; the default
	ScaleLogit       = "logit"       // the log odds of the event, as the linear predictor of a logistic regression
	ScaleScore       = "score"       // any number that increases, or decreases, with the risk; it is cut into bands
)

// Scales lists the scales that a spec may name.
var Scales = []string{ScaleProbability, ScaleLogit, ScaleScore}

// Directions of a score; with "" the program takes the direction with the higher AUC.
const (
	Higher = "higher" // higher scores mean higher risk
	Lower  = "lower"
)

// Given reports whether the predictions come with the data instead of from a fit.
func (m Spec) Given() bool { return m.Kind == KindGiven }

// CutFromData reports whether the cut-offs of the bands are estimated from the data, as for a
// given score.
func (m Spec) CutFromData() bool { return m.Given() && m.Scale == ScaleScore }

// withGivenDefaults fills in the scale.
func (m Spec) withGivenDefaults() Spec {
	switch {
	case m.Scale != "":
	case m.Formula != "":
		m.Scale = ScaleLogit
	case m.File != nil && m.file().Task == "" && m.file().Link == LinkNone:
		m.Scale = ScaleScore
	}
	m.Scale = or(m.Scale, ScaleProbability)
	return m
}

// givenFile holds the fields of a model.json that its method depends on. Package model reads the rest.
type givenFile struct {
	Kind, Loss, Link, Task string
	Params                 map[string]any
}

// file returns the zero value if the content is not a model.json.
func (m Spec) file() (f givenFile) {
	if json.Unmarshal(m.File, &f) != nil {
		return givenFile{}
	}
	return f
}

// FileTitle is the name of the method of a given model.json, such as "α-loss, α = 4".
func (m Spec) FileTitle() string {
	f := m.file()
	of, err := Parse(Spec{Kind: or(f.Kind, "linear"), Loss: f.Loss, Params: f.Params})
	if err != nil {
		return f.Loss
	}
	return of.Title()
}

// identity is the link of a score that is already the probability.
type identity struct{}

func (identity) ClassProbability(p float64) float64 { return p }
func (identity) Cut(pi float64) float64             { return pi }

// LinkIdentity is the id of the link of given probabilities.
const LinkIdentity = "identity"

// given returns the method that reads the predictions of a model fitted elsewhere.
func (m Spec) given() (Method, error) {
	how := Method{Spec: m, Link: Link{ID: LinkNone}}
	switch {
	case len(m.Columns) > 1 || m.File != nil && m.file().Task != "": // log probabilities, one per class
		family, _ := loss.FamilyByID("softmax")
		values, err := parseParams(family, "model.params", nil)
		how.Family, how.Values = family, values
		return how, err
	case m.Scale == ScaleLogit:
		how.Link = Link{ID: LinkLogistic, Scale: 1, Formula: "P = 1 / (1 + exp(−f))"}
	case m.Scale == ScaleScore:
	default:
		how.Link = Link{ID: LinkIdentity, Prob: identity{}, Formula: "P = f, the probability as it was given"}
	}
	return how, nil
}

// givenTitle is the model's name in tables.
func (m Spec) givenTitle() string {
	what := map[string]string{ScaleLogit: "Given log odds", ScaleScore: "Given score"}[m.Scale]
	switch {
	case m.Formula != "":
		return "Published formula"
	case m.File != nil:
		return "Given model: " + m.FileTitle()
	case len(m.Columns) > 1:
		what = "Given probabilities"
	case what == "":
		what = "Given probability"
	}
	return what + " ‘" + strings.Join(m.Columns, "’, ‘") + "’"
}

// NewGiven returns a model without terms, for callers that expect a fitted one. flat says that
// every row has the same prediction.
func (m Method) NewGiven(t Task, flat bool) (*Model, error) {
	own := &Model{Method: m, Task: t}
	if m.Family.ID != "" {
		model := &multiclass.Model{Family: m.Family, Params: m.Values, Classes: t.Classes, Form: multiclass.FormClasses,
			Offsets: make([]float64, t.Classes), Weights: make([][]float64, t.Classes)}
		for k := range model.Weights {
			model.Weights[k] = make([]float64, t.Classes)
			model.Weights[k][k] = 1
		}
		ready, err := model.Ready()
		own.Potential = &multiclass.Fitted{Model: ready}
		return own, err
	}
	w := []float64{1}
	if flat {
		w[0] = 0
	}
	own.Fitted = &Fitted{Linear: &linear.Linear{W: w}}
	return own, nil
}

// notFitted is the error of a request to fit a given model.
func (m Spec) notFitted() error {
	return usererr.BadField("model.kind", "%s is for runs only: predictions that came with the data are not fitted",
		KindGiven)
}
