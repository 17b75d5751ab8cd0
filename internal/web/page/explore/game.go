package explore

import (
	"fmt"

	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/web/templates"
)

func planeGameView(st State) view {
	l := st.adversarial()
	g := st.play(l)
	v := view{st: st, title: "Adversarial loss"}
	name := "AL " + phrase.LowerFirst(st.metricTitle())
	v.lead = []chart{
		planeChart(st, "al", name, "s1", st.value(l),
			"The loss is 0 where the true class leads by a sufficient margin. Drag the point, or use its sliders."),
		planeChart(st, "beside", st.comparisonTitle(), "s2", st.comparison(), comparisonSentence(st)),
	}
	v.more = []chart{gameChart(st, g)}
	v.fillGame(st, l, g)
	return v
}

func lineGameView(st State) view {
	l := st.adversarial()
	g := st.play(l)
	v := view{st: st, title: "Adversarial loss"}
	al, rival := st.value(l), st.comparison()
	one := func(f func(...float64) float64) func(float64) float64 {
		return func(x float64) float64 { return f(x) }
	}
	axis := st.psiName(0)
	p := viz.Panel{ID: "al", Title: "Loss", X: [2]float64{-psiEnd, psiEnd}, Y: [2]float64{0, st.top()},
		XName: "potential difference " + axis, Cross: st.Psi[0], CrossName: axis, Inline: true}
	c := chart{height: "l", drag: "psi", fit: true, inline: true, head: []string{axis}}
	var fs []func(float64) float64
	add := func(id, name, mark string, f func(float64) float64, kinks []float64) {
		p.Curves = append(p.Curves, viz.Curve{ID: id, Name: name, Mark: mark, F: f, Kinks: kinks})
		fs, c.head = append(fs, f), append(c.head, name)
		c.legend = append(c.legend, viz.LegendItem{Series: name, Text: name, Mark: mark})
	}
	add("steered", "AL "+phrase.LowerFirst(st.metricTitle()), "s1", one(al), []float64{-1, 0, 1})
	add("rival", st.comparisonTitle(), "s3", one(rival), []float64{-1, 1})
	for _, o := range st.lineMarks() {
		f := o.Value
		kinks := []float64{}
		for _, k := range o.Kinks {
			kinks = append(kinks, -k)
		}
		add(o.id, o.Name, o.mark, func(x float64) float64 { return f(-x) }, kinks)
	}
	p.Sentence = fmt.Sprintf("Loss of one example of class %d when the other class scores %s more; the margin is −%s.",
		st.True, axis, axis)
	p.Label = p.Title + ". " + p.Sentence
	c.plot, c.rows = viz.Lines(p), gridded(-psiEnd, psiEnd, .5, fs...)
	c.plot.Legend = c.legend
	v.lead, v.more = []chart{c}, []chart{gameChart(st, g)}
	v.fillGame(st, l, g)
	return v
}

// fillGame adds what both views of the game show beside the charts.
func (v *view) fillGame(st State, l loss.Potential, g play) {
	v.strong = []string{viz.Number(g.value, 2), g.decision}
	v.rest = []string{"At this point the loss is ", "; the decision rule answers with ", "."}
	if g.decision == "" {
		v.strong, v.rest = v.strong[:1], []string{"At this point the loss is ", "."}
	}
	v.regime = templates.ExploreRegime{Title: "Regime", Chips: []templates.Chip{{Icon: "convex", Label: "convex"},
		{Icon: "check", Label: "Fisher consistent", Kind: "accent"}},
		Text: "Convex and piecewise linear. Fisher consistent: with enough data its decision is optimal for this metric."}
	if st.Metric == "abstain" && st.Cost > .5 {
		v.regime.Chips[1] = templates.Chip{Icon: "warn", Label: "beyond ½", Kind: "warn"}
		v.regime.Text = "The formula of Fathony et al. (2018) holds up to a cost of ½; above it the exact value of the " +
			"game is " +
			"shown."
	}
	v.formula = gameFormula(st, g)
	v.where = &templates.ExploreWhere{Title: "Cost matrix", Table: costTable(st.Metric, st.Cost, st.Classes),
		Text: "Rows: the answer. Columns: the true class."}
	v.readout = gameReadout(st, l)
}
