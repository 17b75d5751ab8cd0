package stratify

import (
	"cmp"
	"slices"
	"strconv"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/web/templates"
)

// Method is the model that the page fits: one of Methods, with its parameters. Parameters of other methods are at
// their defaults.
type Method struct {
	ID      string             `form:"method" default:"interval"`
	Numbers map[string]float64 `form:"*"` // of the loss, by name
	Rounds  int                `form:"rounds" default:"100" range:"1 1000" slider:"1 400 1" label:"Trees"`
	Depth   int                `form:"depth" default:"1" range:"1 6" step:"1" label:"Depth of a tree"`
	Kernel  Kernel             `prefix:"" of:"bands"`
}

// Methods are the models in the order offered: the losses that estimate a probability, which can be cut at any
// boundaries; the interval loss, which is trained for the boundaries; then trees and kernels.
var Methods = func() []templates.Option {
	all := []templates.Option{{Value: "interval", Label: "Interval surrogate"}}
	for _, id := range (task.Interval{}).Losses() {
		if family, _ := loss.FamilyByID(id); family.Link != nil {
			all = append(all, templates.Option{Value: id, Label: family.Title})
		}
	}
	return append(all, templates.Option{Value: "boost", Label: "AdaBoost.α, trees"},
		templates.Option{Value: "kernel", Label: "Kernel"})
}()

// Limits of the page; the API has wider ones.
const (
	mostRounds = 1000
	mostDepth  = 6
	leastAlpha = .05
	mostAlpha  = 32  // at ∞ the score gives no probability to cut into bands
	leastT1    = .05 // nor does the two-temperature loss at 0
)

// plainAlpha is the page's default; the default of the loss is 2.
const plainAlpha = 4

func plainMethod() (m Method) {
	form.Parse(&m, nil)
	return m
}

// params are the parameters of a method, with the limits and defaults of this page.
func (m *Method) params() (all []loss.Param) {
	family, _ := loss.FamilyByID(m.lossID())
	for _, param := range family.Params {
		switch {
		case param.Type != loss.Number:
			continue
		case param.Name == "alpha":
			param.Default.Number = plainAlpha
		case param.Name == "t1" && m.ID == "tempered":
			param.SliderMin = leastT1
		}
		all = append(all, param)
	}
	return all
}

// Fields are the parameters of a method.
func (m *Method) Fields() (all []form.Field) {
	for _, param := range m.params() {
		if m.Numbers == nil {
			m.Numbers = map[string]float64{}
		}
		all = append(all, form.Field{Key: param.Name, Label: param.Heading(),
			Symbol: param.Symbol,
			Low:    param.SliderMin, High: param.SliderMax, Step: param.Step, Default: []string{form.Text(param.Default.Number)},
			Read:  func(texts []string) error { return m.readNumber(param, texts) },
			Write: func() []string { return []string{form.Text(m.Numbers[param.Name])} }})
	}
	return all
}

// lossID is the loss of a method.
func (m *Method) lossID() string {
	if m.ID == "boost" {
		return "alpha"
	}
	return m.ID
}

// Field sets which parameters a method has, and their limits.
func (m *Method) Field(f *form.Field) {
	switch f.Key {
	case "method":
		for _, o := range Methods {
			f.Options = append(f.Options, o.Value)
		}
		f.Problem = func(text string) string {
			return "There is no method " + form.Quoted(text) + ". Using the interval surrogate."
		}
	case "rounds", "depth":
		f.Absent = m.ID != "boost"
	case "loss", "kernel", "gamma", "degree", "solver":
		if m.ID != "kernel" {
			f.Absent = true
		}
	}
}

// readNumber reads a parameter of the loss by the rule of the loss, within the range that gives a probability to
// cut into bands.
func (m *Method) readNumber(param loss.Param, texts []string) error {
	x, err := numberOf(param, texts)
	if err != nil {
		return err
	}
	if text := m.refusal(param.Name, x); text != "" {
		return form.ReadError(text)
	}
	m.Numbers[param.Name] = x
	return nil
}

// refusal says why the page does not accept a value that the loss accepts, "" where it does.
func (m *Method) refusal(key string, x float64) string {
	switch {
	case key == "alpha" && x > mostAlpha:
		return "α reaches to 32 on this page: at ∞ the score has no probability to cut into bands. Using 4."
	case key == "alpha" && !(x >= leastAlpha):
		return "α begins at 0.05 on this page. Using 4."
	case key == "t1" && m.ID == "tempered" && x < leastT1:
		return "t₁ begins at 0.05 on this page: at 0 the score has no probability to cut into bands. Using 0.6."
	}
	return ""
}

