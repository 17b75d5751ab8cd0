package playground

import (
	"slices"
	"strconv"
	"strings"

	"taper/internal/web/boundary"
	"taper/internal/web/live"
	"taper/web/templates"
)

// formKeys identifies the controls of each area. If it is equal for two states, the controls are not replaced, so a
// slider being dragged stays. The columns are those shown, because a form names columns that the address of the
// page may leave out.
func (a controls) formKeys() map[string]string {
	st := a.st
	keys := map[string]string{"side": strings.Join([]string{st.Data, st.Noise, string(a.kind), a.across, a.up,
		a.columns.Outcome, strconv.Itoa(a.columns.Rows)}, " ")}
	keys["shared"] = strings.Join([]string{st.Settings, st.Shared.Features, st.Shared.Kernel, strconv.FormatBool(a.plane),
		strconv.Itoa(len(a.shared().Controls))}, " ")
	for k, m := range st.Models {
		keys[slots[k][:1]] = strings.Join([]string{m.Method, m.Features, m.Kernel, m.Solver, m.Rule, strconv.Itoa(len(m.Pi)),
			string(a.kind), strconv.Itoa(a.classes), presetPi(m.Pi), st.Settings,
			strconv.FormatBool(a.withoutKernel(k) != "")}, " ")
	}
	keys["points"] = strconv.FormatBool(st.Data == userPoints)
	return keys
}

// presetPi is the common set of boundaries that pi equals, "" for none; its link is marked.
func presetPi(pi []float64) string {
	for _, r := range boundary.Rules {
		if slices.Equal(r.Pi, pi) {
			return r.ID
		}
	}
	return ""
}

// formText writes the keys as text for the form.
func formText(keys map[string]string) string {
	return strings.Join([]string{keys["side"], keys["a"], keys["b"], keys["points"], keys["shared"]}, "~")
}

func formOfText(text string) map[string]string {
	parts := append(strings.Split(text, "~"), "", "", "", "", "")
	return map[string]string{"side": parts[0], "a": parts[1], "b": parts[2], "points": parts[3], "shared": parts[4]}
}

// sliders are the texts beside the sliders.
func (a controls) sliders() map[string]live.Slider {
	out := map[string]live.Slider{}
	take := func(c templates.PlayControl) {
		if s := c.Slider; s != nil {
			out[s.ID] = live.SliderOf(*s)
		}
	}
	for _, g := range a.groups() {
		for _, c := range g.Controls {
			take(c)
		}
	}
	for _, c := range a.shared().Controls {
		take(c)
	}
	for k := range a.st.Models {
		for _, c := range a.pars(k) {
			take(c)
		}
	}
	return out
}
