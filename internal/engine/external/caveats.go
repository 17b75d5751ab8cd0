package external

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// Codes of the warnings of an evaluation. With either of the first two it is no external
// validation.
const (
	WarnSameData = "same-data"
	WarnOneClass = "one-class"
	WarnKnown    = "known-rows"
	WarnSkipped  = "skipped"
	WarnWarned   = "warned"
	WarnOutside  = "outside-data"
)

// sameShare is the proportion of known training rows from which the file counts as the training
// data.
const sameShare = 0.5

// Refusal is the reason why an evaluation is no external validation, as a sentence; "" if it is
// one.
func (e *Evaluation) Refusal() string {
	for _, w := range e.Warnings {
		if w.Code == WarnSameData || w.Code == WarnOneClass {
			return w.Message
		}
	}
	return ""
}

// OneClass reports whether the evaluated rows are of one class, so that they have counts alone.
func (e *Evaluation) OneClass() bool {
	return slices.ContainsFunc(e.Warnings, func(w table.Warning) bool { return w.Code == WarnOneClass })
}

// Refuse marks an evaluation on exactly the bytes of the training file.
func (e *Evaluation) Refuse() {
	rest := slices.DeleteFunc(e.Warnings, func(w table.Warning) bool {
		return w.Code == WarnSameData || w.Code == WarnKnown
	})
	e.Warnings = append([]table.Warning{check.Note(WarnSameData, "",
		"This is the file the model was trained on: not an external validation.")}, rest...)
}

// IsTrainingData reports whether the evaluated rows are the training data.
func (e *Evaluation) IsTrainingData() bool {
	return slices.ContainsFunc(e.Warnings, func(w table.Warning) bool { return w.Code == WarnSameData })
}

// caveats lists the limitations of the evaluation.
func (e *Evaluation) caveats(m *model.Model) []table.Warning {
	all := e.kinship(m)
	if e.Skipped > 0 {
		all = append(all, check.Note(WarnSkipped, m.Outcome,
			"%s without a class of ‘%s’ the model knows: scored, but not evaluated.%s",
			phrase.Plural(e.Skipped, "row", "rows"), m.Outcome, e.strangeWords()))
	}
	if e.Outside > 0 {
		all = append(all, check.Note(WarnOutside, "", "%s", e.outside(m)))
	}
	if e.Warned > 0 {
		all = append(all, check.Note(WarnWarned, "", "%s with missing, unseen or out-of-range values.",
			phrase.Plural(e.Warned, "evaluated row", "evaluated rows")))
	}
	if _, one := e.only(m); one {
		return all // no verdict on a band
	}
	if !e.Monotone {
		all = append(all, check.Note(check.WarnNotMonotone, "", "The observed rates do not rise from band to band."))
	}
	for k, s := range e.Strata {
		if s.Verdict == stat.TooFew {
			all = append(all, check.Note(check.WarnFewInStratum, "", "%s", check.TooFew(m.Boundaries, k, s)))
		}
	}
	return all
}

// outside is a sentence on the rows outside the data, which were not evaluated.
func (e *Evaluation) outside(m *model.Model) string {
	lie, get := "lie", "they get no %s and are"
	if e.Outside == 1 {
		lie, get = "lies", "it gets no %s and is"
	}
	prediction := "band"
	text := phrase.Plural(e.Outside, "row", "rows") + " with a known outcome"
	if m.Multiclass() {
		prediction = "prediction"
	} else {
		text += " (" + phrase.Plural(e.OutsideEvents, "event", "events") + ")"
	}
	return text + " " + lie + " outside the data the model was trained on (" + e.outsideWords() + "): " +
		fmt.Sprintf(get, prediction) + " excluded from all figures."
}

// mostOutside is the number of columns that a sentence names.
const mostOutside = 5

