package main

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/engine/compare"
	"taper/internal/engine/metric"
	"taper/internal/viz"
	"taper/web/templates"
)

// runMarks are the lines of the runs, by their place in the URL: a run keeps
// its line when the baseline changes.
var runMarks = [compare.Most]string{"s2", "s1", "s3", "s4", "s5", "s6"}

// order lists the runs as the page shows them: the baseline first.
func (v sideBySide) order() []int {
	out := []int{v.Base}
	for i := range v.runs {
		if i != v.Base {
			out = append(out, i)
		}
	}
	return out
}

func (v sideBySide) view() templates.Compare {
	p := templates.Compare{Views: v.views(), Base: v.baseChoice(), Notices: v.notices(), Corner: v.corner(), Note: compareNote,
		Figures: v.figures(), Bands: v.bands(), Moves: v.moveTables(), Terms: v.termTable()}
	p.Hidden = []templates.Field{{Name: "ids", Value: strings.Join(v.IDs, ",")}}
	if v.q.All {
		p.Hidden = append(p.Hidden, templates.Field{Name: "all", Value: "1"})
	}
	p.Heads = v.heads(v.order())
	shown, hidden := v.settingRows(v.Differences), v.settingRows(v.Same)
	metrics, equal := v.metricRows()
	if v.q.All {
		shown = v.settingRows(v.inOrder())
	} else {
		p.Same = v.sameSentence(hidden, equal)
	}
	p.Rows = append(shown, metrics...)
	return p
}

const compareNote = "↑ higher is better, ↓ lower is better, → nearer to that value is better. A difference is the run less the baseline. " +
	"Small print: its 95" + nbsp + "% interval over the rows that both judged, paired (AUC by DeLong’s test); not clear: the interval holds 0. " +
	"A difference without an interval may be chance."

func (v sideBySide) views() []templates.View {
	only, all := v.q, v.q
	only.All, all.All = false, true
	return []templates.View{{Label: "Differences only", URL: only.url("/compare"), On: !v.q.All}, {Label: "Everything", URL: all.url("/compare"), On: v.q.All}}
}

func (v sideBySide) baseChoice() templates.Choice {
	c := templates.Choice{Name: "base", Label: "Baseline"}
	for i, id := range v.IDs {
		o := templates.Option{Value: id, Label: v.Names[i], On: i == v.Base}
		c.Options = append(c.Options, o)
	}
	return c
}

func (v sideBySide) notices() []templates.Notice {
	var list []templates.Notice
	for _, w := range v.Warnings {
		fact, text, _ := strings.Cut(w.Message, ". ")
		list = append(list, templates.Notice{ID: "about-" + w.Code, Fact: fact + ".", Text: text})
	}
	return list
}

func (v sideBySide) heads(order []int) []templates.CompareHead {
	var list []templates.CompareHead
	for _, i := range order {
		list = append(list, templates.CompareHead{Name: v.Names[i], URL: "/runs/" + v.IDs[i], Mark: runMarks[i], Base: i == v.Base})
	}
	return list
}

// corner says which rows the metrics are from.
func (v sideBySide) corner() string {
	kind := v.runs[0].Spec.Validation.Kind
	for _, r := range v.runs {
		if r.Spec.Validation.Kind != kind {
			return "On the rows that judge each"
		}
	}
	switch kind {
	case "split":
		return "On rows held out"
	case "none":
		return "On the rows trained on"
	}
	return "Out of fold"
}

// inOrder lists all settings in the order of the spec.
func (v sideBySide) inOrder() []compare.Setting {
	all := slices.Concat(v.Differences, v.Same)
	slices.SortFunc(all, func(a, b compare.Setting) int { return compare.Place(a.Field) - compare.Place(b.Field) })
	return all
}

// settingRows words settings; what none of the runs has is left out.
func (v sideBySide) settingRows(list []compare.Setting) []templates.CompareRow {
	var rows []templates.CompareRow
	for _, s := range list {
		row, some := templates.CompareRow{Label: settingLabels[s.Field]}, false
		for _, i := range v.order() {
			text := settingText(s.Field, v.runs[i])
			if s.Field == "predictors" && i != v.Base {
				text = predictorChange(v.runs[v.Base].Spec.Predictors, v.runs[i].Spec.Predictors)
			}
			some = some || text != ""
			row.Cells = append(row.Cells, templates.CompareCell{Text: or(text, viz.None), Wrap: true})
		}
		if some {
			rows = append(rows, row)
		}
	}
	return rows
}

