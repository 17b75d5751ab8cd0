package main

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/web/templates"
)

// The adversarial family: the predictor answers so that the worst label an
// adversary can deal costs least (docs/math.md §7). The potentials are shown
// as ψ_j = f_j − f_y, so that only those of the other classes matter.

// potential builds a loss of k potentials by its engine id.
func potential(id string, params url.Values, k int) loss.Potential {
	f, ok := loss.FamilyByID(id)
	if !ok {
		panic("web: no loss " + id)
	}
	v, err := f.Parse(params)
	if err != nil {
		panic("web: " + id + ": " + err.Error())
	}
	return f.New(v, k)
}

func (st exploreState) metricTitle() string {
	for _, m := range metrics {
		if m.ID == st.Metric {
			return m.Title
		}
	}
	return st.Metric
}

// adversarial is the loss the sliders steer, in st.Classes potentials.
func (st exploreState) adversarial() loss.Potential {
	q := url.Values{}
	if st.Metric == "abstain" {
		q.Set("alpha", asTyped(st.Cost))
	}
	for _, m := range metrics {
		if m.ID == st.Metric {
			return potential(m.Loss, q, st.Classes)
		}
	}
	panic("web: no metric " + st.Metric)
}

// rival is the loss beside it. Two of them take potentials that sum to zero.
func (st exploreState) rival() func(psi ...float64) float64 {
	l := potential(st.Rival, nil, st.Classes)
	return func(psi ...float64) float64 {
		f := st.potentials(psi...)
		if st.Rival == "llw" || st.Rival == "ova" {
			mean := 0.0
			for _, v := range f {
				mean += v / float64(len(f))
			}
			for j := range f {
				f[j] -= mean
			}
		}
		return l.Value(st.True-1, f)
	}
}

func (st exploreState) rivalTitle() string {
	for _, r := range rivals {
		if r.ID == st.Rival {
			return r.Title
		}
	}
	return st.Rival
}

// potentials puts 0 for the true class among the ψ of the others.
func (st exploreState) potentials(psi ...float64) []float64 {
	f := make([]float64, st.Classes)
	at := 0
	for j := range f {
		if j != st.True-1 {
			f[j] = psi[at]
			at++
		}
	}
	return f
}

// others are the classes besides the true one, from 1.
func (st exploreState) others() []int {
	var out []int
	for j := 1; j <= st.Classes; j++ {
		if j != st.True {
			out = append(out, j)
		}
	}
	return out
}

// psi is the point, as long as there are other classes.
func (st exploreState) psi() []float64 { return st.Psi[:st.Classes-1] }

func (st exploreState) value(l loss.Potential) func(psi ...float64) float64 {
	return func(psi ...float64) float64 { return l.Value(st.True-1, st.potentials(psi...)) }
}

func (st exploreState) psiName(i int) string { return "ψ" + subscript(st.others()[i]) }

func gameControls(st exploreState) []templates.ExploreControl {
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
	for _, r := range rivals {
		rs = append(rs, [2]string{r.ID, r.Title})
	}
	for j := 1; j <= st.Classes; j++ {
		ys = append(ys, [2]string{strconv.Itoa(j), "class " + strconv.Itoa(j)})
	}
	out := []templates.ExploreControl{choice("metric", "Metric", "metric", st.Metric, ms...)}
	if st.Metric == "abstain" {
		out = append(out, templates.ExploreControl{Slider: costSlider(st), Help: "cost"})
	}
	if st.View == viewMatrices {
		return out
	}
	out = append(out, choice("k", "Classes", "adversarial", strconv.Itoa(st.Classes), [2]string{"2", "two"}, [2]string{"3", "three"}),
		choice("y", "True class", "true-class", strconv.Itoa(st.True), ys...), choice("rival", "Rival", "rival", st.Rival, rs...))
	for i := range st.psi() {
		out = append(out, templates.ExploreControl{Slider: psiSlider(st, i), Help: "psi"})
	}
	return out
}

