package resultview

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// fitting are the figures about the fit.
// Those of a recalibrated run exclude what is evaluated on the rows of the run it was recalibrated from.
func (s Bands) fitting() doc.Figures {
	all := []namedFigure{s.penalty(), s.surrogate()}
	if s.Result.IsRecalibrated() {
		all = slices.DeleteFunc(all, func(f namedFigure) bool { return f.id == "losses" || f.id == "rates" })
	}
	return s.figures(all)
}

// penalty is the choice of the penalty, or, without one, the losses of the compared models.
func (s Bands) penalty() namedFigure {
	if len(s.Result.Tuning) > 1 {
		return namedFigure{"fig-left", "tuning", func() viz.Figure { return viz.TuningCurve(s.Result) }, "Penalty λ"}
	}
	return namedFigure{"fig-left", "losses", func() viz.Figure { return viz.LossBars(s.Result) }, "Losses"}
}

// surrogate is the loss that was fitted, or, for one without boundaries, the event rates of the bands.
func (s Bands) surrogate() namedFigure {
	if iv, err := loss.NewInterval(s.Result.Boundaries); err == nil && s.interval() {
		return namedFigure{"fig-right", "surrogate", func() viz.Figure { return viz.Surrogate(iv) }, "Surrogate loss"}
	}
	return namedFigure{"fig-right", "rates", func() viz.Figure { return viz.RateBands(s.Result) }, "Observed rates"}
}

// mostNamed is the number of terms named in a sentence.
const mostNamed = 3

// ModelHeadline names the model of a saved run and the terms with the largest weights.
func (s Bands) ModelHeadline() Headline {
	if s.Result.NoPredictor { // the headline of the run says this
		return s.Headline()
	}
	return modelHeadline(s.Result, s.Spec, s.Headline().Open)
}

// ModelHeadline names the model of a saved run.
func (s Classes) ModelHeadline() Headline { return modelHeadline(s.Result, s.Spec, s.Headline().Open) }

func modelHeadline(r *engine.Result, spec runspec.Spec, open []templates.Notice) Headline {
	h := Headline{Strong: spec.Title() + ".", Open: open}
	switch {
	case r.Given != nil:
		h.Rest = "It was given, and nothing of it was fitted here."
		if r.Given.Scale == fit.ScaleScore {
			h.Rest = "It was given; only the cut-offs of the bands were found here."
		}
	case r.Importance != nil:
		terms := slices.Clone(r.Importance)
		slices.SortStableFunc(terms, func(a, b model.Importance) int { return cmp.Compare(b.Share, a.Share) })
		h.Rest = phrase.Count(spec.Model.Rounds, "tree") + " of depth " + strconv.Itoa(spec.Model.Depth) + "."
		var names []string
		for _, t := range terms[:min(mostNamed, len(terms))] {
			if t.Share > 0 { // the others are in no split
				names = append(names, t.Name)
			}
		}
		h.Rest += most("Most important: ", names)
	case r.Kernel != nil:
		h.Rest = "A kernel score over " + phrase.Int(r.Kernel.Support) + " of " + phrase.Int(r.Kernel.Rows) +
			" training rows."
	case len(r.Coefficients) > 0:
		h.Rest = linearWords(r.Coefficients)
	}
	if note := loss.TitleNote(spec.Model.Loss); note != "" {
		h.Rest += " " + note
	}
	return h
}

// linearWords counts the terms of the scores, without their intercepts, and names those with the largest weights. An
// ordinal model has thresholds in place of an intercept; other models of several classes have a score for each class.
func linearWords(all []engine.Coefficient) string {
	terms := slices.DeleteFunc(slices.Clone(all), func(c engine.Coefficient) bool { return c.Name == model.InterceptName })
	classes := map[string]bool{}
	for _, c := range all {
		classes[c.Class] = true
	}
	switch {
	case len(terms) == 0:
		return ""
	case len(classes) > 1:
		return phrase.Int(len(classes)) + " linear scores, one per class, of " +
			phrase.Count(len(terms)/len(classes), "term") + " each."
	}
	words := "A linear score of " + phrase.Count(len(terms), "term") + "."
	terms = slices.DeleteFunc(terms, func(c engine.Coefficient) bool {
		return c.Standardized == nil || *c.Standardized == 0
	})
	slices.SortStableFunc(terms, func(a, b engine.Coefficient) int {
		return cmp.Compare(math.Abs(*b.Standardized), math.Abs(*a.Standardized))
	})
	var names []string
	for _, t := range terms[:min(mostNamed, len(terms))] {
		names = append(names, t.Name)
	}
	return words + most("Largest effects per SD: ", names)
}

