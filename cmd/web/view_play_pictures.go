package main

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/cmd/web/query"
	"taper/cmd/web/widget"
	"taper/cmd/web/wording"
	"taper/internal/engine/arena"
	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/web/templates"
)

// model is one of the two models with its pictures.
func (v playView) model(k int, m *playShown, a *playAnswer, q url.Values) templates.PlayModel {
	id := playSlots[k][:1]
	out := templates.PlayModel{ID: id, Badge: string(rune('A' + k)), Method: v.ask.methods(k), Pars: v.ask.pars(k), Chips: playChips(a.st.Models[k])}
	open := func(part string) bool { return slices.Contains(q["open"], part) }
	out.Picture = templates.PlayPicture{ID: "pg-" + id + "-surface", Finding: "Nothing is fitted."}
	out.Picture.Open = open(out.Picture.ID + "-data")
	if a.st.Present {
		out.Pars = nil
	}
	x, y := viz.FrozenScale(-2, 2, 5), viz.FrozenScale(-2, 2, 5)
	if a.bench != nil {
		x, y = viz.FrozenScale(a.Axes.X.Min, a.Axes.X.Max, 5), viz.FrozenScale(a.Axes.Y.Min, a.Axes.Y.Max, 5)
	}
	if m != nil {
		out.Title = m.Title
	}
	if !m.ok() {
		if m != nil && m.Error != "" {
			out.Picture.Finding = m.Error
		}
		out.Picture.Over = templates.SVG(viz.SurfaceSVG(x, y, nil))
		return out
	}
	out.Picture.Over = templates.SVG(viz.SurfaceSVG(x, y, playLines(m)))
	out.Picture.Finding = surfaceFinding(out.Badge, m, a)
	out.Picture.Grid = surfaceGrid(m, a)
	held := heldAxes(q.Get("held"))
	out.Loss = lossFigure(k, m, a, held["pg-"+id+"-loss"])
	out.Loss.Open = open(out.Loss.ID + "-data")
	out.Weights = weightFigure(k, m, a, held["pg-"+id+"-weights"])
	out.Weights.Open = open(out.Weights.ID + "-data")
	out.Steps = stepSlider(id, m)
	return out
}

// heldAxes reads the axes that stand still while something is dragged:
// "id:1,2,3;id:4".
func heldAxes(text string) map[string][]float64 {
	all := map[string][]float64{}
	for _, item := range strings.Split(text, ";") {
		id, list, _ := strings.Cut(item, ":")
		for _, part := range strings.Split(list, ",") {
			if v, ok := query.ParseNumber(part); ok && !math.IsInf(v, 0) {
				all[id] = append(all[id], v)
			}
		}
	}
	return all
}

func playLines(m *playShown) []viz.Contour {
	var all []viz.Contour
	for _, c := range m.Contours {
		line := viz.Contour{Kind: c.Kind, Label: c.Label, Lines: c.Lines}
		switch c.Kind {
		case arena.LineQuarter:
			line.Kind = ""
		case arena.LineClass:
			line.Kind, line.Label = "boundary", ""
		case arena.LineReject:
			line.Kind, line.Label = "", "no answer"
		}
		all = append(all, line)
	}
	return all
}

// surfaceFinding is what a screen reader says of a surface.
func surfaceFinding(badge string, m *playShown, a *playAnswer) string {
	n := len(a.bench.sample.Class)
	text := fmt.Sprintf("Surface of %s, %s, over %s and %s, with %s points.", badge, m.Title, a.Axes.X.Name, a.Axes.Y.Name, viz.Count(n))
	if v := shareOf(m.verdict.Clean); !math.IsNaN(v) {
		text += " It gets " + viz.Percent(v, 1) + wording.NBSP + "% of clean points right."
	}
	return text
}

