package main

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/study"
	"taper/internal/viz"
	"taper/web/templates"
)

// view is the page of a study but for what its state adds.
func (v studyShown) view() templates.Study {
	return templates.Study{Body: v.body(), Protocol: v.protocol(), Facts: v.facts, Redo: templates.StudyRedo{Call: v.call()}}
}

// body is what changes while a study runs.
func (v studyShown) body() templates.StudyBody {
	b := templates.StudyBody{Metrics: v.metricLinks(), Notes: v.allNotes()}
	for _, f := range v.figures(v.metric) {
		chart := figure(f)
		chart.Height = "l"
		b.Figures = append(b.Figures, chart)
	}
	if v.drawing.Kind == study.DrawTable {
		b.Table = v.drawnTable()
	}
	b.Verdicts = v.verdictTable()
	b.Pairs = v.pairs()
	v.cellTable(&b)
	return b
}

// link is this page with one part of its state changed.
func (v studyShown) link(key, value string) string {
	q := url.Values{}
	if v.metric.ID != v.drawing.Metrics[0].ID {
		q.Set("metric", v.metric.ID)
	}
	if v.setting >= 0 && key != "metric" {
		q.Set("setting", strconv.Itoa(v.setting))
	}
	q.Set(key, value)
	if key == "metric" && value == v.drawing.Metrics[0].ID {
		q.Del(key)
	}
	if len(q) == 0 {
		return v.path
	}
	return v.path + "?" + q.Encode()
}

func (v studyShown) metricLinks() []templates.View {
	var links []templates.View
	if v.drawing.Kind == study.DrawScatter && v.drawing.X.Of == "" {
		return nil // both are drawn
	}
	for _, m := range v.drawing.Metrics {
		links = append(links, templates.View{Label: m.Title, URL: v.link("metric", m.ID), On: m.ID == v.metric.ID})
	}
	return links
}

// allNotes are those of the preset with our own figures, then those of the plan.
func (v studyShown) allNotes() []string {
	notes := slices.Clone(v.notes)
	if v.known && len(v.cells) > 0 {
		notes = append(v.preset.NotesOn(v.cells), notes...)
	}
	return notes
}

// drawnTable lays a table study out: a line for each series and metric, a
// column for each place.
func (v studyShown) drawnTable() *templates.Table {
	d := v.drawing
	t := templates.Table{Label: v.preset.Title, Columns: []templates.Column{{Label: or(d.Series.Title, "Series")}, {Label: "Number"}}}
	var places []string
	type line struct{ series, metric string }
	var order []line
	texts := map[line]map[string]string{}
	for _, m := range d.Metrics {
		own := v.of(m.ID)
		write := viz.StudyWriter(own)
		for _, c := range own {
			k, at := line{axisWords(d.Series, c), m.Title}, axisWords(d.X, c)
			if !slices.Contains(places, at) {
				places = append(places, at)
			}
			if texts[k] == nil {
				texts[k] = map[string]string{}
				order = append(order, k)
			}
			if c.Mean != nil {
				texts[k][at] = write(*c.Mean)
			}
		}
	}
	if len(places) == 0 {
		return nil
	}
	for _, p := range places {
		t.Columns = append(t.Columns, templates.Column{Label: strings.TrimSpace(d.X.Title + " " + p), Num: true})
	}
	slices.SortStableFunc(order, func(a, b line) int { return strings.Compare(a.series, b.series) })
	if len(places) > 6 && len(d.Metrics) == 1 {
		return v.upright(places)
	}
	for _, k := range order {
		r := row([]string{k.series, k.metric})
		for _, p := range places {
			r.Cells = append(r.Cells, templates.Cell{Text: or(texts[k][p], viz.None)})
		}
		t.Rows = append(t.Rows, r)
	}
	return &t
}

// upright is such a table with a line for each place and a column for each
// series.
func (v studyShown) upright(places []string) *templates.Table {
	d, own := v.drawing, v.of(v.metric.ID)
	t := templates.Table{Label: v.preset.Title, Columns: []templates.Column{{Label: or(d.X.Title, "Of")}}}
	write, texts := viz.StudyWriter(own), map[[2]string]string{}
	var names []string
	for _, c := range own {
		name := axisWords(d.Series, c)
		if !slices.Contains(names, name) {
			names = append(names, name)
			t.Columns = append(t.Columns, templates.Column{Label: name, Num: true})
		}
		if c.Mean != nil {
			texts[[2]string{axisWords(d.X, c), name}] = write(*c.Mean)
		}
	}
	for _, p := range places {
		cells := []string{p}
		for _, name := range names {
			cells = append(cells, or(texts[[2]string{p, name}], viz.None))
		}
		t.Rows = append(t.Rows, row(cells))
	}
	return &t
}

