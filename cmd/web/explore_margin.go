package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"taper/internal/viz"
	"taper/web/templates"
)

// line is a curve of the explorer with the mark it is drawn by.
type line struct {
	shape
	mark   string
	pinned bool
	id     string
}

// The marks: references keep theirs, the others take what is free.
var (
	ownMarks  = map[string]string{"logistic": "s2", "t-logistic:" + same: "s4", "zero-one": "step", "exponential": "ref0", "hinge": "ref1"}
	pinMarks  = []string{"s3", "s5", "s6", "s7"}
	moreMarks = []string{"s4", "s7", "s6", "s5", "s3", "s2", "ref2", "ref0", "ref1"}
)

// lines are the steered curve, those compared with, and the pins.
func (st exploreState) lines() []line {
	out := []line{{shape: mustShape(st.steered()), mark: "s1", id: "steered"}}
	used := map[string]bool{}
	take := func(from []string) string {
		for _, m := range from {
			if !used[m] {
				used[m] = true
				return m
			}
		}
		return "ref2"
	}
	for _, spec := range st.With {
		if m := ownMarks[spec.String()]; m != "" {
			used[m] = true
		}
	}
	marks := make([]string, len(st.Pins))
	for i := range st.Pins {
		marks[i] = take(pinMarks)
	}
	for _, spec := range st.With {
		m := ownMarks[spec.String()]
		if m == "" {
			m = take(moreMarks)
		}
		out = append(out, line{shape: mustShape(st.resolve(spec)), mark: m, id: "with " + spec.String()})
	}
	for i, spec := range st.Pins {
		out = append(out, line{shape: mustShape(st.resolve(spec)), mark: marks[i], pinned: true, id: "pin " + spec.String()})
	}
	return out
}

// label is the name of a line in a table.
func (l line) label() string {
	if l.id == "steered" {
		return upper(l.name)
	}
	return l.name
}

// marginView is the explorer of a loss of the margin.
func marginView(st exploreState) exploreView {
	ls := st.lines()
	v := exploreView{st: st, title: ls[0].family.Title + " loss"}
	if st.Family == famAlpha {
		v.title = "α-loss"
	}
	v.lead = []exploreChart{lossChart(st, ls)}
	v.more = []exploreChart{pullChart(st, ls), thirdChart(st, ls)}
	v.strong, v.rest = marginSentence(st, ls[0])
	v.regime = marginRegime(st, ls[0].shape)
	v.cross = marginCross(st, ls)
	v.formula = marginFormula(st, ls[0].shape)
	v.where = temperatureMap(st)
	v.readout = marginReadout(ls)
	return v
}

// pull6 is how hard a row at z = −6 pulls, as a share of logistic regression's.
func pull6(s shape) float64 { return s.pull(-6) * (1 + math.Exp(-6)) }

func marginSentence(st exploreState, l line) (strong []string, rest []string) {
	share := viz.Percent(pull6(l.shape), 0) + unitPc
	if pull6(l.shape) < .01 {
		share = viz.Percent(pull6(l.shape), 1) + unitPc
	}
	tail := " of the strength logistic regression gives it."
	switch r := l.regime; {
	case pull6(l.shape) > 1.005:
		return []string{viz.Short(pull6(l.shape), 3) + " times"}, []string{"The more absurd a label, the harder it pulls on the fit: at z = −6 it pulls ", " as strongly as logistic regression lets it."}
	case finiteNumber(r.Bound) && finiteNumber(r.GivesUp):
		return []string{viz.Number(r.Bound, 2), share}, []string{"A label the model finds absurd costs at most ", ", and pulls on the fit less the more absurd it is: at z = −6 it pulls with ", tail}
	case finiteNumber(r.Bound):
		return []string{viz.Number(r.Bound, 2), share}, []string{"A label the model finds absurd costs at most ", ": at z = −6 it pulls with ", tail}
	case finiteNumber(r.GivesUp):
		return []string{"no cap", share}, []string{"What a label costs has ", ", but it pulls on the fit less the more absurd it is: at z = −6 it pulls with ", tail}
	}
	return []string{"never given up", share}, []string{"A label is ", ", however absurd the model finds it: at z = −6 it pulls with ", tail}
}

