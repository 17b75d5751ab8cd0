package report

import (
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// PerformanceSections are the sections of a run's page after performance and classification; checking is the
// progress of a running bootstrap, nil without one.
func (c Clinical) PerformanceSections(checking *templates.Progress) []doc.Section {
	var all []doc.Section
	if c.Statistics.Reclassified != nil {
		all = append(all, doc.Section{ID: "moves", Title: "Reclassification versus logistic regression",
			Say: "Rows of each band of logistic regression by their band of this model, at the same boundaries and " +
				resultview.SameRows(c.Run.Spec) + ". Events should move up, non-events down.", Body: c.reclassified()})
	}
	if c.Result.Given != nil {
		all = append(all, doc.Section{ID: "optimism", Title: "Optimism and stability",
			Body: []doc.Node{doc.Note(engine.NoRefits)}})
	} else if c.Origin == nil {
		steps := "The bootstrap repeats every step on resampled rows"
		if m := c.Run.Spec.Model; m.Penalised() && m.L2.Tuned() {
			steps += ", including the choice of λ"
		}
		all = append(all,
			doc.Section{ID: "optimism", Title: "Optimism and stability", Say: steps + ".", Body: c.checkParts(checking)})
	}
	all = append(all, doc.Section{ID: "subgroups", Title: "Subgroups",
		Body: c.subgroupParts("/runs/" + c.Run.ID + "/performance")})
	if o := c.Statistics.Ordered; o != nil {
		all = append(all, doc.Section{ID: "ordered", Title: "Groups in order",
			Body: []doc.Node{doc.Form{View: templates.PickFormView(c.orderForm(o.Levels))}, c.ordered()}})
	}
	return all
}

// ModelSections are the sections of a run's page after the terms of the model: sample size, nomogram, and
// recalibration for another population.
func (c Clinical) ModelSections() []doc.Section {
	if c.Result.Given != nil {
		return nil // neither terms nor a sample size of development are known
	}
	size := doc.Section{ID: "size", Title: "Sample size and collinearity"}
	if c.Result.IsRecalibrated() {
		size.Body = []doc.Node{doc.Note("The criteria of sample size are on the parent run: recalibrated risks do not have " +
			"its R².")}
	} else {
		size.Body = []doc.Node{doc.Facts(c.sampleSize())}
	}
	if t := c.inflation(); t != nil {
		t.Tall = true
		size.Body = []doc.Node{doc.Pair{size.Body, {*t}}}
	}
	var all []doc.Section
	nomogram := doc.Section{ID: "points", Title: "Nomogram"}
	if _, why := c.points(); why != "" {
		nomogram.Body = []doc.Node{doc.Note(why)}
	} else {
		nomogram.Say = c.pointsSay()
		nomogram.Body = []doc.Node{
			doc.Drawing{Wide: c.pointsFigure(pointsWide), Narrow: c.pointsFigure(pointsNarrow), Reveals: ofTrained},
			doc.Form{View: templates.ActionLink("Try values, full screen", NomogramURL(c.Run.ID))}}
	}
	all = append(all, nomogram)
	all = append(all, size)
	if c.Model.Link == loss.LinkLogistic || c.Model.Link == loss.LinkScaled {
		all = append(all, c.Population()...)
	}
	return all
}

// Population offers to recalibrate the risks for another population, and shows what the validation behind a
// recalibrated run gained.
func (c Clinical) Population() []doc.Section {
	all := []doc.Section{{ID: "population", Title: "Another population", Say: c.populationSay(),
		Body: []doc.Node{doc.Form{View: templates.RecalibrateView("/runs/" + c.Run.ID + "/recalibrate")}}}}
	if c.Asked != nil {
		all = append(all, c.askedSection())
	}
	return all
}

// populationSay says where a run comes from and what the form does.
func (c Clinical) populationSay() string {
	say := "Recalibrates the risks to logit P = intercept + slope · logit p, as a new run with its own model.json. " +
		"Give the prevalence there, or intercept and slope of that line, fitted together: an external validation has both " +
		"under Recalibration, and a button that uses them. A change of prevalence alone assumes that predictors are " +
		"distributed in the same way among events, and among non-events, in both populations."
	if o := c.Origin; o != nil {
		say = "This run was made from run " + o.Parent + " by logit P = " + viz.Number(o.Intercept, 3) + " + " +
			viz.Number(o.Slope, 3) + " · logit p" + c.askedSay() + ". " + say
	}
	return say
}

// askedSection shows what recalibration changed on the validation rows. After a change of prevalence there is
// nothing to show, since no rows were used.
func (c Clinical) askedSection() doc.Section {
	s := doc.Section{ID: "asked", Title: "On the file it was recalibrated by",
		Body: []doc.Node{doc.Form{View: templates.LinkTo(templates.Link{Label: "External validation: " + c.Asked.Name,
			URL: "/evaluations/" + c.Asked.ID})}}}
	if c.Origin.How == "" {
		s.Say = "It was moved to another prevalence from there. What that changed on the rows of the file is not known: " +
			"they were not kept."
		return s
	}
	s.Say = "Before and after, on the rows that the numbers were fitted to: apparent."
	x := External{e: c.Asked.Result, p: Printed{decimals: 3}}
	if x.e.RecalibratedModel(c.Origin.How) != nil && x.e.Performance != nil {
		s.Body = append(s.Body, x.moved(c.Origin.How))
		s.Body = append(s.Body, movedBands(x.e, x.e.RecalibratedModel(c.Origin.How)))
	}
	return s
}

// checkParts offers the bootstrap, shows its progress, or shows its results.
func (c Clinical) checkParts(checking *templates.Progress) []doc.Node {
	if checking != nil {
		return []doc.Node{doc.Form{View: templates.ProgressView(*checking)}}
	}
	var parts []doc.Node
	form := templates.CheckForm{URL: "/runs/" + c.Run.ID + "/bootstrap", Replicates: "200", Workers: c.Workers}
	if b := c.Refits; b != nil && b.Result == nil {
		form.Problem = b.Error
	}
	if b := c.checked(); b != nil {
		parts = append(parts, c.corrected(), c.stability())
		if len(b.Stability.Listed) > 0 {
			parts = append(parts, c.unstable())
		}
		form.Again = true
	}
	return append(parts, doc.Form{View: templates.CheckFormView(form)})
}

// Intervals are the bootstrap intervals of the odds ratios, or else the link to the bootstrap.
func (c Clinical) Intervals() []doc.Node {
	if c.checked() != nil {
		if f := c.forest(); f != nil {
			return []doc.Node{f, doc.Note(c.forestSay())}
		}
		return nil
	}
	switch {
	case !resultview.LacksIntervals(c.Result):
		return nil
	case c.Origin != nil:
		return []doc.Node{doc.Note("Confidence intervals of the odds ratios: bootstrap the parent run.")}
	}
	return []doc.Node{doc.Form{View: templates.LinkTo(templates.Link{
		Label: "Compute confidence intervals of the odds ratios by bootstrap",
		URL:   "/runs/" + c.Run.ID + "/performance#optimism-h"})}}
}

// subgroupParts offers a choice of the column and shows the subgroups.
func (c Clinical) subgroupParts(url string) []doc.Node {
	pick := templates.PickForm{URL: url + "#subgroups-h", Button: "Show subgroups",
		Choice: templates.Choice{ID: "by", Name: "by", Label: "Subgroups by"}}
	if c.Order != "" {
		pick.Keep = []templates.Field{{Name: "order", Value: c.Order}}
	}
	for _, name := range c.Choice {
		pick.Choice.Options = append(pick.Choice.Options, templates.Option{Value: name, Label: phrase.Shorten(name, 40),
			On: name == c.By})
	}
	parts := []doc.Node{doc.Form{View: templates.PickFormView(pick)}}
	if c.By != "" {
		parts = append(parts, c.subgroupTable())
	}
	return parts
}

// orderForm offers other orders of the groups: all up to mostPermuted of them, and beyond that those in which two
// neighbours have changed places, so that every order is some steps away.
func (c Clinical) orderForm(levels []string) templates.PickForm {
	const mostPermuted = 4 // 24 orders
	orders := neighbours(levels)
	if len(levels) <= mostPermuted {
		orders = permutations(levels)
	}
	f := templates.PickForm{URL: "/runs/" + c.Run.ID + "/performance#ordered-h", Button: "Test this order",
		Choice: templates.Choice{ID: "order", Name: "order", Label: "Order, from the lowest expected score"}}
	if c.By != "" {
		f.Keep = []templates.Field{{Name: "by", Value: c.By}}
	}
	if all := c.Result.Groups(c.Run.Spec); len(all) > len(levels) { // some were left out in the address: the way back
		orders = append(orders, all)
	}
	for _, order := range orders {
		names := make([]string, len(order))
		for i, name := range order {
			names[i] = phrase.Shorten(name, 30)
		}
		f.Choice.Options = append(f.Choice.Options, templates.Option{Value: engine.WriteOrder(order),
			Label: strings.Join(names, " < "), On: slices.Equal(order, levels)})
	}
	return f
}

// permutations returns the orders of the levels, that of the levels first.
func permutations(levels []string) (all [][]string) {
	if len(levels) < 2 {
		return [][]string{levels}
	}
	for i, first := range levels {
		for _, rest := range permutations(slices.Delete(slices.Clone(levels), i, i+1)) {
			all = append(all, append([]string{first}, rest...))
		}
	}
	return all
}

// neighbours returns the levels in their order, and in those with two neighbours exchanged.
func neighbours(levels []string) [][]string {
	all := [][]string{levels}
	for i := range len(levels) - 1 {
		other := slices.Clone(levels)
		other[i], other[i+1] = other[i+1], other[i]
		all = append(all, other)
	}
	return all
}

// ExternalParts are the statistics of an external validation, for its page.
func ExternalParts(m *model.Model, e *external.Evaluation) []doc.Node {
	if e.Performance == nil || e.OneClass() {
		return nil
	}
	c := Clinical{Result: &engine.Result{Outcome: m.Outcome, Positive: m.Positive, Boundaries: m.Boundaries},
		Statistics: engine.Statistics{Judged: *e.Performance, Boundaries: e.Boundaries, Calibration: e.Calibration}}
	t := doc.Table{Label: "Performance on the new rows", Columns: []doc.Column{{Label: "Measure"},
		{Label: "New rows", Unit: "95" + format.Pc + " CI", Number: true}}}
	for _, s := range stat.PerformanceTable() {
		if v := e.Performance.Of(s.ID); v.Value != nil {
			t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{measured(s), estimated(v, doc.Of(s))}})
		}
	}
	parts := []doc.Node{t}
	if s := e.Calibration; s != nil && len(s.Points) > 0 {
		parts = append(parts, doc.Figures{{Title: "Calibration on the new rows",
			Say: "Smooth curve with its 95" + format.Pc + " band over the diagonal. " + s.Smoother() + s.Ends() +
				" Below: how often each risk was predicted.",
			SVG: viz.CalibrationSVG(*s, 1), Reveals: mask.OfRows,
			Legend: []doc.Mark{{SVG: viz.DotSVG("c1"), Text: c.event()}, {SVG: viz.DotSVG("c0"), Text: "non-events"}}}})
	}
	for from := 0; from < len(e.Boundaries); from += tablesWide {
		parts = append(parts, c.boundaries(from, min(from+tablesWide, len(e.Boundaries))))
	}
	if e.By != "" {
		c.By, c.Groups = e.By, e.Subgroups
		parts = append(parts, c.subgroupTable())
	}
	if e.Recalibration != nil {
		parts = append(parts, doc.Note(recalibrationWords(*e.Recalibration)))
	}
	return parts
}
