package explore

import (
	"math"
	"strconv"

	"taper/internal/engine/tempered"
	"taper/internal/viz"
	"taper/internal/web/mathml"
	"taper/web/templates"
)

// Views of a family other than its curves: figures of the papers with other axes.

// partition is G_t(z) of the activations ±z/2.
func partition(t, z float64) float64 { return math.Abs(z)/2 + tempered.BinaryGap(t, z) }

// functionsView shows log_t and exp_t (Amid et al. 2019, Fig. 1; Ding and Vishwanathan 2010, Fig. 2).
func functionsView(st State) view {
	t1, t2 := st.T1, st.T2
	if st.Family == TLogistic {
		t1, t2 = st.T, st.T
	}
	v := view{st: st, title: "logₜ and expₜ"}
	v.strong = []string{"deforms the logarithm"}
	v.rest = []string{"A temperature ", ": below 1 it is bounded below, so a loss built on it is bounded; above 1 the " +
		"exponential has heavy tails."}
	log := functionChart("log", "logₜ(x)", "x", [2]float64{0, 4}, [2]float64{-4, 3}, t1, tempered.Log)
	log.height = "l"
	v.lead = []chart{log}
	v.more = []chart{functionChart("exp", "expₜ(x)", "x", [2]float64{-4, 4}, [2]float64{0, 4}, t2, tempered.Exp)}
	v.more[0].height = "l"
	v.regime = templates.ExploreRegime{Title: "Bounds", Text: startOfLog(t1) + " " + endOfExp(t2)}
	v.formula = templates.ExploreFormula{Note: "Both equal log and exp at t = 1 and are inverses of each other. Source: " +
		"Amid, Warmuth and Srinivasan 2019, section 2.",
		Link: templates.Link{Label: "What the temperatures do", URL: "/help/t1"},
		Lines: []templates.Math{
			mathml.Display(mathml.Msub(mathml.Word("log"), mathml.Mi("t")), mathml.Paren(mathml.Mi("x")), mathml.Mo("="),
				mathml.Mfrac(mathml.Msup(mathml.Mi("x"), mathml.Mn("1")+mathml.Mo("−")+mathml.Mi("t"))+mathml.Mo("−")+
					mathml.Mn("1"), mathml.Mn("1")+mathml.Mo("−")+mathml.Mi("t"))),
			mathml.Display(mathml.Msub(mathml.Word("exp"), mathml.Mi("t")), mathml.Paren(mathml.Mi("x")), mathml.Mo("="),
				mathml.Msup(mathml.Mo("[")+mathml.Mn("1")+mathml.Mo("+")+mathml.Paren(mathml.Mn("1"), mathml.Mo("−"),
					mathml.Mi("t"))+mathml.Mi("x")+mathml.Msub(mathml.Mo("]"), mathml.Mo("+")), mathml.Mn("1")+mathml.Mo("/")+
					mathml.Paren(mathml.Mn("1"), mathml.Mo("−"), mathml.Mi("t")))),
		}}
	return v
}

func startOfLog(t float64) string {
	if t >= 1 {
		return "logₜ falls to −∞ at 0 for t = " + viz.Short(t, 3) + ": a loss built on it is not bounded."
	}
	return "logₜ(0) = " + viz.Number(tempered.Log(t, 0), 2) + " for t = " + viz.Short(t, 3) +
		": a loss built on it is bounded by " + viz.Number(-tempered.Log(t, 0), 2) + "."
}

func endOfExp(t float64) string {
	switch {
	case t < 1:
		return "expₜ is 0 below " + viz.Number(-1/(1-t), 2) + " for t = " + viz.Short(t, 3) + "."
	case t == 1:
		return "expₜ is exp(x) for t = 1: the left tail decays exponentially."
	}
	return "expₜ decays only as |x| to the power −" + viz.Short(1/(t-1), 3) + " for t = " + viz.Short(t, 3) + "."
}

func functionChart(id, title, axis string, x, y [2]float64, steered float64, f func(t, x float64) float64) chart {
	p := viz.Panel{ID: id, Title: title, X: x, Y: y, XName: axis, NoCross: true, Inline: true}
	c := chart{inline: true, head: []string{"x"}}
	var fs []func(float64) float64
	add := func(id, name, mark string, t float64) {
		g := func(x float64) float64 { return f(t, x) }
		var kinks []float64
		if id := -1 / (1 - t); t != 1 && id > x[0] && id < x[1] {
			kinks = []float64{id}
		}
		p.Curves = append(p.Curves, viz.Curve{ID: id, Name: name, Mark: mark, F: g, Kinks: kinks})
		c.legend = append(c.legend, viz.LegendItem{Series: name, Text: name, Mark: mark})
		fs, c.head = append(fs, g), append(c.head, name)
	}
	add("steered", "t = "+viz.Short(steered, 3)+", current", "s1", steered)
	for i, t := range []float64{0, .5, 1, 1.5, 2} {
		add("t"+strconv.Itoa(i), "t = "+viz.Short(t, 2), []string{"s3", "s5", "s2", "s4", "s6"}[i], t)
	}
	p.Sentence = map[string]string{"log": "Deformed (q-)logarithm: the larger t, the lower it starts and the sooner it " +
		"flattens.", "exp": "Its inverse: the larger t, the heavier the left tail."}[id]
	p.Label = title + ". " + p.Sentence
	c.plot, c.rows = viz.Lines(p), gridded(x[0], x[1], .5, fs...)
	c.plot.Legend = c.legend
	return c
}
