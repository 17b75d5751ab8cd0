package engine

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
)

// agreement collects the bands with the same verdict and counts their rows.
type agreement struct {
	bands []int
	rows  int
}

// bands returns the strata with one of the given verdicts.
func (r *Result) bands(verdicts ...string) agreement {
	var a agreement
	for k, s := range r.Strata {
		if slices.Contains(verdicts, s.Verdict) && s.N > 0 {
			a.bands, a.rows = append(a.bands, k), a.rows+s.N
		}
	}
	return a
}

// empty lists the bands without rows.
func (r *Result) empty() (bands []int) {
	for k, s := range r.Strata {
		if s.N == 0 {
			bands = append(bands, k)
		}
	}
	return bands
}

// unjudged splits the bands without a verdict: those with too few rows, and those with enough rows but too few
// events or non-events.
func (r *Result) unjudged() (few, rare agreement) {
	for _, k := range r.bands(stat.TooFew).bands {
		a := &few
		if r.Strata[k].N >= stat.MinRows {
			a = &rare
		}
		a.bands, a.rows = append(a.bands, k), a.rows+r.Strata[k].N
	}
	return few, rare
}

// NotTested says of a recalibrated result what its rows cannot show.
const NotTested = "the rows are those of the parent run, with its prevalence. They cannot show whether the bands " +
	"hold in the other population."

// OnTrainingRows ends the headline of a result whose rows trained its model.
const OnTrainingRows = "Evaluated on the training rows."

// Headline summarises the result in one or two lines: the part set in bold, and the rest.
func Headline(r *Result) (bold, rest string) {
	if r.NoPredictor {
		bold, rest, _ = strings.Cut(Unused(r), ": ")
		return bold + ":", " " + rest
	}
	if r.IsRecalibrated() {
		return "Recalibrated for another population:", " " + NotTested
	}
	where := ""
	if r.OwnRows() {
		where = " " + OnTrainingRows
	}
	n := phrase.Int(r.Flow.Scored)
	if k := oneBand(r); k >= 0 {
		return "All " + n + " rows", " fall in one band, " + phrase.Band(r.Boundaries, k) +
			": these boundaries do not split the data." + where
	}
	// The words are those of the verdicts, which the note of the table explains: two of them have a rate within the
	// limits and two a rate outside them.
	all := phrase.Numeral(len(r.Strata))
	bold, rest = "No band", " is inside its limits"
	switch a := r.bands(stat.Inside); {
	case a.rows == 0:
	case len(a.bands) == len(r.Strata):
		if bold = "All " + all + " bands"; len(a.bands) == 2 {
			bold = "Both bands"
		}
		rest = fmt.Sprintf(" (%s rows) are inside their limits", n)
	default:
		bold = phrase.UpperFirst(phrase.Numeral(len(a.bands))) + " of " + all + " bands"
		are := "are inside their limits"
		if len(a.bands) == 1 {
			are = "is inside its limits"
		}
		rest = fmt.Sprintf(" (%s of %s rows) %s", phrase.Int(a.rows), n, are)
	}
	few, rare := r.unjudged()
	for _, more := range []struct {
		of        agreement
		one, many string
	}{
		{r.bands(stat.Compatible), "is compatible with its limits", "are compatible with their limits"},
		{r.bands(stat.Unclear), "is unclear", "are unclear"},
		{r.bands(stat.Outside), "is outside its limits", "are outside their limits"},
		{rare, "has too few events or non-events for a verdict", "have too few events or non-events for one"},
		{few, "is too small to judge", "are too small to judge"},
	} {
		if len(more.of.bands) > 0 {
			verb := more.many
			if len(more.of.bands) == 1 {
				verb = more.one
			}
			rest += fmt.Sprintf("; %s (%s) %s", phrase.Numeral(len(more.of.bands)),
				phrase.Plural(more.of.rows, "row", "rows"), verb)
		}
	}
	if n := len(r.empty()); n > 0 {
		rest += "; " + phrase.Numeral(n) + map[bool]string{true: " has no rows", false: " have no rows"}[n == 1]
	}
	return bold, rest + ". " + phrase.UpperFirst(r.rise()) + where
}

// OwnRows reports whether the rows that evaluate a result trained its model. Predictions that came with the data were
// not trained here.
func (r *Result) OwnRows() bool { return r.Apparent && r.Given == nil }

// Reserved returns a sentence for what makes all figures of a result look better than those of most: rows that trained
// the model, or a review of the labels; none for most results.
func Reserved(r *Result) []string {
	switch {
	case r.IsRecalibrated() && r.Flow.Scored == 0: // the parent's data are gone: there are no figures
		return nil
	case r.OwnRows():
		return []string{"Evaluated on the rows that trained the model: all figures are optimistic."}
	case slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Code == WarnReviewed }):
		return []string{"Evaluated after a review changed labels or left rows out: agreeing with the model that was " +
			"reviewed improves all figures."}
	}
	return nil
}

