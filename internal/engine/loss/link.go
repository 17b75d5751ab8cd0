package loss

import (
	"math"
	"strconv"
	"strings"
)

// Ids of links, as model.json names them.
const (
	LinkNone         = "none"            // no probability: bands by cut-offs alone
	LinkLogistic     = "logistic"        // σ(f)
	LinkScaled       = "logistic-scaled" // σ(scale·f)
	LinkEscort       = "escort"          // p^t1 normalised, p of the two-temperature model
	LinkTempered     = "tempered"        // p of the model with temperature t2
	LinkSquaredHinge = "squared-hinge"   // (1+f)/2 within 0 and 1
	LinkDWD          = "dwd"             // math.md §8
	LinkSoftmax      = "softmax"         // several classes
)

// Link says how a score becomes the probability that a loss recovers. Every
// family with one names it, because whoever reads model.json computes the
// probability by the name alone.
type Link struct {
	ID      string
	Scale   float64 // P = σ(Scale·f); 0 = by another formula
	Formula string  // of P in plain symbols
}

// scaled is the link P = σ(scale·f), kept within the doubles.
func scaled(scale float64) Link {
	if scale == 1 {
		return Link{ID: LinkLogistic, Scale: 1, Formula: "P = 1/(1 + e^−f)"}
	}
	text := strings.Replace(strconv.FormatFloat(min(scale, math.MaxFloat64), 'g', 4, 64), "-", "−", 1)
	return Link{ID: LinkScaled, Scale: min(scale, math.MaxFloat64), Formula: "P = 1/(1 + e^(−" + text + "·f))"}
}

// LinkOf returns the link at a setting. It panics for a family that recovers a probability without a link:
// a guess would be exported as if it were known.
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
