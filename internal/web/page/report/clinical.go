package report

import (
	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// Clinical is the statistics of a finished run of two classes, for its page and
// its report. Parts that a run lacks are nil.
type Clinical struct {
	Run        store.Run
	Result     *engine.Result
	Statistics engine.Statistics
	Model      *engine.Model
	Refits     *store.Bootstrap // the check by refits
	By         string           // column of the subgroups, "" for none
	Groups     []stat.Subgroup
	Choice     []string          // columns that can make subgroups
	Known      bool              // there were rows to work from
	Origin     *store.Origin     // of a recalibrated run
	Asked      *store.Evaluation // external validation that it was recalibrated by; nil where that is gone

	Validations []store.Evaluation // external ones of the run itself
}

// Sections are the parts of a run's page; checking is how far refits are that
// run now, nil where none do.
func (c Clinical) Sections(checking *templates.Progress) []doc.Section {
	all := []doc.Section{
		{ID: "performance", Title: "Performance", Body: []doc.Node{c.performance()}},
		{ID: "decisions", Title: "Decisions at the boundaries",
			Say: "Each boundary read as a rule: rows above it are called " + c.event() + ".", Body: c.decisionParts()},
	}
	if c.Statistics.Reclassified != nil {
		all = append(all, doc.Section{ID: "moves", Title: "Moves against logistic regression",
			Say: "Where this model puts the rows of each band of plain logistic regression, cut at the same boundaries on " +
				"the same folds. Events should move up, the others down.", Body: c.reclassified()})
	}
	if c.Origin == nil {
		all = append(all,
			doc.Section{ID: "optimism", Title: "Optimism and stability",
				Say:  "The whole pipeline is fitted again on bootstrap samples of the rows, the choice of λ included.",
				Body: c.checkParts(checking)})
	}
	all = append(all, doc.Section{ID: "subgroups", Title: "Subgroups",
		Body: c.subgroupParts("/runs/" + c.Run.ID)})
	if o := c.Statistics.Ordered; o != nil {
		all = append(all, doc.Section{ID: "ordered", Title: "Groups in order",
			Body: []doc.Node{c.ordered()}})
	}
	size := doc.Section{ID: "size", Title: "Sample size and terms",
		Body: []doc.Node{doc.Facts(c.sampleSize())}}
	if t := c.inflation(); t != nil {
		t.Tall = len(t.Rows) > 12
		size.Body = append(size.Body, *t)
	}
	all = append(all, size)
	if chart := c.pointsFigure(); chart != "" {
		all = append(all, doc.Section{ID: "points", Title: "The model by hand", Say: c.pointsSay(),
			Body: []doc.Node{doc.Drawing{Wide: chart}}})
	}
	if c.Model.Link == engine.LinkLogistic || c.Model.Link == engine.LinkScaled {
		all = append(all, c.Population()...)
	}
	return all
}

// Population offers to move the risks to another population, and shows what a
// validation that asked for it gained.
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
	say := "Moves the risks to logit P = intercept + slope · logit p, as a run of its own with its own model.json. " +
		"Give the prevalence there, or intercept and slope of an external validation."
	if o := c.Origin; o != nil {
		say = "This run was made from run " + o.Parent + " by logit P = " + viz.Number(o.Intercept, 3) + " + " +
			viz.Number(o.Slope, 3) + " · logit p" + c.askedSay() + ". " + say
	}
	return say
}

func (c Clinical) event() string { return format.Event(c.Result.Outcome, c.Result.Positive) }

// judgedName heads the column of what was judged on rows not seen.
func (c Clinical) judgedName() string {
	switch c.Run.Spec.Validation.Kind {
	case "split":
		return "Held out"
	case "none":
		return "Judged"
	}
	return "Cross-validated"
}

// checkParts offer the refits, follow them, or show what they found.
func (c Clinical) checkParts(checking *templates.Progress) []doc.Node {
	if checking != nil {
		return []doc.Node{doc.Form{View: templates.ProgressView(*checking)}}
	}
	var parts []doc.Node
	form := templates.CheckForm{URL: "/runs/" + c.Run.ID + "/bootstrap", Replicates: "200"}
	if b := c.Refits; b != nil && b.Result == nil {
		form.Problem = b.Error
	}
	if b := c.checked(); b != nil {
		parts = append(parts, c.corrected(), c.stability())
		if len(b.Stability.Listed) > 0 {
			parts = append(parts, c.unstable())
		}
		if f := c.forest(); f != nil {
			parts = append(parts, f)
		}
		parts = append(parts, doc.Note(c.forestSay()))
		form.Again = true
	}
	return append(parts, doc.Form{View: templates.CheckFormView(form)})
}

// checked is what the refits found; nil until they have.
func (c Clinical) checked() *engine.Bootstrap {
	if c.Refits == nil {
		return nil
	}
	return c.Refits.Result
}

// subgroupParts ask for a column and show the groups.
func (c Clinical) subgroupParts(url string) []doc.Node {
	pick := templates.SubgroupForm{URL: url + "#subgroups-h", Choice: templates.Choice{ID: "by", Name: "by",
		Label: "Subgroups by"}}
	for _, name := range c.Choice {
		pick.Choice.Options = append(pick.Choice.Options, templates.Option{Value: name, Label: format.Shorten(name, 40),
			On: name == c.By})
	}
	parts := []doc.Node{doc.Form{View: templates.SubgroupFormView(pick)}}
	if c.By != "" {
		parts = append(parts, c.subgroupTable())
	}
	return parts
}

// estimated is a number with its interval.
func estimated(e stat.Estimate, as doc.Format) doc.Cell {
	return doc.Cell{Value: e.Value, Low: e.Low, High: e.High, Format: as}
}

var (
	inPercent = doc.Shares(1)
	inRatios  = doc.Format{Style: doc.Ratio}
)

// ratioed is a likelihood ratio with its interval.
func ratioed(e stat.Estimate) doc.Cell {
	if e.Low == nil || e.High == nil {
		return estimated(e, inRatios)
	}
	return estimated(e, doc.Format{Style: doc.Joint, Null: 1})
}
