package explore

import (
	"fmt"
	"math"
	"strconv"

	"taper/internal/engine/landscape"
	"taper/internal/engine/parallel"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/mathml"
	"taper/web/templates"
)

func (st State) problem() landscape.Problem {
	return landscape.Problem{Alpha: st.Alpha, Noise: st.Noise, Gamma: st.Gamma}
}

// landscapeView shows the noisy risk of two weights (Sypherd et al. 2023, Figs 3, 9, 10).
func landscapeView(st State) view {
	p := st.problem()
	minima := p.Minima()
	zero, ok := p.FromZero()
	v := view{st: st, title: "Risk of two weights"}
	v.lead = []chart{riskChart(st, p, minima)}
	v.more = []chart{separatorChart(st, minima)}
	switch {
	case len(minima) == 0:
		v.strong, v.rest = []string{"no minimum"}, []string{"For this α the risk has ",
			": it decreases without end as the weights grow."}
	case minima[0].Good():
		v.strong, v.rest = []string{"classifies all four points " +
			"correctly"}, []string{"The lowest minimum found ", ", although " +
			viz.Percent(st.Noise, 0) + format.Pc + " of the labels are flipped."}
	default:
		v.strong, v.rest = []string{strconv.Itoa(minima[0].Right) + " of 4 points"},
			[]string{"The lowest minimum found classifies only ", " correctly: the noise has shifted the decision boundary."}
	}
	v.regime = templates.ExploreRegime{Title: "Conditions",
		Text: "For the four points of Sypherd et al. (p = 1/3, γ = 1/20) a minimum that classifies all four correctly " +
			"exists only " +
			"for α ≳ 1.45, is the lowest only for α ≳ 1.95, and is reached from θ = 0 only for α ≳ 2.95."}
	from := "Descent from θ = 0 diverges."
	if ok {
		from = fmt.Sprintf("Descent from θ = 0 ends at (%s, %s), which is %s.", viz.Number(zero.T1, 2),
			viz.Number(zero.T2, 2), verdict(zero))
	}
	t := templates.Table{ID: "readout", Label: "Minima found", Class: "tbl-grid stacks", Note: from +
		" The minima are searched for from 55 starting points within a distance of 1000.",
		Columns: []templates.Column{{Label: "Minimum"}, {Label: "θ₁", Num: true}, {Label: "θ₂", Num: true},
			{Label: "risk", Num: true}, {Label: "points correct", Num: true}, {Label: "Verdict"}}}
	for i, m := range minima {
		name := "local"
		if m.Global {
			name = "lowest"
		}
		chip := templates.Chip{Icon: "bad", Label: "bad", Kind: "bad"}
		if m.Good() {
			chip = templates.Chip{Icon: "check", Label: "good", Kind: "accent"}
		}
		row := templates.Row{Cells: []templates.Cell{{Text: name}, {Text: viz.Number(m.T1, 4)}, {Text: viz.Number(m.T2, 4)},
			{Text: viz.Number(m.Risk, 6)}, {Text: strconv.Itoa(m.Right) + " of 4"}, {Content: templates.ChipView(chip)}}}
		if i == 0 {
			row.Class = "is-steer"
		}
		t.Rows = append(t.Rows, row)
	}
	v.readout = t
	v.formula = templates.ExploreFormula{Note: "Each label is flipped with probability p. Source: Sypherd et al. 2023, " +
		"section 4; Long and Servedio 2010.",
		Link: templates.Link{Label: "What the landscape shows", URL: "/help/landscape"},
		Lines: []templates.Math{mathml.Display(mathml.Mi("R"), mathml.Paren(mathml.Mi("θ")), mathml.Mo("="),
			mathml.Mfrac(mathml.Mn("1"), mathml.Mn("4")), mathml.Munder("∑", mathml.Mi("i")),
			mathml.Mrow(mathml.Paren(mathml.Mn("1"), mathml.Mo("−"), mathml.Mi("p")), mathml.Mi("ℓ"),
				mathml.Paren(mathml.Mi("θ"), mathml.Msub(mathml.Mi("x"), mathml.Mi("i"))))),
			mathml.Display(mathml.Mo("+"), mathml.Mfrac(mathml.Mn("1"), mathml.Mn("4")), mathml.Munder("∑", mathml.Mi("i")),
				mathml.Mrow(mathml.Mi("p"), mathml.Mi("ℓ"), mathml.Paren(mathml.Mo("−"), mathml.Mi("θ"),
					mathml.Msub(mathml.Mi("x"), mathml.Mi("i")))))}}
	return v
}

func verdict(m landscape.Minimum) string {
	if m.Good() {
		return "good: all four points correct"
	}
	return "bad: " + strconv.Itoa(m.Right) + " of 4 points correct"
}

// reach is the half width of the landscape: a power of two such that the minima are inside.
func reach(minima []landscape.Minimum) float64 {
	r := 4.0
	for _, m := range minima {
		for r < 1.15*max(math.Abs(m.T1), 1.4*math.Abs(m.T2)) && r < 1024 {
			r *= 2
		}
	}
	return r
}