func costSlider(st exploreState) *templates.Slider {
	hint := "“Don’t know” costs " + viz.Short(st.Cost, 3) + ", a wrong class 1."
	if st.Cost > .5 {
		hint = "“Don’t know” costs " + viz.Short(st.Cost, 3) + ": seldom worth it."
	}
	return roomy(templates.Slider{ID: "cost", Name: "cost", Symbol: "α", Label: "cost of abstaining", Max: 1, Step: .01, Value: st.Cost, Default: .5,
		Usual: [2]float64{0, .5}, Ticks: []templates.Tick{{At: 0, Label: "0"}, {At: 1. / 3, Label: "1/3"}, {At: .5, Label: "½", On: st.Cost == .5}, {At: 1, Label: "1"}}, Hint: hint})
}

func psiSlider(st exploreState, i int) *templates.Slider {
	name := []string{"a", "b"}[i]
	class := st.others()[i]
	v := st.Psi[i]
	plain := newExplore(famAdversarial).Psi[i]
	hint := "Class " + strconv.Itoa(class) + " scores " + viz.Short(math.Abs(v), 3) + " below the true one."
	if v > 0 {
		hint = "Class " + strconv.Itoa(class) + " scores " + viz.Short(v, 3) + " above the true one."
	} else if v == 0 {
		hint = "Class " + strconv.Itoa(class) + " ties with the true one."
	}
	return &templates.Slider{ID: "psi-" + name, Name: name, Symbol: "ψ", Sub: strconv.Itoa(class), Label: "point", Min: -psiEnd, Max: psiEnd, Step: .05, Value: v, Default: plain,
		Text: twoDecimals(v), Hint: hint, Spoken: "ψ" + strconv.Itoa(class) + " " + twoDecimals(v) + ", " + spokenHint(hint)}
}

// play is the game at the point.
type play struct {
	value    float64
	q, p     []float64
	options  []string
	decision string
}

func (st exploreState) play(l loss.Potential) play {
	f := st.potentials(st.psi()...)
	g := play{value: l.Value(st.True-1, f)}
	for j := 1; j <= st.Classes; j++ {
		g.options = append(g.options, "class "+strconv.Itoa(j))
	}
	if a, ok := l.(loss.Adversary); ok {
		g.q, g.p = make([]float64, st.Classes), make([]float64, a.Options())
		a.Adversary(g.q, f)
		a.Predict(g.p, f)
		if a.Options() > st.Classes {
			g.options = append(g.options, "abstain")
		}
	}
	if d, ok := l.(loss.Decider); ok {
		if k := d.Decide(f); k == loss.Abstain {
			g.decision = "abstains"
		} else {
			g.decision = "answers class " + strconv.Itoa(k+1)
		}
	}
	return g
}

// mixture words a strategy: "class 1 with 75 % and class 2 with 25 %".
func (g play) mixture(v []float64) string {
	var parts []string
	for j, p := range v {
		if p > 5e-4 {
			parts = append(parts, g.options[j]+" with "+viz.Percent(p, 0)+unitPc)
		}
	}
	if len(parts) == 1 {
		return strings.TrimSuffix(parts[0], " with 100"+unitPc)
	}
	return enumerated(parts)
}

func gameChart(st exploreState, g play) exploreChart {
	c := exploreChart{height: "s2", head: []string{"Option"}}
	bars := viz.Game{ID: "game", Title: "The game at the point", Options: g.options, Q: g.q, P: g.p}
	bars.Sentence = "The adversary would deal " + g.mixture(g.q) + "; the predictor meets it with " + g.mixture(g.p) + "."
	bars.Label = bars.Title + ". " + bars.Sentence
	c.plot = viz.GameBars(bars)
	c.head = []string{"Option", "adversary q*", "predictor p*"}
	c.rows = func(bool) [][]float64 {
		var rows [][]float64
		for j := range g.options {
			row := []float64{float64(j + 1), math.NaN(), math.NaN()}
			if j < len(g.q) {
				row[1] = g.q[j]
			}
			if j < len(g.p) {
				row[2] = g.p[j]
			}
			rows = append(rows, row)
		}
		return rows
	}
	c.text = func(v float64, column int) string {
		if column == 0 {
			return g.options[int(v)-1]
		}
		return amount(v)
	}
	return c
}

