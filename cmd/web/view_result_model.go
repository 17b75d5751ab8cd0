package main

import (
	"strconv"

	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/web/templates"
)

// fitting are the figures of how the model was made: the choice of the
// penalty, where there was one, and the surrogate.
func (s shown) fitting() []templates.Slot {
	var all []namedFigure
	if len(s.r.Tuning) > 1 {
		all = append(all, namedFigure{"fig-left", "tuning", func() viz.Figure { return viz.TuningCurve(s.r) }})
	} else {
		all = append(all, namedFigure{"fig-left", "losses", func() viz.Figure { return viz.LossBars(s.r) }})
	}
	if iv, err := loss.NewInterval(s.r.Boundaries); err == nil && s.interval() {
		all = append(all, namedFigure{"fig-right", "surrogate", func() viz.Figure { return viz.Surrogate(iv) }})
	} else {
		all = append(all, namedFigure{"fig-right", "rates", func() viz.Figure { return viz.RateBands(s.r) }})
	}
	return s.figures(all)
}

// coefficients lists the terms of the final fit.
func (s shown) coefficients() templates.Table {
	t := templates.Table{Label: "Coefficients", Tall: len(s.r.Coefficients) > 12, Columns: []templates.Column{
		{Label: "Term"}, {Label: "Coefficient", Unit: "per natural unit", Num: true}, {Label: "Coefficient", Unit: "per SD", Num: true},
	}}
	odds := false
	for _, c := range s.r.Coefficients {
		odds = odds || c.OddsRatio != nil
	}
	if odds {
		t.Columns = append(t.Columns, templates.Column{Label: "Odds ratio", Unit: "per natural unit", Num: true})
	}
	for _, c := range s.r.Coefficients {
		r := row([]string{c.Name, viz.Short(c.Value, 4), viz.Number(c.Standardized, 3)})
		if odds {
			r.Cells = append(r.Cells, templates.Cell{Text: shortOf(c.OddsRatio)})
		}
		t.Rows = append(t.Rows, r)
	}
	t.Note = "Of the final fit on all " + viz.Count(s.r.Flow.Trained) + " rows trained on."
	if s.interval() {
		t.Note += " An interval model has coefficients and no odds ratios."
	}
	return t
}

func shortOf(v *float64) string {
	if v == nil {
		return viz.None
	}
	return viz.Short(*v, 4)
}

// flow follows the rows: read, dropped and why, trained, scored.
func (s shown) flow() templates.Table {
	f := s.r.Flow
	t := templates.Table{Label: "Row flow", Columns: []templates.Column{{Label: "Step"}, {Label: "Rows", Num: true}, {Label: "Events", Num: true}}}
	add := func(step string, rows int, events string) {
		t.Rows = append(t.Rows, row([]string{step, viz.Count(rows), events}))
	}
	add("Read", f.Read, "")
	for _, d := range f.Dropped {
		add("Dropped: "+d.Reason, d.Rows, "")
	}
	if f.NoOutcome > 0 {
		add("Without the outcome: scored, not trained on", f.NoOutcome, "")
	}
	for _, l := range f.ScoreOnly {
		add(l.Level+": scored, not trained on", l.Rows, "")
	}
	add("Trained on", f.Trained, viz.Count(f.TrainedEvents))
	how := "Scored out of fold"
	switch {
	case s.r.Apparent:
		how = "Scored by a model that saw them"
	case s.spec.Validation.Kind == "split":
		how = "Held out and scored"
	}
	add(how, f.Scored, viz.Count(f.ScoredEvents))
	if f.Groups > 0 {
		t.Note = viz.Count(f.Groups) + " groups by " + s.spec.Group + " were kept together in one fold each."
	}
	return t
}

// fit says how the final fit ended and what to repeat it with.
func (s shown) fit() []templates.Fact {
	r := s.r
	facts := []templates.Fact{
		{Label: "Judged by", Value: r.Validation},
		{Label: "Penalty λ", Value: viz.Short(r.L2, 3)},
		{Label: "Objective", Value: viz.Short(r.Objective, 6)},
	}
	if r.Gap != nil {
		facts = append(facts, templates.Fact{Label: "Relative duality gap, certified", Value: viz.Short(*r.Gap, 2)})
	}
	if r.GradientNorm != nil {
		facts = append(facts, templates.Fact{Label: "Largest gradient entry", Value: viz.Short(*r.GradientNorm, 2)})
	}
	return append(facts,
		templates.Fact{Label: "Iterations", Value: viz.Count(r.Iterations) + ", stopped by: " + r.Stopped},
		templates.Fact{Label: "Time", Value: millis(r.Seconds) + " the final fit, " + millis(r.ElapsedS) + " in all"},
		templates.Fact{Label: "Seed", Value: strconv.FormatUint(s.spec.Seed, 10)},
	)
}

// millis writes a duration as people read it.
func millis(seconds float64) string {
	switch {
	case seconds < .0995:
		return viz.Short(1000*seconds, 2) + nbsp + "ms"
	case seconds < .9995:
		return viz.Number(1000*seconds, 0) + nbsp + "ms"
	}
	return viz.Short(seconds, 2) + nbsp + "s"
}

// delta words the cut-off in score space that a boundary stands for.
func delta(r *engine.Result, k int) string {
	if r == nil || k >= len(r.Delta) {
		return ""
	}
	return "cut-off at score " + viz.Number(r.Delta[k], 2)
}
