package explore

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
	"taper/internal/web/boundary"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// State is the complete state of the loss explorer; the page is a pure function of it. Fields of other families
// stay at their defaults.
type State struct {
	Family string `form:"family" default:"two-temperature"` // one of Families
	View   string `form:"view"`                             // one of the family's views, "" = curves

	temperatures `prefix:"" family:"two-temperature"`
	tail         `prefix:"" family:"t-logistic"`
	alphaLoss    `prefix:"" family:"alpha"`
	bands        `prefix:"" family:"interval"`
	game         `prefix:"" family:"adversarial"`
	Params       loss.Values `form:"*"` // of a listed family

	With []Spec `form:"with"` // losses compared
	Pins []Spec `form:"pin"`  // pinned losses, up to maxPins

	Z     float64 `form:"z" default:"-3" range:"-8 8" step:"0.05" symbol:"z"`   // the crosshair
	Third string  `form:"third" default:"probability" options:"probability,xi"` // the third chart
	// The end of the loss axis; 0 = the default of the family.
	Top  float64  `form:"top" range:"0 1000"`
	Open []string `form:"open"` // charts whose data table is open
}

type temperatures struct {
	T1 float64 `form:"t1" default:"0.6" range:"0 4" slider:"0 1 0.01" symbol:"t₁" label:"loss bound"`
	T2 float64 `form:"t2" default:"1.6" range:"0 4" slider:"1 1.99 0.01" symbol:"t₂" label:"tail heaviness"`
}

type tail struct {
	T float64 `form:"t" default:"1.6" range:"1 2" slider:"1 1.99 0.01" symbol:"t" label:"tail heaviness"`
}

// alphaLoss has α, and the noise and the points of its landscape.
type alphaLoss struct {
	Alpha float64 `form:"alpha" default:"4" symbol:"α" label:"robustness"`
	Noise float64 `form:"noise" default:"0.3333333333333333" range:"0.01 0.49" step:"0.01" unit:"%" symbol:"p"`
	Gamma float64 `form:"gamma" default:"0.05" range:"0.005 0.16" step:"0.005" symbol:"γ" label:"small coordinate"`
}

type bands struct {
	Pi   []float64 `form:"pi" default:".25,.5,.75"`
	Over string    `form:"over" default:"score" options:"score,margin"` // axis of the charts
	Seed uint64    `form:"seed" default:"1" range:"0 1e9"`              // of the points
}

type game struct {
	Metric     string     `form:"metric" default:"zero-one"` // of an adversarial loss
	Cost       float64    `form:"cost" default:"0.5" range:"0 1" step:"0.01" symbol:"α" label:"cost of abstaining"`
	Classes    int        `form:"k" default:"3" range:"2 3"`
	True       int        `form:"y" default:"1" range:"1 3"`                             // the true class, from 1
	Comparison string     `form:"rival" default:"ww"`                                    // the loss compared
	Psi        [2]float64 `form:"a b" range:"-3 3" step:"0.05" symbol:"ψ" label:"point"` // f_j − f_y of the others
}

// openWith are the losses that a family is first compared with.
var openWith = map[string][]string{
	TwoTemperature: {"logistic", "t-logistic:" + same, "zero-one"}, TLogistic: {"logistic", "zero-one"},
	Alpha: {"logistic", "exponential", "zero-one"}, Interval: {"logistic"}, Adversarial: {"hinge", "zero-one"},
}

func opensWith(family string) []string {
	if with, ok := openWith[family]; ok {
		return with
	}
	return []string{"logistic", "zero-one"}
}

