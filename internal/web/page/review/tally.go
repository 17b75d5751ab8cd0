package review

import (
	"taper/internal/engine/audit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// tally counts the decisions, with Wilson's interval.
func (v *Page) tally() []templates.AuditCount {
	n := audit.Count(v.Decisions)
	counts := []templates.AuditCount{{Label: "Reviewed", Value: phrase.Int(n.Reviewed), Note: "of " +
		phrase.Int(v.Queue.Audit.Summary.Rows)},
		rate("Label errors / reviewed", n.Errors, n.Reviewed, "most suspicious rows first; not an estimate of the overall "+
			"error rate"+noError(n.Unsure, n.Excluded)),
		rate("Among the random controls", n.ControlErrors, n.Controls, controlsNote(n))}
	return append(counts, templates.AuditCount{Label: "Excluded", Value: phrase.Int(n.Excluded)},
		templates.AuditCount{Label: "Unsure", Value: phrase.Int(n.Unsure)})
}

// noError says which rows of a rate are in its denominator alone; "" without such rows.
func noError(unsure, excluded int) string {
	switch {
	case unsure > 0 && excluded > 0:
		return "; unsure and excluded rows count as no error"
	case unsure > 0:
		return "; unsure rows count as no error"
	case excluded > 0:
		return "; excluded rows count as no error"
	}
	return ""
}

// controlsNote explains what the random controls estimate, and how many of them were decided before their rank
// revealed them as controls.
func controlsNote(n audit.Tally) string {
	note := "estimates the overall error rate" + noError(n.ControlsUnsure, n.ControlsExcluded)
	if n.Controls > 0 {
		note += "; " + phrase.Int(n.ControlsBlind) + " of " + phrase.Int(n.Controls) +
			" decided with the evidence hidden"
	}
	return note
}

// fewestRunning is the smallest number of decisions for which an error rate is drawn.
const fewestRunning = 5

// running draws the error rate over the course of the review; nil for few decisions.
func running(decisions []audit.Decision) []templates.ReportFigure {
	wrong := audit.Verdicts(decisions)
	if len(wrong) < fewestRunning {
		return nil
	}
	return []templates.ReportFigure{{Title: "Label errors as the review went on",
		Say: "Errors / rows reviewed after each decision, with the Wilson 95" + format.Pc +
			" band. The rate falls once the rows that follow are no longer suspect.",
		SVG: viz.RunningSVG(stat.RunningRate(wrong))}}
}

func rate(label string, wrong, of int, note string) templates.AuditCount {
	c := templates.AuditCount{Label: label, Value: phrase.Int(wrong) + " of " + phrase.Int(of), Note: note}
	if p := stat.Proportion(wrong, of); of > 0 && p.Low != nil && p.High != nil {
		c.CI = viz.Percent(*p.Value, 0) + format.Pc + ", 95" + format.Pc + " CI " +
			viz.Range(viz.Percent(*p.Low, 0), viz.Percent(*p.High, 0)) + format.Pc
	}
	return c
}
