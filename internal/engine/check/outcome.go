package check

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// Outcome lists what is doubtful about predicting the outcome from the predictors: levels, rows without
// an outcome, leaks, too few events, rare events, and the order of the file. When ctx ends the list is
// incomplete.
func Outcome(ctx context.Context, t *table.Table, o table.OutcomeChoice, predictors []string,
	opt table.Options) []table.Warning {
	d := &checker{t: t, opt: opt, outcome: o.Column}
	y := t.Column(o.Column)
	switch {
	case o.Column == "":
		d.whichOutcome()
		return d.out
	case y == nil:
		d.stop("no-outcome", "", "The data have no column "+phrase.Quote(o.Column)+": choose the outcome.")
		return d.out
	case y.Distinct > 1 && y.Code == nil, y.Distinct > table.MaxLevels:
		d.stop("outcome-values", y.Name, fmt.Sprintf("%s has %s different values: choose a column with two groups.", y.Name,
			phrase.Int(y.Distinct)))
		return d.out
	}
	d.levels(y, &o)
	class := classes(y, o)
	d.lacking(y, o)
	switch n := class.counts(); {
	case n[0] > 0 && n[1] > 0:
		d.leaksOf(ctx, y, class, predictors)
		d.coded(class, predictors)
		d.missingWithOutcome(y, class, predictors)
		d.fewEvents(n, predictors)
		d.prevalence(n)
	case len(o.Positive) == 0 && len(y.Commonest()) == 2: // neither depends on which of the two is the event
		class := classes(y, suggestEvent(y))
		d.leaksOf(ctx, y, class, predictors)
		d.coded(class, predictors)
	default:
		d.coded(nil, predictors)
	}
	d.sorted(y)
	return table.Join(d.out)
}

// stop adds a question without whose answer nothing can be trained.
func (d *checker) stop(code, column, message string) {
	d.out = append(d.out, table.Warning{Code: code, Column: column, Message: message, Level: "stop"})
}

// levels examines the levels of the outcome and determines the non-event level.
func (d *checker) levels(y *table.Column, o *table.OutcomeChoice) {
	levels := y.Commonest()
	switch {
	case y.Distinct == 0:
		d.stop("empty-outcome", y.Name, y.Name+" is empty: choose the outcome.")
		return
	case len(levels) == 0:
		d.stop("one-class", y.Name, y.Name+" never varies: choose a column with two groups.")
		return
	case len(levels) == 1:
		d.stop("one-class", y.Name, neverVaries(y, d.t.Rows))
		return
	}
	var others []string // neither the event nor only scored
	for _, l := range levels {
		if !o.Positive.Has(l.Level) && !slices.Contains(o.ScoreOnly, l.Level) {
			others = append(others, l.Level)
		}
	}
	if len(o.Negative) == 0 && len(others) == 1 {
		o.Negative = table.Levels{others[0]}
	}
	others = slices.DeleteFunc(others, o.Negative.Has)
	switch {
	case len(o.Positive) == 0:
		d.whichEvent(y, levels)
		codes := slices.DeleteFunc(others, func(l string) bool { return !likeCode(y, l) })
		if len(levels) > 2 && len(codes) > 0 {
			d.manyLevels(y, *o, levels, codes)
		}
	case len(levels) > 2 && len(others) > 0:
		d.manyLevels(y, *o, levels, others)
	}
}

// neverVaries says that a column with one value is no outcome, and what to do.
func neverVaries(y *table.Column, rows int) string {
	level := y.Commonest()[0]
	where := "all " + phrase.Count(rows, "row")
	if rows == 1 {
		where = "the only row"
	} else if level.Rows < rows {
		where = "every row with a value"
	}
	return fmt.Sprintf("%s is %s in %s, so there is nothing to predict. Choose another column or upload a file with "+
		"both values.", y.Name, level.Level, where)
}