func finiteNumber(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func lossChart(st exploreState, ls []line) exploreChart {
	p := viz.Panel{ID: "loss", Title: "Loss", X: [2]float64{-marginEnd, marginEnd}, Y: [2]float64{0, st.top()}, Cross: st.Z, Inline: true}
	fs := []func(float64) float64{}
	head := []string{"Margin z"}
	for _, l := range ls {
		name := l.name
		if l.pinned {
			name += ", pinned"
		}
		label := name
		if l.id == "steered" {
			label = strings.Split(l.name, " ")[0]
		}
		p.Curves = append(p.Curves, viz.Curve{ID: l.id, Name: name, Label: label, Mark: l.mark, F: l.value, Kinks: l.kinks})
		fs, head = append(fs, l.value), append(head, name)
	}
	s := ls[0]
	p.Sentence = "What one example costs at margin z. " + costSentence(s.shape, ls)
	if b := s.regime.Bound; finiteNumber(b) && b <= p.Y[1] {
		p.Cap = &viz.Rule{At: b, Text: "cap " + viz.Number(b, 2) + capFormula(st)}
	}
	p.Label = "Loss over the margin from −8 to 8. " + p.Sentence
	c := exploreChart{plot: viz.Lines(p), height: "l", drag: "z", fit: true, inline: true, head: head, rows: gridded(-marginEnd, marginEnd, 1, fs...)}
	c.plot.Legend = legend(ls)
	return c
}

func capFormula(st exploreState) string {
	switch st.Family {
	case famTempered:
		return " = 1/(1 − t₁)"
	case famAlpha:
		if math.IsInf(st.Alpha, 1) {
			return ""
		}
		return " = α/(α − 1)"
	}
	return ""
}

func costSentence(s shape, ls []line) string {
	at := "At z = −8 a wrong label costs " + amount2(s.value(-8)) + " here"
	if b := s.regime.Bound; finiteNumber(b) {
		at = "A wrong label far from the boundary costs at most " + viz.Number(b, 2) + " here"
	}
	for _, l := range ls[1:] {
		if l.spec.ID == "logistic" {
			return at + ", and " + amount2(l.value(-8)) + " under logistic at z = −8."
		}
	}
	return at + "."
}

// amount2 writes a number of a sentence.
func amount2(v float64) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	return viz.Short(v, 3)
}

func legend(ls []line) []viz.LegendItem {
	var out []viz.LegendItem
	for _, l := range ls {
		name := l.name
		if l.pinned {
			name += ", pinned"
		}
		out = append(out, viz.LegendItem{Series: name, Text: name, Mark: l.mark})
	}
	return out
}

// top is the upper end of the loss axis.
func (st exploreState) top() float64 {
	if st.Top > 0 {
		return st.Top
	}
	return 4
}

// fitted is the axis' end that shows the steered curve whole, or what a margin
// of −8 costs.
func (st exploreState) fitted() float64 {
	high := 0.0
	if st.Family == famInterval {
		return 8
	}
	s := mustShape(st.steered())
	high = s.value(-marginEnd)
	if finiteNumber(s.regime.Bound) {
		high = s.regime.Bound
	}
	return viz.NewScale(0, min(max(high*1.02, .2), 1000), 5).Max
}