// surfaceGrid reads a surface at nine by nine places.
func surfaceGrid(m *playShown, a *playAnswer) templates.Table {
	texts := map[int]string{}
	for _, l := range m.Surface.Legend {
		texts[l.Level] = l.Text
		if _, after, ok := strings.Cut(l.Text, " = "); ok {
			texts[l.Level] = after
		}
	}
	what := map[string]string{arena.KindProbability: "Probability of the event", arena.KindScore: "Score", arena.KindBands: "Band", arena.KindClasses: "Class"}[m.Surface.Kind]
	t := templates.Table{Label: what + " of " + m.Title, Class: "tbl-tight tbl-grid", Note: what + " at places of the plane.", Columns: []templates.Column{{Label: a.Axes.Y.Name + " \\ " + a.Axes.X.Name, Num: true}}}
	const places = 9
	at := func(i int) int { return i * (arena.Side - 1) / (places - 1) }
	value := func(ax playAxis, i int) string {
		return viz.Number(ax.Min+float64(at(i))/(arena.Side-1)*(ax.Max-ax.Min), 2)
	}
	for i := range places {
		t.Columns = append(t.Columns, templates.Column{Label: value(a.Axes.X, i), Num: true})
	}
	for j := places - 1; j >= 0; j-- {
		cells := []string{value(a.Axes.Y, j)}
		for i := range places {
			cells = append(cells, texts[int(m.Surface.Levels[at(j)*arena.Side+at(i)])])
		}
		t.Rows = append(t.Rows, widget.Row(cells))
	}
	return t
}

// lossFigure puts the training points on the loss of the model.
func lossFigure(k int, m *playShown, a *playAnswer, held []float64) *templates.PlayFigure {
	l := m.look.Loss
	p := viz.LossPicture{Axis: l.Axis, Steered: k == 1}
	if !math.IsInf(l.Bound, 1) {
		p.Cap = l.Bound
	}
	for _, c := range l.Curves {
		p.Curves = append(p.Curves, viz.LossCurve{Name: c.Name, Z: c.Z, V: c.V})
	}
	for i, at := range l.Points.At {
		if z := min(20, max(-20, l.Points.Z[i])); a.bench.spoilt.Spoilt[at] {
			p.FlipZ, p.FlipV = append(p.FlipZ, z), append(p.FlipV, l.Points.V[i])
		} else {
			p.CleanZ, p.CleanV = append(p.CleanZ, z), append(p.CleanV, l.Points.V[i])
		}
	}
	if len(held) == 3 {
		p.Held = [3]float64(held)
	}
	x, y := p.Scales()
	letter := string(rune('A' + k))
	f := &templates.PlayFigure{ID: "pg-" + playSlots[k][:1] + "-loss", Title: "On the loss curve of " + letter, Say: lossSay(m, len(p.FlipZ)), Drawing: templates.SVG(p.SVG()),
		Held: strings.Join([]string{query.Text(x.Min), query.Text(x.Max), query.Text(y.Max)}, ",")}
	f.Finding = f.Title + ". " + f.Say + " Mean loss " + viz.Number(l.Mean, 3) + "."
	if len(p.Curves) > 1 {
		f.Legend = []templates.LegendEntry{{Label: p.Curves[0].Name, Mark: "c0l"}, {Label: p.Curves[1].Name, Mark: "c1l"}}
	}
	f.Table = lossTable(m, a, f.Title)
	return f
}

// lossSay says what is to be seen on the loss.
func lossSay(m *playShown, flipped int) string {
	text := "Each point at its margin: strokes as they are, rings flipped."
	if flipped == 0 {
		text = "Each training point is a stroke at its margin."
	}
	if len(m.look.Loss.Curves) == 0 {
		return text + " This loss is no curve in one margin."
	}
	if !math.IsInf(m.look.Loss.Bound, 1) {
		return text + " The tail flattens: far to the left a point hardly pulls."
	}
	return text + " The further left, the harder it pulls."
}

