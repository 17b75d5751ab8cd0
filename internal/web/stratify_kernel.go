package web

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/table"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// kernelState is a kernel model that a page fits. The zero value is the page's
// own choice: interval loss, radial kernel, γ by cross-validation.
type kernelState struct {
	Loss   string  // "" = interval
	Name   string  // "" = rbf
	Gamma  float64 // 0 = by cross-validation
	Degree int     // 0 = 3
	Solver string  // "" = auto
}

// What a page offers; the API takes more.
var (
	kernelLosses = []templates.Option{
		{Value: "interval", Label: "Interval surrogate"}, {Value: "logistic", Label: "Logistic"},
		{Value: "squared-hinge", Label: "Squared hinge"},
	}
	kernelNames = []templates.Option{
		{Value: "rbf", Label: "Radial (RBF)"}, {Value: "poly", Label: "Polynomial"}, {Value: "linear", Label: "Linear"},
	}
	gammaWays = []templates.Option{
		{Value: "auto", Label: "By cross-validation"}, {Value: "hand", Label: "By hand"},
	}
	kernelSolvers = []templates.Option{
		{Value: "auto", Label: "Certified"}, {Value: "pegasos", Label: "PEGASOS, to watch"},
	}
)

const (
	leastGamma, mostGamma = 1e-6, 1e3
	mostDegree            = 6
	plainGamma            = 1. / 32 // where a slider begins
)

func (k kernelState) loss() string   { return cmp.Or(k.Loss, "interval") }
func (k kernelState) name() string   { return cmp.Or(k.Name, "rbf") }
func (k kernelState) degree() int    { return cmp.Or(k.Degree, 3) }
func (k kernelState) hasGamma() bool { return k.name() != "linear" }

// kernel takes the keys of a kernel model; a form sends how γ is chosen and the
// slider's value.
func (p *stateParser) kernel() {
	k := &p.st.Method.Kernel
	p.among("loss", kernelLosses, "the interval surrogate", &k.Loss)
	p.among("kernel", kernelNames, "the radial one", &k.Name)
	if k.loss() == "interval" {
		p.among("solver", kernelSolvers, "the certified one", &k.Solver)
	}
	if k.name() == "poly" {
		if k.Degree = p.whole("degree", 3, 1, mostDegree); k.Degree == 3 {
			k.Degree = 0
		}
	}
	text := p.q.Get("gamma")
	if p.q.Has("gammahow") && p.q.Get("gammahow") != "hand" {
		text = ""
	} else if p.q.Get("gammahow") == "hand" && (text == "" || text == "auto") {
		text = viz.Short(plainGamma, 6)
	}
	if !k.hasGamma() || text == "" || text == "auto" {
		return
	}
	v, ok := table.ParseNumber(strings.Replace(text, ",", ".", 1), ".")
	if !ok || !(v >= leastGamma && v <= mostGamma) {
		p.fail("gamma", "γ must be auto or a number from "+viz.Short(leastGamma, 3)+" to "+viz.Short(mostGamma, 4)+", not "+
			strconv.Quote(format.Cut(text, 20))+". Using cross-validation.")
		return
	}
	k.Gamma = snap(v)
}

// among takes one of the options; the first is the default and stays "".
func (p *stateParser) among(key string, options []templates.Option, otherwise string, to *string) {
	id := p.q.Get(key)
	switch at := slices.IndexFunc(options, func(o templates.Option) bool { return o.Value == id }); {
	case at > 0:
		*to = id
	case at < 0 && id != "":
		p.fail(key, "There is no such choice: "+strconv.Quote(format.Cut(id, 20))+". Using "+otherwise+".")
	}
}

func (k kernelState) write(q url.Values) {
	for key, v := range map[string]string{"loss": k.Loss, "kernel": k.Name, "solver": k.Solver} {
		if v != "" {
			q.Set(key, v)
		}
	}
	if k.Gamma > 0 {
		q.Set("gamma", strconv.FormatFloat(k.Gamma, 'g', -1, 64))
	}
	if k.Degree > 0 {
		q.Set("degree", strconv.Itoa(k.Degree))
	}
}

func (k kernelState) spec(l2 engine.L2) engine.ModelSpec {
	s := engine.ModelSpec{Kind: "kernel", Loss: k.loss(), L2: l2, Solver: k.Solver, Kernel: &engine.Kernel{Name: k.name()}}
	if k.hasGamma() {
		s.Kernel.Gamma = fit.GammaCV
		if k.Gamma > 0 {
			s.Kernel.Gamma = k.Gamma
		}
	}
	if k.name() == "poly" {
		s.Kernel.Degree = k.degree()
	}
	return s
}

// kernelOf is the kernel of a run, with defaults, that the page can show.
func kernelOf(on engine.ModelSpec) (k kernelState, ok bool) {
	has := func(options []templates.Option, v string) bool {
		return slices.ContainsFunc(options, func(o templates.Option) bool { return o.Value == v })
	}
	other := func(v, plain string) string {
		if v == plain {
			return ""
		}
		return v
	}
	k = kernelState{Loss: other(on.Loss, "interval"), Name: other(on.Kernel.Name, "rbf"), Solver: other(on.Solver, "auto")}
	k.Gamma, _ = on.Kernel.Gamma.(float64)
	if on.Kernel.Degree != 3 {
		k.Degree = on.Kernel.Degree
	}
	ok = has(kernelLosses, on.Loss) && has(kernelNames, on.Kernel.Name) &&
		(on.Solver == "auto" || on.Solver == "pegasos" && on.Loss == "interval")
	return k, ok && len(on.Params) == 0 && k.Degree <= mostDegree && (k.Gamma == 0 || k.Gamma >= leastGamma &&
		k.Gamma <= mostGamma)
}

