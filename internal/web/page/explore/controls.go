package explore

import (
	"taper/internal/engine/loss"
	"taper/internal/web/boundary"
	"taper/internal/web/form"
	"taper/internal/web/live"
	"taper/web/templates"
)

// The controls of the explorer.

var familyNotes = map[string][2]string{
	TwoTemperature: {"Two-temperature", "t₁, t₂"}, TLogistic: {"t-logistic", "t"}, Alpha: {"α-loss", "α"},
	Interval: {"Interval", "boundaries"}, Adversarial: {"Adversarial", "metric, cost"},
}

func familyOptions(st State) []templates.Option {
	var out []templates.Option
	for _, f := range Families {
		note, ok := familyNotes[f]
		if !ok {
			l, _ := loss.FamilyByID(f)
			note = [2]string{l.Title, symbols(l)}
		}
		out = append(out, templates.Option{Value: f, Label: note[0], Note: note[1], On: f == st.Family})
	}
	return out
}

var viewTitles = map[string]string{"": "Curves", Functions: "logₜ, expₜ", Landscape: "Risk landscape",
	Slope:  "B(x)",
	Points: "Points", Matrices: "Cost matrices"}

func viewOptions(st State) []templates.Option {
	var out []templates.Option
	for _, v := range append([]string{""}, familyViews[st.Family]...) {
		out = append(out, templates.Option{Value: v, Label: viewTitles[v], On: v == st.View})
	}
	return out
}

// thirdOptions are the choices of the third chart for losses with a weight ξ.
func thirdOptions(st State) []templates.Option {
	if st.View != "" || st.Family != TwoTemperature && st.Family != TLogistic {
		return nil
	}
	return []templates.Option{{Value: thirdProb, Label: "Probability", On: st.Third == thirdProb},
		{Value: thirdXi, Label: "Weight ξ", On: st.Third == thirdXi}}
}

// shapeControls are the sliders and choices of a family.
func shapeControls(st State) []templates.ExploreControl {
	if f, ok := st.listed(); ok {
		return listedControls(st, f)
	}
	switch st.Family {
	case TwoTemperature:
		return []templates.ExploreControl{{Slider: t1Slider(st), Help: "t1"}, {Slider: tailSlider(st, "t2", "thin tail"),
			Help: "t2"}}
	case TLogistic:
		return []templates.ExploreControl{{Slider: tailSlider(st, "t", "logistic"), Help: "t"}}
	case Alpha:
		out := []templates.ExploreControl{{Slider: alphaSlider(st), Help: "alpha-slider"}}
		if st.View == Landscape || st.View == Slope {
			out = append(out, templates.ExploreControl{Slider: noiseSlider(st), Help: "landscape"})
		}
		if st.View == Landscape {
			out = append(out, templates.ExploreControl{Slider: gammaSlider(st), Help: "landscape"})
		}
		return out
	case Interval:
		return intervalControls(st)
	}
	return gameControls(st)
}

// hiddenState carries the state without a control through the form.
func hiddenState(st State) []templates.Field {
	out := []templates.Field{{Name: "view", Value: st.View}, {Name: "top", Value: topText(st)}}
	keys := []string{"open", "pin"}
	if st.Family == Interval && len(st.Pi) > boundary.Most {
		keys = append(keys, "pi")
	}
	if thirdOptions(st) == nil {
		keys = append(keys, "third")
	}
	for _, p := range form.HiddenPairs(&st, keys...) {
		out = append(out, templates.Field{Name: p.Key, Value: p.Value})
	}
	return out
}

func topText(st State) string {
	if st.Top == 0 {
		return ""
	}
	return form.Text(st.Top)
}

// liveSliders are the texts beside the sliders.
func liveSliders(st State) map[string]live.Slider {
	out := map[string]live.Slider{}
	for _, c := range shapeControls(st) {
		if c.Slider != nil {
			out[c.Slider.ID] = live.SliderOf(*c.Slider)
		}
	}
	return out
}
