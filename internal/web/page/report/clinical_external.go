package report

import (
	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// ExternalParts are the statistics of an external validation: the model on rows
// from elsewhere.
func ExternalParts(m *engine.Model, e *engine.Evaluation) []doc.Node {
	if e.Performance == nil {
		return nil
	}
	c := Clinical{Result: &engine.Result{Outcome: m.Outcome, Positive: m.Positive, Boundaries: m.Boundaries},
		Statistics: engine.Statistics{Judged: *e.Performance, Boundaries: e.Boundaries, Calibration: e.Calibration}}
	t := doc.Table{Label: "Performance on the new rows", Columns: []doc.Column{{Label: "Measure"},
		{Label: "New rows", Unit: "95" + format.Pc + " CI", Number: true}}}
	for _, s := range stat.Which(stat.Statistic.Tabled) {
		if v := e.Performance.Of(s.ID); v.Value != nil {
			t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{measured(s), estimated(v, doc.Of(s))}})
		}
	}
	parts := []doc.Node{t}
	for from := 0; from < len(e.Boundaries); from += tablesWide {
		parts = append(parts, c.boundaries(from, min(from+tablesWide, len(e.Boundaries))))
	}
	if e.By != "" {
		c.By, c.Groups = e.By, e.Subgroups
		parts = append(parts, c.subgroupTable())
	}
	if s := e.Calibration; s != nil && len(s.Points) > 0 {
		parts = append(parts, doc.Figures{{Title: "Calibration on the new rows",
			Say: "Smooth curve with its 95" + format.Pc +
				" band over the diagonal; below, how often each risk was predicted.",
			SVG:    viz.CalibrationSVG(*s, 1),
			Legend: []doc.Mark{{SVG: viz.DotSVG("c1"), Text: c.event()}, {SVG: viz.DotSVG("c0"), Text: "others"}}}})
	}
	if e.Recalibration != nil {
		parts = append(parts, doc.Note(recalibrationWords(*e.Recalibration)))
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
	return say + ". 95" + format.Pc + " CI of the intercept " + worded(r.Intercept, doc.To(3)) + ", of the slope " +
		worded(r.Slope, doc.To(3)) + "."
}
