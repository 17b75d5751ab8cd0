package web

import (
	"cmp"
	"math"
	"net/url"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/page/stratify"
	"taper/web/templates"
)

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
	pick("loss", "Loss", k.LossID(), stratify.KernelLosses)
	pick("kernel", "Kernel", k.KernelName(), stratify.KernelNames)
	if k.LossID() == "interval" {
		pick("solver", "Solver", cmp.Or(k.Solver, "auto"), stratify.KernelSolvers)
	}
	if k.KernelName() == "poly" {
		f := form.Get(&x.st, "degree")
		p.Sliders = append(p.Sliders, templates.Slider{ID: "m-degree", Name: f.Key, Label: f.Label, Min: f.Low, Max: f.High,
			Step: f.Step, Value: float64(k.DegreeOf()), Default: 3, Error: x.problem("degree")})
	}
	if !k.HasGamma() {
		return
	}
	way := "auto"
	if k.Gamma > 0 {
		way = "hand"
	}
	pick("gammahow", "γ of the kernel", way, []templates.Option{{Value: "auto", Label: "By cross-validation"},
		{Value: "hand", Label: "By hand"}})
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
	s := control.Stops(templates.Slider{ID: "m-gamma", Name: "gamma", Symbol: "γ", Label: "how near counts as alike",
		Error: x.problem("gamma"), Spoken: "gamma " + viz.Short(now, 3)}, now, stratify.PlainGamma, stops,
		[]float64{math.Exp2(-14), math.Exp2(-10), math.Exp2(-5), 1})
	for i, v := range s.Stops {
		s.Stops[i] = stratify.L2Text(engine.L2{Value: form.MustFloat(v)})
	}
	for i, label := range []string{"6e−5", "", "0.03", "1"} {
		s.Ticks[i].Label = label
	}
	return *s
}

// heldText is what a drag holds: λ, and after a ~ the γ of a kernel.
func heldText(r *engine.Result) string {
	text := stratify.L2Text(engine.L2{Value: r.L2})
	if r.Kernel != nil && r.Kernel.Gamma != nil {
		text += "~" + strconv.FormatFloat(*r.Kernel.Gamma, 'g', -1, 64)
	}
	return text
}

// heldModel is the model with what a drag holds in place of what is tuned.
func heldModel(q url.Values, st stratify.State) (engine.ModelSpec, bool) {
	m := st.Model()
	if !st.Tuned() || !q.Has("held") {
		return m, false
	}
	l2, gamma, _ := strings.Cut(q.Get("held"), "~")
	if st.L2.Tuned() {
		of, bad := stratify.Parse(url.Values{"l2": {l2}}, st.Dataset)
		if len(bad) > 0 || of.L2.Tuned() {
			return m, false
		}
		m.L2 = of.L2
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

// kernelNote says what a kernel model gives and costs.
func kernelNote(k stratify.Kernel) string {
	text := "A sum over training rows: bends where no line parts the classes, and has no coefficients."
	switch k.LossID() {
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
