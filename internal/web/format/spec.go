package format

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/viz"
)

// Event names the event: by the level if this is a word, else with the name of the outcome.
func Event(outcome string, positive table.Levels) string {
	if slices.ContainsFunc(positive, coded) || len(positive) == 0 {
		return outcome + " = " + positive.String()
	}
	return positive.String()
}

// coded reports whether a level is a code that means nothing without the name of its column.
func coded(level string) bool {
	switch strings.ToLower(level) {
	case "yes", "true", "positive", "event", "case", "y", "t":
		return true
	}
	_, err := strconv.ParseFloat(level, 64)
	return len(level) <= 2 || err == nil
}

// Task names the task of a multiclass spec with its classes.
func Task(s runspec.Spec) string {
	text := task.Of(s.Task).Words().Kind
	if s.Price != nil {
		text += " at a price of " + viz.Short(*s.Price, 4)
	}
	switch {
	case s.Bins != nil && s.Bins.By == "frequency":
		return text + ", cut into " + strconv.Itoa(s.Bins.Count) + " of equal numbers of rows"
	case s.Bins != nil:
		return text + ", cut into " + strconv.Itoa(s.Bins.Count) + " of equal length"
	case len(s.Levels) > 0:
		return text + ": " + Names(s.Levels, 12)
	}
	return text
}

// LabelNoise describes the injected label noise, "" for none.
func LabelNoise(n runspec.Noise) string {
	draw := ""
	if n.Draw > 0 {
		draw = ", draw " + phrase.Int(n.Draw)
	}
	switch n.Kind {
	case "", "none":
		return ""
	case synth.NoiseClass:
		return "by class, " + viz.Percent(n.RatePositive, 1) + Pc + " of the events and " + viz.Percent(n.RateNegative, 1) +
			Pc + " of the others" + draw
	}
	return phrase.LowerFirst(NoiseTitle(n.Kind)) + ", " + viz.Percent(n.Rate, 1) + Pc + draw
}

// Penalty says how the penalty of a spec is chosen.
func Penalty(s runspec.Spec) string {
	switch {
	case s.Model.Given():
		return "not known"
	case !s.Model.Penalised():
		return "none"
	case !s.Model.L2.Tuned():
		return viz.Short(s.Model.L2.Value, 3) + ", given"
	case s.Model.Tuning == "same-folds":
		return "by cross-validation on the evaluation folds"
	case s.Model.L2.Mode == "cv-1se":
		return "largest within one standard error, chosen inside each fold"
	}
	return "by cross-validation inside each fold"
}

// Validation says on which rows a model is evaluated.
func Validation(v runspec.Validation) string {
	switch v.Kind {
	case "split":
		return "hold-out of " + viz.Percent(v.Test, 0) + Pc
	case "none":
		return "no rows held out"
	}
	text := strconv.Itoa(v.Folds) + " folds"
	if v.Repeats > 1 {
		text += ", " + strconv.Itoa(v.Repeats) + " times"
	}
	return text
}

// Threshold names what a row must exceed to be predicted as an event.
func Threshold(s runspec.Spec, r *engine.Result) string {
	if r.CutByScore(s) {
		return "a score of 0"
	}
	return viz.Short(100*r.Cut, 3) + Pc
}

// Splines lists the splines of a spec, "" for none.
func Splines(s runspec.Spec) string {
	var each []string
	for _, name := range slices.Sorted(maps.Keys(s.Splines)) {
		each = append(each, name+" with "+phrase.Int(s.Splines[name])+" knots")
	}
	return Names(each, 10)
}

// Fact splits the text of a warning into the fact, which is set in bold, and the rest: for a question after its
// first sentence, for a note after the name of the column.
func Fact(w engine.Warning) (fact, rest string) {
	switch {
	case w.Level == "ask" || w.Level == "stop":
		for _, end := range []string{". ", ": "} {
			if i := strings.Index(w.Message, end); i >= 0 {
				return w.Message[:i+1], w.Message[i+2:]
			}
		}
		return w.Message, ""
	case w.Column != "" && strings.HasPrefix(w.Message, w.Column+" "):
		return w.Column, w.Message[len(w.Column)+1:]
	case !w.Settled:
		if i := strings.Index(w.Message, ": "); i >= 0 {
			return w.Message[:i+1], w.Message[i+2:]
		}
	}
	return "", w.Message
}