// banded reports whether a loss is trained for boundaries and estimates no probability.
func banded(lossID string) bool { return fit.Spec{Loss: lossID}.Banded() }

// numberOf reads a parameter of a loss or a task by its own rule.
func numberOf(param loss.Param, texts []string) (float64, error) {
	v, err := param.Parse(texts...)
	if e, ok := usererr.As(err); ok && len(e.Fields) > 0 {
		return 0, form.ReadError(phrase.UpperFirst(param.Name) + " " + e.Fields[0].Message + ". Using " +
			viz.Short(param.Default.Number, 4) + ".")
	}
	if err != nil {
		return 0, err
	}
	return v.Number, nil
}

// Kernel is a kernel model of the page. The zero value is the page's default: interval loss, radial kernel, γ by
// cross-validation.
type Kernel struct {
	Loss   string  `form:"loss"`                                       // "" = interval
	Name   string  `form:"kernel"`                                     // "" = rbf
	Gamma  float64 `form:"gamma"`                                      // 0 = by cross-validation
	Degree int     `form:"degree" range:"1 6" step:"1" label:"Degree"` // 0 = 3
	Solver string  `form:"solver"`                                     // "" = auto
}

// The kernels of the page; the API offers more.
var (
	KernelLosses = []templates.Option{
		{Value: "interval", Label: "Interval surrogate"}, {Value: "logistic", Label: "Logistic"},
		{Value: "squared-hinge", Label: "Squared hinge"},
	}
	KernelNames = []templates.Option{
		{Value: "rbf", Label: "Radial (RBF)"}, {Value: "poly", Label: "Polynomial"}, {Value: "linear", Label: "Linear"},
	}
	KernelSolvers = []templates.Option{
		{Value: "auto", Label: "Certified"}, {Value: "pegasos", Label: "PEGASOS, illustration"},
	}
)

const (
	leastGamma, mostGamma = 1e-6, 1e3
	mostDegree            = 6
	PlainGamma            = 1. / 32 // initial position of the slider
)

// LossID, KernelName and DegreeOf return the choices, with the page's defaults for empty ones.
func (k Kernel) LossID() string     { return cmp.Or(k.Loss, "interval") }
func (k Kernel) KernelName() string { return cmp.Or(k.Name, "rbf") }
func (k Kernel) DegreeOf() int      { return cmp.Or(k.Degree, 3) }

// HasGamma reports whether the kernel has a width parameter.
func (k Kernel) HasGamma() bool { return k.KernelName() != "linear" }

// Field sets which parameters a kernel has.
func (k *Kernel) Field(f *form.Field) {
	switch f.Key {
	case "loss":
		f.Read = among(KernelLosses, "the interval surrogate", &k.Loss)
	case "kernel":
		f.Read = among(KernelNames, "the radial one", &k.Name)
	case "solver":
		f.Absent = !banded(k.LossID())
		f.Read = among(KernelSolvers, "the certified one", &k.Solver)
	case "degree":
		f.Absent = k.KernelName() != "poly"
		f.Snap = func(v float64) float64 {
			if v == 3 {
				return 0 // 0 stands for the default
			}
			return v
		}
	case "gamma":
		f.Absent = !k.HasGamma()
		f.Default = nil
		f.Read = form.ReadOne(k.readGamma)
		f.Write = func() []string {
			if k.Gamma == 0 {
				return nil
			}
			return []string{strconv.FormatFloat(k.Gamma, 'g', -1, 64)}
		}
	}
}

// among reads one of the options; the first is the default, stored as "".
func among(options []templates.Option, otherwise string, to *string) func([]string) error {
	return form.ReadOne(func(id string) error {
		*to = ""
		at := slices.IndexFunc(options, func(o templates.Option) bool { return o.Value == id })
		if at < 0 && id != "" {
			return form.ReadError("There is no such choice: " + form.Quoted(id) + ". Using " + otherwise + ".")
		}
		if at > 0 {
			*to = id
		}
		return nil
	})
}

func (k *Kernel) readGamma(text string) error {
	if k.Gamma = 0; text == "" || text == "auto" {
		return nil
	}
	v, ok := form.ParseNumber(text)
	if !ok || !(v >= leastGamma && v <= mostGamma) {
		return form.ReadError("γ must be auto or a number from " + viz.Short(leastGamma, 3) + " to " +
			viz.Short(mostGamma, 4) + ", not " + form.Quoted(text) + ". Using cross-validation.")
	}
	k.Gamma = snap(v)
	return nil
}