// most names the terms with the largest weights, "" for none.
func most(head string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " " + head + phrase.Join(names) + "."
}

// coefficients lists the terms of the final fit.
func (s Bands) coefficients() doc.Table {
	if s.Result.Importance != nil {
		return Importance(s.Result)
	}
	if s.Result.Kernel != nil {
		return Kernel(s.Result)
	}
	t := doc.Table{Label: "Coefficients", Tall: true, Columns: []doc.Column{
		{Label: "Term"}, {Label: "Coefficient", Unit: "per natural unit", Number: true},
		{Label: "Coefficient", Unit: "per SD", Number: true},
	}}
	odds, references := OddsColumns(s.Result), against(s.Columns)
	for _, o := range odds {
		t.Columns = append(t.Columns, doc.Column{Label: "Odds ratio", Unit: o.Unit, Number: true, Stack: o.Stack})
	}
	if len(odds) > 1 { // too many columns for a phone
		t.Class = "stacks stacks-long"
	}
	value := WithoutRounding(s.Result.Coefficients)
	for _, c := range s.Result.Coefficients {
		r := doc.Row{Cells: []doc.Cell{{Value: c.Name, Note: references[c.Name]}, {Value: value(c), Format: fourDigits},
			{Value: c.Standardized, Format: doc.To(3)}}}
		for k, o := range odds {
			cell := doc.Cell{Value: o.Of(c), Format: doc.Format{Style: doc.Odds}}
			if ci := c.OddsRatioCI; k == 0 && ci != nil {
				cell.Low, cell.High, cell.Format = &ci[0], &ci[1], doc.Format{Style: doc.Joint, Null: 1}
			}
			r.Cells = append(r.Cells, cell)
		}
		t.Rows = append(t.Rows, r)
	}
	t.Note = "Final fit on all " + phrase.Int(s.Result.Flow.Trained) + " training rows" + thenMoved(s.Result) + "."
	if slices.ContainsFunc(s.Result.Coefficients, func(c engine.Coefficient) bool { return c.Standardized == nil }) {
		t.Note += " Per SD " + viz.None + ": not kept without the data, because it would disclose how many rows " +
			"have a rare level."
	}
	t.Note += OddsNote(s.Result, s.Spec) + CurveNote(s.Result)
	return t
}

// against names by term the level that a level of a category is compared with.
func against(columns []prep.Column) map[string]string {
	all := map[string]string{}
	for _, c := range columns {
		if c.Kind != prep.Category {
			continue
		}
		for _, level := range c.Levels {
			all[c.Name+" = "+level] = "against " + c.Reference
		}
		all[c.Name+" = (other)"], all[c.Name+" missing"] = "against "+c.Reference, "against "+c.Reference
	}
	return all
}

// thenMoved says of a recalibrated model that its risks are no longer those of its fit.
func thenMoved(r *engine.Result) string {
	if r.IsRecalibrated() {
		return ", recalibrated afterwards"
	}
	return ""
}

// WithoutRounding returns the values of coefficients for tables: 0 where the effect per SD, or the intercept, is
// rounding error beside the largest effect per SD of all. Such digits differ between processors and mean nothing.
func WithoutRounding(all []engine.Coefficient) func(engine.Coefficient) float64 {
	size := func(c engine.Coefficient) float64 {
		if c.Name == model.InterceptName || c.Standardized == nil {
			return math.Abs(c.Value)
		}
		return math.Abs(*c.Standardized)
	}
	largest := 0.
	for _, c := range all {
		if c.Standardized != nil {
			largest = max(largest, math.Abs(*c.Standardized))
		}
	}
	return func(c engine.Coefficient) float64 {
		if size(c) < 1e-12*largest {
			return 0
		}
		return c.Value
	}
}

