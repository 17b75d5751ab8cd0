package main

import (
	"context"
	"strings"

	"github.com/a-h/templ"

	"taper/cmd/web/wording"
	"taper/internal/engine"
	"taper/internal/engine/metric"
	"taper/internal/engine/prep"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/web/templates"
)

// performance sets development and the new rows side by side. What would tell
// masked counts of either is left out.
func (x external) performance() templates.Table {
	t := templates.Table{Label: "Performance", Columns: []templates.Column{{Label: "Measure"},
		{Label: "Development", Unit: x.ownName(), Num: true}, {Label: "Here", Unit: "95" + wording.Pc + " CI", Num: true}, {Label: "Difference", Unit: "95" + wording.Pc + " CI", Num: true}}}
	if r, ok := x.rateRow(); ok {
		t.Rows = append(t.Rows, r)
	}
	for _, m := range measures {
		if m.of(*x.e.Performance).Value == nil || x.p.tells(m.id) {
			continue
		}
		t.Rows = append(t.Rows, x.measureRow(m))
	}
	t.Note = "AUC: DeLong. Brier, log-loss, interval loss: normal interval of a mean. Intercept and slope: Wald. Observed / expected: log-normal, compared as a ratio. ICI: bootstrap. " +
		"Differences of independent rows: Newcombe’s method 10, and after Zou and Donner for what is no proportion. Brier score, log-loss and interval loss depend on the share of events, so that they differ where it does."
	if !x.run.Wiped.IsZero() {
		t.Note += " Of the run the numbers that were kept without its data, most of them without an interval."
	}
	if x.e.Expected == nil {
		t.Note += " The model has no probabilities: no Brier score and no calibration."
	}
	return t
}

// rateRow compares the shares of events.
func (x external) rateRow() (templates.Row, bool) {
	here := x.p.strata.Total
	if !here.Events.Shown() || !here.N.Shown() {
		return templates.Row{}, false
	}
	cells := []templates.Cell{{Text: "Share of events", CI: "%"}, {Text: viz.None}, estimated(x.e.Performance.Rate, inPercent), {Text: viz.None}}
	if events, n, ok := x.ownEvents(); ok {
		cells[1] = estimated(metric.Proportion(events, n), inPercent)
		cells[3] = estimated(metric.ProportionDifference(here.Events.Low, here.N.Low, events, n), inPercent)
	}
	return templates.Row{Cells: cells}, true
}

// ownEvents counts the rows of development that judge, where print may say them.
func (x external) ownEvents() (events, n int, ok bool) {
	was := x.dev.strata.Total
	if f := x.run.Result.Flow; !x.run.Wiped.IsZero() { // counts that print masks are 0 there
		return f.ScoredEvents, f.Scored, f.ScoredEvents > 0 && f.Scored > f.ScoredEvents
	}
	return was.Events.Low, was.N.Low, was.Events.Shown() && was.N.Shown() && was.N.Low > 0
}

func (x external) measureRow(m measure) templates.Row {
	here := m.of(*x.e.Performance)
	text := places(m.decimals)
	cells := []templates.Cell{{Text: m.label, CI: m.best}, {Text: viz.None}, estimated(here, text), {Text: viz.None}}
	if m.id == "interval_loss" {
		cells[2] = x.lossCell(x.p, here, text)
	}
	if x.own == nil || x.dev.tells(m.id) || m.of(*x.own).Value == nil {
		return templates.Row{Cells: cells}
	}
	was := m.of(*x.own)
	cells[1] = estimated(was, text)
	switch m.id {
	case "interval_loss":
		if x.run.Wiped.IsZero() { // else it was kept as print may say it
			cells[1] = x.lossCell(x.dev, was, text)
		}
		if x.p.decimals == 3 && x.dev.decimals == 3 && x.run.Wiped.IsZero() {
			cells[3] = estimated(metric.IndependentDifference(here, was), text)
		}
	case "observed_expected":
		if r := metric.IndependentRatio(here, was); r.Value != nil {
			cells[3] = estimated(r, places(2))
			cells[3].Text = "× " + cells[3].Text
		}
	case "ici": // a distance, biased upwards by few rows: no difference of two
	default:
		cells[3] = estimated(metric.IndependentDifference(here, was), text)
	}
	return templates.Row{Cells: cells}
}

// lossCell prints the interval loss as exactly as masked counts allow.
func (x external) lossCell(p printed, e metric.Estimate, text func(float64) string) templates.Cell {
	if p.strata.Hidden() {
		return templates.Cell{Text: p.lossText()}
	}
	return estimated(e, text)
}