// whichEvent asks for the event. It offers the levels that do not look like codes for missing: the rarer
// of two first, more than two in their order.
func (d *checker) whichEvent(y *table.Column, levels []table.LevelCount) {
	var held []string
	for _, l := range levels {
		held = append(held, fmt.Sprintf("%s (%s)", phrase.Quote(l.Level), phrase.Count(l.Rows, "row")))
	}
	q := table.Warning{Code: "which-event", Column: y.Name, Level: "ask",
		Message: fmt.Sprintf("%s has the values %s. Which value is the event?", y.Name, phrase.List(held))}
	for _, level := range eventOrder(y, levels) {
		o := table.OutcomeChoice{Column: y.Name, Positive: table.Levels{level}}
		if len(levels) == 2 {
			o.Negative = table.Levels{levels[0].Level}
			if o.Negative.Has(level) {
				o.Negative = table.Levels{levels[1].Level}
			}
		}
		q.Choices = append(q.Choices, table.Choice{Label: level, Outcome: &o})
	}
	d.out = append(d.out, q)
}

// eventOrder lists the possible events in the order in which a question offers them.
func eventOrder(y *table.Column, levels []table.LevelCount) []string {
	var all []string
	for _, l := range levels {
		if len(levels) == 2 || !likeCode(y, l.Level) {
			all = append(all, l.Level)
		}
	}
	slices.SortFunc(all, byValue)
	likely := suggestEvent(y).Positive.String()
	if len(all) > 2 && codeText[fold(likely)] {
		likely = "" // of 0, 1 and 2 none is obviously the event
	}
	if slices.Contains(all, likely) {
		all = slices.DeleteFunc(all, func(l string) bool { return l == likely })
		all = slices.Insert(all, 0, likely)
	}
	return all[:min(len(all), mostOffered)]
}

// manyLevels asks what to do with the levels besides event and non-event.
func (d *checker) manyLevels(y *table.Column, o table.OutcomeChoice, levels []table.LevelCount, others []string) {
	var found []string
	for _, l := range levels {
		found = append(found, l.Level)
	}
	slices.SortFunc(found, byValue)
	slices.SortFunc(others, byValue)
	var choices []table.Choice
	score := table.Choice{Label: "Score " + phrase.List(others) + " only",
		Outcome: &table.OutcomeChoice{Column: y.Name, Positive: o.Positive, Negative: o.Negative,
			ScoreOnly: slices.Concat(o.ScoreOnly, others)}}
	none := table.Choice{Label: "Treat " + phrase.List(others) + " as missing",
		Column: &table.ColumnSpec{Name: y.Name, MissingCodes: slices.Concat(y.Spec.MissingCodes, others)}}
	switch {
	case len(o.Positive) == 0:
		choices = []table.Choice{none, {Label: "Keep as a value"}}
	case len(o.Negative) == 0:
		d.otherClass(y, o, none, others)
		return
	case slices.ContainsFunc(others, func(l string) bool { return likeCode(y, l) }):
		choices = []table.Choice{none, score}
	default:
		event, other := *score.Outcome, *score.Outcome
		event.Positive, event.ScoreOnly = slices.Concat(o.Positive, others), o.ScoreOnly
		other.Negative, other.ScoreOnly = slices.Concat(o.Negative, others), o.ScoreOnly
		count := "Count " + phrase.List(others)
		choices = []table.Choice{score, none, {Label: count + " as the event", Outcome: &event},
			{Label: count + " as non-events", Outcome: &other}}
	}
	d.ask(question{
		code: "outcome-levels", column: y.Name, fact: fmt.Sprintf("Found %s:", strings.Join(found, ", ")),
		ask: fmt.Sprintf("map %s, or choose ordinal / multiclass.", phrase.List(others)), kept: phrase.List(others) +
			" neither trained on nor scored.", choices: choices,
	})
}

