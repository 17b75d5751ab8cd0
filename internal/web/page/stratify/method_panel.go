package stratify

import (
	"cmp"
	"math"
	"slices"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/web/templates"
)

// methodPanel are the controls of a model with bands.
func (p *Page) methodPanel(r *engine.Result) templates.MethodPanel {
	m := p.State.Method
	v := templates.MethodPanel{Method: choice("method", "method", "Method", m.ID, Methods...), Note: methodNote(m)}
	v.Fail(p.problem("method"))
	var keys []string
	for _, param := range m.params() {
		keys = append(keys, param.Name)
	}
	for _, key := range append(keys, "rounds", "depth") {
		f := form.Get(&p.State, key)
		if f.Absent {
			continue
		}
		if key == "alpha" {
			v.Sliders = append(v.Sliders, p.alphaSlider(f))
			continue
		}
		s := control.NumericSlider(f)
		s.ID, s.Text, s.Error = "m-"+key, "", p.problem(key)
		v.Sliders = append(v.Sliders, *s)
	}
	if m.ID == "kernel" {
		p.kernelPanel(&v, r)
	}
	return v
}

// alphaSlider moves α on a logarithmic scale.
func (p *Page) alphaSlider(f form.Field) templates.Slider {
	stops := slices.DeleteFunc(control.AlphaStops(), func(v float64) bool { return math.IsInf(v, 1) })
	return *control.Stops(templates.Slider{ID: "m-alpha", Name: f.Key, Symbol: "α", Label: "robustness",
		Error: p.problem("alpha"), Spoken: "alpha " + viz.Short(f.Number(), 4)}, f.Number(), f.DefaultNumber(), stops,
		[]float64{.5, 1, 4, 32})
}

// methodNote says what the model estimates, and how its score becomes a probability.
func methodNote(m Method) string {
	switch m.ID {
	case "interval":
		return "Gives risk bands, not individual probabilities."
	case "kernel":
		return kernelNote(m.Kernel)
	case "logistic":
		return "Probabilities, cut at the boundaries."
	case "boost":
		return "P = 1/(1 + exp(−f/α)), cut at the boundaries. Trees have no penalty; λ serves the logistic regression " +
			"beside them."
	case "alpha":
		return "P = 1/(1 + exp(−f/α)), cut at the boundaries. Above 1, rows far on the wrong side are down-weighted."
	case "t-logistic":
		return "The model’s own probability, cut at the boundaries. Its λ belongs to a sum over the rows."
	case "tempered":
		return "logit P = t₁ · logit p, p the model’s own probability, cut at the boundaries. Below 1, t₁ bounds " +
			"the loss of a row."
	}
	family, _ := loss.FamilyByID(m.ID)
	values := family.Defaults()
	for name, v := range m.Numbers {
		values[name] = loss.Value{Number: v}
	}
	return family.LinkOf(values).Formula + ", cut at the boundaries. " + family.Use
}

// kernelPanel are the controls of a kernel model.
func (p *Page) kernelPanel(v *templates.MethodPanel, r *engine.Result) {
	k := p.State.Method.Kernel
	pick := func(key, label, value string, options ...templates.Option) {
		v.Choices = append(v.Choices, choice("m-"+key, key, label, value, options...))
	}
	for _, key := range []string{"loss", "kernel", "solver"} {
		v.Fail(p.problem(key))
	}
	pick("loss", "Loss", k.LossID(), KernelLosses...)
	pick("kernel", "Kernel", k.KernelName(), KernelNames...)
	if banded(k.LossID()) {
		pick("solver", "Solver", cmp.Or(k.Solver, "auto"), KernelSolvers...)
	}
	if k.KernelName() == "poly" {
		f := form.Get(&p.State, "degree")
		v.Sliders = append(v.Sliders, templates.Slider{ID: "m-degree", Name: f.Key, Label: f.Label, Min: f.Low, Max: f.High,
			Step: f.Step, Value: float64(k.DegreeOf()), Default: 3, Error: p.problem("degree")})
	}
	if !k.HasGamma() {
		return
	}
	way := "auto"
	if k.Gamma > 0 {
		way = "hand"
		v.Sliders = append(v.Sliders, p.gammaSlider())
	} else {
		if r != nil && r.Kernel != nil && r.Kernel.Gamma != nil {
			v.Note += " γ = " + viz.Short(*r.Kernel.Gamma, 3) + " was chosen."
		}
		v.Fail(p.problem("gamma"))
	}
	pick("gammahow", "γ of the kernel", way, templates.Option{Value: "auto", Label: "By cross-validation"},
		templates.Option{Value: "hand", Label: "Fixed value"})
}

// gammaSlider moves through the powers of two of Fathony et al. 2018.
func (p *Page) gammaSlider() templates.Slider {
	now := p.State.Method.Kernel.Gamma
	var stops []float64
	for e := -14; e <= 2; e++ {
		stops = append(stops, math.Exp2(float64(e)))
	}
	s := control.Stops(templates.Slider{ID: "m-gamma", Name: "gamma", Symbol: "γ", Label: "width of the kernel",
		Error: p.problem("gamma"), Spoken: "gamma " + viz.Short(now, 3)}, now, PlainGamma, stops,
		[]float64{math.Exp2(-14), math.Exp2(-10), math.Exp2(-5), 1})
	for i, v := range s.Stops {
		s.Stops[i] = L2Text(fit.L2{Value: form.MustFloat(v)})
	}
	for i, label := range []string{"6 × 10⁻⁵", "", "0.03", "1"} {
		s.Ticks[i].Label = label
	}
	return *s
}

// kernelNote says what a kernel model estimates and what it costs.
func kernelNote(k Kernel) string {
	text := "A sum over training rows: nonlinear, without coefficients."
	switch k.LossID() {
	case "interval":
		text += " Gives risk bands, not individual probabilities."
	case "logistic":
		text += " Probabilities, cut at the boundaries."
	default:
		text += " P = (1 + f)/2, cut at the boundaries."
	}
	if k.Solver == "pegasos" {
		text += " PEGASOS fits without an intercept and converges slowly; the gap bounds the remaining distance."
	}
	return text
}
