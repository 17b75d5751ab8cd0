package report

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/external"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// Report is the report with counts of 1 to 9 masked, as in the report of a run, unless they are asked for.
func (x External) Report() doc.Document {
	d := x.document()
	if x.small == ShowSmall {
		d.Counts[mask.Rows] = nil
	}
	return doc.Mask(d, func(table string, rows []mask.Split) mask.Table {
		switch {
		case x.e.Classes != nil:
			return x.small.release(rows)
		case table == development:
			return x.dev.release(bands, rows)
		}
		return x.p.release(table, rows)
	})
}

// document makes the sections.
func (x External) document() doc.Document {
	r := doc.Document{
		Title: "External validation: " + x.rec.Name, Facts: x.facts(), Use: phrase.IntendedUse,
		Foot: []string{"Taper " + x.rec.Version + " · validation " + x.rec.ID + " · file " + format.Hash(x.rec.SHA256, 8),
			"Not a medical device"},
	}
	x.small.stamp(&r)
	if x.small == ShowSmall && !x.run.Wiped.IsZero() {
		r.Use += " Counts of development stay masked: its data were deleted."
	}
	if x.e.Classes != nil {
		r.Sections, r.Counts = x.classSections(), map[string][]mask.Split{classes: nil}
		for k := range x.e.Classes.Levels {
			n := x.classRows(k)
			r.Counts[classes] = append(r.Counts[classes], mask.Split{N: n, Events: n})
		}
		return r
	}
	r.Sections = []doc.Section{
		{Title: "Verdict", Level: doc.Summary,
			Body: x.counted(func(x External) []doc.Node { return []doc.Node{doc.Verdict(x.verdict())} })},
		{Title: "Strata", Level: doc.Summary, Body: x.counted(External.strataParts)},
		{Title: mainLimits, Level: doc.Summary,
			Body: x.counted(func(x External) []doc.Node { return gravestOf(x.limits()) })},
		{Title: "Data", Body: x.counted(External.dataParts)},
		{Title: "Performance", Body: x.counted(External.performanceParts)},
		{Title: "Classification", Body: x.p.classification()},
		{Title: "Recalibration", Body: x.counted(External.recalibrationParts)},
		{Title: "Subgroups", Body: x.subgroupParts()},
		{Title: "Limits", Body: x.counted(External.limitParts)},
		{Title: "Reproduce this evaluation", Level: doc.Appendix, Body: x.redoParts()},
		{Title: "Masks", Level: doc.Appendix, Body: x.small.masks()},
	}
	r.Counts = x.p.c.counts()
	r.Counts[development] = x.dev.c.counts()[bands]
	return r
}

// classSections are the sections for several classes.
func (x External) classSections() []doc.Section {
	return []doc.Section{
		{Title: "Verdict", Level: doc.Summary, Body: doc.Nodes{doc.Verdict(x.classVerdict())}},
		{Title: "Answers", Level: doc.Summary, Body: doc.Nodes{x.small.shareTable(*x.e.Classes, abstains(x.run.Result))}},
		{Title: mainLimits, Level: doc.Summary, Body: gravestOf(x.limits())},
		{Title: "Data", Body: x.counted(External.dataParts)},
		{Title: "Performance", Body: x.counted(func(x External) []doc.Node { return x.classPerformance(true) })},
		{Title: "Classification", Body: x.counted(func(x External) []doc.Node {
			parts := append([]doc.Node{doc.Note(resultview.RuleWords(x.run.Result.Classes.Rule))}, x.classPerformance(false)...)
			return append(parts, x.small.eachClass(*x.e.Classes, x.classCounts(),
				abstains(x.run.Result)))
		})},
		{Title: "Limits", Body: x.limitParts()},
		{Title: "Reproduce this evaluation", Level: doc.Appendix, Body: x.redoParts()},
		{Title: "Masks", Level: doc.Appendix, Body: x.small.masks()},
	}
}

// limitParts lists what to keep in mind.
func (x External) limitParts() []doc.Node {
	var items doc.List
	for _, l := range x.limits() {
		items = append(items, l.text)
	}
	return []doc.Node{items}
}

// dataParts counts the rows and compares the predictors with those of development.
func (x External) dataParts() []doc.Node {
	parts := []doc.Node{x.flow()}
	if t := x.predictors(); len(t.Rows) > 0 {
		parts = append(parts, t)
	}
	return append(parts, doc.Note(strings.Join(x.dataNotes(), " ")))
}