// outsideWords names the columns because of which rows are outside the data.
func (e *Evaluation) outsideWords() string {
	var each []string
	for k, d := range e.OutsideBy {
		if k == mostOutside {
			each = append(each, phrase.Plural(len(e.OutsideBy)-k, "more column", "more columns"))
			break
		}
		how := "beyond its range"
		if d.Kind == prep.IssueUnseen {
			how = "an unseen level"
		}
		each = append(each, "‘"+d.Column+"’ "+how+": "+phrase.Int(d.Rows))
	}
	return strings.Join(each, "; ")
}

// kinship warns if the rows were trained on, or are all of one class.
func (e *Evaluation) kinship(m *model.Model) []table.Warning {
	all := []table.Warning{}
	if n := e.Same; n != nil && *n > 0 {
		if float64(*n) >= sameShare*float64(e.Rows) {
			rest := ""
			if *n < e.Rows {
				rest = " Rows that occur more than once, in the training data or here, are left out of this count."
			}
			all = append(all, check.Note(WarnSameData, "",
				"%s of %s are rows the model was trained on, by all predictors and the outcome: not an external validation.%s",
				phrase.Int(*n), phrase.Plural(e.Rows, "evaluated row", "evaluated rows"), rest))
		} else {
			all = append(all, check.Note(WarnKnown, "",
				"%s equal to a row the model was trained on, in all predictors and the outcome: the same patient, or chance.",
				phrase.Plural(*n, "evaluated row is", "evaluated rows are")))
		}
	}
	if only, ok := e.only(m); ok {
		all = append(all, check.Note(WarnOneClass, m.Outcome,
			"Only ‘%s’ is present in ‘%s’: without a second class the model cannot be evaluated.", only, m.Outcome))
	}
	return all
}

// withhold keeps only the counts if the test rows are of one class: a loss, an accuracy or a verdict on a band would
// then follow from which class that is, and would read as the quality of the model.
func (e *Evaluation) withhold(m *model.Model) {
	if _, one := e.only(m); !one {
		return
	}
	e.Recalibration, e.Recalibrated, e.Calibration, e.Subgroups = nil, nil, nil, nil
	e.Boundaries, e.Bands, e.Decisions, e.Cost, e.Intervals = nil, nil, nil, nil, nil
	if c := e.Classes; c != nil {
		e.Classes = &stat.Classes{Levels: c.Levels, Confusion: c.Confusion, Abstained: c.Abstained, PerClass: c.PerClass,
			N: c.N, Answered: c.Answered}
		for k := range e.Classes.PerClass {
			row := &e.Classes.PerClass[k] // its recall is the accuracy
			row.Precision, row.Recall, row.F1 = stat.Estimate{}, stat.Estimate{}, nil
		}
		return
	}
	e.Metrics, e.Performance = stat.Binary{}, &stat.Performance{N: e.Rows, Events: e.Events}
	for k := range e.Strata {
		e.Strata[k].Verdict = stat.NoVerdict
	}
}

// only returns the class of the test rows if they all have the same.
func (e *Evaluation) only(m *model.Model) (string, bool) {
	if e.Classes == nil {
		switch e.Events {
		case 0:
			return m.Negative.String(), true
		case e.Rows:
			return m.Positive.String(), true
		}
		return "", false
	}
	at, present := 0, 0
	for k, row := range e.Classes.Confusion {
		n := e.Classes.Abstained[k]
		for _, c := range row {
			n += c
		}
		if n > 0 {
			at, present = k, present+1
		}
	}
	return m.Levels[at], present == 1
}

// strangeWords names the outcome levels unknown to the model, after a blank; "" if there are
// none.
func (e *Evaluation) strangeWords() string {
	var each []string
	for _, l := range e.Unknown {
		name := phrase.Verbatim(l.Level)
		if l.Level == "" {
			name = "rare levels"
		}
		each = append(each, fmt.Sprintf("%s (%s)", name, phrase.Int(l.Rows)))
	}
	if len(each) == 0 {
		return ""
	}
	return " Levels the model does not know: " + phrase.Join(each) + "."
}
