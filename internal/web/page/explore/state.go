package explore

import (
	"strings"

	"taper/internal/web/form"
)

// State is all that the loss explorer shows: the page is a pure
// function of it. The numbers of other families stay at their defaults.
type State struct {
	Family string // one of Families
	View   string // what is shown of it, "" the curves

	T1, T2, T, Alpha float64
	Pi               []float64

	Metric  string // of an adversarial loss
	Cost    float64
	Classes int        // 2 or 3
	True    int        // the true class, from 1
	Rival   string     // a loss of potentials
	Psi     [2]float64 // ψ of the other classes: f_j − f_y

	With []Spec // compared with
	Pins []Spec // ghosts, up to maxPins

	Z     float64  // the crosshair
	Third string   // the third chart: "probability" or "xi"
	Over  string   // axis of an interval's charts: "score" or "margin"
	Top   float64  // upper end of the loss axis, 0 the family's own
	Open  []string // charts whose data table is open

	Noise, Gamma float64 // of the landscape
	Seed         uint64  // of the points
}

// Spec names a loss with its parameters: "alpha:3", "tempered:0.6:1.6".
type Spec struct {
	ID   string
	Args []string
}

func (l Spec) String() string { return strings.Join(append([]string{l.ID}, l.Args...), ":") }

// The families of the explorer, in the order of its list.
const (
	TwoTemperature = "two-temperature"
	TLogistic      = "t-logistic"
	Alpha          = "alpha"
	Interval       = "interval"
	Adversarial    = "adversarial"
)

// Families lists them; the first is that of an address without a query.
var Families = []string{TwoTemperature, TLogistic, Alpha, Interval, Adversarial}

// The views of a family besides its curves.
const (
	Functions = "functions" // log_t and exp_t
	Landscape = "landscape" // the noisy risk of two weights
	Slope     = "slope"     // B(x) of paper 003
	Points    = "points"    // rows by band
	Matrices  = "matrices"  // cost matrices
)

// familyViews are the views of each family; "" is always there.
var familyViews = map[string][]string{
	TwoTemperature: {Functions}, TLogistic: {Functions},
	Alpha: {Landscape, Slope}, Interval: {Points}, Adversarial: {Matrices},
}

// MarginEnd is where the margin axis ends, on both sides of 0.
const MarginEnd = 8.0

const (
	maxPins    = 4
	maxWith    = 6
	psiEnd     = 3.0 // the axes of potentials
	thirdProb  = "probability"
	thirdXi    = "xi"
	overScore  = "score"
	overMargin = "margin"
	same       = "same" // a parameter that follows the steered one
)

// metrics are the adversarial losses by their names here and in the engine.
var metrics = []struct{ ID, Loss, Title string }{
	{"zero-one", "al-zero-one", "Zero-one"}, {"absolute", "al-ordinal", "Absolute error (ordinal)"},
	{"squared", "al-squared", "Squared error (ordinal)"}, {"abstain", "al-abstain", "Zero-one or abstain"},
}

var rivals = []struct{ ID, Title string }{
	{"ww", "Weston–Watkins (WW)"}, {"cs", "Crammer–Singer (CS)"}, {"llw", "Lee–Lin–Wahba (LLW)"},
	{"ova", "One against all"}, {"softmax", "Softmax"},
}

// New is the state of a URL without a query, for one family.
func New(family string) State {
	st := State{
		Family: family, T1: .6, T2: 1.6, T: 1.6, Alpha: 4, Pi: []float64{.25, .5, .75},
		Metric: "zero-one", Cost: .5, Classes: 3, True: 1, Rival: "ww", Psi: [2]float64{.5, -.5},
		Z: -3, Third: thirdProb, Over: overScore, Noise: 1. / 3, Gamma: .05, Seed: 1,
	}
	switch family {
	case TwoTemperature:
		st.With = Specs("logistic", "t-logistic:"+same, "zero-one")
	case TLogistic:
		st.With = Specs("logistic", "zero-one")
	case Alpha:
		st.With = Specs("logistic", "exponential", "zero-one")
	case Interval:
		st.With, st.Z = Specs("logistic"), .8
	case Adversarial:
		st.With = Specs("hinge", "zero-one")
	}
	return st
}

// resolve replaces a parameter that follows the steered loss.
func (st State) resolve(l Spec) Spec {
	if l.ID == "t-logistic" && len(l.Args) == 1 && l.Args[0] == same {
		t := st.T2
		if st.Family != TwoTemperature {
			t = st.T
		}
		l.Args = []string{form.Text(min(max(t, 1), 2))}
	}
	return l
}

// steered is the loss of the margin that the sliders move.
func (st State) steered() Spec {
	switch st.Family {
	case TLogistic:
		return Spec{"t-logistic", []string{form.Text(st.T)}}
	case Alpha:
		return Spec{"alpha", []string{form.Text(st.Alpha)}}
	}
	return Spec{"tempered", []string{form.Text(st.T1), form.Text(st.T2)}}
}