func riskChart(st State, p landscape.Problem, minima []landscape.Minimum) chart {
	r := reach(minima)
	f := viz.Field{ID: "landscape", Title: "Noisy risk over (θ₁, θ₂)", F: p.Risk, X: [2]float64{-r / 4, r},
		Y: [2]float64{-.75 * r, .75 * r}, XName: "θ₁", YName: "θ₂", Mark: "s2", Decimals: 3}
	f.Levels = riskLevels(p, f.X, f.Y, minima)
	good := 0
	for _, m := range minima {
		s := viz.Spot{X: m.T1, Y: m.T2, Symbol: "triangle", Ink: "@bad", Text: "bad"}
		if m.Good() {
			s.Symbol, s.Ink, s.Text = "circle", "@accent", "good"
			good++
		}
		s.Left = m.T1 > .6*r
		if m.Global {
			s.Text += ", lowest"
		}
		f.Points = append(f.Points, s)
	}
	// The condition of Theorem 1: B(θ1) = −6γ·B(γ(θ1 + 5θ2)).
	f.Overlay = func(x, y float64) float64 { return p.Tilt(x) + 6*p.Gamma*p.Tilt(p.Gamma*(x+5*y)) }
	f.Sentence = fmt.Sprintf("Lines of equal risk, with %s: %d good, %d bad. Dashed: where B(θ₁) = −6γ "+
		"B(γ(θ₁ + 5θ₂)), a condition that every minimum satisfies.", phrase.Count(len(minima), "minimum found"),
		good, len(minima)-good)
	if len(minima) == 1 {
		f.Sentence = "Lines of equal risk, with one minimum found, " + verdict(minima[0]) +
			". Dashed: where B(θ₁) = −6γ B(γ(θ₁ + 5θ₂)), a condition that every minimum satisfies."
	} else if len(minima) > 1 {
		f.Sentence = fmt.Sprintf("Lines of equal risk, with %d minima found: %d good, %d bad. Dashed: where B(θ₁) = "+
			"−6γ B(γ(θ₁ + 5θ₂)), a condition that every minimum satisfies.", len(minima), good, len(minima)-good)
	}
	f.Label = f.Title + ". " + f.Sentence
	c := chart{plot: viz.Contours(f), height: "xl", head: []string{"θ₁", "θ₂", "risk"}}
	c.rows = func(fine bool) [][]float64 { return planeRows(f, fine) }
	return c
}

// riskLevels are contour values, denser near the lowest value in view.
func riskLevels(p landscape.Problem, x, y [2]float64, minima []landscape.Minimum) []float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range 21 {
		for j := range 21 {
			v := p.Risk(x[0]+(x[1]-x[0])*float64(i)/20, y[0]+(y[1]-y[0])*float64(j)/20)
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	for _, m := range minima {
		lo = min(lo, m.Risk)
	}
	var out []float64
	for _, share := range []float64{.004, .02, .06, .12, .2, .3, .45, .65, .85} {
		out = append(out, lo+(hi-lo)*share)
	}
	return out
}

// separators are the α of Figs 3 and 9.
var separators = []float64{1, 1.1, 1.8, 2, 3, 10}

// separatorChart shows the four points and the separating lines of the lowest minima.
func separatorChart(st State, own []landscape.Minimum) chart {
	p := st.problem()
	f := viz.Field{ID: "points", Title: "The points and the lines", X: [2]float64{-.4, 1.2}, Y: [2]float64{-.4, .4},
		XName: "x₁", YName: "x₂", F: func(x, y float64) float64 { return 1 }, Mark: "s2"}
	f.Points = []viz.Spot{{X: 1, Y: 0, Symbol: "circle", Ink: "@c1", Text: "large margin", Left: true},
		{X: p.Gamma, Y: -p.Gamma, Symbol: "triangle", Ink: "@c1", Text: "two penalizers"},
		{X: p.Gamma, Y: 5 * p.Gamma, Symbol: "rect", Ink: "@c1", Text: "puller"}}
	c := chart{height: "l", head: []string{"alpha", "theta1", "theta2", "points correct"}}
	var rows [][]float64
	var legend []viz.LegendItem
	marks := []string{"s2", "s3", "s5", "s4", "s6", "s7"}
	others := make([][]landscape.Minimum, len(separators))
	parallel.Each(len(separators), 0, func(_, i int) {
		others[i] = landscape.Problem{Alpha: separators[i], Noise: p.Noise, Gamma: p.Gamma}.Minima()
	})
	add := func(alpha float64, m []landscape.Minimum, name, mark string) {
		if len(m) == 0 {
			return
		}
		f.Rays = append(f.Rays, viz.Ray{ID: "ray " + mark, Name: name, Mark: mark, DX: -m[0].T2, DY: m[0].T1})
		legend = append(legend, viz.LegendItem{Series: name, Text: name, Mark: mark})
		rows = append(rows, []float64{alpha, m[0].T1, m[0].T2, float64(m[0].Right)})
	}
	add(st.Alpha, own, "α = "+format.Parameter(form.Text(st.Alpha))+", current", "s1")
	for i, a := range separators {
		add(a, others[i], "α = "+viz.Short(a, 3), marks[i])
	}
	f.Sentence = "All four points belong to one class; each line is the decision boundary at the lowest minimum for " +
		"its α. " +
		"It is correct when every point lies on its right-hand side."
	f.Label = f.Title + ". " + f.Sentence
	c.plot = viz.Contours(f)
	c.plot.Legend = legend
	c.rows = func(bool) [][]float64 { return rows }
	return c
}
