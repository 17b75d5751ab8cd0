package fit

import (
	"strings"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// KindGiven is a model that was fitted elsewhere: its predictions are columns of the data, or follow from them by
// a formula. Nothing of it is fitted but, where Scale is a score, the cut-offs of the bands.
const KindGiven = "given"

// What the number of a given model is.
const (
	ScaleProbability = "probability" // 0 to 1; "" means it
	ScaleLogit       = "logit"       // the log odds of the event, as the linear predictor of a logistic regression
	ScaleScore       = "score"       // any number that rises, or falls, with the risk: it is cut into bands
)

// Scales are those of given models.
var Scales = []string{ScaleProbability, ScaleLogit, ScaleScore}

// Directions of a score; "" is whichever ranks the rows better.
const (
	Higher = "higher" // higher scores are of higher risk
	Lower  = "lower"
)

// Given reports whether the model's predictions came with the data.
func (m Spec) Given() bool { return m.Kind == KindGiven }

// CutFromData reports a given score, whose bands follow from the data.
func (m Spec) CutFromData() bool { return m.Given() && m.Scale == ScaleScore }

// withGivenDefaults fills in the scale.
func (m Spec) withGivenDefaults() Spec {
	if m.Scale == "" && m.Formula != "" {
		m.Scale = ScaleLogit
	}
	m.Scale = or(m.Scale, ScaleProbability)
	return m
}

// identity is the link of a probability that is the score itself.
type identity struct{}

func (identity) ClassProbability(p float64) float64 { return p }
func (identity) Cut(pi float64) float64             { return pi }

// LinkIdentity is the link of given probabilities, whose score is the probability.
const LinkIdentity = "identity"

// given is the method of a model that was fitted elsewhere: how its numbers are read.
func (m Spec) given() (Method, error) {
	how := Method{Spec: m, Link: Link{ID: LinkNone}}
	switch {
	case len(m.Columns) > 1: // of several classes, as log probabilities
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

// givenTitle names a given model in tables.
func (m Spec) givenTitle() string {
	what := map[string]string{ScaleLogit: "Given log odds", ScaleScore: "Given score"}[m.Scale]
	switch {
	case m.Formula != "":
		return "Published formula"
	case len(m.Columns) > 1:
		what = "Given probabilities"
	case what == "":
		what = "Given probability"
	}
	return what + " ‘" + strings.Join(m.Columns, "’, ‘") + "’"
}

// NewGiven is the model that stands for a given one where a fit is asked for: it has no terms. Flat says that
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

// notFitted refuses to fit a given model.
func (m Spec) notFitted() error {
	return usererr.BadField("model.kind", "%s is for runs alone: predictions that came with the data are not fitted",
		KindGiven)
}
