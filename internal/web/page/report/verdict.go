package report

import (
	"maps"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/external"
	"taper/internal/engine/odds"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

func (p Printed) verdictParts() []doc.Node { return []doc.Node{doc.Verdict(p.verdict())} }

// verdict is engine.Verdict where the report may show all of it. Where counts are masked, the sentences are made
// without them, and a band whose verdict would reveal its counts is only said to be masked.
func (p Printed) verdict() []string {
	if p.several() {
		return p.classVerdict()
	}
	all := p.withRefits(p.seen())
	if p.c.Origin != nil {
		all = append([]string{p.movedSentence()}, all...)
	}
	first := slices.Concat(p.gravestOpen(), engine.Reserved(p.r), engine.Exploratory(p.r, p.warning))
	return append(first, all[:min(len(all), mostSentences)]...)
}

// open lists serious questions about the data that nobody answered; a verdict begins with them.
func (p Printed) open() []string {
	var all []string
	for _, text := range engine.Unanswered(p.r) {
		all = append(all, p.Small.text(text))
	}
	return all
}

// mostOpen is the number of open questions in a verdict, so that it fits on the first page.
const mostOpen = 3

// gravestOpen shortens the open questions to the most serious; the section Limits lists all.
func (p Printed) gravestOpen() []string {
	all := p.open()
	rest := len(all) - mostOpen
	if rest < 2 { // a sentence "one more" would take as much space as the question
		return all
	}
	return append(all[:mostOpen:mostOpen], phrase.UpperFirst(phrase.Count(rest, "more question"))+
		" about the data had no answer: see Limits.")
}

// mostSentences bounds the sentences of a verdict about the numbers.
const mostSentences = 5

// withRefits adds the bootstrap result where there is room.
func (p Printed) withRefits(all []string) []string {
	b := p.c.checked()
	if b == nil || len(all) >= mostSentences || p.tells(stat.ByID(intervalLoss)) {
		return all
	}
	text := "Corrected for optimism by " + phrase.Int(b.Replicates) + " bootstrap refits (95" + format.Pc +
		" CI in brackets):"
	loss, auc := correctedOf(b, intervalLoss), correctedOf(b, "auc")
	if loss.Value == nil || auc.Value == nil {
		return all
	}
	text += " interval loss " + worded(loss, doc.To(3)) + ", AUC " + worded(auc, doc.To(3)) + "."
	// A sentence above compares their losses, from which no optimism was subtracted.
	if p.regression() != "" || len(p.r.Beside) > 1 && !p.strata.Hidden() && p.decimals == 3 {
		text += " " + onlyOwnCorrected
	}
	return append(all, text)
}

// onlyOwnCorrected stands beside an optimism-corrected number near which other models are named.
const onlyOwnCorrected = "The other models are not corrected: compare them with this model by the uncorrected values."

// seen is the verdict on the test rows.
func (p Printed) seen() []string {
	if !p.strata.Hidden() && p.decimals == 3 {
		return engine.Findings(p.r)
	}
	if p.r.NoPredictor {
		return []string{engine.Unused(p.r), p.lossSentence()}
	}
	if p.r.IsRecalibrated() {
		return engine.Findings(p.r)
	}
	for _, s := range p.r.Strata {
		if s.N > 0 && s.N == p.r.Flow.Scored { // engine.Findings already states this and compares the losses
			return []string{"All rows fall in one band, " + bandWords(s) + ".", p.lossSentence()}
		}
	}
	return append(p.bandSentences(), p.lossSentence())
}

// bandSentences describes the bands by verdict.
func (p Printed) bandSentences() []string {
	var all []string
	if text := p.insideSentence(); text != "" {
		all = append(all, text)
	}
	for _, clauses := range [][]string{
		{naming(p.bandsWith(stat.Compatible),
			"The band %s is compatible with its limits; its confidence interval reaches beyond them",
			"The bands %s are compatible with their limits; their confidence intervals reach beyond them")},
		{naming(p.bandsWith(stat.Unclear), "In the band %s the observed rate lies outside the limits, which its "+
			"confidence interval overlaps", "In the bands %s the observed rates lie outside the limits, which their "+
			"confidence intervals overlap"),
			naming(p.bandsWith(stat.Outside), "In the band %s the whole confidence interval lies outside the limits",
				"In the bands %s the whole confidence intervals lie outside the limits")},
		{naming(p.bandsWith(stat.TooFew), "The band %s has too few rows or events to judge",
			"The bands %s have too few rows or events to judge"),
			naming(p.empty(), "The band %s has no rows", "The bands %s have no rows"),
			naming(p.bandsWith(stat.Masked), "The verdict on the band %s is masked with its counts",
				"The verdicts on the bands %s are masked with their counts")},
	} {
		if clauses = slices.DeleteFunc(clauses, func(c string) bool { return c == "" }); len(clauses) > 0 {
			for i := range clauses[1:] {
				clauses[1+i] = phrase.LowerFirst(clauses[1+i])
			}
			all = append(all, strings.Join(clauses, "; ")+".")
		}
	}
	return all
}

// insideSentence names the bands whose interval is within their limits, and says whether rates increase where the
// report may show it. Where all verdicts are masked it says nothing of the limits: that no printed verdict is good
// would read as a bad result.
func (p Printed) insideSentence() string {
	names, rows := p.bandsWith(stat.Inside), mask.Span{}
	for j, m := range p.strata.Rows {
		if p.word(j) == stat.Inside {
			rows = plus(rows, m.N)
		}
	}
	text := "No band has a confidence interval that lies inside its limits"
	switch {
	case len(names) > 0 && p.strata.Total.N.Shown() && rows.Shown():
		text = "Of " + phrase.Count(p.strata.Total.N.Low, "row") + ", " + phrase.Int(rows.Low) + " lie in " +
			naming(names, "one band "+engine.WhollyInside+": %s", phrase.Numeral(len(names))+" bands "+
				engine.WhollyInside+": %s")
	case len(names) > 0:
		text = naming(names, "The whole confidence interval of the band %s lies within its limits",
			"The whole confidence intervals of the bands %s lie within their limits")
	case len(p.bandsWith(stat.Masked)) > 0 && len(p.bandsWith(stat.Masked))+len(p.empty()) == len(p.r.Strata):
		text = ""
	case len(p.bandsWith(stat.Masked)) > 0:
		text = "No band whose verdict is printed has a confidence interval that lies inside its limits"
	}
	clauses := []string{text}
	switch rise, certain := p.strata.Rise(); {
	case certain && rise:
		clauses = append(clauses, "rates rise from band to band")
	case certain:
		clauses = append(clauses, "rates do not rise from band to band")
	}
	if clauses = slices.DeleteFunc(clauses, func(c string) bool { return c == "" }); len(clauses) == 0 {
		return ""
	}
	return phrase.UpperFirst(strings.Join(clauses, "; ")) + "."
}

// bandsWith names the bands whose printed verdict is one of the given.
func (p Printed) bandsWith(verdicts ...string) []string {
	var names []string
	for j, s := range p.r.Strata {
		if slices.Contains(verdicts, p.word(j)) && p.strata.Rows[j].N.High > 0 {
			names = append(names, bandWords(s))
		}
	}
	return names
}

// empty names the bands that the report shows to have no rows.
func (p Printed) empty() (names []string) {
	for j, s := range p.r.Strata {
		if p.strata.Rows[j].N.High == 0 {
			names = append(names, bandWords(s))
		}
	}
	return names
}

// lossSentence compares the losses, and names the better model only where the interval of the difference excludes
// 0.
func (p Printed) lossSentence() string {
	where := "rows not seen in training"
	if p.r.Apparent {
		where = "the training rows"
	}
	text := "Interval loss (" + engine.WhatLoss + ") on " + where + ": " + p.lossWords()
	if words := stat.LowerBetter.VerdictWords(p.regression(), stat.ByID(intervalLoss).InSentence()); words != "" {
		text += "; logistic regression cut at the same boundaries: " + words
	}
	if words := p.r.MeanOfRepeats(); words != "" {
		text += " (" + words + ")"
	}
	return text + "."
}

// regression compares the model with logistic regression by the interval loss.
func (p Printed) regression() string {
	for _, b := range p.r.Beside {
		if b.ID == "logistic" {
			return stat.LowerBetter.Verdict(p.r.LossDifference(b))
		}
	}
	return ""
}

// gravest are the warnings about several classes that the verdict repeats.
var gravest = []string{engine.WarnNoise, engine.WarnNotCertified, engine.WarnNeverPredicted, engine.WarnFewInClass,
	engine.WarnLogisticBetter}

// classVerdict is the headline, the kind of evaluation, and the serious warnings.
func (p Printed) classVerdict() []string {
	c := *p.r.Classes
	if p.classTable().Hidden() { // the model without predictors would give the share of the most frequent class
		c.Metrics.Baselines = maps.Clone(c.Metrics.Baselines)
		delete(c.Metrics.Baselines, "null")
	}
	strong, rest := resultview.ClassHeadline(&c)
	switch beside := p.answerMask(); {
	case !beside.counted:
		strong, rest = rightMasked, ""
	case beside.hidden && c.Criterion != "error rate" && !abstains(p.r):
		rest = strings.TrimSpace(rest + " The criterion of this model is the " + c.Criterion +
			", not the accuracy; it is masked.")
	}
	all := []string{strong, rest, p.classes().TestRows()}
	all = slices.DeleteFunc(all, func(s string) bool { return s == "" })
	for _, w := range p.r.Warnings {
		if text := p.warning(w); text != "" && len(all) < mostSentences && slices.Contains(gravest, w.Code) {
			all = append(all, text)
		}
	}
	if p.r.Apparent { // TestRows says so
		return append(p.gravestOpen(), all...)
	}
	return slices.Concat(p.gravestOpen(), engine.Reserved(p.r), all)
}

// warning is the text of a warning for the report. Where its numbers would reveal masked counts it is written
// without them.
func (p Printed) warning(w engine.Warning) string {
	hidden := p.strata.Hidden()
	switch {
	case w.Code == check.WarnFewInStratum && hidden:
		return "" // the verdict states it without counts
	case w.Code == check.WarnNotMonotone && hidden && !p.fallTold():
		return "" // it would narrow the masked counts
	case w.Code == check.WarnFewEvents && !p.strata.Total.Events.Shown():
		return "Fewer than 10 events or non-events: exploratory only."
	case w.Code == engine.WarnCollinear && p.Small == MaskSmall:
		// A correlation of 1 between terms of missing values says that the same rows lack both.
		return "Terms of ‘" + w.Column + "’ and others correlate so closely that their coefficients share one effect."
	case w.Code == engine.WarnOneSided && p.Small == MaskSmall:
		return p.oneSided(w)
	case w.Code == engine.WarnOneBand && !p.strata.Total.Events.Shown():
		return "All rows fall in one band: at this prevalence the model sees no reason to split."
	case w.Code == engine.WarnStarts:
		return "Started from other points the fit ended elsewhere; a better one may exist."
	case w.Code == engine.WarnLogisticBetter && !p.several() && p.regression() != stat.Better:
		return "" // from an earlier version, which did not store the interval, or for another interval
	case w.Code == engine.WarnLogisticBetter && p.several():
		if said, _, numbers := strings.Cut(w.Message, ":"); numbers && p.answerMask().hidden {
			return said + "."
		}
	case w.Code == engine.WarnLogisticBetter && p.decimals != 3:
		return "Logistic regression cut at the same boundaries has a lower interval loss."
	}
	return p.Small.text(w.Message)
}

// oneSided is the warning about categories with only events or only non-events: complete where the report shows all
// counts of the column, and without counts for a numeric column, which is in no table of counts.
func (p Printed) oneSided(w engine.Warning) string {
	for _, s := range p.c.predictors() {
		switch {
		case s.Name != w.Column:
		case s.Kind == prep.Number:
			return "All rows with one of the two values of ‘" + w.Column + "’ have the event, or none has it: only a " +
				"penalty bounds its coefficient."
		default:
			rows, events := p.c.cohort()
			if !p.Small.levels(s, rows, events).Hidden() {
				return w.Message
			}
		}
	}
	return ""
}

// movedSentence names the run that was recalibrated, and the source of the recalibration.
func (p Printed) movedSentence() string {
	o := p.c.Origin
	text := "Recalibrated from run " + o.Parent + ": intercept " + viz.Number(o.Intercept, 3) + ", slope " +
		viz.Number(o.Slope, 3)
	switch o.How {
	case external.RecalibrateSlope:
		return text + " estimated on " + p.validation() + "."
	case external.RecalibrateIntercept:
		return "Recalibrated from run " + o.Parent + ": intercept " + viz.Number(o.Intercept, 3) + " estimated on " +
			p.validation() + ", slope as it was."
	}
	if to, ok := p.movedTo(); ok {
		return text + ", as for a prevalence of " + viz.Percent(to, 1) + format.Pc + "."
	}
	return text + " as given."
}

// validation names the external validation behind a recalibrated run.
func (p Printed) validation() string {
	if v := p.c.Asked; v != nil {
		return "the external validation “" + v.Name + "”"
	}
	return "the external validation " + p.c.Origin.Evaluation + ", which is gone"
}

// movedTo is the prevalence on the training rows after the intercept was moved, where their own prevalence may be
// shown.
func (p Printed) movedTo() (to float64, ok bool) {
	n, events := p.r.Flow.Trained, p.r.Flow.TrainedEvents
	if p.c.Origin.Slope != 1 || events <= 0 || events >= n || !p.trained().Events.Shown() {
		return 0, false
	}
	f := p.c.Origin.Intercept + odds.Logit(float64(events)/float64(n))
	return odds.Sigmoid(f), true
}

// movedResult gives the effect of recalibration on the rows it was estimated from, where counts allow, else where
// to find it.
func (p Printed) movedResult() string {
	own := "On the rows of the run it came from: under Performance and Strata."
	v := p.c.Asked
	if v == nil || p.c.Origin.How == "" || v.Result == nil || v.Result.Performance == nil {
		return own + " No row of the other population was at hand."
	}
	m := v.Result.RecalibratedModel(p.c.Origin.How)
	if m == nil {
		return own
	}
	was, is := v.Result.Performance, m.Performance
	if !p.Small.totalOf(*v).Events.Shown() {
		return "On the rows it was estimated on, calibration is masked: it would disclose their number of events. " + own
	}
	return "On the rows it was estimated on, apparent: calibration slope " + worded(was.CalibrationSlope, doc.To(2)) +
		" before, " + worded(is.CalibrationSlope, doc.To(2)) + " after; O/E " + worded(was.ObservedExpected, inRatios) +
		" before, " + worded(is.ObservedExpected, inRatios) + " after. " + own
}

// totalOf counts the rows of a validation as its own report shows them.
func (s SmallCounts) totalOf(v store.Evaluation) mask.Row {
	var rows []mask.Split
	for _, band := range v.Result.Strata {
		rows = append(rows, mask.Split{N: band.N, Events: band.Events})
	}
	return s.release(rows).Total
}
