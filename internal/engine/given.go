package engine

import (
	"slices"

	"taper/internal/engine/check"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// Given is what a run of kind given says of the predictions that it evaluates.
type Given struct {
	Columns []string `json:"columns"` // that hold them, or that the formula or the model.json reads
	Formula string   `json:"formula,omitempty"`
	Model   string   `json:"model,omitempty"`   // what the model.json is, such as "α-loss, α = 4"
	Outside int      `json:"outside,omitempty"` // rows with values outside the training data of the model.json
	Scale   string   `json:"scale"`             // probability, logit or score
	// Falls says that the score falls with the risk. Every score of the run has its sign changed then.
	Falls   bool `json:"falls"`
	Missing int  `json:"missing"` // rows left out because they have no prediction
	// of a score, as it was given: rows lie above a boundary whose score is above the cut-off, or below it where
	// the score falls
	Cutoffs []stat.Cutoff `json:"cutoffs,omitempty"`
}

// asGiven are cut-offs of a score whose sign was changed, as it was given.
func asGiven(cutoffs []stat.Cutoff) []stat.Cutoff {
	all := slices.Clone(cutoffs)
	for k := range all {
		c := &all[k]
		c.Value, c.Low, c.High = -c.Value, minus(c.High), minus(c.Low)
	}
	return all
}

func minus(v *float64) *float64 {
	if v == nil {
		return nil
	}
	return new(-*v)
}

// NoRefits says why there is no bootstrap of predictions that came with the data.
const NoRefits = "Optimism and stability need the model to be fitted again on bootstrap samples. What came with the " +
	"data cannot be fitted again."

// NoModel says why there is no model to export or to apply to new rows.
func (g *Given) NoModel() (fact, reason string) {
	fact, reason = "There is no model to apply to new rows.", "This run evaluates predictions that came with the data."
	switch {
	case g.Formula != "":
		reason = "This run evaluates a formula as it was given. A formula says neither what replaces a missing value " +
			"nor which values lie outside the data that it was made from, so Taper makes no calculator and no code of it."
	case g.Model != "":
		reason = "This run evaluates a model.json as it was given. The run that wrote it scores new rows, and has its " +
			"calculator and its code."
	}
	return fact, reason
}

// Unknown says what nobody can know of what was given, where a page would show the model and how it was fitted.
func (g *Given) Unknown() []string {
	fitted := "How it was fitted, with which penalty λ and on how many rows, is not known."
	switch {
	case g.Formula != "":
		return []string{"The formula is evaluated as it was given: " + g.Formula, fitted}
	case g.Model != "":
		parts := []string{"The model of the model.json is applied as it was given: " + g.Model + ", of " +
			check.QuoteNames(g.Columns) + ".", fitted}
		if g.Outside > 0 {
			parts = append(parts, phrase.Count(g.Outside, "row")+" of the data have values outside the data that it was "+
				"trained on.")
		}
		return parts
	}
	return []string{"The predictions came with the data. Their terms and coefficients are not known, so there is none " +
		"to show.", fitted}
}

// origin says what the numbers of a run depend on that nobody stated; "" of fitted models.
func (g *Given) origin() string {
	switch {
	case g == nil:
		return ""
	case g.Formula != "":
		return "The formula was given. If its coefficients were estimated from these rows, all figures are optimistic."
	case g.Model != "":
		return "The model was given. If it was fitted on these rows, all figures are optimistic: Taper cannot know."
	}
	return "The predictions came with the data. If their model was fitted on these rows, all figures are optimistic: " +
		"Taper cannot know."
}

// HowEvaluated says on which rows predictions that came with the data were evaluated, and by what; "" of fitted models.
func (g *Given) HowEvaluated(split bool) string {
	rows := "Every row by the prediction that came with the data."
	if g == nil {
		return ""
	}
	switch {
	case g.Formula != "":
		rows = "Every row by the formula as it was given."
	case g.Model != "":
		rows = "Every row by the model as it was given."
	}
	if split {
		rows = "The rows held out, by what was given."
	}
	if g.Scale == fit.ScaleScore {
		rows += " The bands are cut where the rows of the other folds cost least."
		if split {
			rows += " These are the rows that were not held out."
		}
	}
	return rows
}

// judged describes the predictions.
func (c *comparison) judged() *Given {
	m, of := &c.spec.Model, c.p.Cohort
	g := &Given{Columns: m.Columns, Formula: m.Formula, Scale: m.Scale, Falls: of.Falls, Missing: len(of.Unpredicted),
		Outside: of.Outside}
	if of.Reads != nil {
		g.Columns = of.Reads
	}
	if m.File != nil {
		g.Model = m.FileTitle()
	}
	if c.cuts != nil {
		if g.Cutoffs = c.cuts.All[:len(c.iv.Pi)]; g.Falls {
			g.Cutoffs = asGiven(g.Cutoffs)
		}
	}
	return g
}

// given stands for the terms of a fit.
func (j *eventRun) given(r *Result) {
	r.Coefficients, r.Given = []Coefficient{}, j.judged()
	r.Link = LinkWords{ID: j.how.Link.ID, Formula: j.how.Link.Formula}
	if j.cuts != nil {
		r.Link.Formula = "none: bands by cut-offs of the score, found in these data"
	}
}

// evaluate reads the scores of a repeat. Those of a score that is cut from the data have the bands of their folds.
func (j *eventRun) evaluate(a *crossfit.Assessment, how task.BandReader, repeat int, score []float64,
	event []bool) task.BandResult {
	if len(a.Held) == 0 {
		return how.Evaluate(score, event, j.cut)
	}
	at := j.p.Judged()
	band, above := make([]int, len(at)), make([]bool, len(at))
	for i, pos := range at {
		band[i], above[i] = a.Held[repeat].Band[pos], a.Held[repeat].Above[pos]
	}
	return how.Place(score, band, above, event)
}

// apparent evaluates the final fit on its own training rows.
func (j *eventRun) apparent(event []bool) task.BandResult {
	if j.cuts == nil {
		return j.own.Evaluate(j.model.Train, event, j.cut)
	}
	band, above := make([]int, len(event)), make([]bool, len(event))
	last := j.cuts.All[len(j.cuts.All)-1].Value
	for i, f := range j.model.Train {
		band[i], above[i] = j.own.Interval.Band(f), f > last
	}
	return j.own.Place(j.model.Train, band, above, event)
}

// placed gives a listed row the band of its fold.
func (j *eventRun) placed(say func(r *RowScore, i, at int)) func(r *RowScore, i, at int) {
	return func(r *RowScore, i, at int) {
		say(r, i, at)
		r.Stratum = j.model.Held[0].Band[at]
	}
}