// otherClass asks which levels are the non-events, where several remain. Choices are: all except codes
// for missing, all together, or, if there are few, each of them.
func (d *checker) otherClass(y *table.Column, o table.OutcomeChoice, missing table.Choice, others []string) {
	q := table.Warning{Code: "outcome-levels", Column: y.Name, Level: "ask",
		Message: fmt.Sprintf("The event of %s is %s; %s remain. Which of them are non-events?",
			y.Name, phrase.Quote(o.Positive.String()), phrase.List(others))}
	var codes, real []string
	for _, l := range others {
		if likeCode(y, l) {
			codes = append(codes, l)
		} else {
			real = append(real, l)
		}
	}
	if len(codes) > 0 {
		missing.Label = "Treat " + phrase.List(codes) + " as missing"
		missing.Column.MissingCodes = slices.Concat(y.Spec.MissingCodes, codes)
		q.Choices = append(q.Choices, missing)
	}
	add := func(label string, negative, score []string) {
		at := o
		at.Negative, at.ScoreOnly = slices.Clone(negative), slices.Concat(o.ScoreOnly, score)
		q.Choices = append(q.Choices, table.Choice{Label: label, Outcome: &at})
	}
	if len(real) > 1 {
		add(phrase.List(real)+" together", real, codes)
	}
	for i, l := range real {
		rest := slices.Concat(slices.Delete(slices.Clone(real), i, i+1), codes)
		if len(real) <= 3 {
			add(l+"; "+phrase.List(rest)+" scored but not used for training", []string{l}, rest)
		}
	}
	d.out = append(d.out, q)
}

// likeCode reports whether a level of the outcome looks like a code for missing: 9 of 0, 1 and 9, but not
// 7 of 1 to 7, which continues the numbering of the classes.
func likeCode(y *table.Column, level string) bool {
	v, ok := plainValue(level)
	if !ok || !slices.Contains(codes, v) {
		return false
	}
	return !slices.ContainsFunc(y.Commonest(), func(l table.LevelCount) bool {
		before, ok := plainValue(l.Level)
		return ok && v > 0 && before == v-1 && !likeCode(y, l.Level)
	})
}

