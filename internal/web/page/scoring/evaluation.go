package scoring

import (
	"fmt"
	"slices"

	"taper/internal/doc"
	"taper/internal/engine/external"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/render"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// Evaluation is an external validation; for binary models details are shown below its facts.
func Evaluation(m *model.Model, e *external.Evaluation, details []doc.Node) *templates.Evaluation {
	if e.Classes != nil {
		return classEvaluation(m, e)
	}
	event := format.Event(m.Outcome, m.Positive)
	good, judged, few := 0, 0, 0
	for _, b := range e.Strata {
		switch b.Verdict {
		case stat.Inside, stat.Compatible:
			good, judged = good+1, judged+1
		case stat.Unclear, stat.Outside:
			judged++
		default:
			few++
		}
	}
	whose := "Rows that took no part in the development of the model."
	if e.IsTrainingData() {
		whose = "Rows that the model was trained on: apparent performance."
	}
	note := whose + " " + resultview.StrataIntervals
	if !e.OneClass() {
		note += " " + stat.BandVerdicts
	}
	strata := resultview.Strata(e.Strata, event, note)
	v := &templates.Evaluation{Strong: bandsHold(good, judged, few),
		Rest: fmt.Sprintf("%s evaluated, %s of them %s.", phrase.Count(e.Rows, "row"), phrase.Int(e.Events), event) +
			outsideSaid(e),
		Parts: render.Parts(append([]doc.Node{strata, evaluationFacts(e)}, details...))}
	if e.OneClass() {
		v.Strong, v.Parts = noVerdict, render.Parts([]doc.Node{strata})
	}
	for _, w := range e.Warnings {
		if w.Code == external.WarnOutside || w.Message == e.Refusal() {
			continue // shown above
		}
		v.Notices = append(v.Notices, templates.Notice{Kind: "ask", Text: w.Message})
	}
	return v
}

// noVerdict is the headline on rows of one class.
const noVerdict = "No verdict: all rows are of one class."

// bandsHold counts the bands whose rate agrees with their limits among those evaluated; few others were not.
func bandsHold(good, judged, few int) string {
	text := phrase.UpperFirst(phrase.Numeral(good)) + " of " + phrase.Numeral(judged) + " bands with enough rows are " +
		"inside or compatible with their limits"
	switch {
	case judged == 0:
		return "No band has enough rows for a verdict."
	case good == judged && judged == 1:
		text = "The one band with enough rows is inside or compatible with its limits"
	case good == judged && judged == 2:
		text = "Both bands with enough rows are inside or compatible with their limits"
	case good == judged:
		text = "All " + phrase.Numeral(judged) + " bands with enough rows are inside or compatible with their limits"
	case judged == 1:
		text = "The one band with enough rows is neither inside nor compatible with its limits"
	case good < 2:
		text = []string{"None", "One"}[good] + " of " + phrase.Numeral(judged) + " bands with enough rows is inside or " +
			"compatible with its limits"
	}
	switch few {
	case 0:
		return text + "."
	case 1:
		return text + "; one band has too few to judge."
	}
	return text + "; " + phrase.Numeral(few) + " bands have too few to judge."
}

func evaluationFacts(e *external.Evaluation) (out doc.Facts) {
	for _, s := range stat.Which(func(s stat.Statistic) bool { return s.InBinary() && s.InPerformanceTable() }) {
		v := e.Metrics.Of(s.ID)
		if v.Value == nil {
			continue
		}
		text := format.StatisticOf(s, v.Value)
		if v.Low != nil && v.High != nil && !viz.Widthless(*v.Low, *v.High, false) {
			text += " (95" + format.Pc + " CI " + viz.Range(format.StatisticOf(s, v.Low), format.StatisticOf(s, v.High)) + ")"
		}
		out = append(out, doc.Fact{Label: s.Label, Value: text})
	}
	return out
}

// Kept says what was stored of an evaluation, or why nothing was.
func Kept(v *templates.Evaluation, e *external.Evaluation, id string) *templates.Evaluation {
	v.Title, v.Refused = "External validation", e.Refusal()
	if v.Refused != "" {
		v.Title, v.Refused = "The model on these rows", v.Refused+" Nothing was kept."
	}
	if id != "" {
		v.Report, v.Kept = "/evaluations/"+id, "Counts and statistics are kept with the run; no row of the file is."
	}
	return v
}

// listed is a statistic of a list, with its interval where the result has one.
func listed(id string, value *float64, e *external.Evaluation) templates.Cell {
	s := stat.ByID(id)
	cell := templates.Cell{Text: format.StatisticOf(s, value)}
	var full stat.Estimate
	switch {
	case e == nil:
	case e.Classes != nil:
		full = e.Classes.Of(id)
	case e.Performance != nil:
		full = e.Performance.Of(id)
	}
	if full.Low != nil && full.High != nil {
		cell.CI = format.IntervalOf(s, full, false, phrase.To)
	}
	return cell
}

// Externals lists the external validations of a run on its page; all begins with the oldest.
func Externals(r store.Run, all []store.Evaluation) templates.Externals {
	v := templates.Externals{Say: "None yet. Score a file of rows from elsewhere that include ‘" + r.Spec.Outcome +
		"’ and select “also evaluate the model on it”."}
	if len(all) == 0 {
		return v
	}
	several := r.Result != nil && r.Result.Classes != nil
	t := &templates.Table{Label: "External validations", Columns: []templates.Column{{Label: "Report"},
		{Label: "File", Class: "only-w"}, {Label: "Date", Class: "only-w"}, {Label: "Rows", Num: true}}}
	if several {
		t.Columns = append(t.Columns, templates.Column{Label: format.ShortLabel("accuracy"), Unit: "% (95 % CI)", Num: true,
			Class: "nowrap"})
	} else {
		t.Columns = append(t.Columns, templates.Column{Label: "Events", Num: true},
			templates.Column{Label: format.ShortLabel("auc"), Unit: "(95 % CI)", Num: true, Class: "nowrap"},
			templates.Column{Label: format.ShortLabel("observed_expected"), Unit: "(95 % CI)", Num: true,
				Class: "nowrap"})
	}
	for _, e := range slices.Backward(all) {
		cells := []templates.Cell{{Text: format.Cut(e.Name, 60), URL: "/evaluations/" + e.ID},
			{Text: format.Cut(e.File, 40)}, {Text: e.Created.UTC().Format("2 January 2006")}, {Text: phrase.Int(e.N)}}
		if several {
			cells = append(cells, listed("accuracy", e.Accuracy, e.Result))
		} else {
			cells = append(cells, templates.Cell{Text: phrase.Int(e.Events)}, listed("auc", e.AUC, e.Result),
				listed("observed_expected", e.ObservedExpected, e.Result))
		}
		t.Rows = append(t.Rows, templates.Row{Cells: cells})
	}
	v.Say, v.Table = "Counts and statistics of the model on other files; no row of them is kept.", t
	return v
}
