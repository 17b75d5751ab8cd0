package explore

import (
	"fmt"
	"math"
	"slices"

	"taper/cmd/web/bounds"
	"taper/cmd/web/query"
	"taper/cmd/web/widget"
	"taper/cmd/web/wording"
	"taper/internal/viz"
	"taper/web/templates"
)

// The controls of the explorer: what can be steered, with its meaning beside.

var familyNotes = map[string][2]string{
	TwoTemperature: {"Two-temperature", "t₁, t₂"}, TLogistic: {"t-logistic", "t"}, Alpha: {"α-loss", "α"},
	Interval: {"Interval", "boundaries"}, Adversarial: {"Adversarial", "metric, cost"},
}

func familyOptions(st State) []templates.Option {
	var out []templates.Option
	for _, f := range Families {
		out = append(out, templates.Option{Value: f, Label: familyNotes[f][0], Note: familyNotes[f][1], On: f == st.Family})
	}
	return out
}

var viewTitles = map[string]string{"": "Curves", Functions: "logₜ, expₜ", Landscape: "2-D risk", Slope: "B(x)", Points: "Points", Matrices: "Cost matrices"}

func viewOptions(st State) []templates.Option {
	var out []templates.Option
	for _, v := range append([]string{""}, familyViews[st.Family]...) {
		out = append(out, templates.Option{Value: v, Label: viewTitles[v], On: v == st.View})
	}
	return out
}

// thirdOptions switch the third chart, where a loss has a weight ξ.
func thirdOptions(st State) []templates.Option {
	if st.View != "" || st.Family != TwoTemperature && st.Family != TLogistic {
		return nil
	}
	return []templates.Option{{Value: thirdProb, Label: "Probability", On: st.Third == thirdProb}, {Value: thirdXi, Label: "Weight ξ", On: st.Third == thirdXi}}
}

