package loss

import (
	"math"
	"strconv"
	"strings"
)

// Ids of links, as in model.json.
const (
	LinkNone         = "none"            // no probability: the bands follow from cut-offs alone
	LinkLogistic     = "logistic"        // σ(f)
	LinkScaled       = "logistic-scaled" // σ(scale·f)
	LinkEscort       = "escort"          // p^t1 normalised, p of the two-temperature model
	LinkTempered     = "tempered"        // p of the model with temperature t2
	LinkSquaredHinge = "squared-hinge"   // (1+f)/2, cut to [0, 1]
	LinkDWD          = "dwd"             // docs/math.md, Baselines
	LinkSoftmax      = "softmax"         // multiclass
)

// ClosedForm reports whether the probability of a link is a formula. The others solve an equation for each score.
func ClosedForm(link string) bool { return link != LinkEscort && link != LinkTempered }

// Link says how a score becomes the probability that a loss recovers. Every family with probabilities
// names its link, because readers of model.json compute the probability from that name.
type Link struct {
	ID      string
	Scale   float64 // P = σ(Scale·f); 0 means another formula
	Formula string  // formula of P in plain symbols
}

// scaled is the link P = σ(scale·f), with the scale kept finite.
func scaled(scale float64) Link {
	if scale == 1 {
		return Link{ID: LinkLogistic, Scale: 1, Formula: "P = 1/(1 + exp(−f))"}
	}
	text := strings.Replace(strconv.FormatFloat(min(scale, math.MaxFloat64), 'g', 4, 64), "-", "−", 1)
	return Link{ID: LinkScaled, Scale: min(scale, math.MaxFloat64), Formula: "P = 1/(1 + exp(−" + text + "·f))"}
}

// LinkOf returns the link for given parameters. It panics for a family that recovers a probability but
// names no link: a guessed link would be exported as if it were right.
func (f Family) LinkOf(v Values) Link {
	recovers := false
	switch {
	case f.Margin != nil:
		_, recovers = f.Margin(v).(Prober)
	case f.Potential != nil:
		k := 2
		if f.Classes != nil {
			k = f.Classes(v)
		}
		_, recovers = f.Potential(v, k).(Classifier)
	}
	switch {
	case !recovers:
		return Link{ID: LinkNone}
	case f.Link == nil:
		panic("loss: " + f.ID + " recovers a probability: its family must name the link")
	}
	return f.Link(v)
}