var fourDigits = doc.Format{Style: doc.Significant, Digits: 4}

// OddsColumn is a kind of odds ratio in a table of coefficients.
type OddsColumn struct {
	Unit  string
	Of    func(engine.Coefficient) *float64
	Stack string // its name on a phone, "" for that with the unit
}

// OddsColumns lists the odds ratios of a result: one if the link is logistic; those at score 0 and on average if it
// varies.
func OddsColumns(r *engine.Result) []OddsColumn {
	var all []OddsColumn
	for _, o := range []OddsColumn{
		{"per natural unit", func(c engine.Coefficient) *float64 { return c.OddsRatio }, ""},
		{"at score 0", func(c engine.Coefficient) *float64 { return c.OddsRatioLocal }, ""},
		{"mean over the rows", func(c engine.Coefficient) *float64 { return c.OddsRatioAverage }, "Mean odds ratio"},
	} {
		if slices.ContainsFunc(r.Coefficients, func(c engine.Coefficient) bool { return o.Of(c) != nil }) {
			all = append(all, o)
		}
	}
	return all
}

// OddsNote explains the odds ratios, or why there are none.
func OddsNote(r *engine.Result, spec runspec.Spec) string {
	switch {
	case r.Link.Note != "":
		return " " + r.Link.Note
	case spec.Model.Banded():
		return " An interval model has coefficients and no odds ratios."
	case len(OddsColumns(r)) == 0:
		return " The link of this loss is not logistic: its coefficients have no odds ratios."
	case r.OddsRatioNote != "":
		return " " + r.OddsRatioNote
	}
	return ""
}

// LacksIntervals reports whether a result has odds ratios without intervals.
func LacksIntervals(r *engine.Result) bool {
	return slices.ContainsFunc(r.Coefficients, func(c engine.Coefficient) bool {
		return c.OddsRatio != nil && c.OddsRatioCI == nil
	})
}

// CurveNote says why the terms of splines have no odds ratios, "" without splines.
func CurveNote(r *engine.Result) string {
	if len(r.Splines) == 0 {
		return ""
	}
	return " The terms of a curve (′, ″, ‴) say little one by one: read the curve."
}

// Importance lists the columns that trees split on, by importance.
func Importance(r *engine.Result) doc.Table {
	t := doc.Table{Label: "Terms of the trees", Columns: []doc.Column{
		{Label: "Term"}, {Label: "Share of the trees", Unit: "%", Number: true}, {Label: "Splits", Number: true},
	}}
	terms := slices.Clone(r.Importance)
	slices.SortStableFunc(terms, func(a, b model.Importance) int { return cmp.Compare(b.Share, a.Share) })
	unused := 0
	for _, v := range terms {
		if v.Splits == 0 {
			unused++
			continue
		}
		t.Rows = append(t.Rows, doc.TextRow([]string{v.Name, viz.Percent(v.Share, 1), phrase.Int(v.Splits)}))
	}
	t.Tall = true
	t.Note = "Final fit on all " + phrase.Int(r.Flow.Trained) +
		" training rows" + thenMoved(r) + ": each tree is weighted by its coefficient, its splits equally. Trees have no " +
		"odds ratios."
	if unused > 0 {
		t.Note += " " + phrase.UpperFirst(phrase.Count(unused, "term")) + " not used in any split."
	}
	return t
}