func pullChart(st exploreState, ls []line) exploreChart {
	p := viz.Panel{ID: "influence", Title: "Influence", X: [2]float64{-marginEnd, marginEnd}, Y: [2]float64{0, 1}, Cross: st.Z, Short: true}
	fs := []func(float64) float64{}
	head := []string{"Margin z"}
	for _, l := range ls {
		if l.spec.ID == "zero-one" {
			continue // its slope is 0
		}
		name := l.name
		if l.pinned {
			name += ", pinned"
		}
		p.Curves = append(p.Curves, viz.Curve{ID: l.id, Name: name, Mark: l.mark, F: l.pull, Kinks: l.kinks})
		fs, head = append(fs, l.pull), append(head, name)
	}
	s := ls[0]
	z := s.regime.GivesUp
	switch {
	case finiteNumber(z):
		h := s.pull(z)
		p.Flags = []viz.Rule{{At: z, Height: min(h+.2, 1), Text: "gives up beyond z = " + viz.Number(z, 2)}}
		p.Sentence = "How hard one example pulls on the fit, |dℓ/dz|. The pull is strongest at z = " + viz.Number(z, 2) + " and weakens for anything more wrong."
	case s.pull(-8) > 1.01:
		p.Sentence = "How hard one example pulls on the fit, |dℓ/dz|. It grows without end: at z = −8 it is " + amount2(s.pull(-8)) + "."
	default:
		p.Sentence = "How hard one example pulls on the fit, |dℓ/dz|. It never weakens: at z = −8 it is " + amount2(s.pull(-8)) + "."
	}
	p.Label = "Influence over the margin. " + p.Sentence
	return exploreChart{plot: viz.Lines(p), height: "s", drag: "z", head: head, rows: gridded(-marginEnd, marginEnd, 1, fs...)}
}

func thirdChart(st exploreState, ls []line) exploreChart {
	if st.Third == thirdXi {
		return xiChart(st, ls)
	}
	p := viz.Panel{ID: "probability", Title: "Probability", X: [2]float64{-marginEnd, marginEnd}, Y: [2]float64{0, 1}, XName: "margin z = y · f(x)", Cross: st.Z, Short: true}
	c := exploreChart{height: "s2", drag: "z", head: []string{"Margin z"}}
	fs := []func(float64) float64{}
	var items []viz.LegendItem
	add := func(id, name, mark string, f func(float64) float64, kinks []float64) {
		p.Curves = append(p.Curves, viz.Curve{ID: id, Name: name, Mark: mark, F: f, Kinks: kinks})
		items = append(items, viz.LegendItem{Series: name, Text: name, Mark: mark})
		fs, c.head = append(fs, f), append(c.head, name)
	}
	s := ls[0]
	if s.probability != nil {
		add("steered", "p̂", "s1", s.probability, s.kinks)
	}
	if s.class != nil && !st.ownLink() {
		add("class", "class probability", "esc", s.class, s.kinks)
	}
	for _, l := range ls[1:] {
		if l.class == nil || l.spec.ID == "hinge" {
			continue
		}
		name := l.name
		if l.pinned {
			name += ", pinned"
		}
		add(l.id, name, l.mark, l.class, l.kinks)
	}
	p.Sentence = linkSentence(st)
	p.Label = "Probability of the label over the margin. " + p.Sentence
	c.plot = viz.Lines(p)
	c.plot.Legend = items
	c.rows = gridded(-marginEnd, marginEnd, 1, fs...)
	return c
}

// ownLink reports whether p̂ itself is the class probability.
func (st exploreState) ownLink() bool {
	switch st.Family {
	case famTempered:
		return st.T1 == 1
	case famAlpha:
		return st.Alpha == 1
	}
	return true
}

