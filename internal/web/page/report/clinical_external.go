package report

import (
	"github.com/a-h/templ"

	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// ExternalParts are the statistics of an external validation: the model on rows
// from elsewhere.
func ExternalParts(m *engine.Model, e *engine.Evaluation) []templ.Component {
	if e.Performance == nil {
		return nil
	}
	c := Clinical{Result: &engine.Result{Outcome: m.Outcome, Positive: m.Positive, Boundaries: m.Boundaries},
		Statistics: engine.Statistics{Judged: *e.Performance, Boundaries: e.Boundaries, Calibration: e.Calibration}}
	t := templates.Table{Label: "Performance on the new rows", Columns: []templates.Column{{Label: "Measure"},
		{Label: "New rows", Unit: "95" + format.Pc + " CI", Num: true}}}
	for _, s := range stat.Which(stat.Statistic.Tabled) {
		if v := e.Performance.Of(s.ID); v.Value != nil {
			t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{measured(s), estimated(v, format.Statistic(s))}})
		}
	}
	parts := []templ.Component{templates.TableView(t)}
	for from := 0; from < len(e.Boundaries); from += tablesWide {
		parts = append(parts, templates.TableView(c.boundaries(from, min(from+tablesWide, len(e.Boundaries)), nil)))
	}
	if e.By != "" {
		c.By, c.Groups = e.By, e.Subgroups
		parts = append(parts, templates.TableView(c.subgroupTable()))
	}
	if s := e.Calibration; s != nil && len(s.Points) > 0 {
		parts = append(parts, templates.ReportFigures([]templates.ReportFigure{{Title: "Calibration on the new rows",
			Say: "Smooth curve with its 95" + format.Pc +
				" band over the diagonal; below, how often each risk was predicted.",
			SVG:    viz.CalibrationSVG(*s, 1),
			Legend: []templates.ReportMark{{SVG: viz.DotSVG("c1"), Text: c.event()}, {SVG: viz.DotSVG("c0"), Text: "others"}}}}))
	}
	if e.Recalibration != nil {
		parts = append(parts, templates.ReportNote(recalibrationWords(*e.Recalibration)))
	}
	return parts
}

// recalibrationWords say what would make the risks right on the rows at hand.
func recalibrationWords(r stat.Recalibration) string {
	if r.Intercept.Value == nil {
		return "These rows allow no recalibration."
	}
	say := "To meet the frequency here: logit P = " + viz.Number(*r.Intercept.Value, 3) + " + logit p"
	if r.Slope.Value != nil && r.JointIntercept != nil {
		say += "; to meet the spread too: logit P = " + viz.Number(*r.JointIntercept, 3) + " + " +
			viz.Number(*r.Slope.Value, 3) + " · logit p"
	}
	return say + ". 95" + format.Pc + " CI of the intercept " + worded(r.Intercept, places(3)) + ", of the slope " +
		worded(r.Slope, places(3)) + "."
}