// movedColumns are what recalibration changes, before and after.
var movedColumns = []struct{ how, label, unit string }{
	{engine.MovedIntercept, "Intercept moved", "apparent"}, {engine.MovedBoth, "Intercept and slope", "apparent"},
}

// recalibrationParts say what would make the risks right on these rows.
func (x external) recalibrationParts() []templ.Component {
	if x.e.Recalibration == nil {
		return nil
	}
	if x.p.tells("observed_expected") {
		return []templ.Component{templates.ReportNote("Fewer than 10 events or non-events: what would make the risks right here is not printed.")}
	}
	parts := []templ.Component{templates.ReportNote(recalibrationWords(*x.e.Recalibration))}
	if len(x.e.Moved) > 0 {
		parts = append(parts, templates.TableView(x.moved("")))
	}
	return parts
}

// moved sets the numbers before and after recalibration side by side; with how
// that way alone.
func (x external) moved(how string) templates.Table {
	t := templates.Table{Label: "Before and after recalibration", Columns: []templates.Column{{Label: "On these rows"}, {Label: "As it is", Num: true}}}
	var ways []*engine.Moved
	for _, c := range movedColumns {
		if m := x.e.Movement(c.how); m != nil && (how == "" || how == c.how) {
			ways = append(ways, m)
			t.Columns = append(t.Columns, templates.Column{Label: c.label, Unit: c.unit, Num: true})
		}
	}
	for _, m := range measures {
		was := m.of(*x.e.Performance)
		if was.Value == nil || m.id == "auc" || x.p.tells(m.id) || m.id == "interval_loss" && x.p.decimals != 3 {
			continue
		}
		r := templates.Row{Cells: []templates.Cell{{Text: m.label, CI: m.best}, bare(was, m.decimals)}}
		for _, w := range ways {
			r.Cells = append(r.Cells, bare(m.of(w.Performance), m.decimals))
		}
		t.Rows = append(t.Rows, r)
	}
	t.Note = "Apparent on the rows that the numbers were fitted to: observed / expected is 1 by construction, with the slope so are intercept 0 and slope 1. The ranking, and with it the AUC, stays. Judge the recalibrated run on other rows."
	return t
}

// bare is a number without its interval.
func bare(e metric.Estimate, decimals int) templates.Cell {
	return templates.Cell{Text: viz.NumberOf(e.Value, decimals)}
}

// predictors sets the predictors of the new rows beside those of development, by
// class.
func (x external) predictors() templates.Table {
	names := []string{x.m.Negative, x.m.Positive}
	t := templates.Table{Label: "Predictors in development and here", Class: "tbl-tight", Columns: []templates.Column{{Label: "Predictor", Unit: "median (quartiles); count (%)"}}}
	if x.e.Classes != nil {
		names = x.m.Levels
	}
	was := map[string][]engine.Table1Row{}
	for _, r := range x.run.Result.Table1 {
		was[r.Name] = append(was[r.Name], r)
	}
	beside := x.beside()
	for k, name := range names {
		if beside {
			t.Columns = append(t.Columns, templates.Column{Label: name, Unit: "development", Num: true})
		}
		t.Columns = append(t.Columns, templates.Column{Label: name, Unit: "here, n = " + x.classCount(k), Num: true})
	}
	if beside {
		t.Columns = append(t.Columns, templates.Column{Label: "Missing", Unit: "development", Num: true})
	}
	t.Columns = append(t.Columns, templates.Column{Label: "Missing", Unit: "here", Num: true}, templates.Column{Label: "Outside", Unit: "here", Num: true})
	for _, s := range x.e.Predictors {
		t.Rows = append(t.Rows, x.shiftRows(s, was[s.Name])...)
	}
	t.Note = "Outside: judged rows beyond the range, or of a level, that training saw. Counts of 1 to 9 are masked, and what would tell them."
	return t
}

// classCount is the number of rows of a class, as print may show it.
func (x external) classCount(k int) string {
	if c := x.e.Classes; c != nil {
		n := c.Abstained[k]
		for _, v := range c.Confusion[k] {
			n += v
		}
		return hideSmall(n).CountText()
	}
	return []viz.Span{x.p.strata.Total.Others, x.p.strata.Total.Events}[k].CountText()
}

// shiftRows are the lines of one predictor; was is nil where development has
// none to show.
func (x external) shiftRows(s engine.Shift, was []engine.Table1Row) []templates.Row {
	if s.Kind == prep.Number {
		return []templates.Row{x.shiftNumber(s, was)}
	}
	if x.e.Classes != nil {
		return x.shiftClasses(s)
	}
	return x.shiftLevels(s, was)
}

