package scoring

import (
	"slices"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/render"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// classAnswer is the prediction of a multiclass model for one row.
func classAnswer(m *model.Model, p model.Prediction) *templates.PatientAnswer {
	c := p.Classes
	a := &templates.PatientAnswer{Strong: c.Answer(), Rest: "is the answer for " + m.Outcome + "."}
	if c.Class == stat.Abstained {
		a.Strong, a.Rest = model.NoAnswer, "for "+m.Outcome+": saying nothing costs less here."
	}
	for k, l := range c.Levels {
		text := "score " + viz.Number(c.Scores[k], 2)
		if c.Probabilities != nil {
			text = viz.Percent(c.Probabilities[k], 1) + format.Pc + ", " + text
		}
		if k < len(c.Mixture) {
			text += ", share of the mixture " + viz.Percent(c.Mixture[k], 0) + format.Pc
		}
		a.Facts = append(a.Facts, templates.Fact{Label: l, Value: text})
	}
	if c.Probabilities != nil {
		a.Facts = append(a.Facts, templates.Fact{Label: "Probabilities", Value: "by the " + model.LinkName(m.Link) +
			" link"})
	} else {
		a.Facts = append(a.Facts, templates.Fact{Label: "Probabilities",
			Value: "none: a score of this loss recovers none; the mixture is how an adversarial loss predicts, not an estimate"})
	}
	return a
}

// scoredClasses sums up the predictions for a file.
func scoredClasses(v templates.Scored, m *model.Model, sum model.Summary) templates.Scored {
	v.Answers = true
	for k, n := range sum.Bands {
		b := scoredBand("no answer", n, sum)
		if k < len(m.Levels) {
			b.Name = m.Levels[k]
		} else if !task.Of(m.Task).Abstains() {
			continue
		}
		v.Bands = append(v.Bands, b)
	}
	v = scoredOutside(v, m, sum)
	v.Issues = issueLines(sum.Issues)
	t := templates.Table{Label: "The first rows", Class: "tbl-tight tbl-grid stacks stacks-text",
		Columns: []templates.Column{{Label: "Row"}, {Label: "Answer"}}}
	if n := len(sum.FirstRows); n < sum.Rows {
		t.Note = "The first " + phrase.Numeral(n) + " of " + phrase.Int(sum.Rows) + " rows."
	}
	for _, l := range m.Levels {
		t.Columns = append(t.Columns, templates.Column{Label: phrase.Shorten(l, 24),
			Unit: map[bool]string{true: "probability", false: "score"}[m.Link != loss.LinkNone], Num: true})
	}
	shown := modelColumns(m, sum.Header)
	for _, k := range shown {
		t.Columns = append(t.Columns, templates.Column{Label: phrase.Shorten(sum.Header[k], 24), Class: "only-w"})
	}
	t.Columns = append(t.Columns, templates.Column{Label: "Warning"})
	for i, r := range sum.FirstRows {
		cells := []templates.Cell{{Text: strconv.Itoa(i + 1)}, {Text: answerOf(m, r.Prediction)}}
		for k := range m.Levels {
			text := viz.Number(r.Classes.Scores[k], 2)
			if r.Classes.Probabilities != nil && len(r.OutsideData) > 0 {
				text = viz.None
			} else if r.Classes.Probabilities != nil {
				text = viz.Percent(r.Classes.Probabilities[k], 1) + format.Pc
			}
			cells = append(cells, templates.Cell{Text: text})
		}
		for _, k := range shown {
			cells = append(cells, templates.Cell{Text: phrase.Shorten(r.Cells[k], 24)})
		}
		t.Rows = append(t.Rows, templates.Row{Cells: append(cells, templates.Cell{Text: phrase.Shorten(r.WarningText(), 120),
			Class: "wrap"})})
	}
	v.First = t
	return v
}

// classEvaluation is an external validation of a multiclass model.
func classEvaluation(m *model.Model, e *external.Evaluation) *templates.Evaluation {
	criterion, cost := "", stat.Estimate{}
	if family, _ := loss.FamilyByID(m.Loss); family.CostParam() != "" {
		criterion = "mean cost"
	}
	if e.Cost != nil {
		cost = e.Classes.MeanCost(m.Costs, *e.Cost)
	}
	v := &templates.Evaluation{Rest: phrase.Count(e.Rows, "row") + " evaluated." + outsideSaid(e)}
	if e.OneClass() {
		v.Strong, v.Parts = noVerdict, render.Parts([]doc.Node{resultview.Confusion(*e.Classes)})
	} else {
		v.Strong, _ = resultview.ClassHeadline(&engine.ClassResult{Task: m.Task,
			Metrics: engine.ClassMetrics{Test: *e.Classes}})
		v.Parts = render.Parts([]doc.Node{doc.Facts(slices.Concat(resultview.ProbabilityFacts(*e.Classes),
			resultview.ClassFacts(m.Task, *e.Classes, criterion, cost))),
			doc.Note(strings.TrimSpace(resultview.AllClassIntervals(*e.Classes) +
				resultview.CostInterval(criterion, cost))),
			resultview.Confusion(*e.Classes), resultview.PerClass(*e.Classes)})
	}
	for _, w := range e.Warnings {
		if w.Message != e.Refusal() && w.Code != external.WarnOutside {
			v.Notices = append(v.Notices, templates.Notice{Kind: "ask", Text: w.Message})
		}
	}
	return v
}
