package stratify

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// holdOutText is the value of folds in an address that evaluates on a hold-out.
const holdOutText = "holdout"

// plainFolds is the number of folds where no hold-out is chosen.
const plainFolds = 5

// foldsField reads and writes a number of folds, or the hold-out. Which of them is the default depends on the rows.
func (st *State) foldsField(f *form.Field) {
	f.Default = []string{strconv.Itoa(plainFolds)}
	if st.manyRows() {
		f.Default = []string{holdOutText}
	}
	f.Problem = func(text string) string { return f.Limits(text) + "." }
	f.Read = func(texts []string) error {
		if texts[0] == holdOutText {
			st.Folds = 0
			return nil
		}
		v, ok := form.ParseNumber(strings.TrimSpace(texts[0]))
		if !ok || v != math.Trunc(v) || v < f.Min || v > f.Max {
			return form.ReadError(f.Problem(texts[0]))
		}
		st.Folds = int(v)
		return nil
	}
	f.Write = func() []string { return []string{foldsText(st.Folds)} }
}

func foldsText(folds int) string {
	if folds == 0 {
		return holdOutText
	}
	return strconv.Itoa(folds)
}

// manyRows reports whether a hold-out is the default. It counts the terms of every column that can be a predictor, so
// that a choice of predictors does not change how they are evaluated.
func (st *State) manyRows() bool {
	d := st.Dataset
	var names []string
	for _, c := range d.Profiles {
		if c.Role == table.Predictor && c.Name != st.Outcome {
			names = append(names, c.Name)
		}
	}
	return st.Scale.HoldsOut(d.Rows, crossfit.MostTerms(table.ShapeOf(d.Rows, d.Profiles), names), st.rarest())
}

// rarest is the number of rows of the rarest class; of a binned outcome about that of a class.
func (st *State) rarest() int {
	i := slices.IndexFunc(st.Dataset.Profiles, func(c table.Profile) bool { return c.Name == st.Outcome })
	if i < 0 {
		return 0
	}
	of := st.Dataset.Profiles[i]
	if of.Levels == nil || st.Bins > 0 {
		return st.Dataset.Rows / max(st.Bins, usualBins)
	}
	events, others, least := 0, 0, math.MaxInt
	for _, l := range of.Levels {
		if slices.Contains(st.ScoreOnly, l.Level) {
			continue
		}
		if least = min(least, l.Rows); st.Positive.Has(l.Level) {
			events += l.Rows
		} else {
			others += l.Rows
		}
	}
	if st.Task == "" {
		return min(events, others)
	}
	return least
}

// validation is how the state is evaluated.
func (st State) validation() runspec.Validation {
	if st.Folds == 0 {
		return runspec.HoldOut()
	}
	return runspec.Validation{Kind: "cv", Folds: st.Folds}
}

// tuning is how λ is chosen: on the evaluation folds, which is fast and optimistic, or on a sample of the
// training part of a hold-out.
func (st State) tuning() string {
	if st.Folds == 0 {
		return runspec.TuningSample
	}
	return runspec.TuningSame
}

// withFolds is the state evaluated on five folds in place of a hold-out.
func (st State) withFolds() State {
	st.Folds, st.Preview = plainFolds, false
	return st
}

// Previews is the number of rows of the sample that a moving slider is answered from; 0 where all rows are.
func (p *Page) Previews() int { return p.State.Scale.Previews(p.State.Dataset.Rows) }

// Previewing reports whether a request is answered from the sample: its address says so, or a slider moves.
func (p *Page) Previewing() bool {
	return p.Previews() > 0 && !p.whole && (p.State.Preview || p.Moving())
}

// WithoutPreview answers from all rows, because the sample cannot be fitted.
func (p *Page) WithoutPreview() { p.whole = true }

// Lists reports whether the page lists rows.
func (p *Page) Lists() bool { return p.State.Band >= 0 }