// predictorChange words a choice of columns by what it leaves out of the
// baseline's and adds to it.
func predictorChange(base, own []string) string {
	var less, more []string
	for _, name := range base {
		if !slices.Contains(own, name) {
			less = append(less, name)
		}
	}
	for _, name := range own {
		if !slices.Contains(base, name) {
			more = append(more, name)
		}
	}
	text := predictorsText(own)
	if len(less) > 0 {
		text += ", without " + named(less, 4)
	}
	if len(more) > 0 {
		text += ", with " + named(more, 4)
	}
	return text
}

// metricRows are the metrics with their differences; those that are the same in
// all are counted apart unless everything is asked for.
func (v sideBySide) metricRows() (rows []templates.CompareRow, equal []string) {
	for _, m := range v.Metrics {
		w := metricWords[m.ID]
		if m.ID == "accuracy" && !v.answersAll() {
			w.label = "Accuracy of the answers"
		}
		if !v.q.All && v.sameMetric(m) {
			equal = append(equal, w.label+" "+viz.NumberOf(m.Values[0], w.decimals))
			continue
		}
		row := templates.CompareRow{Label: w.label, Formula: w.formula, Arrow: directions[m.Direction][0], Spoken: directions[m.Direction][1]}
		for _, i := range v.order() {
			row.Cells = append(row.Cells, differenceCell(m, i, w.decimals))
		}
		rows = append(rows, row)
	}
	return rows, equal
}

// answersAll reports whether no run left a row without an answer.
func (v sideBySide) answersAll() bool {
	m, ok := v.metric("abstention_rate")
	return !ok || !slices.ContainsFunc(m.Values, func(x *float64) bool { return x != nil && *x > 0 })
}

func (v sideBySide) sameMetric(m compare.Metric) bool {
	for _, x := range m.Values {
		if x == nil || m.Values[0] == nil || *x != *m.Values[0] {
			return false
		}
	}
	return true
}

func differenceCell(m compare.Metric, i, decimals int) templates.CompareCell {
	c := templates.CompareCell{Text: viz.NumberOf(m.Values[i], decimals)}
	if m.Deltas[i] == nil {
		return c
	}
	c.Delta = plusMinus(*m.Deltas[i], decimals)
	switch m.Verdicts[i] {
	case compare.Better, compare.Worse:
		c.Verdict = m.Verdicts[i]
	case compare.Unclear:
		c.Verdict = "not clear"
	case compare.Equal:
		c.Verdict = "equal"
	}
	if p := m.Paired[i]; p != nil && p.Low != nil && p.High != nil {
		c.CI = viz.Range(plusMinus(*p.Low, decimals), plusMinus(*p.High, decimals))
	}
	return c
}

// sameSentence names what is not shown.
func (v sideBySide) sameSentence(rows []templates.CompareRow, equal []string) string {
	var each []string
	for _, r := range rows {
		text := inSentence(r.Label) + " " + r.Cells[0].Text
		if r.Cells[0].Text != strings.TrimSuffix(r.Cells[0].Text, "predictors") { // "12 predictors" names itself
			text = r.Cells[0].Text
		}
		each = append(each, text)
	}
	each = append(each, equal...)
	if len(each) == 0 {
		return ""
	}
	which := "both"
	if len(v.runs) > 2 {
		which = "all " + small(len(v.runs))
	}
	return "The same in " + which + ", hidden: " + strings.Join(each, "; ") + "."
}

// inSentence writes a label within a sentence: AUC and λ stay as they are.
func inSentence(label string) string {
	if len(label) > 1 && label[0] >= 'A' && label[0] <= 'Z' && label[1] >= 'a' && label[1] <= 'z' {
		return lowerFirst(label)
	}
	return label
}