// linkSentence says how to read a risk off the curve: a probability always
// names its link.
func linkSentence(st exploreState) string {
	switch {
	case st.Family == famTLogistic && st.T == 1 || st.Family == famTempered && st.T1 == 1 && st.T2 == 1 || st.Family == famAlpha && st.Alpha == 1:
		return "Here the loss is logistic regression, and p̂ = σ(z) is the class probability."
	case st.Family == famTLogistic, st.Family == famTempered && st.T1 == 1:
		return "The heavy tail keeps p̂ away from 0 and 1. With t1 = 1 the loss is proper: p̂ is the class probability itself."
	case st.Family == famTempered && st.T1 == 0:
		return "With t1 = 0 the class probability cannot be recovered from p̂: the loss tells only the likelier class."
	case st.Family == famTempered:
		return "The heavy tail keeps p̂ away from 0 and 1. Read risks off the class probability, which is p̂ to the power " + viz.Number(st.T1, 2) + " made to sum to one."
	case math.IsInf(st.Alpha, 1):
		return "With α = ∞ the class probability cannot be recovered from σ(z): the loss tells only the likelier class."
	}
	return "The loss is a function of σ(z), but a fit ends where the class probability is σ(z/α): divide the score by " + viz.Short(st.Alpha, 3) + " before you read a risk off."
}

func xiChart(st exploreState, ls []line) exploreChart {
	p := viz.Panel{ID: "xi", Title: "Weight ξ", X: [2]float64{-marginEnd, marginEnd}, Y: [2]float64{0, 1}, XName: "margin z = y · f(x)", Cross: st.Z, Short: true}
	c := exploreChart{height: "s2", drag: "z", head: []string{"Margin z"}}
	fs := []func(float64) float64{}
	var items []viz.LegendItem
	for _, l := range ls {
		if l.importance == nil || l.spec.ID == "alpha" {
			continue
		}
		name := l.name
		if l.pinned {
			name += ", pinned"
		}
		p.Curves = append(p.Curves, viz.Curve{ID: l.id, Name: name, Mark: l.mark, F: l.importance, Kinks: l.kinks})
		items = append(items, viz.LegendItem{Series: name, Text: name, Mark: l.mark})
		fs, c.head = append(fs, l.importance), append(c.head, name)
	}
	s := ls[0]
	p.Sentence = "How much a row still counts in the fit, ξ = p̂ to the power t2 − t1, from 1 for a row the model expects down to 0."
	if s.importance != nil {
		p.Sentence += " A row at z = −6 counts " + viz.Percent(s.importance(-6), 0) + unitPc + "."
	}
	p.Label = "Weight of a row over the margin. " + p.Sentence
	c.plot = viz.Lines(p)
	c.plot.Legend = items
	c.rows = gridded(-marginEnd, marginEnd, 1, fs...)
	return c
}

// marginRegime names what kind of function the loss is.
func marginRegime(st exploreState, s shape) templates.ExploreRegime {
	r := s.regime
	g := templates.ExploreRegime{Title: "Regime"}
	if finiteNumber(r.Bound) {
		g.Chips = append(g.Chips, templates.Chip{Icon: "bounded", Label: "bounded at " + viz.Number(r.Bound, 2), Kind: "accent"})
	}
	switch {
	case r.Convex:
		g.Chips = append(g.Chips, templates.Chip{Icon: "convex", Label: "convex"})
	case r.QuasiConvex:
		g.Chips = append(g.Chips, templates.Chip{Icon: "quasi", Label: "quasi-convex"})
	}
	why := "t1 < 1"
	if st.Family == famAlpha {
		why = "α > 1"
	}
	switch {
	case r.Convex:
		g.Text = "Convex: a fit has one minimum, wherever it starts. The pull never weakens, so one absurd label can move it far."
	case finiteNumber(r.Bound):
		g.Text = "Bounded because " + why + ", and therefore not convex: where a fit starts can matter. The loss still falls at every z."
	default:
		g.Text = "Not convex, because the tail is heavy, and not bounded: where a fit starts can matter. The loss still falls at every z."
	}
	if len(r.Warnings) > 0 {
		g.Chips = append(g.Chips, templates.Chip{Icon: "warn", Label: "unbounded", Kind: "warn"})
		g.Text = strings.Join(r.Warnings, " ") + " A fit by slopes may jump there."
	}
	return g
}

