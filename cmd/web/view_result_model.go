package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"taper/cmd/web/widget"
	"taper/cmd/web/wording"
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
	if s.r.Importance != nil {
		return importanceTable(s.r)
	}
	if s.r.Kernel != nil {
		return kernelTable(s.r)
	}
	t := templates.Table{Label: "Coefficients", Tall: len(s.r.Coefficients) > 12, Columns: []templates.Column{
		{Label: "Term"}, {Label: "Coefficient", Unit: "per natural unit", Num: true}, {Label: "Coefficient", Unit: "per SD", Num: true},
	}}
	odds := oddsColumns(s.r)
	for _, o := range odds {
		t.Columns = append(t.Columns, templates.Column{Label: "Odds ratio", Unit: o.unit, Num: true})
	}
	for _, c := range s.r.Coefficients {
		r := widget.Row([]string{c.Name, viz.Short(c.Value, 4), viz.Number(c.Standardized, 3)})
		for _, o := range odds {
			r.Cells = append(r.Cells, templates.Cell{Text: shortOf(o.of(c))})
		}
		t.Rows = append(t.Rows, r)
	}
	t.Note = "Of the final fit on all " + viz.Count(s.r.Flow.Trained) + " rows trained on."
	t.Note += oddsNote(s.r, s.spec) + curveNote(s.r)
	return t
}

// oddsColumn is a kind of odds ratio that some coefficient has.
type oddsColumn struct {
	unit string
	of   func(engine.Coefficient) *float64
}

// oddsColumns lists the odds ratios of a result: one where the link is
// logistic; at score 0 and on average where it varies.
func oddsColumns(r *engine.Result) []oddsColumn {
	var all []oddsColumn
	for _, o := range []oddsColumn{
		{"per natural unit", func(c engine.Coefficient) *float64 { return c.OddsRatio }},
		{"at score 0", func(c engine.Coefficient) *float64 { return c.OddsRatioLocal }},
		{"mean over the rows", func(c engine.Coefficient) *float64 { return c.OddsRatioAverage }},
	} {
		if slices.ContainsFunc(r.Coefficients, func(c engine.Coefficient) bool { return o.of(c) != nil }) {
			all = append(all, o)
		}
	}
	return all
}

// oddsNote says what the odds ratios mean, or why there are none.
func oddsNote(r *engine.Result, spec engine.Spec) string {
	switch {
	case r.Link.Note != "":
		return " " + r.Link.Note
	case spec.Model.Loss == "interval":
		return " An interval model has coefficients and no odds ratios."
	case len(oddsColumns(r)) == 0:
		return " The link of this loss is not logistic: its coefficients have no odds ratios."
	}
	return ""
}

// curveNote says why the terms of curves have no odds ratios, "" without any.
func curveNote(r *engine.Result) string {
	if len(r.Splines) == 0 {
		return ""
	}
	return " The terms of a curve (′, ″, ‴) say little one by one: read the curve."
}

// importanceTable lists the terms that the trees split on, the weightiest
// first.
func importanceTable(r *engine.Result) templates.Table {
	t := templates.Table{Label: "Terms of the trees", Columns: []templates.Column{
		{Label: "Term"}, {Label: "Share of the trees", Unit: "%", Num: true}, {Label: "Splits", Num: true},
	}}
	terms := slices.Clone(r.Importance)
	slices.SortStableFunc(terms, func(a, b engine.Importance) int { return cmp.Compare(b.Share, a.Share) })
	unused := 0
	for _, v := range terms {
		if v.Splits == 0 {
			unused++
			continue
		}
		t.Rows = append(t.Rows, widget.Row([]string{v.Name, viz.Percent(v.Share, 1), viz.Count(v.Splits)}))
	}
	t.Tall = len(t.Rows) > 12
	t.Note = "Of the final fit on all " + viz.Count(r.Flow.Trained) + " rows trained on: each tree counts by its coefficient, its splits alike. Trees have no odds ratios."
	if unused > 0 {
		t.Note += " " + wording.UpperFirst(wording.Count(unused, "term")) + " never split on."
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
		t.Rows = append(t.Rows, widget.Row([]string{step, viz.Count(rows), events}))
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
	if f.Flipped > 0 {
		add("Of these spoilt on purpose: "+wording.LabelNoise(s.spec.Noise), f.Flipped, "")
	}
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
		{Label: "Model", Value: s.spec.Model.Title()},
		{Label: "Link", Value: or(r.Link.Formula, engine.LinkName(s.spec.Model.Link()))},
		{Label: "Judged by", Value: r.Validation},
	}
	if s.spec.Model.Penalised() {
		facts = append(facts, templates.Fact{Label: "Penalty λ", Value: viz.Short(r.L2, 3)})
	}
	facts = append(facts, templates.Fact{Label: "Objective", Value: viz.Short(r.Objective, 6)})
	if r.Gap != nil {
		facts = append(facts, templates.Fact{Label: "Relative duality gap, certified", Value: viz.Short(*r.Gap, 2)})
	}
	if r.GradientNorm != nil {
		facts = append(facts, templates.Fact{Label: "Largest gradient entry", Value: viz.Short(*r.GradientNorm, 2)})
	}
	facts = append(facts, templates.Fact{Label: "Iterations", Value: viz.Count(r.Iterations) + ", stopped by: " + r.Stopped})
	if len(r.Starts) > 1 { // a convex objective needs but one
		facts = append(facts, templates.Fact{Label: "Starts", Value: startWords(r.Starts)})
	}
	return append(facts,
		templates.Fact{Label: "Time", Value: millis(r.Seconds) + " the final fit, " + millis(r.ElapsedS) + " in all"},
		templates.Fact{Label: "Seed", Value: strconv.FormatUint(s.spec.Seed, 10)},
	)
}

// startWords says which starts a fit had and where they led.
func startWords(starts []engine.Start) string {
	var each []string
	for _, s := range starts {
		text := s.Start + " " + viz.Short(s.Objective, 6)
		if s.Kept {
			text += ", kept"
		}
		each = append(each, text)
	}
	return strings.Join(each, "; ")
}

// millis writes a duration as people read it.
func millis(seconds float64) string {
	switch {
	case seconds < .0995:
		return viz.Short(1000*seconds, 2) + wording.NBSP + "ms"
	case seconds < .9995:
		return viz.Number(1000*seconds, 0) + wording.NBSP + "ms"
	}
	return viz.Short(seconds, 2) + wording.NBSP + "s"
}

// delta words the cut-off in score space that a boundary stands for.
func delta(r *engine.Result, k int) string {
	if r == nil || k >= len(r.Delta) {
		return ""
	}
	return "cut-off at score " + viz.Number(r.Delta[k], 2)
}
