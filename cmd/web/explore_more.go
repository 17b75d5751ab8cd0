package main

import (
	"fmt"
	"math"
	"strconv"
	"sync"

	"taper/internal/engine/landscape"
	"taper/internal/engine/synth"
	"taper/internal/engine/tempered"
	"taper/internal/viz"
	"taper/web/templates"
)

// The views of a family besides its curves: figures of the papers that have
// another axis.

// partition is G_t(z) of the activations ±z/2.
func partition(t, z float64) float64 { return math.Abs(z)/2 + tempered.BinaryGap(t, z) }

// functionsView shows log_t and exp_t (000, Fig. 1; 002, Fig. 2).
func functionsView(st exploreState) exploreView {
	t1, t2 := st.T1, st.T2
	if st.Family == famTLogistic {
		t1, t2 = st.T, st.T
	}
	v := exploreView{st: st, title: "logₜ and expₜ"}
	v.strong = []string{"bends the logarithm"}
	v.rest = []string{"A temperature ", ": below 1 it is bounded below, so a loss made of it is capped; above 1 the exponential has heavy tails."}
	log := functionChart("log", "logₜ(x)", "x", [2]float64{0, 4}, [2]float64{-4, 3}, t1, tempered.Log)
	log.height = "l"
	v.lead = []exploreChart{log}
	v.more = []exploreChart{functionChart("exp", "expₜ(x)", "x", [2]float64{-4, 4}, [2]float64{0, 4}, t2, tempered.Exp)}
	v.more[0].height = "l"
	v.regime = templates.ExploreRegime{Title: "Bounds", Text: startOfLog(t1) + " " + endOfExp(t2)}
	v.formula = templates.ExploreFormula{Note: "Both are log and exp at t = 1, and inverse to each other. Source: Amid, Warmuth, Srinivasan 2019, section 2.",
		Link: templates.Link{Label: "What the temperatures do", URL: "/help/t1"},
		Lines: []templates.Math{
			mathRow(msub(fn2("log"), mi("t")), paren(mi("x")), mo("="), mfrac(msup(mi("x"), mn("1")+mo("−")+mi("t"))+mo("−")+mn("1"), mn("1")+mo("−")+mi("t"))),
			mathRow(msub(fn2("exp"), mi("t")), paren(mi("x")), mo("="), msup(mo("[")+mn("1")+mo("+")+paren(mn("1"), mo("−"), mi("t"))+mi("x")+msub(mo("]"), mo("+")), mn("1")+mo("/")+paren(mn("1"), mo("−"), mi("t")))),
		}}
	return v
}

func startOfLog(t float64) string {
	if t >= 1 {
		return "logₜ falls to −∞ at 0 for t = " + viz.Short(t, 3) + ": a loss made of it has no cap."
	}
	return "logₜ(0) = " + viz.Number(tempered.Log(t, 0), 2) + " for t = " + viz.Short(t, 3) + ": a loss made of it is capped at " + viz.Number(-tempered.Log(t, 0), 2) + "."
}

func endOfExp(t float64) string {
	switch {
	case t < 1:
		return "expₜ is 0 below " + viz.Number(-1/(1-t), 2) + " for t = " + viz.Short(t, 3) + "."
	case t == 1:
		return "expₜ falls like e^x for t = 1."
	}
	return "expₜ falls only like |x|^−" + viz.Short(1/(t-1), 3) + " for t = " + viz.Short(t, 3) + "."
}

func functionChart(id, title, axis string, x, y [2]float64, steered float64, f func(t, x float64) float64) exploreChart {
	p := viz.Panel{ID: id, Title: title, X: x, Y: y, XName: axis, NoCross: true, Inline: true}
	c := exploreChart{inline: true, head: []string{"x"}}
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
	add("steered", "t = "+viz.Short(steered, 3)+", steered", "s1", steered)
	for i, t := range []float64{0, .5, 1, 1.5, 2} {
		add("t"+strconv.Itoa(i), "t = "+viz.Short(t, 2), []string{"s3", "s5", "s2", "s4", "s6"}[i], t)
	}
	p.Sentence = map[string]string{"log": "The deformed logarithm: the larger t, the lower it starts and the sooner it flattens.", "exp": "Its inverse: the larger t, the heavier the left tail."}[id]
	p.Label = title + ". " + p.Sentence
	c.plot, c.rows = viz.Lines(p), gridded(x[0], x[1], .5, fs...)
	c.plot.Legend = c.legend
	return c
}

func (st exploreState) problem() landscape.Problem {
	return landscape.Problem{Alpha: st.Alpha, Noise: st.Noise, Gamma: st.Gamma}
}