// lossTable counts the points by what they cost.
func lossTable(m *playShown, a *playAnswer, title string) templates.Table {
	t := templates.Table{Label: "Data of " + title, Class: "tbl-tight", Tall: true, Columns: []templates.Column{{Label: wording.UpperFirst(m.look.Loss.Axis), Num: true}, {Label: "Loss", Num: true}, {Label: "Label"}}}
	l := m.look.Loss
	order := make([]int, len(l.Points.Z))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return sign(l.Points.Z[i] - l.Points.Z[j]) })
	const most = 200
	for n, i := range order {
		if n == most {
			t.Note = "The " + strconv.Itoa(most) + " points of the smallest margins, of " + viz.Count(len(order)) + "."
			break
		}
		label := "as it is"
		if a.bench.spoilt.Spoilt[l.Points.At[i]] {
			label = "flipped"
		}
		t.Rows = append(t.Rows, widget.Row([]string{viz.Number(l.Points.Z[i], 3), viz.Number(l.Points.V[i], 3), label}))
	}
	return t
}

func sign(v float64) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}

// weightFigure is the histogram of what the model leaves each point.
func weightFigure(k int, m *playShown, a *playAnswer, held []float64) *templates.PlayFigure {
	h := m.look.Histogram
	letter := string(rune('A' + k))
	p := viz.Histogram{Edges: h.Edges, Clean: h.Clean, Flipped: h.Flipped, Brushed: -1, Axis: h.Symbol}
	if a.st.Brush.Model == k {
		p.Brushed = a.st.Brush.Bin
	}
	if len(held) == 1 {
		p.Top = held[0]
	}
	p.Marks = weightMarks(h, a)
	f := &templates.PlayFigure{ID: "pg-" + playSlots[k][:1] + "-weights", Title: letter + ": " + wording.LowerFirst(h.Title), Bars: true, Say: weightSay(h)}
	f.Drawing = templates.SVG(p.SVG(f.ID))
	f.Finding = f.Title + ". " + f.Say
	_, y := p.Scales()
	f.Held = query.Text(y.Max)
	clean, flipped := total(h.Clean), total(h.Flipped)
	f.Legend = []templates.LegendEntry{{Label: "as they are, " + viz.Count(clean), Sample: templates.SVG(viz.BarSVG(false))}}
	if flipped > 0 {
		f.Legend = append(f.Legend, templates.LegendEntry{Label: "flipped, " + viz.Count(flipped), Sample: templates.SVG(viz.BarSVG(true))})
	}
	f.Table = weightTable(h, a, f.Title)
	return f
}