// byValue orders levels as numbers where possible, otherwise as text.
func byValue(a, b string) int {
	x, okx := plainValue(a)
	y, oky := plainValue(b)
	if okx && oky {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

// lacking reports which rows are scored and not used for training.
func (d *checker) lacking(y *table.Column, o table.OutcomeChoice) {
	if y.Missing > 0 {
		d.note("missing-outcome", y.Name, fmt.Sprintf("%s the outcome: scored, but not used for training.",
			phrase.CountWith(y.Missing, "row", "lacks", "lack")))
	}
	rows := 0
	var which []string
	for k, level := range y.Levels {
		if slices.Contains(o.ScoreOnly, level) && y.Count[k] > 0 {
			rows += y.Count[k]
			which = append(which, level)
		}
	}
	if rows > 0 {
		d.note("score-only", y.Name, fmt.Sprintf("%s (%s): scored, but not used for training.",
			phrase.Count(rows, "row"), phrase.List(which)))
	}
}

// labels holds 1 for an event, 0 for a non-event, −1 for other rows.
type labels []int8

// classes labels the rows; without named non-events all other levels are.
func classes(y *table.Column, o table.OutcomeChoice) labels {
	kind := make([]int8, len(y.Levels))
	for k, level := range y.Levels {
		switch {
		case o.Positive.Has(level):
			kind[k] = 1
		case o.Negative.Has(level), len(o.Negative) == 0 && !slices.Contains(o.ScoreOnly, level):
		default:
			kind[k] = -1
		}
	}
	class := make(labels, len(y.Code))
	for i, k := range y.Code {
		class[i] = -1
		if k >= 0 {
			class[i] = kind[k]
		}
	}
	return class
}

// counts returns the numbers of non-events and events.
func (l labels) counts() (n [2]int) {
	for _, c := range l {
		if c >= 0 {
			n[c]++
		}
	}
	return n
}

// fewEvents compares the events with the number of parameters if every number is linear, which is known
// before a fit.
func (d *checker) fewEvents(n [2]int, predictors []string) {
	if w, few := FewEvents(n, Parameters(d.t, predictors)); few {
		d.out = append(d.out, w)
	}
}

// EventsPerParameter is the least number of events per parameter, or of non-events where these are fewer, of a model
// that is more than exploratory.
const EventsPerParameter = 10

// FewEvents compares the smaller class of n (non-events, events) with the parameters of a model and warns
// of fewer than EventsPerParameter (docs/clinical.md, Data checks).
func FewEvents(n [2]int, parameters int) (w table.Warning, few bool) {
	events, noun := n[1], "event"
	if n[0] < n[1] {
		events, noun = n[0], "row without the event"
	}
	if parameters == 0 || events >= EventsPerParameter*parameters {
		return w, false
	}
	who := phrase.Count(events, noun)
	if noun != "event" {
		who = phrase.CountWith(events, "row", "without", "without") + " the event"
	}
	text := fmt.Sprintf("%s for %s (%.1f each): exploratory only.", who, phrase.Count(parameters, "parameter"),
		below10(float64(events)/float64(parameters)))
	return table.Warning{Code: WarnFewEvents, Message: text, Level: "note"}, true
}

// WarnFewEvents is the code of FewEvents.
const WarnFewEvents = "few-events"

// below10 rounds to one decimal, but down where 9.96 would be shown as 10.
func below10(v float64) float64 {
	if each := math.Round(10*v) / 10; each < 10 {
		return each
	}
	return math.Floor(10*v) / 10
}

// prevalence notes events so rare or so common that boundaries at the quarters do not split the rows.
func (d *checker) prevalence(n [2]int) {
	p := float64(n[1]) / float64(n[0]+n[1])
	if p >= .1 && p <= .9 {
		return
	}
	var near string
	for i, b := range SuggestBoundaries(p) {
		if i > 0 {
			near += ", "
		}
		near += phrase.Number(math.Round(1e4*b) / 100)
	}
	d.note("prevalence", "", fmt.Sprintf("%.1f\u00a0%% of the rows are events: with boundaries at 25, 50 and "+
		"75\u00a0%% all rows may fall in one band. Try boundaries near %s\u00a0%%.", 100*p, near))
}

// SuggestBoundaries returns boundaries that can split the rows at this prevalence: the quarters, or round
// numbers near half, once and twice a small prevalence.
func SuggestBoundaries(prevalence float64) []float64 {
	switch {
	case !(prevalence > 0 && prevalence < 1) || prevalence >= .1 && prevalence <= .9:
		return []float64{.25, .5, .75}
	case prevalence > .9:
		b := SuggestBoundaries(1 - prevalence)
		return []float64{1 - b[2], 1 - b[1], 1 - b[0]}
	}
	unit := math.Pow(10, math.Floor(math.Log10(prevalence))) // 5 % → 0.01
	lead := prevalence / unit
	switch { // half, once and twice, rounded to the series 1 2 5
	case lead < 1.5:
		return []float64{.5 * unit, unit, 2 * unit}
	case lead < 3.5:
		return []float64{unit, 2 * unit, 5 * unit}
	case lead < 7.5:
		return []float64{2 * unit, 5 * unit, 10 * unit}
	}
	return []float64{5 * unit, 10 * unit, 20 * unit}
}

// sorted notes a file whose rows are grouped by outcome.
func (d *checker) sorted(y *table.Column) {
	changes, last := 0, int32(-1)
	total, square := 0.0, 0.0
	for _, k := range y.Code {
		if k >= 0 && k != last {
			changes++
			last = k
		}
	}
	for _, n := range y.Count {
		total += float64(n)
		square += float64(n) * float64(n)
	}
	// In random order the level changes between neighbouring rows n − Σ n_k²/n times.
	chance := total - square/max(total, 1)
	if total >= 20 && chance >= 8 && float64(changes-1) <= max(float64(y.Distinct-1), chance/20) {
		d.settled("sorted", y.Name, "The file is sorted by outcome: rows are always shuffled by seed, and the row number "+
			"is no predictor.")
	}
}