// landscapeView shows the noisy risk of two weights (003, Figs 3, 9, 10, 12–15).
func landscapeView(st exploreState) exploreView {
	p := st.problem()
	minima := p.Minima()
	zero, ok := p.FromZero()
	v := exploreView{st: st, title: "Risk of two weights"}
	v.lead = []exploreChart{riskChart(st, p, minima)}
	v.more = []exploreChart{separatorChart(st, minima)}
	switch {
	case len(minima) == 0:
		v.strong, v.rest = []string{"no minimum"}, []string{"For this α the risk has ", ": it falls for ever as the weights grow."}
	case minima[0].Good():
		v.strong, v.rest = []string{"all four points right"}, []string{"The lowest minimum found gets ", ", although " + viz.Percent(st.Noise, 0) + unitPc + " of the labels are flipped."}
	default:
		v.strong, v.rest = []string{strconv.Itoa(minima[0].Right) + " of 4 points"}, []string{"The lowest minimum found gets only ", " right: the noise has bent the line."}
	}
	v.regime = templates.ExploreRegime{Title: "Honest note", Text: "On the paper’s own set (p = 1/3, γ = 1/20) a perfect minimum exists only from α ≈ 1.45, is the lowest only from ≈ 1.95, and is reached from θ = 0 only from ≈ 2.95."}
	from := "From θ = 0 a descent runs away: no minimum that way."
	if ok {
		from = fmt.Sprintf("From θ = 0 a descent ends at (%s, %s), which is %s.", viz.Number(zero.T1, 2), viz.Number(zero.T2, 2), verdict(zero))
	}
	t := templates.Table{ID: "readout", Label: "Minima found", Class: "tbl-grid", Note: from + " Minima come from a fan of 55 starts; one further out than 1,000 is not looked for.",
		Columns: []templates.Column{{Label: "Minimum"}, {Label: "θ₁", Num: true}, {Label: "θ₂", Num: true}, {Label: "risk", Num: true}, {Label: "points right", Num: true}, {Label: "Verdict"}}}
	for i, m := range minima {
		name := "local"
		if m.Global {
			name = "lowest"
		}
		chip := templates.Chip{Icon: "bad", Label: "bad", Kind: "bad"}
		if m.Good() {
			chip = templates.Chip{Icon: "check", Label: "good", Kind: "accent"}
		}
		row := templates.Row{Cells: []templates.Cell{{Text: name}, {Text: viz.Number(m.T1, 4)}, {Text: viz.Number(m.T2, 4)}, {Text: viz.Number(m.Risk, 6)}, {Text: strconv.Itoa(m.Right) + " of 4"}, {Content: templates.ChipView(chip)}}}
		if i == 0 {
			row.Class = "is-steer"
		}
		t.Rows = append(t.Rows, row)
	}
	v.readout = t
	v.formula = templates.ExploreFormula{Note: "Each label is flipped with probability p. Source: Sypherd et al. 2023, section 4; Long, Servedio 2010.",
		Link: templates.Link{Label: "What the landscape shows", URL: "/help/landscape"},
		Lines: []templates.Math{mathRow(mi("R"), paren(mi("θ")), mo("="), mfrac(mn("1"), mn("4")), munder("∑", mi("i")), group(paren(mn("1"), mo("−"), mi("p")), mi("ℓ"), paren(mi("θ"), msub(mi("x"), mi("i"))))),
			mathRow(mo("+"), mfrac(mn("1"), mn("4")), munder("∑", mi("i")), group(mi("p"), mi("ℓ"), paren(mo("−"), mi("θ"), msub(mi("x"), mi("i")))))}}
	return v
}

func verdict(m landscape.Minimum) string {
	if m.Good() {
		return "good: all four points right"
	}
	return "bad: " + strconv.Itoa(m.Right) + " of 4 points right"
}

// reach is the half width of the landscape: a power of two that holds the
// minima.
func reach(minima []landscape.Minimum) float64 {
	r := 4.0
	for _, m := range minima {
		for r < 1.15*max(math.Abs(m.T1), 1.4*math.Abs(m.T2)) && r < 1024 {
			r *= 2
		}
	}
	return r
}