func total(counts []int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

func weightSay(h arena.Histogram) string {
	var text string
	switch h.Weight {
	case arena.WeightLead:
		text = "This loss leaves every point its weight; the margin says how far each lies on its label’s side."
	default:
		text = "1 is the whole pull, 0 none."
	}
	if !math.IsNaN(h.MedianFlipped) && !math.IsNaN(h.MedianClean) {
		text = "Median " + viz.Number(h.MedianFlipped, 2) + " of the flipped points and " + viz.Number(h.MedianClean, 2) + " of the others. " + text
	}
	return text + " Press a bar and its points light up."
}

// weightMarks are the medians, or the places of the roles.
func weightMarks(h arena.Histogram, a *playAnswer) []viz.HistogramMark {
	if h.Roles != nil {
		var all []viz.HistogramMark
		for r, counts := range h.Roles {
			if total(counts) > 0 {
				all = append(all, viz.HistogramMark{At: halfway(h.Edges, counts), Label: a.bench.sample.Roles[r]})
			}
		}
		return all
	}
	var all []viz.HistogramMark
	if !math.IsNaN(h.MedianFlipped) {
		all = append(all, viz.HistogramMark{At: h.MedianFlipped, Label: "flipped, median " + viz.Number(h.MedianFlipped, 2), Steer: true})
		if !math.IsNaN(h.MedianClean) {
			all = append(all, viz.HistogramMark{At: h.MedianClean, Label: "others, median " + viz.Number(h.MedianClean, 2)})
		}
	}
	return all
}

// halfway is the middle of the bin in which half of the counts are reached.
func halfway(edges []float64, counts []int) float64 {
	seen, all := 0, total(counts)
	for i, c := range counts {
		if seen += c; 2*seen >= all {
			return (edges[i] + edges[i+1]) / 2
		}
	}
	return edges[0]
}

func weightTable(h arena.Histogram, a *playAnswer, title string) templates.Table {
	t := templates.Table{Label: "Data of " + title, Class: "tbl-tight", Tall: true, Columns: []templates.Column{{Label: h.Symbol}, {Label: "As they are", Num: true}, {Label: "Flipped", Num: true}}}
	for r := range h.Roles {
		t.Columns = append(t.Columns, templates.Column{Label: wording.UpperFirst(a.bench.sample.Roles[r]), Num: true})
	}
	for i := range h.Clean {
		cells := []string{viz.Range(viz.Short(h.Edges[i], 3), viz.Short(h.Edges[i+1], 3)), strconv.Itoa(h.Clean[i]), strconv.Itoa(h.Flipped[i])}
		for _, counts := range h.Roles {
			cells = append(cells, strconv.Itoa(counts[i]))
		}
		t.Rows = append(t.Rows, widget.Row(cells))
	}
	return t
}

// stepSlider walks through the frames of a fit.
func stepSlider(id string, m *playShown) *templates.PlaySteps {
	last := m.Steps.Of - 1
	s := templates.Slider{ID: id + "-step", Name: id + ".step", Label: "Step", Max: float64(max(last, 1)), Step: 1, Value: float64(m.Steps.At), Default: float64(last), Compact: true, Disabled: last < 1}
	word := m.Steps.Labels[m.Steps.At]
	if v := m.Steps.Objective[m.Steps.At]; !math.IsNaN(v) && !math.IsInf(v, 0) {
		word += "; objective " + viz.Short(v, 5)
	}
	s.Spoken = fmt.Sprintf("step %d of %d, %s", m.Steps.At, last, m.Steps.Labels[m.Steps.At])
	return &templates.PlaySteps{Slider: s, Word: wording.UpperFirst(word) + fmt.Sprintf(". Step %d of %d.", m.Steps.At, last)}
}

// playChips name the kind of loss.
func playChips(m playModel) []templates.Chip {
	how := mustPlayMethod(m.Method)
	if m.Method == "interval" {
		return []templates.Chip{{Icon: "convex", Label: "convex"}}
	}
	if how.Family.Margin == nil {
		return nil
	}
	values, err := how.Family.Parse(m.typed())
	if err != nil {
		return nil
	}
	l, ok := how.Family.Margin(values).(loss.Regimer)
	if !ok {
		return nil
	}
	switch r := l.Regime(); {
	case !math.IsInf(r.Bound, 1):
		return []templates.Chip{{Icon: "bounded", Label: "bounded at " + viz.Number(r.Bound, 2)}}
	case r.Convex:
		return []templates.Chip{{Icon: "convex", Label: "convex"}}
	case r.QuasiConvex:
		return []templates.Chip{{Icon: "quasi", Label: "quasi-convex"}}
	}
	return nil
}

// markLegend explains the points.
func markLegend(a *playAnswer) []templates.LegendEntry {
	classes := []string{"0", "1"}
	held, flipped := false, false
	if a.bench != nil {
		classes, held, flipped = a.bench.sample.Levels, a.bench.sample.Held != nil, a.bench.spoilt.Count > 0
	}
	var all []templates.LegendEntry
	for c, name := range classes {
		all = append(all, templates.LegendEntry{Label: "label " + name, Sample: templates.SVG(viz.PointSVG(c, false, false))})
	}
	if flipped {
		all = append(all, templates.LegendEntry{Label: "flipped", Sample: templates.SVG(viz.PointSVG(0, true, false))})
	}
	if held {
		all = append(all, templates.LegendEntry{Label: "held out", Sample: templates.SVG(viz.PointSVG(0, false, true))})
	}
	return all
}

// colourBars explain the surfaces, once where both have the same colours.
func colourBars(a *playAnswer) []templates.PlayBar {
	var all []templates.PlayBar
	for k, m := range a.Models.both() {
		if !m.ok() {
			continue
		}
		letter := string(rune('A' + k))
		b := templates.PlayBar{}
		switch levels := a.bench.sample.Levels; m.Surface.Kind {
		case arena.KindProbability:
			b.Title, b.Scale = "P(label "+levels[len(levels)-1]+"), link-corrected", templates.SVG(viz.ColourBarSVG([3]string{"0", "0.5", "1"}))
		case arena.KindScore:
			top := viz.Short(m.surface.Top, 2)
			b.Title, b.Scale = "Score of "+letter, templates.SVG(viz.ColourBarSVG([3]string{minusSign + top, "0", top}))
		default:
			b.Title = map[string]string{arena.KindBands: "Bands of " + letter, arena.KindClasses: "Answers"}[m.Surface.Kind]
			for _, l := range m.Surface.Legend {
				b.Sample = append(b.Sample, templates.LegendEntry{Label: l.Text, Sample: templates.SVG(viz.TintSVG(l.Tint, l.Pale, l.Level == arena.Abstained))})
			}
		}
		if len(all) == 0 || all[0].Title != b.Title {
			all = append(all, b)
		} else if len(all[0].Sample) < len(b.Sample) {
			all[0] = b // the same colours, and one more
		}
	}
	return all
}

// playPointsView is the list of the points.
func playPointsView(a *playAnswer) templates.PlayPoints {
	l := templates.PlayPoints{Own: a.st.Data == playOwn, Text: pointsText(a.st.Own), Most: mostOwn}
	if l.Own {
		classes := 2
		for _, p := range a.st.Own {
			classes = max(classes, p.Class+1)
			l.Rows = append(l.Rows, templates.PlayPoint{X: query.Text(p.X), Y: query.Text(p.Y), Class: strconv.Itoa(p.Class)})
		}
		for c := range min(classes+1, 4) {
			l.Classes = append(l.Classes, templates.Option{Value: strconv.Itoa(c), Label: fmt.Sprintf("%d, %s", c, []string{"circle", "triangle", "square", "diamond"}[c]), On: c == 0})
		}
		l.Note = "The list of your points"
		return l
	}
	if a.bench == nil || a.Points == nil {
		l.Note = "No points"
		return l
	}
	p := a.Points
	const most = 100
	n := len(p.Class)
	l.Note = "The first " + strconv.Itoa(min(n, most)) + " of " + viz.Count(n) + " points"
	l.Sample = templates.Table{Label: "Points", Class: "tbl-tight", Tall: true, Columns: []templates.Column{{Label: "Point", Num: true}, {Label: a.Axes.X.Name, Num: true}, {Label: a.Axes.Y.Name, Num: true}, {Label: "Label given"}, {Label: "True class"}, {Label: "Noise"}, {Label: "Use"}}}
	for i := range min(n, most) {
		noise, use := "", "trains"
		if p.Flipped[i] {
			noise = "flipped"
		}
		if p.Test[i] {
			use = "held out"
		}
		l.Sample.Rows = append(l.Sample.Rows, widget.Row([]string{strconv.Itoa(i + 1), viz.Number(p.X[i], 3), viz.Number(p.Y[i], 3), p.Classes[p.Given[i]], p.Classes[p.Class[i]], noise, use}))
	}
	if n <= mostOwn && len(p.Classes) <= 4 && a.bench.sample.X.Cols == 2 {
		l.Take = takePoints(a)
	}
	return l
}

// takePoints is the state with the present points as own ones, labels as they
// are given.
func takePoints(a *playAnswer) string {
	st := newPlay(playOwn)
	st.Seed, st.Models, st.Own = a.st.Seed, a.st.Models, nil
	for i, c := range a.Points.Given {
		st.Own = append(st.Own, arena.Point{X: rounded(a.Points.X[i]), Y: rounded(a.Points.Y[i]), Class: c})
	}
	return st.url()
}

func rounded(v float64) float64 { return math.Round(v*1000) / 1000 }

// playDemos are states worth a look.
func playDemos(here string) []templates.Preset {
	var all []templates.Preset
	for _, p := range playPresets {
		all = append(all, templates.Preset{Label: p.Title, Note: p.About, URL: p.URL, On: p.URL == here})
	}
	return append(all, templates.Preset{Label: "Points of your own", Note: "Eight points to begin with: add, drag and remove them.", URL: newPlay(playOwn).url(), On: here == newPlay(playOwn).url()})
}