// rise says whether the observed rates increase from band to band.
func (r *Result) rise() string {
	if r.Monotone {
		return "rates rise from band to band."
	}
	return "rates do not rise from band to band."
}

// plural returns one for a single band; otherwise their number followed by many.
func plural(bands []int, one, many string) string {
	if len(bands) == 1 {
		return one
	}
	return phrase.Numeral(len(bands)) + " " + many
}

// Unused says that no predictor is used, by any fit of the evaluation folds or by the final fit alone; "" where
// both use some.
func Unused(r *Result) string {
	final := len(r.Coefficients) > 1 && !slices.ContainsFunc(r.Coefficients[1:], func(c Coefficient) bool {
		return c.Value != 0
	})
	with := "at this penalty "
	if r.L2 == 0 { // trees have no λ
		with = ""
	}
	switch {
	case r.NoPredictor && (final || len(r.Coefficients) < 2):
		return "No predictor is used: " + with + "the model gives every row the same answer."
	case r.NoPredictor:
		return "No predictor is used in any fold: each fold’s model gives every row the same answer, so the " +
			"performance of the final model, which uses some, is unknown."
	case final:
		return "No predictor is used by the final model: " + with +
			"it gives every row the same answer; the results are those of folds that use some."
	}
	return ""
}

// Unanswered returns a sentence for each serious question about the data that was open when the run was made,
// the most serious first.
func Unanswered(r *Result) []string {
	var all []string
	for _, w := range check.OpenQuestions(r.Warnings) {
		fact, follows := check.UnansweredQuestion(w)
		all = append(all, fact+" "+follows)
	}
	return all
}

// Verdict returns sentences: open questions, reservations, whether the model is exploratory, then at most five about
// the numbers.
func Verdict(r *Result) []string {
	exploratory := Exploratory(r, func(w Warning) string { return w.Message })
	return slices.Concat(Unanswered(r), Reserved(r), exploratory, Findings(r))
}

// Exploratory returns a sentence if the model has few events per parameter, none if it has enough. words
// renders the warning.
func Exploratory(r *Result, words func(Warning) string) (all []string) {
	for _, w := range r.Warnings {
		if w.Code == check.WarnFewEvents {
			all = append(all, "The model is exploratory: "+
				phrase.LowerFirst(strings.TrimSuffix(words(w), ": exploratory only."))+".")
		}
	}
	return all
}