// extent says which rows the result shows. It stands on the page of many rows alone, and takes the same room in a
// preview and after it.
func (p *Page) extent(r *engine.Result) *templates.Extent {
	m := p.Previews()
	if m == 0 || r == nil {
		return nil
	}
	all := phrase.Int(p.State.Dataset.Rows)
	if p.Previewing() {
		exact := p.State
		exact.Preview = false
		return &templates.Extent{Preview: true, Text: "Preview on " + phrase.Int(m) + " of " + all + " rows",
			Link: templates.Link{Label: "Compute all rows", URL: exact.URL()}}
	}
	v := &templates.Extent{Text: "All " + all + " rows, in " + strconv.Itoa(p.State.Folds) + " folds"}
	if p.State.Folds == 0 {
		v.Text = "All " + all + " rows, " + evaluatedOn(r)
		v.Link = templates.Link{Label: "Use five folds", URL: p.State.withFolds().URL()}
	}
	return v
}

// evaluatedOn names the rows of the hold-out.
func evaluatedOn(r *engine.Result) string {
	return "evaluated on a hold-out of " + phrase.Int(r.Flow.Scored)
}

// validates names the validation of a saved run.
func (st State) validates() string {
	if st.Folds == 0 {
		return viz.Percent(runspec.HoldOut().Test, 0) + format.Pc + " held out"
	}
	return phrase.Count(st.Folds, "fold")
}

// foldsChoice offers numbers of folds, and the hold-out.
func foldsChoice(folds int) templates.Choice {
	offered := []int{2, 5, 10}
	if folds > 0 && !slices.Contains(offered, folds) {
		offered = append(offered, folds)
		slices.Sort(offered)
	}
	var all []templates.Option
	for _, n := range offered {
		label := strconv.Itoa(n) + ", stratified"
		if n == 2 {
			label = "2, as in the paper"
		}
		all = append(all, templates.Option{Value: strconv.Itoa(n), Label: label})
	}
	share := viz.Percent(runspec.HoldOut().Test, 0) + format.Pc
	all = append(all, templates.Option{Value: holdOutText, Label: "none: hold out " + share})
	return choice("folds", "folds", "Folds", foldsText(folds), all...)
}

// comparisonOnly reports whether λ is that of the comparison alone, since trees have none.
func (st State) comparisonOnly() bool { return st.Task == "" && st.Method.ID == "boost" }

// lambdaLabel names the penalty.
func (st State) lambdaLabel() string {
	if st.comparisonOnly() {
		return "Penalty λ of the comparison"
	}
	return "Penalty λ"
}

// lambdaNote says on which rows λ is chosen.
func (st State) lambdaNote() string {
	switch {
	case st.Folds != 0 && st.L2.Tuned() && st.comparisonOnly():
		return "λ of the comparison is chosen on the same " + strconv.Itoa(st.Folds) +
			" folds that its numbers come from, so they are optimistic. Those of the trees are not."
	case st.Folds == 0 && st.L2.Tuned():
		return "λ is chosen by cross-validation of up to " + phrase.Int(runspec.TuningRows) + " rows of the " +
			"training part. The hold-out plays no part in it. A saved run has the same numbers."
	case st.Folds == 0:
		return "A saved run has the same numbers."
	case st.L2.Tuned():
		return "λ is chosen on the same " + strconv.Itoa(st.Folds) +
			" folds that the numbers come from, so they are optimistic: compare methods by saved runs, " +
			"which choose λ inside each fold."
	}
	return "The same λ in every fold."
}

// tuningLabel names the cross-validation that chooses λ.
func (st State) tuningLabel() string {
	if st.Folds == 0 {
		return "Cross-validation of a sample"
	}
	return strconv.Itoa(st.Folds) + "-fold cross-validation"
}

// resultAppears says when a page that waits shows its result.
func (st State) resultAppears() string {
	if st.Folds == 0 {
		return "The result appears when the model is fitted."
	}
	return "The result appears when the folds are done."
}
