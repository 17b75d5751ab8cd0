package explore

import (
	"fmt"
	"math"
	"slices"

	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

func t1Slider(st State) *templates.Slider {
	hint := "A loss is capped at " + viz.Number(1/(1-st.T1), 2) + "."
	if st.T1 >= 1 {
		hint = "No cap: the loss grows without end."
	}
	return control.Slider(templates.Slider{ID: "t1", Name: "t1", Symbol: "t", Sub: "1", Label: "bound of the loss", Max: 1,
		Step: .01, Value: st.T1, Default: .6,
		Ticks: []templates.Tick{{At: 0, Label: "0", On: st.T1 == 0}, {At: 1, Label: "1 t-logistic", On: st.T1 == 1}},
		Hint:  hint, Spoken: "t1 " + format.TwoDecimals(st.T1) + ", " + spokenHint(hint)})
}

// spokenHint makes a hint the end of a spoken value.
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
		return "The tail of p̂ falls like |z|^−" + viz.Short(1/(t-1), 3) + "."
	case t == 1:
		return "The tail of p̂ falls like e^−|z|."
	}
	return "p̂ is 0 beyond z = −" + viz.Short(1/(1-t), 3) + "."
}

func t2Slider(st State) *templates.Slider {
	return control.Slider(templates.Slider{ID: "t2", Name: "t2", Symbol: "t", Sub: "2", Label: "weight of the tail",
		Min: 1, Max: 1.99, Step: .01, Value: st.T2, Default: 1.6,
		Ticks: []templates.Tick{{At: 0, Label: "1 thin tail", On: st.T2 == 1}, {At: 1, Label: "1.99"}},
		Hint:  tailHint(st.T2), Spoken: "t2 " + format.TwoDecimals(st.T2) + ", " + spokenHint(tailHint(st.T2))})
}

func tSlider(st State) *templates.Slider {
	return control.Slider(templates.Slider{ID: "t", Name: "t", Symbol: "t", Label: "weight of the tail", Min: 1, Max: 1.99,
		Step: .01, Value: st.T, Default: 1.6,
		Ticks: []templates.Tick{{At: 0, Label: "1 logistic", On: st.T == 1}, {At: 1, Label: "1.99"}},
		Hint:  tailHint(st.T), Spoken: "t " + format.TwoDecimals(st.T) + ", " + spokenHint(tailHint(st.T))})
}

func alphaSlider(st State) *templates.Slider {
	stops := control.AlphaStops()
	if at, ok := slices.BinarySearch(stops, st.Alpha); !ok {
		stops = slices.Insert(stops, at, st.Alpha)
	}
	at := func(v float64) int { i, _ := slices.BinarySearch(stops, v); return i }
	share := func(v float64) float64 { return float64(at(v)) / float64(len(stops)-1) }
	s := templates.Slider{ID: "alpha", Name: "alpha", Symbol: "α", Label: "where it gives up",
		Value: float64(at(st.Alpha)), Default: float64(at(4)), Free: true,
		Ticks: []templates.Tick{{At: share(.5), Label: "½", On: st.Alpha == .5},
			{At: share(1), Label: "1", On: st.Alpha == 1},
			{At: share(4), Label: "4", On: st.Alpha == 4}, {At: 1, Label: "∞", On: math.IsInf(st.Alpha, 1)}}}
	for _, v := range stops {
		s.Stops = append(s.Stops, form.Text(v))
	}
	switch {
	case math.IsInf(st.Alpha, 1):
		s.Hint = "The sigmoid loss: capped at 1.00."
	case st.Alpha > 1:
		s.Hint = "A loss is capped at " + viz.Number(st.Alpha/(st.Alpha-1), 2) + "."
	case st.Alpha == 1:
		s.Hint = "Logistic regression: no cap."
	case st.Alpha == .5:
		s.Hint = "The exponential loss of boosting: no cap."
	default:
		s.Hint = "Steeper than logistic: no cap."
	}
	s.Spoken = "α " + format.Parameter(form.Text(st.Alpha)) + ", " + spokenHint(s.Hint)
	return &s
}

func noiseSlider(st State) *templates.Slider {
	s := control.Percent(templates.Slider{ID: "noise", Name: "noise", Symbol: "p", Label: "flipped labels, %", Min: .01,
		Max: .49, Step: .01, Value: st.Noise, Default: 1. / 3,
		Ticks: []templates.Tick{{At: (1./3 - .01) / .48, Label: "1/3"}},
		Hint:  viz.Percent(st.Noise, 1) + format.Pc + " of the labels are flipped.", Spoken: viz.Percent(st.Noise, 1) +
			format.Pc + " flipped"})
	s.Text = viz.Short(s.Value, 4)
	return &s
}

func gammaSlider(st State) *templates.Slider {
	return control.Slider(templates.Slider{ID: "gamma", Name: "gamma", Symbol: "γ", Label: "size of the small points",
		Min: .005, Max: .16, Step: .005, Value: st.Gamma, Default: .05,
		Text: form.Text(st.Gamma), Ticks: []templates.Tick{{At: (.05 - .005) / .155, Label: "1/20"}},
		Hint: "Points (1, 0), twice (γ, −γ), and (γ, 5γ), all of one class."})
}

// liveSliders are the words beside the sliders.
func liveSliders(st State) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, c := range shapeControls(st) {
		if c.Slider == nil {
			continue
		}
		words := map[string]string{"hint": c.Slider.Hint, "note": c.Slider.Note, "low": c.Slider.Low, "high": c.Slider.High}
		if c.Slider.Spoken != "" {
			words["spoken"] = c.Slider.Spoken
		}
		for k, v := range words {
			if v == "" && k != "hint" {
				delete(words, k)
			}
		}
		out[c.Slider.ID] = words
	}
	return out
}

func boundaryHint(st State, k int) string {
	iv := mustGeometry(st.Pi)
	return fmt.Sprintf("δ = %s may lie between %s and %s.", viz.Number(iv.Delta[k], 2), viz.Number(iv.Hinge[k], 2),
		viz.Number(iv.Hinge[k+1], 2))
}
