package playground

import (
	"slices"
	"strconv"
	"strings"

	"taper/internal/web/boundary"
	"taper/internal/web/live"
	"taper/web/templates"
)

// formKeys names which controls there are, area by area: where two states
// agree, sliders need not be made again. Columns are those that are shown: a form names them where the
// address of the page leaves them out, and the slider under the pointer must not be made again for that.
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

// presetPi marks a common set of boundaries: its link is on.
func presetPi(pi []float64) string {
	for _, r := range boundary.Rules {
		if slices.Equal(r.Pi, pi) {
			return r.ID
		}
	}
	return ""
}

// formText writes the keys for the form, and reads them back.
func formText(keys map[string]string) string {
	return strings.Join([]string{keys["side"], keys["a"], keys["b"], keys["points"], keys["shared"]}, "~")
}

func formOfText(text string) map[string]string {
	parts := append(strings.Split(text, "~"), "", "", "", "", "")
	return map[string]string{"side": parts[0], "a": parts[1], "b": parts[2], "points": parts[3], "shared": parts[4]}
}

// playSliders are the words beside the sliders.
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