// beside reports whether development's predictors may stand there too.
func (x external) beside() bool {
	return x.e.Classes == nil && len(x.run.Result.Table1) > 0 && x.dev.tellsNothing()
}

func (x external) shiftNumber(s engine.Shift, was []engine.Table1Row) templates.Row {
	var all []float64
	for _, q := range s.Quartiles {
		if q != nil {
			all = append(all, q[:]...)
		}
	}
	dev := [2][3]float64{}
	if len(was) == 1 {
		dev = [2][3]float64{was[0].Negative, was[0].Positive}
		all = append(append(all, dev[0][:]...), dev[1][:]...)
	}
	decimals := digitsFor(all)
	quartiles := func(q [3]float64) templates.Cell {
		return templates.Cell{Text: viz.Number(q[1], decimals), CI: "(" + viz.Range(viz.Number(q[0], decimals), viz.Number(q[2], decimals)) + ")"}
	}
	cells := []templates.Cell{{Text: s.Name}}
	rows, events := x.dev.developed()
	for k, q := range s.Quartiles {
		if x.beside() {
			cell := templates.Cell{Text: viz.None}
			if n := []int{rows - events, events}[k]; len(was) == 1 && n >= leastRows {
				cell = quartiles(dev[k])
			}
			cells = append(cells, cell)
		}
		if q == nil || s.N[k] < leastRows {
			cells = append(cells, templates.Cell{Text: viz.None})
		} else {
			cells = append(cells, quartiles(*q))
		}
	}
	if x.beside() {
		missing := viz.None
		if len(was) == 1 {
			missing = hideSmall(was[0].Missing).CountText()
		}
		cells = append(cells, templates.Cell{Text: missing})
	}
	return templates.Row{Cells: append(cells, templates.Cell{Text: hideSmall(s.Missing).CountText()}, templates.Cell{Text: hideSmall(s.Outside).CountText()})}
}

// developed counts the rows of the run's two classes.
func (p printed) developed() (rows, events int) {
	if p.r == nil {
		return 0, 0
	}
	return p.cohort()
}

// digitsFor gives the largest number three digits or so, whole numbers none.
func digitsFor(all []float64) int {
	most := 0
	for i := 0; i+2 < len(all); i += 3 {
		most = max(most, decimalsFor(engine.Table1Row{Negative: [3]float64(all[i : i+3])}))
	}
	return most
}

// shiftLevels are the levels of a category, those of development and those here
// each masked as one table.
func (x external) shiftLevels(s engine.Shift, was []engine.Table1Row) []templates.Row {
	here := x.asTable1(s)
	order := []string{}
	at := map[string][2]int{} // line of the level in development and here, from 1
	for i, r := range was {
		order, at[r.Level] = append(order, r.Level), [2]int{i + 1, 0}
	}
	for i, r := range here {
		lines, known := at[r.Level]
		if !known {
			order = append(order, r.Level)
		}
		lines[1] = i + 1
		at[r.Level] = lines
	}
	rows, events := x.dev.developed()
	then, now := linesOf(was, rows, events), linesOf(here, x.e.Rows, x.e.Events)
	cellsOf := func(lines []templates.Row, i, k int) templates.Cell {
		if i == 0 || i >= len(lines) {
			return templates.Cell{Text: viz.None}
		}
		return lines[i].Cells[k]
	}
	head := make([]templates.Cell, 3, 7)
	if x.beside() {
		head = head[:5]
	}
	head[0].Text = s.Name
	out := []templates.Row{}
	if x.beside() {
		missing := templates.Cell{Text: viz.None}
		if len(then) > 0 {
			missing = then[0].Cells[3]
		}
		head = append(head, missing)
	}
	missing := templates.Cell{Text: hideSmall(s.Missing).CountText()}
	if len(now) > 0 {
		missing = now[0].Cells[3]
	}
	out = append(out, templates.Row{Cells: append(head, missing, templates.Cell{Text: outsideOf(here, x.e.Rows, x.e.Events)})})
	for _, level := range order {
		cells := []templates.Cell{{Text: level, Class: "level"}}
		for k := range 2 {
			if x.beside() {
				cells = append(cells, cellsOf(then, at[level][0], k+1))
			}
			cells = append(cells, cellsOf(now, at[level][1], k+1))
		}
		if x.beside() {
			cells = append(cells, templates.Cell{})
		}
		out = append(out, templates.Row{Cells: append(cells, templates.Cell{}, templates.Cell{})})
	}
	return out
}