// levels are the isolines of a loss: every half, and the edge of 0.
var levels = []float64{.005, .5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8}

func planeGameView(st exploreState) exploreView {
	l := st.adversarial()
	g := st.play(l)
	v := exploreView{st: st, title: "Adversarial loss"}
	name := "AL " + lowerFirst(st.metricTitle())
	v.lead = []exploreChart{
		planeChart(st, "al", name, "s1", st.value(l), "Where the loss is 0 the true class leads far enough. Drag the point, or use its sliders."),
		planeChart(st, "beside", st.rivalTitle(), "s2", st.rival(), rivalSentence(st)),
	}
	v.more = []exploreChart{gameChart(st, g)}
	v.fillGame(st, l, g)
	return v
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func rivalSentence(st exploreState) string {
	switch st.Rival {
	case "ww":
		return "Weston–Watkins adds up every class that comes within 1 of the true one."
	case "cs":
		return "Crammer–Singer counts only the class that comes nearest."
	case "llw":
		return "Lee–Lin–Wahba never looks at the true class’s own score; shown for potentials that sum to 0."
	case "ova":
		return "One hinge for each class against the rest; shown for potentials that sum to 0."
	}
	return "The softmax loss is smooth and never quite 0."
}

func planeChart(st exploreState, id, title, mark string, f func(psi ...float64) float64, sentence string) exploreChart {
	at := f(st.psi()...)
	field := viz.Field{ID: id, Title: title, F: func(x, y float64) float64 { return f(x, y) },
		X: [2]float64{-psiEnd, psiEnd}, Y: [2]float64{-psiEnd, psiEnd}, XName: st.psiName(0), YName: st.psiName(1),
		Levels: levels, Decimals: 1, Mark: mark,
		Points: []viz.Spot{{X: st.Psi[0], Y: st.Psi[1], Text: viz.Number(at, 2), Symbol: "circle", Ink: "@accent"}},
		Drag:   true, Sentence: sentence}
	field.Label = title + " over " + st.psiName(0) + " and " + st.psiName(1) + "; " + viz.Number(at, 2) + " at the point. " + sentence
	c := exploreChart{plot: viz.Contours(field), height: "l", half: true, drag: "psi", head: []string{st.psiName(0), st.psiName(1), "loss"}}
	c.rows = func(fine bool) [][]float64 {
		n := 6
		if fine {
			n = 48
		}
		var rows [][]float64
		for i := range n + 1 {
			for j := range n + 1 {
				x, y := -psiEnd+2*psiEnd*float64(i)/float64(n), -psiEnd+2*psiEnd*float64(j)/float64(n)
				rows = append(rows, []float64{x, y, f(x, y)})
			}
		}
		return rows
	}
	return c
}

func lineGameView(st exploreState) exploreView {
	l := st.adversarial()
	g := st.play(l)
	v := exploreView{st: st, title: "Adversarial loss"}
	al, rival := st.value(l), st.rival()
	one := func(f func(...float64) float64) func(float64) float64 {
		return func(x float64) float64 { return f(x) }
	}
	axis := st.psiName(0)
	p := viz.Panel{ID: "al", Title: "Loss", X: [2]float64{-psiEnd, psiEnd}, Y: [2]float64{0, st.top()}, XName: "potential difference " + axis, Cross: st.Psi[0], CrossName: axis, Inline: true}
	c := exploreChart{height: "l", drag: "psi", fit: true, inline: true, head: []string{axis}}
	var fs []func(float64) float64
	add := func(id, name, mark string, f func(float64) float64, kinks []float64) {
		p.Curves = append(p.Curves, viz.Curve{ID: id, Name: name, Mark: mark, F: f, Kinks: kinks})
		fs, c.head = append(fs, f), append(c.head, name)
		c.legend = append(c.legend, viz.LegendItem{Series: name, Text: name, Mark: mark})
	}
	add("steered", "AL "+lowerFirst(st.metricTitle()), "s1", one(al), []float64{-1, 0, 1})
	add("rival", st.rivalTitle(), "s3", one(rival), []float64{-1, 1})
	for _, o := range st.lineMarks() {
		f := o.value
		kinks := []float64{}
		for _, k := range o.kinks {
			kinks = append(kinks, -k)
		}
		add(o.id, o.name, o.mark, func(x float64) float64 { return f(-x) }, kinks)
	}
	p.Sentence = fmt.Sprintf("What one example of class %d costs when the other class scores %s more; the margin is −%s.", st.True, axis, axis)
	p.Label = p.Title + ". " + p.Sentence
	c.plot, c.rows = viz.Lines(p), gridded(-psiEnd, psiEnd, .5, fs...)
	c.plot.Legend = c.legend
	v.lead, v.more = []exploreChart{c}, []exploreChart{gameChart(st, g)}
	v.fillGame(st, l, g)
	return v
}

// fillGame is what both forms of the game say beside the charts.
func (v *exploreView) fillGame(st exploreState, l loss.Potential, g play) {
	v.strong = []string{viz.Number(g.value, 2), g.decision}
	v.rest = []string{"At the point the loss is ", ": the predictor ", ", as the best reply to an adversary who deals the labels that hurt most."}
	if g.decision == "" {
		v.strong, v.rest = v.strong[:1], []string{"At the point the loss is ", "."}
	}
	v.regime = templates.ExploreRegime{Title: "Regime", Chips: []templates.Chip{{Icon: "convex", Label: "convex"}, {Icon: "check", Label: "Fisher consistent", Kind: "accent"}},
		Text: "Convex and piecewise linear, and it aims at the metric itself: in the limit its decision is the best one for this metric."}
	if st.Metric == "abstain" && st.Cost > .5 {
		v.regime.Chips[1] = templates.Chip{Icon: "warn", Label: "beyond ½", Kind: "warn"}
		v.regime.Text = "The paper’s formula holds up to a cost of ½; beyond it the exact value of the game is shown (errata 001-2)."
	}
	v.formula = gameFormula(st, g)
	v.where = &templates.ExploreWhere{Title: "What an answer costs", Table: costTable(st.Metric, st.Cost, st.Classes), Text: "Rows: the answer. Columns: the truth."}
	v.readout = gameReadout(st, l)
}

func gameFormula(st exploreState, g play) templates.ExploreFormula {
	f := templates.ExploreFormula{Note: "q mixes the labels, p the answers. Source: Fathony et al. 2018, " + map[string]string{
		"zero-one": "Theorem 5", "absolute": "Theorem 6", "squared": "Theorem 7", "abstain": "Theorem 13"}[st.Metric] + ".",
		Link: templates.Link{Label: "How to read the game", URL: "/help/adversarial"}}
	game := []string{munder("max", mi("q")), munder("min", mi("p")), msup(mi("p"), mo("⊤")), mi("L"), mi("q"), mo("+"), msup(mi("f"), mo("⊤")), mi("q"), mo("−"), msub(mi("f"), mi("y"))}
	f.Lines = []templates.Math{mathRow(fn2("AL"), paren(mi("f"), mo(","), mi("y")), mo("=")), mathRow(game...)}
	switch st.Metric {
	case "zero-one":
		f.Lines = append(f.Lines, mathRow(mo("="), munder("max", mi("S")), mfrac(munder("∑", mi("j")+mo("∈")+mi("S"))+msub(mi("ψ"), mi("j"))+mo("+")+mo("|")+mi("S")+mo("|")+mo("−")+mn("1"), mo("|")+mi("S")+mo("|"))))
	case "absolute":
		f.Lines = append(f.Lines, mathRow(mo("="), munder("max", mi("i")+mo(",")+mi("j")), mfrac(msub(mi("ψ"), mi("i"))+mo("+")+msub(mi("ψ"), mi("j"))+mo("+")+mi("j")+mo("−")+mi("i"), mn("2"))))
	case "abstain":
		f.Lines = append(f.Lines, mathRow(mo("="), munder("max", mi("i")+mo("≠")+mi("j")), fn("max"), paren(msub(mi("ψ"), mi("i")), mo(","), paren(mn("1"), mo("−"), mi("α")), msub(mi("ψ"), mi("i")), mo("+"), mi("α"), msub(mi("ψ"), mi("j")), mo("+"), mi("α"))))
	}
	var psi []string
	for _, p := range st.psi() {
		psi = append(psi, mn(viz.Number(p, 2)))
	}
	f.Lines = append(f.Lines, mathRow(fn2("AL"), paren(strings.Join(psi, mo(","))), mo("="), mn(viz.Number(g.value, 3))))
	return f
}

// costTable is the matrix of what an answer costs against the truth.
func costTable(metric string, cost float64, k int) *templates.Table {
	t := &templates.Table{Label: "Cost matrix, " + metric, Class: "tbl-tight", Columns: []templates.Column{{Label: "Answer"}}}
	for j := 1; j <= k; j++ {
		t.Columns = append(t.Columns, templates.Column{Label: strconv.Itoa(j), Num: true})
	}
	for i := range k {
		r := templates.Row{Cells: []templates.Cell{{Text: strconv.Itoa(i + 1)}}}
		for j := range k {
			d := math.Abs(float64(i - j))
			switch metric {
			case "squared":
				d *= d
			case "absolute":
			default:
				d = min(d, 1)
			}
			r.Cells = append(r.Cells, templates.Cell{Text: viz.Short(d, 3)})
		}
		t.Rows = append(t.Rows, r)
	}
	if metric == "abstain" {
		r := templates.Row{Cells: []templates.Cell{{Text: "abstain"}}}
		for range k {
			r.Cells = append(r.Cells, templates.Cell{Text: viz.Short(cost, 3)})
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// sevenPoints are those of the readout table, for two and three classes.
var sevenPoints = [][2]float64{{-2, -2}, {-1, -1}, {0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 2}}

func gameReadout(st exploreState, l loss.Potential) templates.Table {
	t := templates.Table{ID: "readout", Label: "Loss and rivals at seven points", Class: "tbl-grid", Columns: []templates.Column{{Label: "Loss", Unit: "at ψ of the other classes"}}}
	at := func(p [2]float64) []float64 { return p[:st.Classes-1] }
	points := sevenPoints
	if st.Classes == 2 {
		points = [][2]float64{{-3}, {-2}, {-1}, {0}, {1}, {2}, {3}}
	}
	for _, p := range points {
		var each []string
		for _, v := range at(p) {
			each = append(each, viz.Number(v, 0))
		}
		t.Columns = append(t.Columns, templates.Column{Label: "(" + strings.Join(each, ", ") + ")", Num: true})
	}
	add := func(mark, name, class string, f func(...float64) float64) {
		r := templates.Row{Class: class, Cells: []templates.Cell{{Content: templates.Keyed(mark, name)}}}
		for _, p := range points {
			r.Cells = append(r.Cells, templates.Cell{Text: amount(f(at(p)...))})
		}
		t.Rows = append(t.Rows, r)
	}
	add("s1", "AL "+lowerFirst(st.metricTitle()), "is-steer", st.value(l))
	for _, r := range rivals {
		other := st
		other.Rival = r.ID
		mark := "thin"
		if r.ID == st.Rival {
			mark = "s2"
			if st.Classes == 2 {
				mark = "s3"
			}
		}
		add(mark, r.Title, "", other.rival())
	}
	return t
}

// matricesView shows the cost matrices of five classes (001, Fig. 1).
func matricesView(st exploreState) exploreView {
	v := exploreView{st: st, title: "Adversarial loss", strong: []string{"the cost matrix"},
		rest: []string{"An adversarial loss is made from ", ": rows are answers, columns the truth, and the surrogate follows by itself."}}
	for _, m := range metrics {
		t := costTable(m.ID, st.Cost, 5)
		t.Caption = m.Title
		v.tables = append(v.tables, *t)
	}
	v.regime = templates.ExploreRegime{Title: "Regime", Chips: []templates.Chip{{Icon: "convex", Label: "convex"}}, Text: "Any matrix gives a convex, piecewise linear loss."}
	v.formula = gameFormula(st, st.play(st.adversarial()))
	v.formula.Lines = v.formula.Lines[:2]
	return v
}