// flow counts the rows: read, dropped with reason, trained, scored; with their events, if the outcome has one.
func flow(r *engine.Result, spec runspec.Spec) doc.Table {
	f := r.Flow
	t := doc.Table{Label: "Row flow", Columns: []doc.Column{{Label: "Step"}, {Label: "Rows", Number: true}}}
	event := r.Classes == nil
	if event {
		t.Columns = append(t.Columns, doc.Column{Label: "Events", Number: true})
	}
	add := func(step string, rows int, events any) {
		cells := []doc.Cell{{Value: step}, {Value: rows}}
		if event {
			cells = append(cells, doc.Cell{Value: events})
		}
		t.Rows = append(t.Rows, doc.Row{Cells: cells})
	}
	add("Read", f.Read, "")
	for _, d := range f.Dropped {
		add("Dropped: "+d.Reason, d.Rows, "")
	}
	if f.NoOutcome > 0 {
		add("Without the outcome: scored, but not used for training", f.NoOutcome, "")
	}
	for _, l := range f.ScoreOnly {
		add(l.Level+": scored, but not used for training", l.Rows, "")
	}
	if r.Given == nil {
		add("Trained on", f.Trained, f.TrainedEvents)
	}
	if f.Flipped > 0 {
		add("Of these with added noise: "+format.LabelNoise(spec.Noise), f.Flipped, "")
	}
	how := "Scored out of fold"
	switch {
	case r.Given != nil:
		how = "Evaluated"
	case !event:
		how = "Evaluated on"
	case r.Apparent:
		how = "Scored by a model that saw them"
	case spec.Validation.Kind == "split":
		how = "Held out and scored"
	}
	add(how, f.Scored, f.ScoredEvents)
	if f.Groups > 0 {
		t.Note = phrase.Int(f.Groups) + " groups by " + spec.Group + " were kept together in one fold each."
	}
	return t
}

// fit describes the convergence of the final fit and how to repeat it.
func (s Bands) fit() doc.Facts {
	r := s.Result
	facts := doc.Facts{
		{Label: "Model", Value: s.Spec.Title()},
		{Label: "Link", Value: cmp.Or(r.Link.Text(), model.LinkName(s.Spec.Model.Link()))},
		{Label: "Validation", Value: r.Validation},
	}
	if s.Spec.Model.Penalised() {
		facts = append(facts, doc.Fact{Label: PenaltyLabel, Value: viz.Short(r.L2, 3)})
	}
	return append(facts, solved(r, s.Spec)...)
}

// PenaltyLabel is the label of λ, to which a report adds how it was chosen.
const PenaltyLabel = "Penalty λ"

// Labels of facts about the path of a solver, which do not concern its result.
const (
	gapLabel        = "Relative duality gap of the objective, certified"
	gradientLabel   = "Largest gradient entry"
	iterationsLabel = "Iterations"
	startsLabel     = "Initialisations"
	timeLabel       = "Time"
)

// WithoutPath removes the facts about a fit that depend on rounding or on the machine.
func WithoutPath(all doc.Facts) doc.Facts {
	path := []string{gapLabel, gradientLabel, iterationsLabel, startsLabel, timeLabel}
	return slices.DeleteFunc(all, func(f doc.Fact) bool { return slices.Contains(path, f.Label) })
}

// solved describes how a solver ended.
func solved(r *engine.Result, spec runspec.Spec) (facts doc.Facts) {
	add := func(label, value string) { facts = append(facts, doc.Fact{Label: label, Value: value}) }
	add("Objective", viz.Short(r.Objective, 6))
	if r.Gap != nil {
		add(gapLabel, viz.Short(*r.Gap, 2))
	}
	if r.GradientNorm != nil {
		add(gradientLabel, viz.Short(*r.GradientNorm, 2))
	}
	add(iterationsLabel, phrase.Int(r.Iterations)+"; stopping criterion: "+r.Stopped)
	if len(r.Starts) > 1 && r.Classes == nil { // a convex objective needs only one; classes have a table of them
		add(startsLabel, startWords(r.Starts))
	}
	add(timeLabel, Elapsed(r.Seconds)+" the final fit, "+Elapsed(r.ElapsedS)+" in all")
	add("Seed", strconv.FormatUint(spec.Seed, 10))
	return facts
}

// startWords describes the initialisations of a fit and their results.
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

// Elapsed writes a duration in a readable form.
func Elapsed(seconds float64) string {
	switch {
	case seconds < .0995:
		return viz.Short(1000*seconds, 2) + phrase.NBSP + "ms"
	case seconds < .9995:
		return viz.Number(1000*seconds, 0) + phrase.NBSP + "ms"
	}
	return viz.Short(seconds, 2) + phrase.NBSP + "s"
}

// CutOff describes the cut-off on the score at a boundary.
func CutOff(r *engine.Result, k int) string {
	if r == nil || k >= len(r.Delta) {
		return ""
	}
	return "cut-off at score " + viz.Number(r.Delta[k], 2)
}
