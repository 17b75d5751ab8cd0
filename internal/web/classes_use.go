package web

import (
	"context"
	"strconv"

	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
	"taper/internal/engine/synth"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// finishedClasses shows what a run of several classes found.
func (s *Server) finishedClasses(ctx context.Context, r store.Run, p *templates.Page, v *templates.Run) error {
	use, err := s.runUse(ctx, r)
	if err != nil {
		return err
	}
	res := resultview.Classes{Result: r.Result, Spec: r.Spec}.View()
	p.Result, p.Open = templates.Sentence(res.Strong, res.Rest), templates.OpenQuestions(res.Open)
	v.Classes, v.Use = &res, templates.RunUseView(use)
	return nil
}

// taskLinks lead to the tasks that take every level of the outcome. Two levels
// have no order to speak of and are no several classes.
func taskLinks(d store.Dataset, levels int) []templates.Link {
	var all []templates.Link
	for _, t := range severalTasks {
		if levels > 2 || t.value == "abstain" {
			all = append(all, templates.Link{Label: t.label, URL: "/stratify/" + d.ID + "?task=" + t.value})
		}
	}
	return all
}

// headlineOf is the metric that names a run of several classes in lists, ""
// for other runs.
func headlineOf(m store.Summary) string {
	switch {
	case m.MAE != nil:
		return "MAE " + viz.Number(*m.MAE, 3)
	case m.AbstentionLoss != nil:
		return "loss " + viz.Number(*m.AbstentionLoss, 3)
	case m.Accuracy != nil:
		return "acc. " + viz.Number(*m.Accuracy, 3)
	}
	return ""
}

// severalOf is the page of a run's spec, "" where the page cannot show it.
func severalOf(m engine.Spec, d store.Dataset, err error) string {
	on := m.Model
	if err != nil || m.Validation.Kind != "cv" || on.Solver != "auto" || !*on.Standardize || on.L2.Value > mostL2 {
		return ""
	}
	st := severalState{Task: m.Task, Outcome: m.Outcome, Group: m.Group, Levels: m.Levels, ScoreOnly: m.ScoreOnly,
		Predictors: m.Predictors,
		Loss:       on.Loss, Kind: "linear", L2: on.L2, Folds: m.Validation.Folds, Seed: m.Seed, BinsBy: "length",
		Numbers: map[string]float64{}}
	if m.Noise.Kind != synth.NoiseNone {
		st.Noise = m.Noise
	}
	if m.Bins != nil {
		st.Bins, st.BinsBy = m.Bins.Count, m.Bins.By
	}
	if on.Kind == "kernel" {
		if on.Kernel == nil || on.Kernel.Name == "linear" || on.Kernel.Gamma != "cv" {
			return ""
		}
		st.Kind = on.Kernel.Name
	}
	if st.formed() {
		st.Features = on.Features
	}
	family, _ := loss.FamilyByID(on.Loss)
	for _, p := range family.Params {
		switch v := on.Params[p.Name].(type) {
		case float64:
			st.Numbers[p.Name] = v
		case string:
			st.Base = v
		case []any:
			st.Costs = costsOf(v)
		}
	}
	return st.url(d)
}

// costsOf reads a matrix as JSON has it.
func costsOf(rows []any) [][]float64 {
	var all [][]float64
	for _, r := range rows {
		var row []float64
		cells, _ := r.([]any)
		for _, c := range cells {
			v, _ := c.(float64)
			row = append(row, v)
		}
		all = append(all, row)
	}
	return all
}

// classAnswer is what a model of several classes says of one row.
func classAnswer(m *engine.Model, p engine.Prediction) *templates.PatientAnswer {
	c := p.Classes
	a := &templates.PatientAnswer{Strong: c.Answer(), Rest: "is the answer for " + m.Outcome + "."}
	if c.Class == stat.Abstained {
		a.Strong, a.Rest = "No answer", "for "+m.Outcome+": saying nothing costs less here."
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
		a.Facts = append(a.Facts, templates.Fact{Label: "Probabilities", Value: "by the " + engine.LinkName(m.Link) +
			" link"})
	} else {
		a.Facts = append(a.Facts, templates.Fact{Label: "Probabilities",
			Value: "none: a score of this loss recovers none; the mixture is how an adversarial loss predicts, not an estimate"})
	}
	return a
}

// scoredClasses says what came of a file.
func scoredClasses(v templates.Scored, m *engine.Model, sum engine.Summary) templates.Scored {
	for k, n := range sum.Bands {
		b := scoredBand("no answer", n, sum)
		if k < len(m.Levels) {
			b.Name = m.Levels[k]
		} else if m.Task != "abstain" {
			continue
		}
		v.Bands = append(v.Bands, b)
	}
	v = scoredOutside(v, m, sum)
	v.Doubts = doubtLines(sum.Doubts)
	t := templates.Table{Label: "The first rows", Class: "tbl-tight tbl-grid", Columns: []templates.Column{{Label: "Row"},
		{Label: "Answer"}}}
	if n := len(sum.First); n < sum.Rows {
		t.Note = "The first " + format.Small(n) + " of " + viz.Count(sum.Rows) + " rows."
	}
	for _, l := range m.Levels {
		t.Columns = append(t.Columns, templates.Column{Label: format.Shorten(l, 24),
			Unit: map[bool]string{true: "probability", false: "score"}[m.Link != engine.LinkNone], Num: true})
	}
	shown := modelColumns(m, sum.Header)
	for _, k := range shown {
		t.Columns = append(t.Columns, templates.Column{Label: format.Shorten(sum.Header[k], 24), Class: "only-w"})
	}
	t.Columns = append(t.Columns, templates.Column{Label: "Warning"})
	for i, r := range sum.First {
		cells := []templates.Cell{{Text: strconv.Itoa(i + 1)}, {Text: answerOf(m, r.Prediction)}}
		for k := range m.Levels {
			text := viz.Number(r.Classes.Scores[k], 2)
			if r.Classes.Probabilities != nil && len(r.Outside) > 0 {
				text = viz.None
			} else if r.Classes.Probabilities != nil {
				text = viz.Percent(r.Classes.Probabilities[k], 1) + format.Pc
			}
			cells = append(cells, templates.Cell{Text: text})
		}
		for _, k := range shown {
			cells = append(cells, templates.Cell{Text: format.Shorten(r.Cells[k], 24)})
		}
		t.Rows = append(t.Rows, templates.Row{Cells: append(cells, templates.Cell{Text: format.Shorten(r.Warning(), 120),
			Class: "wrap"})})
	}
	v.First = t
	return v
}

// classEvaluation says how the model did on rows of another source.
func classEvaluation(m *engine.Model, e *engine.Evaluation) *templates.Evaluation {
	criterion := ""
	if m.Loss == "al-cost" {
		criterion = "mean cost"
	}
	v := &templates.Evaluation{Tables: []templates.Table{resultview.Confusion(*e.Classes), resultview.PerClass(*e.Classes)},
		Facts: resultview.ClassFacts(m.Task, *e.Classes, criterion, e.Cost), Rest: format.Count(e.Rows, "row") + " judged." +
			outsideSaid(e)}
	v.Strong, _ = resultview.ClassHeadline(&engine.ClassResult{Task: m.Task, Metrics: engine.ClassMetrics{Test: *e.Classes}})
	for _, w := range e.Warnings {
		if w.Message != e.Refused() && w.Code != engine.WarnOutside {
			v.Notices = append(v.Notices, templates.Notice{Kind: "ask", Text: w.Message})
		}
	}
	return v
}