// of are the cells of a metric that have values.
func (v studyShown) of(metric string) (own []study.Cell) {
	for _, c := range v.cells {
		if c.Metric == metric && c.N > 0 {
			own = append(own, c)
		}
	}
	return own
}

// axisWords is the part of a key that an axis spreads out.
func axisWords(a study.Axis, c study.Cell) string {
	switch a.Of {
	case "at":
		return viz.Short(c.At, 4)
	case "noise":
		return viz.Short(100*c.Noise, 4) + unitPc
	case "model":
		return c.Model
	case "data":
		return c.Data
	}
	return ""
}

// verdictTable puts the reference numbers beside ours.
func (v studyShown) verdictTable() *templates.Table {
	all := v.verdicts()
	if len(all) == 0 {
		return nil
	}
	t := templates.Table{Label: "Reference numbers beside ours", Class: "st-ref", Columns: []templates.Column{
		{Label: "Number"}, {Label: "Reference", Num: true}, {Label: "Ours", Num: true}, {Label: "Difference", Num: true, Class: "only-w"},
		{Label: "Allowed", Num: true, Class: "only-w"}, {Label: "n", Num: true, Class: "only-w"}, {Label: "Verdict"}, {Label: "Where", Class: "only-w"}}}
	for _, d := range all {
		t.Rows = append(t.Rows, v.verdictRow(d))
	}
	t.Note = "Accepted: |ours − reference| ≤ 3 standard errors of the difference; where no interval is printed, the tolerance of that table."
	return &t
}

// verdicts judges what has cells; a study that is under way is not judged.
func (v studyShown) verdicts() []study.Verdict {
	if !v.known || len(v.cells) == 0 || v.spec.Dataset.ID != "" {
		return nil
	}
	return v.preset.Verdicts(v.cells)
}

func (v studyShown) verdictRow(d study.Verdict) templates.Row {
	chip := templates.Chip{Icon: "check", Label: "holds", Kind: "accent"}
	if !d.Holds {
		chip = templates.Chip{Icon: "bad", Label: "differs", Kind: "bad"}
	}
	ours, gap, allowed := viz.None, viz.None, viz.None
	digits := decimalsOf(d.Value)
	if d.Ours != nil {
		ours, gap, allowed = viz.Number(*d.Ours, digits), signedNumber(*d.Ours-d.Value, digits), viz.Short(d.Allowed, 2)
	} else {
		chip = templates.Chip{Icon: "dash", Label: "no value yet", Kind: "bare"}
	}
	reference := templates.Cell{Text: viz.Number(d.Value, digits)}
	if d.Half > 0 {
		reference.CI = "±" + viz.Short(d.Half, 2)
	}
	own := templates.Cell{Text: ours}
	if d.SE != nil && *d.SE > 0 {
		own.CI = "±" + viz.Short(1.96**d.SE, 2)
	}
	return templates.Row{Cells: []templates.Cell{
		{Text: v.keyWords(d.Key)}, reference, own, {Text: gap}, {Text: allowed}, {Text: strconv.Itoa(d.N)},
		{Content: templates.ChipView(chip)}, {Text: d.Where}}}
}

// decimalsOf shows a reference to its own digits, and ours to one more.
func decimalsOf(v float64) int {
	text := strings.TrimRight(strconv.FormatFloat(v, 'f', 9, 64), "0")
	_, after, _ := strings.Cut(text, ".")
	return min(9, max(3, len(after)))
}

// signedNumber writes a difference with its sign.
func signedNumber(v float64, decimals int) string {
	text := viz.Number(v, decimals)
	if v > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}

// keyWords names a number: what of its key the study tells apart.
func (v studyShown) keyWords(k study.Key) string {
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	add(k.Model)
	if v.varies("data") {
		add(k.Data)
	}
	if len(v.drawing.Metrics) > 1 || !v.shows(k.Metric) {
		add(v.metricTitle(k.Metric))
	}
	if v.varies("at") {
		add(strings.TrimSpace(lowerTitle(v.axisTitle("at")) + " " + viz.Short(k.At, 4)))
	}
	if v.varies("noise") {
		add(viz.Short(100*k.Noise, 3) + unitPc + " flipped")
	}
	return strings.Join(parts, ", ")
}