// outsideOf counts the rows of levels that training never saw, as the masked
// table of the levels may show it.
func outsideOf(levels []engine.Table1Row, rows, events int) string {
	at, rest := -1, viz.Split{N: rows, Events: events}
	var splits []viz.Split
	for i, l := range levels {
		s := viz.Split{N: int(l.Negative[0] + l.Positive[0]), Events: int(l.Positive[0])}
		rest.N, rest.Events = rest.N-s.N, rest.Events-s.Events
		splits = append(splits, s)
		if l.Level == engine.Unseen {
			at = i
		}
	}
	if at < 0 {
		return "0"
	}
	return viz.Mask(append(splits, rest)).Rows[at].N.CountText()
}

// linesOf masks the levels of one predictor; the first line is that of the
// predictor itself.
func linesOf(levels []engine.Table1Row, rows, events int) []templates.Row {
	if len(levels) == 0 {
		return nil
	}
	return levelRows(levels, rows, events)
}

// asTable1 puts the levels into the form of Table 1.
func (x external) asTable1(s engine.Shift) (all []engine.Table1Row) {
	for _, l := range s.Levels {
		r := engine.Table1Row{Name: s.Name, Level: l.Level, Missing: s.Missing}
		for k, to := range []*[3]float64{&r.Negative, &r.Positive} {
			to[0], to[1] = float64(l.N[k]), float64(l.N[k])/float64(max(s.N[k], 1))
		}
		all = append(all, r)
	}
	return all
}

// shiftClasses are the levels of a category by several classes, in whole
// percentages; a share of 1 to 9 rows is not printed.
func (x external) shiftClasses(s engine.Shift) []templates.Row {
	head := []templates.Cell{{Text: s.Name}}
	for range s.N {
		head = append(head, templates.Cell{})
	}
	out := []templates.Row{{Cells: append(head, templates.Cell{Text: hideSmall(s.Missing).CountText()}, templates.Cell{Text: hideSmall(s.Outside).CountText()})}}
	for _, l := range s.Levels {
		cells := []templates.Cell{{Text: l.Level, Class: "level"}}
		for k, n := range l.N {
			cells = append(cells, templates.Cell{Text: shareWords(n, s.N[k])})
		}
		out = append(out, templates.Row{Cells: append(cells, templates.Cell{}, templates.Cell{})})
	}
	return out
}

// shareWords is a whole percentage, "few" for 1 to 9 rows.
func shareWords(n, of int) string {
	switch {
	case n == 0:
		return "0"
	case n < leastRows:
		return "few"
	}
	return strings.TrimSpace(viz.Percent(float64(n)/float64(of), 0)) + wording.Pc
}

// externals lists the validations of a run on its page.
func (s *Server) externals(ctx context.Context, r store.Run) (templates.Externals, error) {
	v := templates.Externals{Say: "None yet. Score a file of rows from elsewhere that carry ‘" + r.Spec.Outcome + "’ and tick “judge the model on them”."}
	all, err := s.db.Evaluations(ctx, r.ID)
	if err != nil || len(all) == 0 {
		return v, err
	}
	several := r.Result != nil && r.Result.Classes != nil
	t := &templates.Table{Label: "External validations", Columns: []templates.Column{{Label: "Report"}, {Label: "File"}, {Label: "Date"}, {Label: "Rows", Num: true}}}
	if several {
		t.Columns = append(t.Columns, templates.Column{Label: "Accuracy", Unit: "%", Num: true})
	} else {
		t.Columns = append(t.Columns, templates.Column{Label: "Events", Num: true}, templates.Column{Label: "AUC", Num: true}, templates.Column{Label: "O / E", Num: true})
	}
	for _, e := range all {
		cells := []templates.Cell{{Text: wording.Cut(e.Name, 60), URL: "/evaluations/" + e.ID}, {Text: wording.Cut(e.File, 40)}, {Text: e.Created.UTC().Format("2 January 2006")}, {Text: viz.Count(e.N)}}
		if several {
			accuracy := viz.None
			if e.Accuracy != nil {
				accuracy = viz.Percent(*e.Accuracy, 1)
			}
			cells = append(cells, templates.Cell{Text: accuracy})
		} else {
			cells = append(cells, templates.Cell{Text: viz.Count(e.Events)}, templates.Cell{Text: viz.NumberOf(e.AUC, 3)}, templates.Cell{Text: viz.NumberOf(e.ObservedExpected, 2)})
		}
		t.Rows = append(t.Rows, templates.Row{Cells: cells})
	}
	v.Say, v.Table = "Counts and statistics of the model on other files; no row of them is kept.", t
	return v, nil
}