func riskChart(st exploreState, p landscape.Problem, minima []landscape.Minimum) exploreChart {
	r := reach(minima)
	f := viz.Field{ID: "landscape", Title: "Noisy risk over (θ₁, θ₂)", F: p.Risk, X: [2]float64{-r / 4, r}, Y: [2]float64{-.75 * r, .75 * r}, XName: "θ₁", YName: "θ₂", Mark: "s2", Decimals: 3}
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
	// Theorem 1's condition: B(θ1) = −6γ·B(γ(θ1 + 5θ2)).
	f.Overlay = func(x, y float64) float64 { return p.Tilt(x) + 6*p.Gamma*p.Tilt(p.Gamma*(x+5*y)) }
	f.Sentence = fmt.Sprintf("Lines of equal risk, with %s: %d good, %d bad. Dashed: where B(θ₁) = −6γ B(γ(θ₁ + 5θ₂)), as every minimum must have it.", count(len(minima), "minimum found"), good, len(minima)-good)
	if len(minima) == 1 {
		f.Sentence = "Lines of equal risk, with one minimum found, " + verdict(minima[0]) + ". Dashed: where B(θ₁) = −6γ B(γ(θ₁ + 5θ₂)), as every minimum must have it."
	} else if len(minima) > 1 {
		f.Sentence = fmt.Sprintf("Lines of equal risk, with %d minima found: %d good, %d bad. Dashed: where B(θ₁) = −6γ B(γ(θ₁ + 5θ₂)), as every minimum must have it.", len(minima), good, len(minima)-good)
	}
	f.Label = f.Title + ". " + f.Sentence
	c := exploreChart{plot: viz.Contours(f), height: "xl", head: []string{"θ₁", "θ₂", "risk"}}
	c.rows = func(fine bool) [][]float64 {
		n := 6
		if fine {
			n = 48
		}
		var rows [][]float64
		for i := range n + 1 {
			for j := range n + 1 {
				x, y := f.X[0]+(f.X[1]-f.X[0])*float64(i)/float64(n), f.Y[0]+(f.Y[1]-f.Y[0])*float64(j)/float64(n)
				rows = append(rows, []float64{x, y, p.Risk(x, y)})
			}
		}
		return rows
	}
	return c
}

// riskLevels crowd towards the lowest value in view.
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

// separatorChart shows the four points and the lines of the lowest minima.
func separatorChart(st exploreState, own []landscape.Minimum) exploreChart {
	p := st.problem()
	f := viz.Field{ID: "points", Title: "The points and the lines", X: [2]float64{-.4, 1.2}, Y: [2]float64{-.4, .4}, XName: "x₁", YName: "x₂", F: func(x, y float64) float64 { return 1 }, Mark: "s2"}
	f.Points = []viz.Spot{{X: 1, Y: 0, Symbol: "circle", Ink: "@c1", Text: "large margin", Left: true}, {X: p.Gamma, Y: -p.Gamma, Symbol: "triangle", Ink: "@c1", Text: "two penalizers"}, {X: p.Gamma, Y: 5 * p.Gamma, Symbol: "rect", Ink: "@c1", Text: "puller"}}
	c := exploreChart{height: "l", head: []string{"alpha", "theta1", "theta2", "points right"}}
	var rows [][]float64
	var legend []viz.LegendItem
	marks := []string{"s2", "s3", "s5", "s4", "s6", "s7"}
	others := make([][]landscape.Minimum, len(separators))
	var wait sync.WaitGroup
	for i, a := range separators {
		wait.Go(func() { others[i] = landscape.Problem{Alpha: a, Noise: p.Noise, Gamma: p.Gamma}.Minima() })
	}
	wait.Wait()
	add := func(alpha float64, m []landscape.Minimum, name, mark string) {
		if len(m) == 0 {
			return
		}
		f.Rays = append(f.Rays, viz.Ray{ID: "ray " + mark, Name: name, Mark: mark, DX: -m[0].T2, DY: m[0].T1})
		legend = append(legend, viz.LegendItem{Series: name, Text: name, Mark: mark})
		rows = append(rows, []float64{alpha, m[0].T1, m[0].T2, float64(m[0].Right)})
	}
	add(st.Alpha, own, "α = "+readable(asTyped(st.Alpha))+", steered", "s1")
	for i, a := range separators {
		add(a, others[i], "α = "+viz.Short(a, 3), marks[i])
	}
	f.Sentence = "All four points are of one class; each line is where the lowest minimum of its α decides. A line is right when every point lies on its right-hand side."
	f.Label = f.Title + ". " + f.Sentence
	c.plot = viz.Contours(f)
	c.plot.Legend = legend
	c.rows = func(bool) [][]float64 { return rows }
	return c
}