// flow counts the rows: read, set aside, evaluated. Where a small part is masked, the rows read are a range too.
func (x External) flow() doc.Flow {
	total := mask.Span{Low: x.e.Rows, High: x.e.Rows}
	judged := []string{"evaluated"}
	if x.e.Classes == nil {
		total = x.p.strata.Total.N
		judged = []string{"evaluated, " + x.p.strata.Total.Events.CountText() + " events"}
	}
	if x.unseen() {
		judged = append(judged, "none identical to a training row")
	}
	none, unknown := x.aside()
	outside := x.outside().N
	read := plus(plus(total, outside), plus(none, unknown))
	aside := []string{"of a level the model does not know"}
	if x.e.Outside > 0 {
		aside = append(aside, outside.CountText()+" outside the training data, not evaluated")
	}
	return doc.Flow{{Count: read, Lines: []string{"rows read"}}, {Count: none, Lines: []string{"without the outcome"}},
		{Count: unknown, Lines: aside}, {Count: total, Lines: judged}}
}

func (x External) dataNotes() []string {
	notes := []string{fmt.Sprintf("Outcome: %s, event = %s, no event = %s.", x.m.Outcome, x.m.Positive, x.m.Negative)}
	if x.e.Classes != nil {
		notes = []string{fmt.Sprintf("Outcome: %s, classes %s.", x.m.Outcome, format.Names(x.m.Levels, 12))}
	}
	for _, l := range x.e.Unknown {
		name := x.m.Outcome + " = " + l.Level
		if l.Level == "" {
			name = "Levels of few rows"
		}
		notes = append(notes, fmt.Sprintf("%s: %s, not evaluated.", name, x.small.span(l.Rows).CountText()))
	}
	if x.e.Outside > 0 {
		notes = append(notes, x.outsideNote())
	}
	warned := x.small.span(x.e.Warned).CountText()
	if x.e.Warned > 0 {
		notes = append(notes, warned+" evaluated rows have missing, unseen or out-of-range values; they are handled "+
			"as in training.")
	}
	return notes
}

// strataParts are the bands of the validation rows.
func (x External) strataParts() []doc.Node {
	judged := "On the validation file."
	if x.unseen() {
		judged = "On the validation file: rows that were not used to make the model."
	}
	return append([]doc.Node{x.p.strataTable(judged)}, x.p.beside("On the new rows")...)
}

// performanceParts compares the statistics with those of development, and adds the calibration curve, which
// discloses the risks by class, and the net benefit.
func (x External) performanceParts() []doc.Node {
	parts := []doc.Node{x.performance()}
	figures, benefit := x.p.c.calibrationFigure(), x.p.c.Benefit()
	if x.e.Expected != nil {
		says := resultview.CoreMeasures(true, resultview.Core{Calibration: len(figures) > 0, Benefit: len(benefit) > 0})
		parts = append([]doc.Node{doc.Note(says)}, parts...)
	}
	for i, f := range figures {
		figures[i].Title, figures[i].Say = "Calibration on the new rows", f.Say+x.curveNote()
	}
	return append(parts, slices.Concat(figures, benefit))
}

// curveNote gives the largest distance of the curve from the diagonal.
func (x External) curveNote() string {
	s := x.e.Calibration
	if s == nil || s.EMax == nil {
		return ""
	}
	return " Farthest from the diagonal: " + viz.Percent(*s.EMax, 1) + " points."
}

func (x External) subgroupParts() []doc.Node {
	if x.e.By == "" {
		return []doc.Node{doc.Note("No column was chosen when the file was evaluated: score it again with " +
			"“Evaluate subgroups by”, or with by=COLUMN in the call.")}
	}
	return x.p.subgroupSection()
}

// Tools are the actions offered for a validation.
func (x External) Tools() templates.EvaluationTools {
	to := "/evaluations/" + x.rec.ID
	v := templates.EvaluationTools{URL: to, Run: templates.Link{Label: x.run.Name, URL: "/runs/" + x.run.ID},
		Name: templates.Input{ID: "eval-name", Name: "name", Label: "Name", Value: x.rec.Name}}
	if !x.m.Recalibrates() {
		v.Say = "Only risks of two classes by a logistic link can be recalibrated: this model has none."
		return v
	}
	v.Say = "Recalibrates the risks as a new run with its own model.json: by the intercept, so that expected " +
		"events equal observed events; by intercept and slope; or for another prevalence. With the numbers of " +
		"this file it is calibrated on this file by construction: evaluate the new run on a third file."
	v.ForRate = true
	for _, way := range []struct{ how, label string }{{external.RecalibrateIntercept, "Recalibrate the intercept"},
		{external.RecalibrateSlope, "Recalibrate intercept and slope"}} {
		if x.e.RecalibratedModel(way.how) != nil {
			v.Moves = append(v.Moves, templates.Button{Label: way.label, Method: "POST", URL: to + "/recalibrate",
				Fields: []templates.Field{{Name: "how", Value: way.how}}})
		}
	}
	return v
}
