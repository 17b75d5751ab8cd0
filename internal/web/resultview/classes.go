package resultview

import (
	"slices"
	"strconv"

	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/internal/web/render"
	"taper/web/templates"
)

// Classes is a result of several classes for a page.
type Classes struct {
	Result *engine.Result
	Spec   engine.Spec
}

// View makes the view of a result.
func (s Classes) View() templates.Classes {
	c := s.Result.Classes
	m := c.Metrics.Test
	v := templates.Classes{
		Facts: ClassFacts(c.Task, m, c.Criterion, &c.Cost), Confusion: templates.SVG(viz.ConfusionSVG(m)),
		Table: Confusion(m), PerClass: PerClass(m),
		Beside: render.Table(s.Beside()), Say: s.Judged(), Predictors: s.predictors(), Flow: s.flow(), Fit: s.Fit(),
	}
	v.Strong, v.Rest = ClassHeadline(c)
	v.Open = Unanswered(s.Result, nil)
	for _, w := range check.Sort(slices.Clone(s.Result.Warnings)) {
		if w.Code == engine.WarnOptimistic || check.Harmful(w) {
			continue // said beside the figures; said first of all
		}
		n := templates.Notice{}
		if n.Fact, n.Text = format.Fact(w); w.Level == "ask" || w.Code == engine.WarnApparent ||
			w.Code == engine.WarnNotCertified {
			n.Kind = "ask"
		}
		v.Notices = append(v.Notices, n)
	}
	if c.PCA != nil {
		v.Figures = append(v.Figures, control.Figure(viz.ClassScatter(s.Result)))
	}
	told, way := s.Pictures()
	v.Figures = append(v.Figures, told...)
	if len(s.Result.Tuning) > 0 {
		v.Figures = append(v.Figures, control.Figure(viz.TuningCurve(s.Result)))
	}
	if len(c.Coverage) > 0 {
		v.Figures = append(v.Figures, control.Figure(viz.CoverageCurve(s.Result)))
	}
	v.Figures = append(v.Figures, way...)
	v.Starts = Bands{Result: s.Result}.starts()
	if t := s.Coefficients(); t != nil {
		v.Coefficients = new(templates.Table)
		*v.Coefficients = render.Table(*t)
	}
	return v
}

// ClassHeadline is the answer in a line.
func ClassHeadline(c *engine.ClassResult) (strong, rest string) {
	m, plain, beside := c.Metrics.Test, c.Metrics.Baselines["logistic"], "Softmax regression on the same folds: "
	if len(c.Beside) == 2 { // the model is that itself
		plain, beside = c.Metrics.Baselines["null"], "Without predictors: "
	}
	switch about := task.Of(c.Task); {
	case about.Abstains():
		return "Abstention loss " + viz.NumberOf(m.AbstentionLoss, 3) + ".",
			"No answer for " + format.PercentOf(m.AbstentionRate) + " of the rows; right in " + format.PercentOf(m.Accuracy) +
				" of its answers. " + beside + viz.NumberOf(plain.AbstentionLoss, 3) + "."
	case about.Ordered():
		return "Off by " + viz.NumberOf(m.MAE, 3) + " classes on average.", beside + viz.NumberOf(plain.MAE, 3) + "."
	}
	return format.PercentOf(m.Accuracy) + " right.", beside + format.PercentOf(plain.Accuracy) + "."
}

// ClassFacts are the figures of a task, by its id.
func ClassFacts(id string, m stat.Classes, criterion string, cost *float64) []templates.Fact {
	var all []templates.Fact
	add := func(id, of string) {
		s, v := stat.ByID(id), m.Of(id)
		if id == "cost" {
			v.Value = cost
		}
		if v.Value == nil {
			return
		}
		text := format.WithUnit(s, v.Value)
		if v.Low != nil && v.High != nil {
			text += " (" + viz.Range(format.StatisticOf(s, v.Low), format.StatisticOf(s, v.High)) + ")"
		}
		all = append(all, templates.Fact{Label: s.Label + of, Value: text})
	}
	ofAnswers := map[bool]string{true: " of its answers"}[task.Of(id).Abstains()]
	add("mae", ofAnswers)
	add("abstention_loss", "")
	add("abstention_rate", "")
	add("accuracy", ofAnswers)
	if criterion == "mean cost" {
		add("cost", "")
	}
	add("macro_f1", "")
	add("kappa", "")
	add("log_loss", "")
	return all
}

// Judged says which rows the numbers are from, and where λ came from.
func (s Classes) Judged() string {
	text := "Out of fold: every row was answered by a model that had not seen it."
	switch {
	case s.Result.Apparent:
		return "Apparent: every row was answered by a model that had seen it."
	case s.Spec.Validation.Kind == "split":
		text = "Held out: rows the model had not seen."
	}
	if s.Result.Optimistic {
		text += " λ was chosen on these same folds, so the numbers are slightly optimistic; a saved run chooses it inside " +
			"each fold."
	}
	return text
}

// ruleWords say how an answer follows from scores.
var ruleWords = map[string]string{
	task.RuleExpected: "the answer of the least expected cost", task.RuleLargest: "the class of the largest score",
	task.RuleThresholds: "the number of thresholds below the score",
	task.RuleLead:       "the class of the largest score, if it leads by ½",
	task.RulePositive:   "the class of the largest score, if that is positive",
	task.RuleMixture:    "the largest share of the mixture",
}

// Fit says how the final fit ended and what to repeat it with.
func (s Classes) Fit() []templates.Fact {
	r, c := s.Result, s.Result.Classes
	facts := []templates.Fact{
		{Label: "Model", Value: r.Method}, {Label: "Probabilities", Value: r.Link.Formula},
		{Label: "Answer", Value: ruleWords[c.Rule]},
		{Label: "Judged by", Value: r.Validation}, {Label: "Penalty λ", Value: viz.Short(r.L2, 3)},
	}
	add := func(label, value string) { facts = append(facts, templates.Fact{Label: label, Value: value}) }
	if c.Gamma != nil {
		add("Kernel width γ", viz.Short(*c.Gamma, 3))
	}
	if k := c.Kernel; k != nil {
		text := viz.Count(k.Rows) + " training rows carry the score"
		if k.Landmarks > 0 {
			text = viz.Count(k.Landmarks) + " landmarks (Nyström) stand for the kernel"
		}
		add("Kernel", text)
	}
	add("Objective", viz.Short(r.Objective, 6))
	if r.Gap != nil {
		add("Relative duality gap, certified", viz.Short(*r.Gap, 2))
	}
	if r.GradientNorm != nil {
		add("Largest gradient entry", viz.Short(*r.GradientNorm, 2))
	}
	add("Iterations", viz.Count(r.Iterations)+", stopped by: "+r.Stopped)
	add("Time", Elapsed(r.Seconds)+" the final fit, "+Elapsed(r.ElapsedS)+" in all")
	add("Seed", strconv.FormatUint(s.Spec.Seed, 10))
	return facts
}