// slopeView shows B(x) = N·ℓ'(x) − ℓ'(−x) (003, Fig. 11).
func slopeView(st exploreState) exploreView {
	v := exploreView{st: st, title: "The tilt B(x)"}
	p := viz.Panel{ID: "slope", Title: "B(x) = N ℓ′(x) − ℓ′(−x)", X: [2]float64{-marginEnd, marginEnd}, Y: [2]float64{-2.5, 1.5}, XName: "margin x", NoCross: true, Inline: true}
	c := exploreChart{height: "l", inline: true, head: []string{"x"}}
	var fs []func(float64) float64
	add := func(id string, alpha float64, name, mark string) {
		q := st.problem()
		q.Alpha = alpha
		p.Curves = append(p.Curves, viz.Curve{ID: id, Name: name, Mark: mark, F: q.Tilt})
		c.legend = append(c.legend, viz.LegendItem{Series: name, Text: name, Mark: mark})
		fs, c.head = append(fs, q.Tilt), append(c.head, name)
	}
	add("steered", st.Alpha, "α = "+readable(asTyped(st.Alpha))+", steered", "s1")
	add("a1", 1, "α = 1", "s2")
	add("a3", 3, "α = 3", "s3")
	n := 1/st.Noise - 1
	p.Sentence = fmt.Sprintf("What %s right copies of a point and one flipped copy do together at margin x. For α = 1 it rises for ever; for α above 1 it comes back to 0, so a far point stops pulling.", viz.Short(n, 3))
	p.Label = "B of x. " + p.Sentence
	c.plot, c.rows = viz.Lines(p), gridded(-marginEnd, marginEnd, 1, fs...)
	c.plot.Legend = c.legend
	v.lead = []exploreChart{c}
	v.strong, v.rest = []string{"stops pulling"}, []string{"When B comes back to 0 a point with a large margin ", ", however often it was copied."}
	v.regime = templates.ExploreRegime{Title: "Where it crosses 0", Text: "B(x) = 0 at x = α log N = " + crossing(st.Alpha, n) + "."}
	v.formula = templates.ExploreFormula{Note: "N = 1/p − 1. Source: Sypherd et al. 2023, Fig. 11.", Link: templates.Link{Label: "What the landscape shows", URL: "/help/landscape"},
		Lines: []templates.Math{mathRow(mi("B"), paren(mi("x")), mo("="), mi("N"), msup(mi("ℓ"), mo("′")), paren(mi("x")), mo("−"), msup(mi("ℓ"), mo("′")), paren(mo("−"), mi("x")))}}
	return v
}

func crossing(alpha, n float64) string {
	if math.IsInf(alpha, 1) {
		return "∞"
	}
	return viz.Number(alpha*math.Log(n), 2)
}

// The Gaussian mixture of the figures: 14 % events around (1, 1), the others
// around (−1, −1).
const eventShare = .14

// pointsView shows a hundred rows by their band (004, Fig. 1).
func pointsView(st exploreState) exploreView {
	iv := mustGeometry(st.Pi)
	v := exploreView{st: st, title: "Interval loss"}
	t, _, err := synth.Generate("gmm", 100, st.Seed, nil)
	if err != nil {
		panic("web: " + err.Error())
	}
	s := viz.BandScatter{ID: "points", Title: "A hundred rows by band", Pi: st.Pi, X: t.Columns[0].Num, Y: t.Columns[1].Num}
	offset := math.Log(eventShare / (1 - eventShare))
	counts := make([]int, len(st.Pi)+1)
	for i := range s.X {
		f := 2*s.X[i] + 2*s.Y[i] + offset
		s.Band = append(s.Band, iv.Band(f))
		counts[iv.Band(f)]++
	}
	for _, d := range iv.Delta {
		s.Cuts = append(s.Cuts, (d-offset)/2) // x1 + x2 there
	}
	s.Sentence = "A mixture of two Gaussians, 14" + unitPc + " events; each row in the band of its true probability, 2x₁ + 2x₂ − 1.82 against the cut-offs."
	s.Label = s.Title + ". " + s.Sentence
	c := exploreChart{plot: viz.Bands(s), height: "xl", head: []string{"x1", "x2", "band"}}
	c.rows = func(bool) [][]float64 {
		var rows [][]float64
		for i := range s.X {
			rows = append(rows, []float64{s.X[i], s.Y[i], float64(s.Band[i])})
		}
		return rows
	}
	v.lead = []exploreChart{c}
	v.strong, v.rest = []string{count(len(st.Pi)+1, "band")}, []string{"The boundaries part the plane into ", ": the finer the set, the more a row’s place says about its risk."}
	v.regime = templates.ExploreRegime{Title: "Bands", Text: "The true boundaries are straight lines here, so a linear model can find all of them."}
	v.formula = intervalFormula(st, iv)
	v.where = intervalWhere(iv)
	names := viz.BandNames(st.Pi)
	tbl := templates.Table{ID: "readout", Label: "Rows by band", Class: "tbl-grid", Columns: []templates.Column{{Label: "Band"}, {Label: "Rows", Num: true}}}
	for j, n := range counts {
		if len(counts) <= 10 || n > 0 {
			tbl.Rows = append(tbl.Rows, templates.Row{Cells: []templates.Cell{{Text: names[j]}, {Text: strconv.Itoa(n)}}})
		}
	}
	v.readout = tbl
	return v
}