// Field sets what depends on the family, and reads the keys that name losses.
func (st *State) Field(f *form.Field) {
	family := f.Group.Get("family")
	f.Absent = family != "" && family != st.Family
	switch f.Key {
	case "family":
		f.Options = Families
	case "view":
		f.Options = append([]string{""}, familyViews[st.Family]...)
	case "alpha":
		f.Read = form.ReadOne(st.readAlpha)
	case "pi":
		boundary.Field(f, &st.Pi)
	case "metric":
		for _, m := range metrics {
			f.Options = append(f.Options, m.ID)
		}
	case "y":
		f.Snap = func(class float64) float64 { return min(class, float64(st.Classes)) }
	case "rival":
		for _, r := range comparisons {
			f.Options = append(f.Options, r.ID)
		}
	case "a":
		f.Default = []string{"0.5"}
	case "b":
		f.Default = []string{"-0.5"}
	case "with":
		f.Default = opensWith(st.Family)
		f.Read = func(texts []string) (err error) { st.With, err = st.readLosses(f.Key, texts, maxWith); return err }
	case "pin":
		f.Read = func(texts []string) (err error) { st.Pins, err = st.readLosses(f.Key, texts, maxPins); return err }
	case "z":
		if st.Family == Interval {
			f.Default = []string{"0.8"}
		}
	case "top":
		f.Snap = func(top float64) float64 {
			if top > 0 {
				top = max(top, .1)
			}
			return top
		}
	case "open":
		f.Read = func(texts []string) error {
			known := func(id string) bool { return slices.Contains(texts, id) }
			st.Open = slices.DeleteFunc(slices.Sorted(slices.Values(chartIDs)), func(id string) bool { return !known(id) })
			return nil
		}
	}
}

// Parse reads a query. Values that cannot be used are replaced by defaults and reported in bad, so that the page
// can still be shown.
func Parse(q url.Values) (st State, bad []usererr.Field) {
	bad = form.Parse(&st, q)
	return st, bad
}

// New is the default state of a family.
func New(family string) State {
	st, _ := Parse(url.Values{"family": {family}})
	return st
}

// URL is the canonical address of the page; characters are escaped only where they must be.
func (st State) URL() string { return "/" + st.Query() }

// Query is the query of the address with its question mark, "" when there is none.
func (st State) Query() string { return form.Query(&st) }

// readAlpha reads α by the rule of the loss: any positive number, or infinity.
func (st *State) readAlpha(text string) error {
	f, _ := loss.FamilyByID(Alpha)
	v, err := f.Params[0].Parse(form.Plain(text))
	if err != nil {
		return form.ReadError("must be a number above 0 or ∞, not " + form.Quoted(strings.TrimSpace(text)))
	}
	st.Alpha = v.Number
	return nil
}

// readLosses reads a list of losses of the margin and drops duplicates.
func (st *State) readLosses(field string, texts []string, most int) ([]Spec, error) {
	var out []Spec
	var bad []usererr.Field
	seen := map[string]bool{"": true}
	for _, text := range texts {
		if seen[text] {
			continue
		}
		seen[text] = true
		spec, quoted := splitSpec(text), phrase.Verbatim(format.Cut(text, 30))
		if _, err := NewShape(st.resolve(spec)); err != nil {
			bad = append(bad, usererr.Field{Field: field, Message: "cannot be " + quoted + ": " + format.Detail(err)})
		} else if len(out) == most {
			bad = append(bad, usererr.Field{Field: field,
				Message: "takes up to " + strconv.Itoa(most) + " losses; " + quoted + " is one more"})
		} else {
			out = append(out, spec)
		}
	}
	return out, form.Error(bad)
}

// Specs names losses as a URL does: "alpha:3".
func Specs(texts ...string) []Spec {
	var out []Spec
	for _, t := range texts {
		out = append(out, splitSpec(t))
	}
	return out
}

func splitSpec(text string) Spec {
	parts := strings.Split(text, ":")
	return Spec{parts[0], parts[1:]}
}

// The families of the explorer, in the order of its list.
const (
	TwoTemperature = "two-temperature"
	TLogistic      = "t-logistic"
	Alpha          = "alpha"
	Interval       = "interval"
	Adversarial    = "adversarial"
)