// bands are the strata beside each other, a table for each set of boundaries.
func (v sideBySide) bands() []templates.CompareBands {
	var list []templates.CompareBands
	done := map[int]bool{}
	for _, first := range v.order() {
		if done[first] || len(v.Strata[first].Bands) == 0 {
			continue
		}
		var same []int
		for _, i := range v.order() {
			if slices.Equal(v.Strata[i].Boundaries, v.Strata[first].Boundaries) && len(v.Strata[i].Bands) == len(v.Strata[first].Bands) {
				same, done[i] = append(same, i), true
			}
		}
		t := templates.CompareBands{Heads: v.heads(same)}
		for k, b := range v.Strata[first].Bands {
			row := templates.CompareBand{Name: viz.BandName(b.Lower, b.Upper), Swatch: templates.SVG(viz.SwatchSVG(b.Lower, b.Upper))}
			for _, i := range same {
				row.Cells = append(row.Cells, stratumView(v.Strata[i].Bands[k], 0))
			}
			t.Rows = append(t.Rows, row)
		}
		list = append(list, t)
	}
	return list
}

// moveTables are who changed band between the baseline and each other run.
func (v sideBySide) moveTables() []templates.CompareMoves {
	var list []templates.CompareMoves
	for k, m := range v.Moves {
		i := slices.Index(v.IDs, m.Run)
		t := templates.CompareMoves{ID: fmt.Sprintf("moves-%d", k+1), Title: "Who moved, " + v.Names[v.Base] + " to " + v.Names[i], Why: whyNot[m.Reason]}
		if m.Reason == "" && m.Classes != nil {
			t.Title = "Who changed answer, " + v.Names[v.Base] + " to " + v.Names[i]
			t.Sides = v.answerTables(i, m.Classes)
		} else if m.Reason != "" {
			t.Title = "Who moved"
			if same := slices.IndexFunc(list, func(x templates.CompareMoves) bool { return x.Why == t.Why }); same >= 0 {
				list[same].Title = "Who moved" // said once for all
				continue
			}
			t.Title += ", " + v.Names[v.Base] + " to " + v.Names[i]
		} else {
			t.Sides = []templates.MoveTable{v.moveTable("Events", i, m.Table.Events, true), v.moveTable("Non-events", i, m.Table.Others, false)}
		}
		list = append(list, t)
	}
	return list
}

func (v sideBySide) moveTable(title string, i int, c metric.Moves, events bool) templates.MoveTable {
	right, wrong, stayed := compare.Tally(c)
	if !events {
		right, wrong = wrong, right
	}
	t := templates.MoveTable{Title: title, N: viz.Count(c.N), From: v.Names[v.Base], To: v.Names[i],
		Right: viz.Count(right) + " moved the right way", Wrong: viz.Count(wrong) + " the wrong way", Stay: viz.Count(stayed) + " stayed"}
	if n := c.Net; n.Value != nil && n.Low != nil && n.High != nil {
		t.Net = "Up less down: " + plusMinus(100**n.Value, 1) + unitPc + " of them (95" + unitPc + " CI " + viz.Range(plusMinus(100**n.Low, 1), plusMinus(100**n.High, 1)) + ")."
	}
	for j, line := range c.Counts {
		b := v.Strata[i].Bands[j]
		row := templates.MoveBand{Name: viz.BandName(b.Lower, b.Upper), Swatch: templates.SVG(viz.SwatchSVG(b.Lower, b.Upper))}
		all := 0
		for k, n := range line {
			all += n
			row.Cells = append(row.Cells, moveCell(n, j, k, events))
		}
		row.All = viz.Count(all)
		t.Bands = append(t.Bands, row)
	}
	return t
}

// moveCell marks the rows that stayed, and those that moved up and down: up is
// right for events, down for others.
func moveCell(n, from, to int, events bool) templates.MoveCell {
	c := templates.MoveCell{Text: viz.Count(n)}
	switch {
	case from == to:
		c.Kind = "stay"
	case n == 0:
	case (to > from) == events:
		c.Kind, c.Spoken = "better", " the right way"
	default:
		c.Kind, c.Spoken = "worse", " the wrong way"
	}
	if n == 0 {
		c.Text = "·"
	}
	return c
}

