package report

import (
	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/external"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// performance compares development with the validation rows. Values that would reveal masked counts of either are
// left out.
func (x External) performance() doc.Table {
	t := doc.Table{Label: "Performance", Columns: []doc.Column{{Label: "Measure"},
		{Label: "Development", Unit: x.ownName(), Number: true},
		{Label: "Here", Unit: "95" + format.Pc + " CI", Number: true},
		{Label: "Difference", Unit: "95" + format.Pc + " CI", Number: true}}}
	if r, ok := x.rateRow(); ok {
		t.Rows = append(t.Rows, r)
	}
	var shown []stat.Statistic
	for _, s := range stat.PerformanceTable() {
		if x.e.Performance.Of(s.ID).Value != nil && !x.p.tells(s) {
			shown, t.Rows = append(shown, s), append(t.Rows, x.measureRow(s))
		}
	}
	t.Note = "Intervals: " + format.Hows(shown) + " Ratios are compared as ratios. " +
		"Differences between independent samples: Newcombe’s method 10 for proportions, that of Zou and Donner " +
		"otherwise. " +
		"Brier score, log loss and interval loss depend on the share of events, so that they differ where it does."
	t.Note += curveNote(*x.e.Performance)
	nothing := x.run.Result.IsRecalibrated() && (x.own == nil || x.own.AUC.Value == nil) // as where its data were deleted
	if !x.run.Wiped.IsZero() && !nothing {
		t.Note += " Of the run the numbers that were kept without its data, most of them without an interval."
	}
	if x.run.Result.IsRecalibrated() {
		t.Note += " The run was recalibrated: of its own rows, which are of the population of its parent, " +
			map[bool]string{true: "nothing", false: "the AUC alone"}[nothing] + " is compared."
	}
	if x.e.Expected == nil {
		t.Note += " The model has no probabilities: no Brier score and no calibration."
	}
	return t
}

// rateRow compares the shares of events. That of a recalibrated run is of the population of its parent.
func (x External) rateRow() (doc.Row, bool) {
	here := x.p.strata.Total
	if !here.Events.Shown() || !here.N.Shown() {
		return doc.Row{}, false
	}
	s := stat.ByID("rate")
	cells := []doc.Cell{{Value: s.Label, Note: s.Unit}, {}, statisticCell(s, x.e.Performance.Rate), {}}
	if events, n, ok := x.ownEvents(); ok && !x.run.Result.IsRecalibrated() {
		cells[1] = estimated(stat.Proportion(events, n), inPercent)
		cells[3] = estimated(stat.ProportionDifference(here.Events.Low, here.N.Low, events, n), inPercent)
	}
	return doc.Row{Cells: cells}, true
}

// ownEvents counts the test rows of development, where the report may show them.
func (x External) ownEvents() (events, n int, ok bool) {
	was := x.dev.strata.Total
	if f := x.run.Result.Flow; !x.run.Wiped.IsZero() { // masked counts were stored as 0
		return f.ScoredEvents, f.Scored, f.ScoredEvents > 0 && f.Scored > f.ScoredEvents
	}
	return was.Events.Low, was.N.Low, was.Events.Shown() && was.N.Shown() && was.N.Low > 0
}

// measureRow compares one statistic. It leaves the row out where the value of this file would reveal masked counts,
// and leaves out the value of development and the difference where that value would.
func (x External) measureRow(s stat.Statistic) doc.Row {
	here := x.e.Performance.Of(s.ID)
	row := doc.Row{Cells: []doc.Cell{measured(s), {}, doc.Measured(s, here, bands), {}}}
	if s.ID == intervalLoss {
		row.Cells[2] = x.p.c.ownLoss(row.Cells[2], bands, false)
	}
	if x.own == nil || x.own.Of(s.ID).Value == nil {
		return row
	}
	was, difference := x.own.Of(s.ID), doc.Measured(s, stat.Estimate{}, development)
	row.Cells[1] = doc.Measured(s, was, development)
	switch {
	case s.ID == intervalLoss:
		row.Cells[1].Reveals = mask.Ref{}
		if x.run.Wiped.IsZero() { // else the stored value is already masked
			row.Cells[1] = x.dev.c.ownLoss(row.Cells[1], development, false)
		}
		difference.Reveals = mask.Ref{}
		if x.p.decimals == 3 && x.dev.decimals == 3 && x.run.Wiped.IsZero() {
			difference = estimated(stat.IndependentDifference(here, was), doc.Of(s))
		}
	case s.Contrast == stat.ByRatio:
		if r := stat.IndependentRatio(here, was); r.Value != nil {
			difference.Value, difference.Low, difference.High = r.Value, r.Low, r.High
			difference.Format = doc.Format{Digits: 2, Before: "× "}
		}
	case s.Contrast == stat.ByDifference:
		d := stat.IndependentDifference(here, was)
		difference.Value, difference.Low, difference.High = d.Value, d.Low, d.High
	}
	row.Cells[3] = difference
	return row
}

// movedColumns are the columns that recalibration changes: before and after.
var movedColumns = []struct{ how, label, unit string }{
	{external.RecalibrateIntercept, "Intercept moved", "apparent"},
	{external.RecalibrateSlope, "Intercept and slope", "apparent"},
}

// recalibrationParts say how the predicted risks would have to change on these rows.
func (x External) recalibrationParts() []doc.Node {
	if x.e.Recalibration == nil {
		return nil
	}
	if x.p.tells(stat.ByID("observed_expected")) {
		return []doc.Node{doc.Note("Fewer than 10 events or non-events: what would make the risks " +
			"right here is not printed.")}
	}
	parts := []doc.Node{doc.Note(recalibrationWords(*x.e.Recalibration))}
	if len(x.e.Recalibrated) > 0 {
		parts = append(parts, x.moved(""))
	}
	return parts
}

// moved compares the statistics before and after recalibration; with how, only for that kind of recalibration.
func (x External) moved(how string) doc.Table {
	t := doc.Table{Label: "Before and after recalibration", Columns: []doc.Column{{Label: "On these rows"},
		{Label: "As it is", Number: true}}}
	var ways []*external.RecalibratedModel
	for _, c := range movedColumns {
		if m := x.e.RecalibratedModel(c.how); m != nil && (how == "" || how == c.how) {
			ways = append(ways, m)
			t.Columns = append(t.Columns, doc.Column{Label: c.label, Unit: c.unit, Number: true})
		}
	}
	for _, s := range stat.PerformanceTable() {
		was := x.e.Performance.Of(s.ID)
		if was.Value == nil || s.ID == "auc" || s.ID == stat.ChanceICI { // of the recalibrated risks it is another
			continue
		}
		r := doc.Row{Cells: []doc.Cell{measured(s), bare(s, was)}}
		for _, w := range ways {
			r.Cells = append(r.Cells, bare(s, w.Performance.Of(s.ID)))
		}
		if s.ID == intervalLoss {
			// The change is in decimals that a masked band may not have, and the other two losses are of bands whose
			// counts no table masks.
			for k := range r.Cells {
				r.Cells[k].Reveals = mask.Ref{}
			}
			r.Reveals = ofBands
		}
		t.Rows = append(t.Rows, r)
	}
	t.Note = "Apparent on the rows that the numbers were fitted to: observed / expected is 1 by construction, with the " +
		"slope so are intercept 0 and slope 1. The ranking, and with it the AUC, stays. Evaluate the recalibrated run on " +
		"other rows."
	return t
}

// classPerformance compares development with the validation rows: metrics of the probabilities or metrics of the
// answers; nil where there are none. Only the validation rows have bootstrap intervals, so differences have none.
func (x External) classPerformance(probabilities bool) []doc.Node {
	if probabilities && x.p.released[classes].Hidden() {
		return []doc.Node{doc.Note(probabilitiesMasked)}
	}
	t := doc.Table{Label: "Performance", Columns: []doc.Column{{Label: "Measure"},
		{Label: "Development", Unit: x.ownName(), Number: true},
		{Label: "Here", Unit: "95" + format.Pc + " CI", Number: true},
		{Label: "Difference", Unit: "95" + format.Pc + " CI", Number: true}}}
	dev := x.run.Result.Classes.Metrics.Test
	var shown []stat.Statistic
	for _, s := range stat.Which(stat.Statistic.OfClasses) {
		here, was := x.e.Classes.Of(s.ID), dev.Of(s.ID)
		if here.Value == nil || probabilities != (s.Needs&stat.NeedProbability != 0) {
			continue
		}
		if here.Low == nil && x.e.Intervals != nil { // the analytic one is that of the page and of development
			if w := x.e.Intervals.Of(s.ID); w.Low != nil {
				here.Low, here.High, s.How = w.Low, w.High, stat.Resampled
			}
		}
		as := doc.Of(s)
		shown = append(shown, s)
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{measured(s), estimated(was, as),
			estimated(here, as), estimated(stat.IndependentDifference(here, was), as)}})
	}
	t.Note = "Intervals: " + format.Hows(shown) +
		" Differences of independent rows, after Newcombe (method 10) and Zou and Donner, where both sides have an interval."
	if len(shown) == 0 {
		return nil
	}
	if !probabilities {
		t.Note += resultview.OverClasses(*x.e.Classes)
	}
	if r := x.run.Result; !probabilities && x.answers.hidden && r != nil && r.Classes != nil {
		t.Note += " " + x.answers.note(r.Classes)
	}
	return []doc.Node{t}
}

// movedBands compares the bands before and after recalibration.
func movedBands(e *external.Evaluation, m *external.RecalibratedModel) doc.Table {
	t := doc.Table{Label: "Bands before and after", Columns: []doc.Column{{Label: "Band"},
		{Label: "Rows", Unit: "as it was", Number: true},
		{Label: format.ShortLabel("rate"), Unit: "% (95" + format.Pc + " CI), as it was", Number: true},
		{Label: "Rows", Unit: "recalibrated", Number: true},
		{Label: format.ShortLabel("rate"), Unit: "% (95" + format.Pc + " CI), recalibrated", Number: true},
		{Label: "Verdict", Unit: "before → after"}}}
	for k, was := range e.Strata {
		is := m.Strata[k]
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: viz.BandName(was.Lower, was.Upper)},
			{Value: phrase.Int(was.N)}, observed(was), {Value: phrase.Int(is.N)}, observed(is),
			{Value: was.Verdict + " → " + is.Verdict}}})
	}
	t.Note = "95" + format.Pc + " CI: Wilson."
	return t
}

// observed is the event rate of a band with its interval.
func observed(s stat.Stratum) doc.Cell {
	return estimated(stat.Estimate{Value: s.Observed, Low: s.Low, High: s.High}, inPercent)
}