// shapeControls are the sliders and choices of a family.
func shapeControls(st State) []templates.ExploreControl {
	switch st.Family {
	case TwoTemperature:
		return []templates.ExploreControl{{Slider: t1Slider(st), Help: "t1"}, {Slider: t2Slider(st), Help: "t2"}}
	case TLogistic:
		return []templates.ExploreControl{{Slider: tSlider(st), Help: "t"}}
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

func t1Slider(st State) *templates.Slider {
	hint := "A loss is capped at " + viz.Number(1/(1-st.T1), 2) + "."
	if st.T1 >= 1 {
		hint = "No cap: the loss grows without end."
	}
	return widget.Slider(templates.Slider{ID: "t1", Name: "t1", Symbol: "t", Sub: "1", Label: "bound of the loss", Max: 1, Step: .01, Value: st.T1, Default: .6,
		Ticks: []templates.Tick{{At: 0, Label: "0", On: st.T1 == 0}, {At: 1, Label: "1 t-logistic", On: st.T1 == 1}},
		Hint:  hint, Spoken: "t1 " + wording.TwoDecimals(st.T1) + ", " + spokenHint(hint)})
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
	return widget.Slider(templates.Slider{ID: "t2", Name: "t2", Symbol: "t", Sub: "2", Label: "weight of the tail", Min: 1, Max: 1.99, Step: .01, Value: st.T2, Default: 1.6,
		Ticks: []templates.Tick{{At: 0, Label: "1 thin tail", On: st.T2 == 1}, {At: 1, Label: "1.99"}},
		Hint:  tailHint(st.T2), Spoken: "t2 " + wording.TwoDecimals(st.T2) + ", " + spokenHint(tailHint(st.T2))})
}

func tSlider(st State) *templates.Slider {
	return widget.Slider(templates.Slider{ID: "t", Name: "t", Symbol: "t", Label: "weight of the tail", Min: 1, Max: 1.99, Step: .01, Value: st.T, Default: 1.6,
		Ticks: []templates.Tick{{At: 0, Label: "1 logistic", On: st.T == 1}, {At: 1, Label: "1.99"}},
		Hint:  tailHint(st.T), Spoken: "t " + wording.TwoDecimals(st.T) + ", " + spokenHint(tailHint(st.T))})
}

func alphaSlider(st State) *templates.Slider {
	stops := widget.AlphaStops()
	if at, ok := slices.BinarySearch(stops, st.Alpha); !ok {
		stops = slices.Insert(stops, at, st.Alpha)
	}
	at := func(v float64) int { i, _ := slices.BinarySearch(stops, v); return i }
	share := func(v float64) float64 { return float64(at(v)) / float64(len(stops)-1) }
	s := templates.Slider{ID: "alpha", Name: "alpha", Symbol: "α", Label: "where it gives up", Value: float64(at(st.Alpha)), Default: float64(at(4)), Free: true,
		Ticks: []templates.Tick{{At: share(.5), Label: "½", On: st.Alpha == .5}, {At: share(1), Label: "1", On: st.Alpha == 1},
			{At: share(4), Label: "4", On: st.Alpha == 4}, {At: 1, Label: "∞", On: math.IsInf(st.Alpha, 1)}}}
	for _, v := range stops {
		s.Stops = append(s.Stops, query.Text(v))
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
	s.Spoken = "α " + wording.Parameter(query.Text(st.Alpha)) + ", " + spokenHint(s.Hint)
	return &s
}

func noiseSlider(st State) *templates.Slider {
	return widget.Slider(templates.Slider{ID: "noise", Name: "noise", Symbol: "p", Label: "flipped labels", Min: .01, Max: .49, Step: .01, Value: st.Noise, Default: 1. / 3,
		Text: query.Text(math.Round(1e4*st.Noise) / 1e4), Ticks: []templates.Tick{{At: (1./3 - .01) / .48, Label: "1/3"}},
		Hint: viz.Percent(st.Noise, 1) + wording.Pc + " of the labels are flipped.", Spoken: viz.Percent(st.Noise, 1) + wording.Pc + " flipped"})
}

func gammaSlider(st State) *templates.Slider {
	return widget.Slider(templates.Slider{ID: "gamma", Name: "gamma", Symbol: "γ", Label: "size of the small points", Min: .005, Max: .16, Step: .005, Value: st.Gamma, Default: .05,
		Text: query.Text(st.Gamma), Ticks: []templates.Tick{{At: (.05 - .005) / .155, Label: "1/20"}},
		Hint: "Points (1, 0), twice (γ, −γ), and (γ, 5γ), all of one class."})
}

// hiddenState carries what has no control of its own through the form.
func hiddenState(st State) []templates.Field {
	out := []templates.Field{{Name: "view", Value: st.View}, {Name: "top", Value: topText(st)}, {Name: "open", Value: ""}}
	for _, id := range st.Open {
		out = append(out, templates.Field{Name: "open", Value: id})
	}
	for _, l := range st.Pins {
		out = append(out, templates.Field{Name: "pin", Value: l.String()})
	}
	if st.Family == Interval && len(st.Pi) > bounds.Most {
		out = append(out, templates.Field{Name: "pi", Value: bounds.Param(st.Pi)})
	}
	if thirdOptions(st) == nil {
		out = append(out, templates.Field{Name: "third", Value: st.Third})
	}
	return out
}

func topText(st State) string {
	if st.Top == 0 {
		return ""
	}
	return query.Text(st.Top)
}

// compared are the losses offered beside each family.
var compared = map[string][]string{
	TwoTemperature: {"logistic", "t-logistic:" + same, "zero-one", "exponential", "hinge"},
	TLogistic:      {"logistic", "zero-one", "exponential", "hinge", "probit"},
	Alpha:          {"logistic", "exponential", "zero-one", "hinge"},
	Interval:       {"logistic"},
	Adversarial:    {"hinge", "zero-one", "logistic", "exponential"},
}

// compareOptions are the standard ones, then what a link brought.
func compareOptions(st State) *templates.ExploreCompare {
	if st.Family == Adversarial && st.Classes > 2 || st.View != "" {
		return nil
	}
	var c templates.ExploreCompare
	marks := map[string]string{}
	if st.Family == Interval || st.Family == Adversarial {
		for _, l := range st.lineMarks() {
			marks[l.id] = l.mark
		}
	} else {
		for _, l := range st.lines() {
			marks[l.id] = l.mark
		}
	}
	on := specTexts(st.With)
	all := slices.Clone(compared[st.Family])
	for _, t := range on {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	for _, t := range all {
		label := "t-logistic, same t₂"
		if t != "t-logistic:"+same {
			name := mustShape(splitSpec(t)).Name
			label = upper(name)
		}
		c.Options = append(c.Options, templates.CompareOption{Value: t, Label: label, Mark: marks["with "+t], On: slices.Contains(on, t)})
	}
	return &c
}

// pinList shows the ghosts and offers to keep the present curve.
func pinList(st State) *templates.ExplorePins {
	if st.Family == Interval || st.Family == Adversarial || st.View != "" {
		return nil
	}
	p := templates.ExplorePins{Most: maxPins}
	for _, l := range st.lines() {
		if !l.pinned {
			continue
		}
		less := st
		less.Pins = slices.DeleteFunc(slices.Clone(st.Pins), func(s Spec) bool { return s.String() == l.spec.String() })
		p.Pins = append(p.Pins, templates.ExplorePin{Name: l.Name, Mark: l.mark, Spec: l.spec.String(), Remove: less.URL()})
	}
	here := st.steered()
	kept := slices.ContainsFunc(st.Pins, func(s Spec) bool { return s.String() == here.String() })
	if p.Full = len(st.Pins) >= maxPins; !p.Full && !kept {
		more := st
		more.Pins = append(slices.Clone(st.Pins), here)
		p.Add = more.URL()
	}
	return &p
}

func upper(s string) string {
	r := []rune(s)
	if len(r) > 0 && r[0] >= 'a' && r[0] <= 'z' && !(len(r) > 1 && r[1] == '-') {
		r[0] -= 'a' - 'A'
	}
	return string(r)
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
	return fmt.Sprintf("δ = %s may lie between %s and %s.", viz.Number(iv.Delta[k], 2), viz.Number(iv.Hinge[k], 2), viz.Number(iv.Hinge[k+1], 2))
}
