package comparison

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"taper/internal/engine/compare"
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/task"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/format"
)

// settingLabels are the labels of the settings by field.
var settingLabels = map[string]string{
	"data": "Data", "outcome": "Outcome", "positive": "Event", "negative": "Non-event class",
	"score_only": "Scored, not used for training", "levels": "Classes", "bins": "Numbers cut into",
	"predictors": "Predictors", "splines": "Curves", "group": "Groups by", "weights": "Weights", "task": "Task",
	"price": "Cost of abstaining",
	"mode":  "Decision rule", "boundaries": "Boundaries",
	"model.kind": "Model", "model.loss": "Loss", "model.params": "Parameters", "model.features": "Form",
	"model.kernel": "Kernel",
	"model.rounds": "Rounds", "model.depth": "Depth of trees", "model.theta_rule": "Coefficients of trees",
	"model.solver":      "Solver",
	"model.standardize": "Columns standardised", "model.l2": "Choice of λ", "model.tuning": "Folds of the choice",
	"l2":         "λ of the final fit",
	"validation": "Validation", "noise": "Added noise", "review": "Reviewed labels",
	"seed": "Seed", "rows": "Rows tested", "version": "Version",
}

// formNames are the two forms of a score of ordered classes by their ids, as on the page of a fit.
var formNames = map[string]string{"th": "one score and thresholds", "mc": "a score for each class"}

// settingText is the text of a setting of a run, "" where it has none.
func settingText(field string, r compare.Run) string {
	s, m := r.Spec, r.Spec.Model
	switch field {
	case "data":
		return r.Data + " " + format.Hash(r.SHA256, 8)
	case "outcome":
		return s.Outcome
	case "positive":
		return s.Positive.String()
	case "negative":
		return r.Result.Negative.String()
	case "score_only":
		return strings.Join(s.ScoreOnly, ", ")
	case "levels":
		if r.Result.Classes != nil {
			return format.Names(r.Result.Classes.Levels, 6)
		}
		return ""
	case "bins":
		if s.Bins == nil {
			return ""
		}
		return phrase.Int(s.Bins.Count) + " classes" + " of equal " + cmp.Or(s.Bins.By, "length")
	case "predictors":
		return predictorsText(s.Predictors)
	case "splines":
		return format.Splines(s)
	case "group":
		return s.Group
	case "weights":
		return s.Weights
	case "task":
		switch kind := task.Of(s.Task).Words().Kind; {
		case kind != "":
			return kind
		case len(s.Boundaries) > 0:
			return "risk bands"
		}
		return "two classes"
	case "price":
		if s.Price == nil {
			return ""
		}
		return viz.Short(*s.Price, 4)
	case "mode":
		if rule, ok := boundary.RuleOf(s.Mode); ok {
			return strings.ToLower(rule.Label)
		}
		return s.Mode
	case "boundaries":
		if len(s.Boundaries) == 0 {
			return ""
		}
		return boundary.Percents(s.Boundaries)
	case "validation":
		return format.Validation(s.Validation)
	case "noise":
		return cmp.Or(format.LabelNoise(s.Noise), "none")
	case "review":
		if s.Review == nil || len(s.Review.Changes) == 0 {
			return "none"
		}
		return phrase.Int(r.Result.Flow.Relabelled) + " changed, " + phrase.Int(r.Result.Flow.LeftOut) + " left out"
	case "seed":
		return strconv.FormatUint(s.Seed, 10)
	case "rows":
		return phrase.Int(r.Result.Flow.Scored)
	case "version":
		return r.Version
	}
	return modelText(field, m, r)
}

// modelText is the text of a setting of the model.
func modelText(field string, m fit.Spec, r compare.Run) string {
	switch field {
	case "model.kind":
		return m.Kind
	case "model.loss":
		if f, ok := loss.FamilyByID(m.Loss); ok {
			return f.Title
		}
		return m.Loss
	case "model.params":
		return paramsText(m)
	case "model.features":
		return formNames[m.Features]
	case "model.kernel":
		return kernelText(m.Kernel)
	case "model.rounds":
		return positiveText(m.Rounds)
	case "model.depth":
		return positiveText(m.Depth)
	case "model.theta_rule":
		return m.ThetaRule
	case "model.solver":
		return m.Solver
	case "model.standardize":
		return map[bool]string{true: "yes", false: "no"}[m.Standardize == nil || *m.Standardize]
	case "model.l2":
		return format.Penalty(r.Spec)
	case "model.tuning":
		return m.Tuning
	case "l2":
		if m.Penalised() {
			return viz.Short(r.Result.L2, 3)
		}
	}
	return ""
}

func positiveText(n int) string {
	if n <= 0 {
		return ""
	}
	return phrase.Int(n)
}

func kernelText(k *fit.Kernel) string {
	if k == nil {
		return ""
	}
	text := k.Name
	if k.Gamma != nil {
		text += ", γ = " + valueText(k.Gamma)
	}
	if k.Name == "poly" {
		text += ", degree " + strconv.Itoa(k.Degree)
	}
	return text
}

// paramsText lists the parameters of the loss by their symbols.
func paramsText(m fit.Spec) string {
	f, _ := loss.FamilyByID(m.Loss)
	var each []string
	for _, p := range f.Params {
		if v, ok := m.Params[p.Name]; ok && p.Name != "pi" {
			each = append(each, p.Symbol+" = "+valueText(v))
		}
	}
	return strings.Join(each, ", ")
}

// valueText writes a value of the spec's JSON.
func valueText(v any) string {
	switch v := v.(type) {
	case float64:
		return viz.Short(v, 4)
	case string:
		return format.Parameter(v)
	}
	return format.Cut(fmt.Sprint(v), 60)
}

// predictorsText lists a few names, or gives the number of many.
func predictorsText(names []string) string {
	switch {
	case len(names) == 0:
		return "every usable column"
	case len(names) <= 4:
		return strings.Join(names, ", ")
	}
	return phrase.Count(len(names), "predictor")
}

// whyNot gives the reasons why rows cannot be paired.
var whyNot = map[string]string{
	"data":       "The runs are on different data, so no row is tested by both.",
	"event":      "The runs predict different events, so there is no reclassification table.",
	"reading":    "The file was read in different ways, so the same row number names different rows.",
	"task":       "Not all runs have an event, so there is no reclassification table.",
	"rows":       "No row was tested by both runs.",
	"boundaries": "The runs have different boundaries, so there is no reclassification table.",
}
