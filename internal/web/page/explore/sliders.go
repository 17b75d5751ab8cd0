package explore

import (
	"fmt"
	"math"

	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

func t1Slider(st State) *templates.Slider {
	s := control.NumericSlider(form.Get(&st, "t1"))
	s.Ticks = []templates.Tick{{At: 0, Label: "0"}, {At: 1, Label: "1 t-logistic"}}
	s.Hint = "The loss is bounded by " + viz.Number(1/(1-st.T1), 2) + "."
	if st.T1 >= 1 {
		s.Hint = "Not bounded: the loss grows without limit."
	}
	s.Spoken = spoken(s)
	return s
}

// spoken is the text that a screen reader says for a slider, with its hint.
func spoken(s *templates.Slider) string {
	return s.Symbol + s.Sub + " " + phrase.Typeset(s.Text) + ", " + spokenHint(s.Hint)
}

// spokenHint appends a hint to a spoken value.
func spokenHint(hint string) string {
	if hint == "" {
		return ""
	}
	r := []rune(hint)
	if r[0] >= 'A' && r[0] <= 'Z' {
		r[0] += 'a' - 'A'
	}
	if r[len(r)-1] == '.' {
		r = r[:len(r)-1]
	}
	return string(r)
}

func tailHint(t float64) string {
	switch {
	case t > 1:
		return "The tail of p̂ decays as |z| to the power −" + viz.Short(1/(t-1), 3) + "."
	case t == 1:
		return "The tail of p̂ decays as exp(−|z|)."
	}
	return "p̂ is 0 beyond z = −" + viz.Short(1/(1-t), 3) + "."
}

// tailSlider is the slider of the tail temperature; 1 means a thin tail.
func tailSlider(st State, key, thin string) *templates.Slider {
	f := form.Get(&st, key)
	s := control.NumericSlider(f)
	s.Ticks = []templates.Tick{{At: 0, Label: "1 " + thin}, {At: 1, Label: "1.99"}}
	s.Hint = tailHint(f.Number())
	s.Spoken = spoken(s)
	return s
}

func alphaSlider(st State) *templates.Slider {
	f := form.Get(&st, "alpha")
	s := templates.Slider{ID: f.Key, Name: f.Key, Symbol: f.Symbol, Label: f.Label, Text: format.Parameter(f.Text())}
	switch {
	case math.IsInf(st.Alpha, 1):
		s.Hint = "The sigmoid loss: bounded by 1.00."
	case st.Alpha > 1:
		s.Hint = "The loss is bounded by " + viz.Number(st.Alpha/(st.Alpha-1), 2) + "."
	case st.Alpha == 1:
		s.Hint = "Logistic regression: not bounded."
	case st.Alpha == .5:
		s.Hint = "The exponential loss of boosting: not bounded."
	default:
		s.Hint = "Steeper than logistic: not bounded."
	}
	s.Spoken, s.Text = spoken(&s), ""
	return control.Stops(s, st.Alpha, f.DefaultNumber(), control.AlphaStops(), []float64{.5, 1, 4, math.Inf(1)})
}

func noiseSlider(st State) *templates.Slider {
	s := control.NumericSlider(form.Get(&st, "noise"))
	s.Label, s.Text = "flipped labels, %", viz.Short(s.Value, 4)
	s.Ticks = []templates.Tick{{At: (1./3 - .01) / .48, Label: "1/3"}}
	s.Hint = viz.Percent(st.Noise, 1) + format.Pc + " of the labels are flipped."
	s.Spoken = viz.Percent(st.Noise, 1) + format.Pc + " flipped"
	return s
}

func gammaSlider(st State) *templates.Slider {
	s := control.NumericSlider(form.Get(&st, "gamma"))
	s.Text, s.Ticks = form.Text(st.Gamma), []templates.Tick{{At: (.05 - .005) / .155, Label: "1/20"}}
	s.Hint = "Points (1, 0), twice (γ, −γ), and (γ, 5γ), all of one class."
	return s
}

func boundaryHint(st State, k int) string {
	iv := mustGeometry(st.Pi)
	return fmt.Sprintf("δ = %s may lie between %s and %s.", viz.Number(iv.Delta[k], 2), viz.Number(iv.Hinge[k], 2),
		viz.Number(iv.Hinge[k+1], 2))
}