// marginCross reads every curve at the crosshair.
func marginCross(st exploreState, ls []line) *templates.ExploreCross {
	t := templates.Table{Label: "Values at the crosshair", Class: "tbl-tight", Columns: []templates.Column{
		{Label: "At z = " + viz.Number(st.Z, 2)}, {Label: "loss", Num: true}, {Label: "pull", Num: true}, {Label: "p̂", Num: true}}}
	for _, l := range ls {
		if l.spec.ID == "zero-one" {
			continue
		}
		p := math.NaN()
		if l.probability != nil {
			p = l.probability(st.Z)
		}
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{
			{Content: templates.Keyed(l.mark, l.short())},
			{Text: amountTo(l.value(st.Z), 2)}, {Text: amountTo(l.pull(st.Z), 2)}, {Text: viz.Number(p, 2)}}})
	}
	return &templates.ExploreCross{Title: "At the crosshair", Table: t, Slider: crossSlider(st, "z", -marginEnd, marginEnd, st.Z, "Margin")}
}

func crossSlider(st exploreState, name string, lo, hi, value float64, label string) templates.Slider {
	plain := newExplore(st.Family)
	return templates.Slider{ID: "x-" + name, Name: name, Symbol: name, Label: label, Min: lo, Max: hi, Step: .05,
		Value: value, Default: plain.Z, Text: asTyped(value), NoReset: true, Compact: true}
}

// amountTo is amount with fewer decimals.
func amountTo(v float64, decimals int) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case math.Abs(v) >= 1e4:
		return viz.Short(v, 2)
	}
	return viz.Number(v, decimals)
}

// short is the name without its numbers, where there is little room.
func (l line) short() string {
	if l.spec.ID == "tempered" && l.id == "steered" {
		return "two-temp."
	}
	if l.spec.ID == "tempered" {
		return strings.Replace(l.name, "two-temperature", "two-temp.", 1)
	}
	return l.name
}

// sevenMargins are those of the readout table.
var sevenMargins = []float64{-6, -4, -2, 0, 2, 4, 6}

