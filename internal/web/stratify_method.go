package web

import (
	"math"
	"slices"

	"taper/internal/engine"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/page/stratify"
	"taper/web/templates"
)

// methodPanel are the controls of the model.
func (x *steering) methodPanel(r *engine.Result) templates.MethodPanel {
	m := x.st.Method
	p := templates.MethodPanel{Method: templates.Choice{ID: "method", Name: "method", Label: "Method"},
		Error: x.problem("method"), Note: methodNote(m)}
	for _, o := range stratify.Methods {
		o.On = o.Value == m.ID
		p.Method.Options = append(p.Method.Options, o)
	}
	for _, key := range []string{"alpha", "t", "t1", "t2", "rounds", "depth"} {
		f := form.Get(&x.st, key)
		if f.Absent {
			continue
		}
		if key == "alpha" {
			p.Sliders = append(p.Sliders, x.alphaSlider(f))
			continue
		}
		s := control.Of(f)
		s.ID, s.Text, s.Error = "m-"+key, "", x.problem(key)
		p.Sliders = append(p.Sliders, *s)
	}
	if m.ID == "kernel" {
		x.kernelPanel(&p, r)
	}
	return p
}

// alphaSlider steps through α on a scale of logarithms.
func (x *steering) alphaSlider(f form.Field) templates.Slider {
	stops := slices.DeleteFunc(control.AlphaStops(), func(v float64) bool { return math.IsInf(v, 1) })
	return *control.Stops(templates.Slider{ID: "m-alpha", Name: f.Key, Symbol: "α", Label: "where it gives up",
		Error: x.problem("alpha"), Spoken: "alpha " + viz.Short(f.Number(), 4)}, f.Number(), f.Plain(), stops,
		[]float64{.5, 1, 4, 32})
}

// methodNote says what the model gives, and how its score becomes a
// probability.
func methodNote(m stratify.Method) string {
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