// termTable are the coefficients beside each other.
func (v sideBySide) termTable() *templates.Table {
	if len(v.Terms) == 0 {
		return nil
	}
	t := &templates.Table{Label: "Coefficients", Tall: len(v.Terms) > 12, Class: "tbl-compare tbl-tight", Columns: []templates.Column{{Label: "Term"}}}
	for _, i := range v.order() {
		t.Columns = append(t.Columns, templates.Column{Label: v.Names[i], Unit: "per SD", Num: true, Class: "wrap"})
		if i != v.Base {
			t.Columns = append(t.Columns, templates.Column{Label: "difference", Num: true})
		}
	}
	for _, x := range v.Terms {
		name := x.Name
		if x.Class != "" {
			name += ", class " + x.Class
		}
		row := templates.Row{Cells: []templates.Cell{{Text: name, Class: "wrap"}}}
		for _, i := range v.order() {
			row.Cells = append(row.Cells, templates.Cell{Text: viz.NumberOf(x.Standardized[i], 3)})
			if i != v.Base {
				text := viz.None
				if d := x.Deltas[i]; d != nil {
					text = plusMinus(*d, 3)
				}
				row.Cells = append(row.Cells, templates.Cell{Text: text})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note = "Of the final fits, per SD of the column. Scores of different losses are on different scales: compare signs and proportions before sizes."
	return t
}

// finding is the answer in a sentence: which run does best by the first metric
// that all have and that may be subtracted.
func (v sideBySide) finding() (strong, rest string) {
	for _, m := range v.Metrics {
		best, ok := v.best(m)
		if !ok {
			continue
		}
		w := metricWords[m.ID]
		value := func(i int) string { return viz.NumberOf(m.Values[i], w.decimals) }
		extreme := map[string]string{compare.Lower: "lowest ", compare.Higher: "highest "}[m.Direction]
		label := inSentence(w.label)
		if best != v.Base {
			return "‘" + v.Names[best] + "’", fmt.Sprintf("has the %s%s: %s against %s of the baseline ‘%s’%s", extreme, label, value(best), value(v.Base), v.Names[v.Base], v.sureness(m, best))
		}
		next := v.next(m)
		return "‘" + v.Names[best] + "’, the baseline,", fmt.Sprintf("has the %s%s: %s against %s of ‘%s’%s", extreme, label, value(best), value(next), v.Names[next], v.sureness(m, next))
	}
	if slices.ContainsFunc(v.Metrics, func(m compare.Metric) bool {
		return slices.ContainsFunc(m.Deltas, func(d *float64) bool { return d != nil })
	}) {
		return "No metric can be subtracted over all these runs;", "where two runs allow it, the table has their difference."
	}
	return "These runs have no metric that could be subtracted;", "their numbers stand side by side."
}

// sureness says whether a difference is more than chance.
func (v sideBySide) sureness(m compare.Metric, i int) string {
	p := m.Paired[i]
	if p == nil || p.Low == nil || p.High == nil {
		return "."
	}
	decimals := metricWords[m.ID].decimals
	ci := viz.Range(plusMinus(*p.Low, decimals), plusMinus(*p.High, decimals))
	text := fmt.Sprintf(". Over %s judged by both the difference is ", count(p.N, "row"))
	if m.Verdicts[i] == compare.Unclear {
		return text + "not clear (95" + unitPc + " CI " + ci + ")."
	}
	return text + "more than chance (95" + unitPc + " CI " + ci + ")."
}

// best is the run that does best by a metric, the baseline among equals.
func (v sideBySide) best(m compare.Metric) (best int, ok bool) {
	if m.Direction != compare.Lower && m.Direction != compare.Higher {
		return 0, false
	}
	for i := range v.runs {
		if i != v.Base && m.Deltas[i] == nil {
			return 0, false
		}
	}
	return v.leader(m, v.order()), true
}

// next is the best of the others.
func (v sideBySide) next(m compare.Metric) int { return v.leader(m, v.order()[1:]) }

func (v sideBySide) leader(m compare.Metric, among []int) int {
	best := among[0]
	for _, i := range among[1:] {
		if d := *m.Values[i] - *m.Values[best]; m.Direction == compare.Lower && d < 0 || m.Direction == compare.Higher && d > 0 {
			best = i
		}
	}
	return best
}