func marginReadout(ls []line) templates.Table {
	t := templates.Table{ID: "readout", Label: "Every curve at seven margins", Class: "tbl-grid",
		Columns: []templates.Column{{Label: "Loss", Unit: "and pull |dℓ/dz|"}}}
	for _, z := range sevenMargins {
		t.Columns = append(t.Columns, templates.Column{Label: "z = " + viz.Number(z, 0), Num: true})
	}
	t.Columns = append(t.Columns, templates.Column{Label: "largest loss", Num: true})
	for i, l := range ls {
		if l.spec.ID == "zero-one" {
			continue
		}
		name := l.label()
		r := templates.Row{Cells: []templates.Cell{{Content: templates.Keyed(l.mark, name)}}}
		if l.pinned {
			r.Cells[0].Content, r.Cells[0].CI = templates.Keyed(l.mark, name), "\u00a0 pinned"
		}
		if i == 0 {
			r.Class = "is-steer"
		}
		for _, z := range sevenMargins {
			r.Cells = append(r.Cells, templates.Cell{Text: amount(l.value(z)), CI: amount(l.pull(z))})
		}
		r.Cells = append(r.Cells, templates.Cell{Text: amount(l.regime.Bound)})
		t.Rows = append(t.Rows, r)
	}
	return t
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// marginFormula writes the loss with its numbers at the crosshair.
func marginFormula(st exploreState, s shape) templates.ExploreFormula {
	z := viz.Short(st.Z, 3)
	value := viz.Number(s.value(st.Z), 3)
	if !finiteNumber(s.value(st.Z)) {
		value = "∞"
	}
	f := templates.ExploreFormula{Link: templates.Link{Label: "Where the formula comes from", URL: "/help/" + st.Family}}
	at := func(parts ...string) templates.Math {
		return mathRow(mi("ℓ"), paren(mn(z)), mo("="), strings.Join(parts, ""), mo("="), mn(value))
	}
	if st.Family == famAlpha {
		e := (st.Alpha - 1) / st.Alpha
		switch {
		case st.Alpha == 1:
			f.Lines = []templates.Math{mathRow(mi("ℓ"), paren(mi("z")), mo("="), fn("log"), paren(mn("1"), mo("+"), msup(mi("e"), mo("−")+mi("z"))))}
		case math.IsInf(st.Alpha, 1):
			f.Lines = []templates.Math{mathRow(mi("ℓ"), paren(mi("z")), mo("="), mn("1"), mo("−"), mi("σ"), paren(mi("z"))),
				at(mn("1"), mo("−"), mn(viz.Number(s.probability(st.Z), 3)))}
		default:
			f.Lines = []templates.Math{
				mathRow(mi("ℓ"), paren(mi("z")), mo("="), mfrac(mi("α"), mi("α")+mo("−")+mn("1")), paren(mn("1"), mo("−"), mi("σ"), msup(paren(mi("z")), mn("1")+mo("−")+mn("1")+mo("/")+mi("α")))),
				at(mn(viz.Short(1/e, 4)), paren(mn("1"), mo("−"), msup(mn(viz.Number(s.probability(st.Z), 3)), mn(viz.Short(e, 4))))),
			}
		}
		f.Note = "Source: Sypherd et al. 2023, equations (5) and (6)."
		return f
	}
	t1, t2 := st.T1, st.T2
	f.Note = "Source: Amid, Warmuth, Srinivasan 2019, equation (12)."
	f.Link.Label = "Why the cap is 1/(1 − t₁)"
	if st.Family == famTLogistic {
		t1, t2 = 1, st.T
		f.Note = "Source: Ding, Vishwanathan 2010, equation (15)."
		f.Link.Label = "Where the formula comes from"
	}
	log, exp := msub(fn2("log"), mn(viz.Number(t1, 2))), msub(fn2("exp"), mn(viz.Number(t2, 2)))
	if t1 == 1 {
		log = fn2("log")
	}
	if t2 == 1 {
		exp = fn2("exp")
	}
	f.Lines = []templates.Math{
		mathRow(mi("ℓ"), paren(mi("z")), mo("="), mo("−"), log, hat("p"), paren(mi("z"))),
		mathRow(hat("p"), mo("="), exp, paren(mfrac(mi("z"), mn("2")), mo("−"), mi("G"), paren(mi("z")))),
	}
	p := s.probability(st.Z)
	shown := viz.Number(p, 3)
	switch {
	case t1 == 1:
		f.Lines = append(f.Lines, at(mo("−"), fn2("log"), mn(shown)))
	default:
		f.Lines = append(f.Lines, at(mfrac(mn("1")+mo("−")+msup(mn(shown), mn(viz.Number(1-t1, 2))), mn(viz.Number(1-t1, 2)))))
	}
	f.Note = fmt.Sprintf("G(%s) = %s makes the two probabilities sum to 1. %s", z, viz.Number(partition(t2, st.Z), 3), f.Note)
	return f
}

// temperatureMap shows where the loss lies between its neighbours. The α-loss
// is the two-temperature loss with t1 = 1/α and t2 = 1.
func temperatureMap(st exploreState) *templates.ExploreWhere {
	t1, t2 := st.T1, st.T2
	w := templates.ExploreWhere{Title: "Where you are"}
	switch st.Family {
	case famTLogistic:
		t1, t2 = 1, st.T
	case famAlpha:
		t1, t2 = 1/st.Alpha, 1
		w.Text = "The α-loss is the two-temperature loss with t₁ = 1/α and t₂ = 1."
		if st.Alpha < .85 {
			w.Text += " Below α = 0.85 it lies to the right of this map."
		}
	}
	w.Map = templates.SVG(viz.TemperatureMap(t1, t2))
	return &w
}