func (v studyShown) shows(metric string) bool {
	return slices.ContainsFunc(v.drawing.Metrics, func(m study.Metric) bool { return m.ID == metric })
}

func (v studyShown) metricTitle(id string) string {
	for _, m := range v.drawing.Metrics {
		if m.ID == id {
			return m.Title
		}
	}
	return id
}

// axisTitle is what the drawing calls a part of the key.
func (v studyShown) axisTitle(of string) string {
	d := v.drawing
	for _, a := range []study.Axis{d.X, d.Series, d.Panels} {
		if a.Of == of {
			return a.Title
		}
	}
	return map[string]string{"at": "at", "noise": "noise", "model": "Model", "data": "Data"}[of]
}

// lowerTitle lets a title stand inside a sentence; a symbol stays.
func lowerTitle(s string) string {
	if len(s) > 1 && s[0] < 0x80 && s[1] >= 'a' && s[1] <= 'z' {
		return lowerFirst(s)
	}
	return s
}

// varies reports whether cells differ in a part of their key.
func (v studyShown) varies(of string) bool {
	for _, c := range v.cells {
		a, b := c.Key, v.cells[0].Key
		if of == "data" && a.Data != b.Data || of == "model" && a.Model != b.Model || of == "noise" && a.Noise != b.Noise || of == "at" && a.At != b.At || of == "metric" && a.Metric != b.Metric {
			return true
		}
	}
	return false
}

// cellTable lists a page of the cells of the metric that is shown.
func (v studyShown) cellTable(b *templates.StudyBody) {
	own := v.of(v.metric.ID)
	if len(own) == 0 {
		return
	}
	pages := (len(own) + cellsShown - 1) / cellsShown
	page := min(v.page, pages)
	from, to := (page-1)*cellsShown, min(page*cellsShown, len(own))
	t := templates.Table{Label: "Cells", Class: "tbl-tight st-cells", Note: v.metric.Title + betterWords(v.metric) + "."}
	type column struct{ of, label string }
	var keys []column
	for _, of := range []string{"data", "model", "noise", "at"} {
		if v.varies(of) || of == "model" {
			keys = append(keys, column{of, or(v.axisTitle(of), of)})
			t.Columns = append(t.Columns, templates.Column{Label: capital(keys[len(keys)-1].label), Num: of == "noise" || of == "at"})
		}
	}
	once := !slices.ContainsFunc(own, func(c study.Cell) bool { return c.N > 1 })
	if once {
		t.Columns = append(t.Columns, templates.Column{Label: "Value", Num: true})
	} else {
		t.Note += " The interval is that of the mean by Student’s t."
		t.Columns = append(t.Columns, templates.Column{Label: "n", Num: true}, templates.Column{Label: "Mean", Num: true}, templates.Column{Label: "95" + unitPc + " interval", Num: true},
			templates.Column{Label: "Median", Num: true}, templates.Column{Label: "SD", Num: true})
	}
	write := viz.StudyWriter(own)
	text := func(x *float64) string {
		if x == nil {
			return viz.None
		}
		return write(*x)
	}
	for _, c := range own[from:to] {
		var r templates.Row
		for _, k := range keys {
			r.Cells = append(r.Cells, templates.Cell{Text: axisWords(study.Axis{Of: k.of}, c)})
		}
		if once {
			r.Cells = append(r.Cells, templates.Cell{Text: text(c.Mean)})
			t.Rows = append(t.Rows, r)
			continue
		}
		interval := viz.None
		if c.Low != nil && c.High != nil {
			interval = viz.Range(write(*c.Low), write(*c.High))
		}
		for _, s := range []string{strconv.Itoa(c.N), text(c.Mean), interval, text(c.Median), text(c.SD)} {
			r.Cells = append(r.Cells, templates.Cell{Text: s})
		}
		t.Rows = append(t.Rows, r)
	}
	b.Cells = &t
	b.Shown = viz.Range(viz.Count(from+1), viz.Count(to)) + " of " + viz.Count(len(own))
	if page > 1 {
		b.Prev = v.link("page", strconv.Itoa(page-1)) + "#cells-h"
	}
	if page < pages {
		b.Next = v.link("page", strconv.Itoa(page+1)) + "#cells-h"
	}
}