// Findings is the part of the verdict that concerns the numbers alone.
func Findings(r *Result) []string {
	if r.NoPredictor {
		return []string{Unused(r), r.losses()}
	}
	if r.IsRecalibrated() {
		return []string{phrase.UpperFirst(NotTested)}
	}
	if k := oneBand(r); k >= 0 {
		s := r.Strata[k]
		trap := fmt.Sprintf("All %s rows fall in one band, %s; the observed rate is %s%s%%.", phrase.Int(s.N),
			phrase.Band(r.Boundaries, k), phrase.WholePercent(*s.Observed), phrase.NBSP)
		return []string{trap, r.losses()}
	}
	var all []string
	for _, say := range []func() string{r.inside, r.compatible, r.off, r.tooFew, r.losses} {
		if text := say(); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// WhollyInside says of a band that its verdict is inside.
const WhollyInside = "whose whole confidence interval lies within the limits"

func (r *Result) inside() string {
	a := r.bands(stat.Inside)
	rise := r.rise()
	if a.rows == 0 {
		return fmt.Sprintf("No band of the %d has a confidence interval that lies inside its limits; %s", len(r.Strata), rise)
	}
	if a.rows == r.Flow.Scored {
		return fmt.Sprintf("All %s lie in %s %s: %s; %s", phrase.Plural(a.rows, "row", "rows"),
			plural(a.bands, "one band", "bands"), WhollyInside, r.named(a.bands), rise)
	}
	return fmt.Sprintf("Of %s, %s lie in %s %s: %s; %s", phrase.Plural(r.Flow.Scored, "row", "rows"),
		phrase.Int(a.rows), plural(a.bands, "one band", "bands"), WhollyInside, r.named(a.bands), rise)
}

func (r *Result) compatible() string {
	a := r.bands(stat.Compatible)
	switch {
	case a.rows == 0:
		return ""
	case len(a.bands) > 1:
		return fmt.Sprintf("The bands %s are compatible with their limits; their confidence intervals reach beyond them.",
			r.named(a.bands))
	}
	s := r.Strata[a.bands[0]]
	var reach []string
	if *s.Low < s.Lower {
		reach = append(reach, "below "+phrase.Percent(s.Lower)+phrase.NBSP+"%")
	}
	if *s.High > s.Upper {
		reach = append(reach, "above "+phrase.Percent(s.Upper)+phrase.NBSP+"%")
	}
	return fmt.Sprintf("The band %s is compatible with its limits; its confidence interval reaches %s.", r.named(a.bands),
		phrase.Join(reach))
}

// off lists the bands whose observed rate lies outside their limits: those that the interval leaves unclear, then
// those outside.
func (r *Result) off() string {
	var clauses []string
	for _, c := range []struct{ verdict, one, many string }{
		{stat.Unclear, "which its confidence interval overlaps", "which their confidence intervals overlap"},
		{stat.Outside, "as its whole confidence interval is", "as their whole confidence intervals are"},
	} {
		var each []string
		for _, k := range r.bands(c.verdict).bands {
			each = append(each, fmt.Sprintf("%s%s%% in the band %s", r.rateBeyond(k), phrase.NBSP,
				phrase.Band(r.Boundaries, k)))
		}
		switch len(each) {
		case 0:
		case 1:
			clauses = append(clauses, "the observed rate is "+each[0]+", outside its limits, "+c.one)
		default:
			clauses = append(clauses, "the observed rates are "+phrase.Join(each)+", outside their limits, "+c.many)
		}
	}
	if len(clauses) == 0 {
		return ""
	}
	return phrase.UpperFirst(strings.Join(clauses, "; ")) + "."
}

// rateBeyond is the observed rate of band k in per cent, with as many decimals as it takes to lie beyond the limits
// of the band in print too. Of its limits only the upper one belongs to a band.
func (r *Result) rateBeyond(k int) string {
	s := r.Strata[k]
	rate := *s.Observed
	if rate == s.Lower {
		return "exactly " + phrase.Percent(rate)
	}
	for unit := 1e2; unit < 1e6; unit *= 10 {
		short := math.Round(unit*rate) / unit
		if (short == 0 || short == 1) && short != rate { // a rare event does not appear as 0 %
			continue
		}
		if short < s.Lower || short > s.Upper {
			return phrase.Percent(short)
		}
	}
	return phrase.Percent(rate)
}

// tooFew lists the bands that have too few rows, events or non-events for a verdict, and those without rows.
func (r *Result) tooFew() string {
	var clauses []string
	if text := r.few(); text != "" {
		clauses = append(clauses, text)
	}
	switch none := r.empty(); len(none) {
	case 0:
	case 1:
		clauses = append(clauses, "the band "+r.named(none)+" has no rows")
	default:
		clauses = append(clauses, "the bands "+r.named(none)+" have no rows")
	}
	if clauses == nil {
		return ""
	}
	return phrase.UpperFirst(strings.Join(clauses, "; ")) + "."
}

// few is the clause of tooFew about bands with rows; "" where each of them has a verdict.
func (r *Result) few() string {
	a := r.bands(stat.TooFew)
	if a.rows == 0 {
		return ""
	}
	var each []string
	for _, k := range a.bands {
		s := r.Strata[k]
		what := phrase.Plural(s.N, "row", "rows")
		if s.N >= stat.MinRows {
			noun, n := check.RarerClass(s)
			what = phrase.Plural(n, noun, noun+"s") + " in " + what
		}
		each = append(each, "the band "+phrase.Band(r.Boundaries,
			k)+" has "+what+" ("+check.RowsForVerdict(s)+")")
	}
	return phrase.Join(each) + ", too few to judge"
}

// WhatLoss is what the interval loss measures, for a sentence.
const WhatLoss = "the mean cost of rows on the wrong side of a boundary"

// losses compares ℓ_π of the model and the regression. It names the better one only if the interval excludes 0.
func (r *Result) losses() string {
	where := "rows not seen in training"
	switch {
	case r.Given != nil:
		where = "these rows"
	case r.Apparent:
		where = "the training rows"
	}
	text := fmt.Sprintf("Interval loss (%s) on %s: %s", WhatLoss, where, loss3(r.Metrics.Test.IntervalLoss))
	for _, b := range r.Beside {
		switch {
		case b.ID == "null":
			text += "; without predictors: " + loss3(b.Metrics.IntervalLoss)
		case b.ID == "logistic":
			text += "; " + r.besideWords() + ": " + loss3(b.Metrics.IntervalLoss)
			if words := stat.ByID("interval_loss").VerdictWords(r.LossDifference(b)); words != "" {
				text += ", " + words
			}
		}
	}
	if words := r.MeanOfRepeats(); words != "" {
		text += " (" + words + ")"
	}
	return text + "."
}

// named lists bands in words: "at most 25 % and above 75 %".
func (r *Result) named(bands []int) string {
	var names []string
	for _, k := range bands {
		names = append(names, phrase.Band(r.Boundaries, k))
	}
	return phrase.Join(names)
}

// loss3 formats a loss with three decimals.
func loss3(v *float64) string {
	if v == nil {
		return "–"
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}

// oneBand returns the band that contains all rows, −1 if there are several.
func oneBand(r *Result) int {
	for k, s := range r.Strata {
		if s.N == r.Flow.Scored {
			return k
		}
	}
	return -1
}
