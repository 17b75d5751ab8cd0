package explore

import (
	"math"
	"strconv"

	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/web/templates"
)

func gameControls(st State) []templates.ExploreControl {
	choice := func(id, label, help string, on string, options ...[2]string) templates.ExploreControl {
		c := templates.Choice{ID: id, Name: id, Label: label}
		for _, o := range options {
			c.Options = append(c.Options, templates.Option{Value: o[0], Label: o[1], On: o[0] == on})
		}
		return templates.ExploreControl{Choice: &c, Help: help}
	}
	var ms, rs, ys [][2]string
	for _, m := range metrics {
		ms = append(ms, [2]string{m.ID, m.Title})
	}
	for _, r := range comparisons {
		rs = append(rs, [2]string{r.ID, r.Title})
	}
	for j := 1; j <= st.Classes; j++ {
		ys = append(ys, [2]string{strconv.Itoa(j), "class " + strconv.Itoa(j)})
	}
	out := []templates.ExploreControl{choice("metric", "Metric", "metric", st.Metric, ms...)}
	if st.Metric == "abstain" {
		out = append(out, templates.ExploreControl{Slider: costSlider(st), Help: "cost"})
	}
	if st.View == Matrices {
		return out
	}
	out = append(out, choice("k", "Classes", "adversarial", strconv.Itoa(st.Classes), [2]string{"2", "two"},
		[2]string{"3", "three"}),
		choice("y", "True class", "true-class", strconv.Itoa(st.True), ys...), choice("rival", "Comparison loss", "rival",
			st.Comparison, rs...))
	for i := range st.psi() {
		out = append(out, templates.ExploreControl{Slider: psiSlider(st, i), Help: "psi"})
	}
	return out
}

func costSlider(st State) *templates.Slider {
	s := control.NumericSlider(form.Get(&st, "cost"))
	s.Hint = "“Don’t know” costs " + viz.Short(st.Cost, 3) + ", a wrong class 1."
	if st.Cost > .5 {
		s.Hint = "“Don’t know” costs " + viz.Short(st.Cost, 3) + ": rarely worth it."
	}
	s.Usual, s.Ticks = [2]float64{0, .5}, []templates.Tick{{At: 0, Label: "0"}, {At: 1. / 3, Label: "1/3"},
		{At: .5, Label: "½"}, {At: 1, Label: "1"}}
	return s
}

func psiSlider(st State, i int) *templates.Slider {
	s := control.NumericSlider(form.Get(&st, []string{"a", "b"}[i]))
	class, v := strconv.Itoa(st.others()[i]), st.Psi[i]
	s.ID, s.Sub = "psi-"+s.Name, class
	s.Hint = "Class " + class + " scores " + viz.Short(math.Abs(v), 3) + " below the true one."
	if v > 0 {
		s.Hint = "Class " + class + " scores " + viz.Short(v, 3) + " above the true one."
	} else if v == 0 {
		s.Hint = "Class " + class + " ties with the true one."
	}
	s.Spoken = spoken(s)
	return s
}
