package web

import (
	"math"
	"net/url"
	"slices"
	"strconv"

	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// methodState is the model that a page fits: one of fitMethods with its numbers.
// Numbers of others are at their defaults.
type methodState struct {
	ID            string
	T1, T2, T     float64
	Alpha         float64
	Rounds, Depth int
	Kernel        kernelState
}

// fitMethods are the models in the order they are offered.
var fitMethods = []templates.Option{
	{Value: "interval", Label: "Interval surrogate"},
	{Value: "logistic", Label: "Logistic"},
	{Value: "alpha", Label: "α-loss"},
	{Value: "t-logistic", Label: "t-logistic"},
	{Value: "tempered", Label: "Two-temperature"},
	{Value: "boost", Label: "AdaBoost.α, trees"},
	{Value: "kernel", Label: "Kernel"},
}

// Limits of a page; the API takes more.
const (
	mostRounds = 1000
	mostDepth  = 6
	leastT1    = .05 // at 0 no probability is recovered
	mostAlpha  = 32  // at ∞ neither
)

var plainMethod = methodState{ID: "interval", T1: .6, T2: 1.6, T: 1.6, Alpha: 4, Rounds: 100, Depth: 1}

// numbers are the numbers of a method, by their keys.
func (m *methodState) numbers() map[string]*float64 {
	switch m.ID {
	case "alpha", "boost":
		return map[string]*float64{"alpha": &m.Alpha}
	case "t-logistic":
		return map[string]*float64{"t": &m.T}
	case "tempered":
		return map[string]*float64{"t1": &m.T1, "t2": &m.T2}
	}
	return nil
}

// lossID is the loss of a method.
func (m methodState) lossID() string {
	if m.ID == "boost" {
		return "alpha"
	}
	return m.ID
}

// method takes the model and its numbers; keys of other models are left alone.
func (p *stateParser) method() {
	m := plainMethod
	if id := p.q.Get("method"); id != "" {
		if !slices.ContainsFunc(fitMethods, func(o templates.Option) bool { return o.Value == id }) {
			p.fail("method", "There is no method "+strconv.Quote(format.Cut(id, 20))+". Using the interval surrogate.")
			return
		}
		m.ID = id
	}
	p.st.Method = m
	for _, key := range []string{"alpha", "t", "t1", "t2"} {
		if to := p.st.Method.numbers()[key]; to != nil {
			p.number(key, to)
		}
	}
	if m.ID == "kernel" {
		p.kernel()
	}
	if m.ID == "boost" {
		p.st.Method.Rounds = p.whole("rounds", m.Rounds, 1, mostRounds)
		p.st.Method.Depth = p.whole("depth", m.Depth, 1, mostDepth)
	}
}

// number takes a number of the loss, by the loss's own rule and within what has
// a probability to cut into bands.
func (p *stateParser) number(key string, to *float64) {
	family, ok := loss.FamilyByID(p.st.Method.lossID())
	if !ok {
		panic("web: no loss " + p.st.Method.lossID())
	}
	v, err := family.Parse(url.Values{key: p.q[key]})
	if err != nil {
		if e, ok := usererr.As(err); ok && len(e.Fields) > 0 {
			p.fail(key, format.UpperFirst(key)+" "+e.Fields[0].Message+". Using "+viz.Short(*to, 4)+".")
		}
		return
	}
	switch x := v.Number(key); {
	case p.q.Get(key) == "":
	case key == "alpha" && x > mostAlpha:
		p.fail(key, "α reaches to 32 on this page: at ∞ the score has no probability to cut into bands. Using 4.")
	case key == "alpha" && x < .05:
		p.fail(key, "α begins at 0.05 on this page. Using 4.")
	case key == "t1" && x < leastT1:
		p.fail(key, "t₁ begins at 0.05 on this page: at 0 the score has no probability to cut into bands. Using 0.6.")
	default:
		*to = x
	}
}

// write adds the keys of the method that differ from the defaults.
func (m methodState) write(q url.Values) {
	if m.ID != plainMethod.ID {
		q.Set("method", m.ID)
	}
	plain := plainMethod
	plain.ID = m.ID
	others := plain.numbers()
	for key, v := range m.numbers() {
		if *v != *others[key] {
			q.Set(key, strconv.FormatFloat(*v, 'g', -1, 64))
		}
	}
	m.Kernel.write(q)
	if m.Rounds != plain.Rounds {
		q.Set("rounds", strconv.Itoa(m.Rounds))
	}
	if m.Depth != plain.Depth {
		q.Set("depth", strconv.Itoa(m.Depth))
	}
}

// spec is the method as a run asks for it.
func (m methodState) spec(l2 engine.L2) engine.ModelSpec {
	if m.ID == "kernel" {
		return m.Kernel.spec(l2)
	}
	s := engine.ModelSpec{Kind: "linear", Loss: m.lossID(), L2: l2}
	for key, v := range m.numbers() {
		if s.Params == nil {
			s.Params = map[string]any{}
		}
		s.Params[key] = *v
	}
	if m.ID == "boost" {
		s.Kind, s.Rounds, s.Depth = "boost", m.Rounds, m.Depth
	}
	return s
}

// methodOf is the method of a run that the page can show.
func methodOf(s engine.Spec) (methodState, bool) {
	s = s.WithDefaults()
	m, on := plainMethod, s.Model
	if on.Kernelled() {
		m.ID = "kernel"
		var ok bool
		m.Kernel, ok = kernelOf(on)
		return m, ok && *on.Standardize
	}
	m.ID = on.Loss
	if on.Kind == "boost" {
		m.ID, m.Rounds, m.Depth = "boost", on.Rounds, on.Depth
	}
	known := slices.ContainsFunc(fitMethods, func(o templates.Option) bool { return o.Value == m.ID })
	if !known || on.Solver != "auto" || !*on.Standardize ||
		on.Kind == "boost" && (on.ThetaRule != "half-log" || m.Rounds > mostRounds || m.Depth > mostDepth) {
		return m, false
	}
	family, _ := loss.FamilyByID(m.lossID())
	for key, to := range m.numbers() {
		v, given := on.Params[key].(float64)
		if !given {
			if on.Params[key] != nil {
				return m, false
			}
			v = family.Defaults().Number(key)
		}
		if key == "alpha" && !(v >= .05 && v <= mostAlpha) || key == "t1" && v < leastT1 {
			return m, false
		}
		*to = v
	}
	return m, true
}

// methodPanel are the controls of the model.
func (x *steering) methodPanel(r *engine.Result) templates.MethodPanel {
	m := x.st.Method
	p := templates.MethodPanel{Method: templates.Choice{ID: "method", Name: "method", Label: "Method"},
		Error: x.problem("method"), Note: methodNote(m)}
	for _, o := range fitMethods {
		o.On = o.Value == m.ID
		p.Method.Options = append(p.Method.Options, o)
	}
	at := func(key, symbol, sub, label string, lo, hi, step, value, preset float64) {
		p.Sliders = append(p.Sliders, templates.Slider{ID: "m-" + key, Name: key, Symbol: symbol, Sub: sub, Label: label,
			Min: min(lo, value), Max: max(hi, value), Step: step, Value: value, Default: preset, Error: x.problem(key)})
	}
	switch m.ID {
	case "alpha", "boost":
		p.Sliders = append(p.Sliders, x.alphaSlider())
	case "t-logistic":
		at("t", "t", "", "weight of the tail", 1, 1.99, .01, m.T, plainMethod.T)
	case "tempered":
		at("t1", "t", "1", "bound of the loss", leastT1, 1, .01, m.T1, plainMethod.T1)
		at("t2", "t", "2", "weight of the tail", 1, 1.99, .01, m.T2, plainMethod.T2)
	}
	if m.ID == "kernel" {
		x.kernelPanel(&p, r)
	}
	if m.ID == "boost" {
		at("rounds", "", "", "Trees", 1, 400, 1, float64(m.Rounds), float64(plainMethod.Rounds))
		at("depth", "", "", "Depth of a tree", 1, mostDepth, 1, float64(m.Depth), float64(plainMethod.Depth))
	}
	return p
}

// alphaSlider steps through α on a scale of logarithms.
func (x *steering) alphaSlider() templates.Slider {
	now := x.st.Method.Alpha
	stops := slices.DeleteFunc(control.AlphaStops(), func(v float64) bool { return math.IsInf(v, 1) })
	if at, ok := slices.BinarySearch(stops, now); !ok {
		stops = slices.Insert(stops, at, now)
	}
	at := func(v float64) float64 { i, _ := slices.BinarySearch(stops, v); return float64(i) }
	s := templates.Slider{ID: "m-alpha", Name: "alpha", Symbol: "α", Label: "where it gives up", Value: at(now),
		Default: at(plainMethod.Alpha), Free: true, Error: x.problem("alpha")}
	for _, v := range stops {
		s.Stops = append(s.Stops, form.Text(v))
	}
	for label, v := range map[string]float64{"½": .5, "1": 1, "4": 4, "32": 32} {
		s.Ticks = append(s.Ticks, templates.Tick{At: at(v) / float64(len(stops)-1), Label: label, On: v == now})
	}
	slices.SortFunc(s.Ticks, func(a, b templates.Tick) int { return int(math.Copysign(1, a.At-b.At)) })
	s.Spoken = "alpha " + viz.Short(now, 4)
	return s
}

// methodNote says what the model gives, and how its score becomes a
// probability.
func methodNote(m methodState) string {
	switch m.ID {
	case "interval":
		return "Promises bands and no single percentages."
	case "kernel":
		return kernelNote(m.Kernel)
	case "logistic":
		return "Probabilities, cut at the boundaries."
	case "boost":
		return "P = 1/(1 + e^(−f/α)), cut at the boundaries. Trees have no penalty; λ serves the logistic regression " +
			"beside them."
	case "alpha":
		return "P = 1/(1 + e^(−f/α)), cut at the boundaries. Above 1, far rows count less and less."
	case "t-logistic":
		return "The model’s own probability, cut at the boundaries. Its λ belongs to a sum over the rows."
	}
	return "P = p^t₁ normalised, cut at the boundaries. Below 1, t₁ caps what a row can cost."
}