// betterWords say which way a metric is better, where it is one way.
func betterWords(m study.Metric) string {
	title := strings.ToLower(m.Title)
	switch {
	case m.Higher:
		return ", higher is better"
	case strings.Contains(title, "error") || strings.Contains(title, "loss") || strings.Contains(title, "score"):
		return ", lower is better"
	}
	return ""
}

// capital starts a text with a capital letter; a symbol stays.
func capital(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return upperFirst(s)
	}
	return s
}

// pairs compares the models of one setting replicate by replicate.
func (v studyShown) pairs() *templates.StudyPairs {
	settings, groups := v.settings()
	if len(settings) == 0 || v.drawing.Kind == study.DrawScatter || v.drawing.Kind == study.DrawHistogram {
		return nil
	}
	at := len(settings) - 1
	if v.setting >= 0 && v.setting < len(settings) {
		at = v.setting
	}
	cells := groups[settings[at]]
	marked := study.CompareBest(cells, v.metric.Higher)
	p := templates.StudyPairs{Action: v.path, Table: v.pairTable(marked),
		Say: "Models share the sample, the split and the noise of a replicate, so their differences are paired. Marked ✓: the best, and all that the Wilcoxon signed-rank test does not tell from it at 5" + unitPc + "."}
	if v.metric.ID != v.drawing.Metrics[0].ID {
		p.Hidden = []templates.Field{{Name: "metric", Value: v.metric.ID}}
	}
	if len(settings) > 1 {
		p.Settings = &templates.Choice{}
		for i, k := range settings {
			p.Settings.Options = append(p.Settings.Options, templates.Option{Value: strconv.Itoa(i), Label: v.settingWords(k), On: i == at})
		}
	}
	return &p
}

// settings are the keys but for the model at which several models have two
// replicates or more.
func (v studyShown) settings() (order []study.Key, groups map[study.Key][]study.Cell) {
	all, groups := []study.Key{}, map[study.Key][]study.Cell{}
	for _, c := range v.of(v.metric.ID) {
		if c.N < 2 {
			continue
		}
		k := c.Key
		k.Model = ""
		if groups[k] == nil {
			all = append(all, k)
		}
		groups[k] = append(groups[k], c)
	}
	for _, k := range all {
		if len(groups[k]) > 1 {
			order = append(order, k)
		}
	}
	return order, groups
}

func (v studyShown) settingWords(k study.Key) string {
	k.Metric = v.drawing.Metrics[0].ID
	text := v.keyWords(k)
	if len(v.drawing.Metrics) > 1 {
		text = strings.TrimPrefix(strings.TrimPrefix(text, v.metricTitle(k.Metric)), ", ")
	}
	return capital(or(text, "all"))
}

func (v studyShown) pairTable(marked []study.Compared) templates.Table {
	t := templates.Table{Label: "Paired differences", Class: "st-pairs", Columns: []templates.Column{
		{Label: "Model"}, {Label: "Mean", Num: true}, {Label: "Minus the best", Unit: "95" + unitPc + " interval", Num: true}, {Label: "p", Unit: "signed rank", Num: true}, {Label: "Mark"}}}
	var own []study.Cell
	for _, m := range marked {
		own = append(own, m.Cell)
	}
	write := viz.StudyWriter(own)
	for _, m := range marked {
		cells := []templates.Cell{{Text: m.Model}, {Text: viz.None}, {Text: viz.None}, {Text: viz.None}, {Text: "told apart", Class: "muted"}}
		if m.Mean != nil {
			cells[1].Text = write(*m.Mean)
		}
		if p := m.Pair; p != nil && p.Mean != nil {
			cells[2].Text = plusNumber(write, *p.Mean)
			if p.Low != nil && p.High != nil {
				cells[2].CI = viz.Range(write(*p.Low), write(*p.High))
			}
			cells[3].Text = pWords(p.Wilcoxon.P)
		}
		switch {
		case m.Best && m.Pair == nil:
			cells[4] = templates.Cell{Content: templates.ChipView(templates.Chip{Icon: "check", Label: "best", Kind: "accent"})}
		case m.Best:
			cells[4] = templates.Cell{Content: templates.ChipView(templates.Chip{Icon: "check", Label: "not told apart"})}
		}
		t.Rows = append(t.Rows, templates.Row{Cells: cells})
	}
	return t
}

func plusNumber(write func(float64) string, v float64) string {
	if text := write(v); v > 0 {
		return "+" + text
	}
	return write(v)
}

func pWords(p float64) string {
	if p < 0.0001 {
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