// Families lists them; the first is that of an address without a query.
var Families = append([]string{TwoTemperature, TLogistic, Alpha, Interval, Adversarial}, listedFamilies()...)

// The views of a family besides its curves.
const (
	Functions = "functions" // log_t and exp_t
	Landscape = "landscape" // the noisy risk of two weights
	Slope     = "slope"     // B(x) of Sypherd et al. 2023
	Points    = "points"    // rows by band
	Matrices  = "matrices"  // cost matrices
)

// familyViews are the views of each family; "" is always among them.
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

// chartIDs are the charts of the page.
var chartIDs = []string{"loss", "influence", "probability", "xi", "surrogate", "theory", "al", "beside", "game", "log",
	"exp", "landscape", "slope", "points"}

// metrics are the adversarial losses by their names here and in the engine.
var metrics = []struct{ ID, Loss, Title string }{
	{"zero-one", "al-zero-one", "Zero-one"}, {"absolute", "al-ordinal", "Absolute error (ordinal)"},
	{"squared", "al-squared", "Squared error (ordinal)"}, {"abstain", "al-abstain", "Zero-one or abstain"},
}

var comparisons = []struct{ ID, Title string }{
	{"ww", "Weston–Watkins (WW)"}, {"cs", "Crammer–Singer (CS)"}, {"llw", "Lee–Lin–Wahba (LLW)"},
	{"ova", "One against all"}, {"softmax", "Softmax"},
}

// resolve replaces parameters that are defined as equal to those of the steered loss.
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

// steered is the loss of the margin that the sliders change.
func (st State) steered() Spec {
	if f, ok := st.listed(); ok {
		return st.listedSpec(f)
	}
	switch st.Family {
	case TLogistic:
		return Spec{"t-logistic", []string{form.Text(st.T)}}
	case Alpha:
		return Spec{"alpha", []string{form.Text(st.Alpha)}}
	}
	return Spec{"tempered", []string{form.Text(st.T1), form.Text(st.T2)}}
}

func specTexts(list []Spec) []string {
	var out []string
	for _, l := range list {
		out = append(out, l.String())
	}
	return out
}

// listedFamilies are their ids, in the order of loss.Families.
func listedFamilies() (ids []string) {
	for _, f := range loss.Families {
		if f.Explored {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// listed is the family of the state if it is a listed one.
func (st *State) listed() (loss.Family, bool) {
	f, ok := loss.FamilyByID(st.Family)
	return f, ok && f.Explored
}

// Fields are the parameters of a listed family. Sliders and addresses have the same range; beyond it the charts are
// not informative.
func (st *State) Fields() (all []form.Field) {
	f, ok := st.listed()
	if !ok {
		return nil
	}
	if st.Params == nil {
		st.Params = loss.Values{}
	}
	for _, p := range f.Params {
		all = append(all, form.Field{
			Key: p.Name, Symbol: p.Symbol, Label: p.Heading(), Low: p.SliderMin, High: p.SliderMax, Step: p.Step,
			Default: []string{form.Text(p.Default.Number)},
			Read: form.ReadOne(func(text string) error {
				v, err := p.Parse(form.Plain(text))
				if err == nil {
					st.Params[p.Name] = v
				}
				return err
			}),
			Write: func() []string { return []string{form.Text(st.Params.Number(p.Name))} },
		})
	}
	return all
}

// listedSpec is the loss that the sliders of a listed family change.
func (st *State) listedSpec(f loss.Family) Spec {
	spec := Spec{ID: f.ID}
	for _, p := range f.Params {
		spec.Args = append(spec.Args, form.Text(st.Params.Number(p.Name)))
	}
	return spec
}

func mustGeometry(pi []float64) loss.Interval {
	iv, err := loss.NewInterval(pi)
	if err != nil {
		panic("web: unchecked boundaries: " + err.Error())
	}
	return iv
}
