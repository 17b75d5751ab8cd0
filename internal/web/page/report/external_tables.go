package report

import (
	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/web/format"
)

// performance sets development and the new rows side by side. What would tell
// masked counts of either is left out.
func (x External) performance() doc.Table {
	t := doc.Table{Label: "Performance", Columns: []doc.Column{{Label: "Measure"},
		{Label: "Development", Unit: x.ownName(), Number: true}, {Label: "Here", Unit: "95" + format.Pc + " CI",
			Number: true},
		{Label: "Difference", Unit: "95" + format.Pc + " CI", Number: true}}}
	if r, ok := x.rateRow(); ok {
		t.Rows = append(t.Rows, r)
	}
	var shown []stat.Statistic
	for _, s := range stat.Which(stat.Statistic.Tabled) {
		if x.e.Performance.Of(s.ID).Value != nil && !x.p.tells(s) {
			shown, t.Rows = append(shown, s), append(t.Rows, x.measureRow(s))
		}
	}
	t.Note = "Intervals: " + format.Hows(shown) + " Ratios are compared as ratios. " +
		"Differences of independent rows: Newcombe’s method 10, and after Zou and Donner for what is no proportion. Brier " +
		"score, log loss and interval loss depend on the share of events, so that they differ where it does."
	if !x.run.Wiped.IsZero() {
		t.Note += " Of the run the numbers that were kept without its data, most of them without an interval."
	}
	if x.e.Expected == nil {
		t.Note += " The model has no probabilities: no Brier score and no calibration."
	}
	return t
}

// rateRow compares the shares of events.
func (x External) rateRow() (doc.Row, bool) {
	here := x.p.Strata.Total
	if !here.Events.Shown() || !here.N.Shown() {
		return doc.Row{}, false
	}
	cells := []doc.Cell{{Value: "Share of events", Note: "%"}, {},
		estimated(x.e.Performance.Rate, inPercent), {}}
	if events, n, ok := x.ownEvents(); ok {
		cells[1] = estimated(stat.Proportion(events, n), inPercent)
		cells[3] = estimated(stat.ProportionDifference(here.Events.Low, here.N.Low, events, n), inPercent)
	}
	return doc.Row{Cells: cells}, true
}

// ownEvents counts the rows of development that judge, where print may say them.
func (x External) ownEvents() (events, n int, ok bool) {
	was := x.dev.Strata.Total
	if f := x.run.Result.Flow; !x.run.Wiped.IsZero() { // counts that print masks are 0 there
		return f.ScoredEvents, f.Scored, f.ScoredEvents > 0 && f.Scored > f.ScoredEvents
	}
	return was.Events.Low, was.N.Low, was.Events.Shown() && was.N.Shown() && was.N.Low > 0
}

func (x External) measureRow(s stat.Statistic) doc.Row {
	here, as := x.e.Performance.Of(s.ID), doc.Of(s)
	cells := []doc.Cell{measured(s), {}, estimated(here, as), {}}
	if s.ID == intervalLoss {
		cells[2] = x.lossCell(x.p, here, as)
	}
	if x.own == nil || x.dev.tells(s) || x.own.Of(s.ID).Value == nil {
		return doc.Row{Cells: cells}
	}
	was := x.own.Of(s.ID)
	cells[1] = estimated(was, as)
	switch {
	case s.ID == intervalLoss:
		if x.run.Wiped.IsZero() { // else it was kept as print may say it
			cells[1] = x.lossCell(x.dev, was, as)
		}
		if x.p.decimals == 3 && x.dev.decimals == 3 && x.run.Wiped.IsZero() {
			cells[3] = estimated(stat.IndependentDifference(here, was), as)
		}
	case s.Contrast == stat.ByRatio:
		if r := stat.IndependentRatio(here, was); r.Value != nil {
			cells[3] = estimated(r, doc.Format{Digits: 2, Before: "× "})
		}
	case s.Contrast == stat.ByDifference:
		cells[3] = estimated(stat.IndependentDifference(here, was), as)
	}
	return doc.Row{Cells: cells}
}

// lossCell prints the interval loss as exactly as masked counts allow.
func (x External) lossCell(p Printed, e stat.Estimate, as doc.Format) doc.Cell {
	if p.Strata.Hidden() {
		return doc.Cell{Value: p.LossText()}
	}
	return estimated(e, as)
}

// movedColumns are what recalibration changes, before and after.
var movedColumns = []struct{ how, label, unit string }{
	{engine.MovedIntercept, "Intercept moved", "apparent"}, {engine.MovedBoth, "Intercept and slope", "apparent"},
}

// recalibrationParts say what would make the risks right on these rows.
func (x External) recalibrationParts() []doc.Node {
	if x.e.Recalibration == nil {
		return nil
	}
	if x.p.tells(stat.ByID("observed_expected")) {
		return []doc.Node{doc.Note("Fewer than 10 events or non-events: what would make the risks " +
			"right here is not printed.")}
	}
	parts := []doc.Node{doc.Note(recalibrationWords(*x.e.Recalibration))}
	if len(x.e.Moved) > 0 {
		parts = append(parts, x.moved(""))
	}
	return parts
}

// moved sets the numbers before and after recalibration side by side; with how
// that way alone.
func (x External) moved(how string) doc.Table {
	t := doc.Table{Label: "Before and after recalibration", Columns: []doc.Column{{Label: "On these rows"},
		{Label: "As it is", Number: true}}}
	var ways []*engine.Moved
	for _, c := range movedColumns {
		if m := x.e.Movement(c.how); m != nil && (how == "" || how == c.how) {
			ways = append(ways, m)
			t.Columns = append(t.Columns, doc.Column{Label: c.label, Unit: c.unit, Number: true})
		}
	}
	for _, s := range stat.Which(stat.Statistic.Tabled) {
		was := x.e.Performance.Of(s.ID)
		if was.Value == nil || s.ID == "auc" || x.p.tells(s) || s.ID == intervalLoss && x.p.decimals != 3 {
			continue
		}
		r := doc.Row{Cells: []doc.Cell{measured(s), bare(s, was)}}
		for _, w := range ways {
			r.Cells = append(r.Cells, bare(s, w.Performance.Of(s.ID)))
		}
		t.Rows = append(t.Rows, r)
	}
	t.Note = "Apparent on the rows that the numbers were fitted to: observed / expected is 1 by construction, with the " +
		"slope so are intercept 0 and slope 1. The ranking, and with it the AUC, stays. Judge the recalibrated run on " +
		"other rows."
	return t
}

// bare is a number without its interval.
func bare(s stat.Statistic, e stat.Estimate) doc.Cell {
	return doc.Cell{Value: e.Value, Format: doc.Of(s)}
}