// kernelPanel are the controls of a kernel model.
func (x *steering) kernelPanel(p *templates.MethodPanel, r *engine.Result) {
	k := x.st.Method.Kernel
	pick := func(key, label, value string, options []templates.Option) {
		c := templates.Choice{ID: "m-" + key, Name: key, Label: label}
		for _, o := range options {
			o.On = o.Value == value
			c.Options = append(c.Options, o)
		}
		p.Choices = append(p.Choices, c)
	}
	for _, key := range []string{"loss", "kernel", "solver"} {
		p.Error = cmp.Or(p.Error, x.problem(key))
	}
	pick("loss", "Loss", k.loss(), kernelLosses)
	pick("kernel", "Kernel", k.name(), kernelNames)
	if k.loss() == "interval" {
		pick("solver", "Solver", cmp.Or(k.Solver, "auto"), kernelSolvers)
	}
	if k.name() == "poly" {
		p.Sliders = append(p.Sliders, templates.Slider{ID: "m-degree", Name: "degree", Label: "Degree", Min: 1,
			Max: mostDegree, Step: 1, Value: float64(k.degree()), Default: 3, Error: x.problem("degree")})
	}
	if !k.hasGamma() {
		return
	}
	way := "auto"
	if k.Gamma > 0 {
		way = "hand"
	}
	pick("gammahow", "γ of the kernel", way, gammaWays)
	if way == "hand" {
		p.Sliders = append(p.Sliders, x.gammaSlider())
	} else if r != nil && r.Kernel != nil && r.Kernel.Gamma != nil {
		p.Note += " γ = " + viz.Short(*r.Kernel.Gamma, 3) + " was chosen."
	}
	if problem := x.problem("gamma"); problem != "" && way == "auto" {
		p.Error = problem
	}
}

// gammaSlider steps through the powers of two of paper 001.
func (x *steering) gammaSlider() templates.Slider {
	now := x.st.Method.Kernel.Gamma
	var stops []float64
	for e := -14; e <= 2; e++ {
		stops = append(stops, math.Exp2(float64(e)))
	}
	if at, ok := slices.BinarySearch(stops, now); !ok {
		stops = slices.Insert(stops, at, now)
	}
	at := func(v float64) float64 { i, _ := slices.BinarySearch(stops, v); return float64(i) }
	s := templates.Slider{ID: "m-gamma", Name: "gamma", Symbol: "γ", Label: "how near counts as alike", Value: at(now),
		Default: at(plainGamma), Free: true, Error: x.problem("gamma"), Spoken: "gamma " + viz.Short(now, 3)}
	for _, v := range stops {
		s.Stops = append(s.Stops, l2Text(engine.L2{Value: v}))
	}
	for _, e := range []float64{-14, -10, -5, 0} {
		s.Ticks = append(s.Ticks, templates.Tick{At: at(math.Exp2(e)) / float64(len(stops)-1),
			Label: map[float64]string{-14: "6e−5", -10: "", -5: "0.03", 0: "1"}[e], On: math.Exp2(e) == now})
	}
	return s
}

// tuned reports whether cross-validation chooses anything.
func (st stratifyState) tuned() bool { return st.model().Tuned() }

// heldText is what a drag holds: λ, and after a ~ the γ of a kernel.
func heldText(r *engine.Result) string {
	text := l2Text(engine.L2{Value: r.L2})
	if r.Kernel != nil && r.Kernel.Gamma != nil {
		text += "~" + strconv.FormatFloat(*r.Kernel.Gamma, 'g', -1, 64)
	}
	return text
}

// heldModel is the model with what a drag holds in place of what is tuned.
func heldModel(q url.Values, st stratifyState) (engine.ModelSpec, bool) {
	m := st.model()
	if !st.tuned() || !q.Has("held") {
		return m, false
	}
	l2, gamma, _ := strings.Cut(q.Get("held"), "~")
	if st.L2.Tuned() {
		p := stateParser{q: url.Values{"l2": {l2}}}
		if p.penalty(); len(p.bad) > 0 || p.st.L2.Tuned() || p.st.L2.Value == 0 {
			return m, false
		}
		m.L2 = p.st.L2
	}
	if m.GammaTuned() {
		v, err := strconv.ParseFloat(gamma, 64)
		if err != nil || !(v > 0 && v <= math.MaxFloat64) {
			return m, false
		}
		k := *m.Kernel
		k.Gamma = v
		m.Kernel = &k
	}
	return m, true
}

// model is what the state fits, with its defaults.
func (st stratifyState) model() engine.ModelSpec {
	return st.Method.spec(st.L2).WithDefaults("interval")
}

// kernelNote says what a kernel model gives and costs.
func kernelNote(k kernelState) string {
	text := "A sum over training rows: bends where no line parts the classes, and has no coefficients."
	switch k.loss() {
	case "interval":
		text += " Promises bands and no single percentages."
	case "logistic":
		text += " Probabilities, cut at the boundaries."
	default:
		text += " P = (1 + f)/2, cut at the boundaries."
	}
	if k.Solver == "pegasos" {
		text += " PEGASOS fits without an intercept and comes near slowly; the gap says how near."
	}
	return text
}
