package resultview

import (
	"cmp"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// Classes is a result of several classes for a page.
type Classes struct {
	Result *engine.Result
	Spec   runspec.Spec
}

// View makes the view of a result.
func (s Classes) View() View {
	c := s.Result.Classes
	m := c.Metrics.Test
	var v View
	v.Strong, v.Rest = ClassHeadline(c)
	v.Open = Unanswered(s.Result, nil)
	if list, _ := notices(s.Result, nil); len(list) > 0 {
		v.Caveats = []doc.Section{{Body: []doc.Node{doc.Part{View: templates.Notices(list)}}}}
	}
	v.Caveats = append(before(s.Result), v.Caveats...)
	if core := s.core(); len(core) > 0 {
		v.Performance = []doc.Section{{ID: "performance", Title: "Performance", Say: ClassCore, Body: core}}
	}
	v.Classification = []doc.Section{{ID: "classification", Title: "Classification", Say: RuleWords(c.Rule),
		Body: []doc.Node{
			doc.Group{Class: "class-top", Body: []doc.Node{
				doc.Guarded{Node: doc.Part{View: templates.ConfusionMap(templates.SVG(viz.ConfusionSVG(m)))}, Reveals: mask.OfRows},
				doc.Group{Class: "stack-s", Body: []doc.Node{doc.Highlights(ClassFacts(c.Task, m, c.Criterion, &c.Cost)),
					doc.Note(s.TestRows())}},
			}},
			doc.Pair{
				{doc.Section{ID: "confusion", Title: "Confusion matrix", Lower: true, Body: []doc.Node{Confusion(m)}}},
				{doc.Section{ID: "per", Title: "Each class", Lower: true, Body: []doc.Node{PerClass(m)}}},
			},
		}}}
	v.Body = []doc.Section{
		{ID: "beside", Title: "Comparison on the same folds", Body: []doc.Node{s.Beside()}},
		{Body: []doc.Node{s.figures()}},
		{Body: starts(s.Result, Restarts{})},
	}
	if t := s.Coefficients(); t != nil {
		v.Body = append(v.Body, doc.Section{ID: "coef", Title: "Coefficients", Body: []doc.Node{*t}})
	}
	v.Body = append(v.Body, doc.Section{ID: "by", Title: "Predictors by class", Body: []doc.Node{s.predictors()}},
		ended(s.Result, s.Spec, s.Fit()))
	return v
}

// ClassCore says which core measures several classes have.
const ClassCore = "First the measures of the probabilities and of the ranking. Net benefit and the distribution " +
	"of the risks by class are made of runs of two classes. What holds for the answers alone, such as accuracy, " +
	"stands under Classification."

// RuleWords say how a row comes to its answer: the threshold of several classes.
func RuleWords(rule string) string {
	return "What follows from the answers, by this rule: " + cmp.Or(ruleWords[rule], "that of the model") +
		". By another one accuracy, F1 and the like differ."
}

// core are the measures that stand before the answers: the ROC curves and calibration of a
// kept run, and what is of the probabilities.
func (s Classes) core() (body []doc.Node) {
	if facts := ProbabilityFacts(s.Result.Classes.Metrics.Test); len(facts) > 0 {
		body = append(body, doc.Highlights(facts))
	}
	if p := s.Result.Classes.Pictures; p != nil {
		if figures := drawn(mask.OfRows, s.roc(p), s.calibration(p)); len(figures) > 0 {
			body = append(body, figures)
		}
	}
	return body
}

// figures are the plane of the rows, and how the fit went.
func (s Classes) figures() (all doc.Figures) {
	c := s.Result.Classes
	add := func(f viz.Figure) { all = append(all, doc.Figure{Chart: &f, Reveals: mask.OfRows}) }
	if c.PCA != nil {
		add(viz.ClassScatter(s.Result))
	}
	if p := c.Pictures; p != nil {
		all = append(all, drawn(mask.OfRows, s.giveUp(p.GiveUp))...)
	}
	if len(s.Result.Tuning) > 0 {
		add(viz.TuningCurve(s.Result))
	}
	if len(c.Coverage) > 0 {
		add(viz.CoverageCurve(s.Result))
	}
	return append(all, drawn(mask.NoCount, convergence(s.Result))...)
}

// ClassHeadline is the answer in a line, with the rule by which it was given.
func ClassHeadline(c *engine.ClassResult) (strong, rest string) {
	strong, rest = besideOthers(c)
	if rule, ok := ruleWords[c.Rule]; ok {
		rest += " Rule: " + rule + "."
	}
	return strong, rest
}

// besideOthers are the number of a task and that of the model beside it.
func besideOthers(c *engine.ClassResult) (strong, rest string) {
	m, plain, beside := c.Metrics.Test, c.Metrics.Baselines["logistic"], "Softmax regression on the same folds: "
	if len(c.Beside) == 2 { // the model is that itself
		plain, beside = c.Metrics.Baselines["null"], "Without predictors: "
	}
	switch about := task.Of(c.Task); {
	case about.Abstains():
		return "Abstention loss " + viz.NumberOf(m.AbstentionLoss, 3) + ".",
			"No answer for " + format.PercentOf(m.AbstentionRate) + " of the rows; right in " + format.PercentOf(m.Accuracy) +
				" of its answers. " + beside + viz.NumberOf(plain.AbstentionLoss, 3) + "."
	case about.Ordered() && m.MAE != nil: // not beside masked answers
		return "Off by " + viz.NumberOf(m.MAE, 3) + " classes on average.", beside + viz.NumberOf(plain.MAE, 3) + "."
	}
	return format.PercentOf(m.Accuracy) + " right.", beside + format.PercentOf(plain.Accuracy) + "."
}

// ProbabilityFacts are the figures of the probabilities, none without any.
func ProbabilityFacts(m stat.Classes) (all []doc.Fact) {
	for _, id := range []string{"log_loss", "brier"} {
		all = append(all, classFact(id, "", m.Of(id))...)
	}
	return all
}

// classFact is a figure with its interval, none without a value.
func classFact(id, of string, e stat.Estimate) []doc.Fact {
	if e.Value == nil {
		return nil
	}
	s := stat.ByID(id)
	text := format.WithUnit(s, e.Value)
	if e.Low != nil && e.High != nil {
		text += " (" + viz.Range(format.StatisticOf(s, e.Low), format.StatisticOf(s, e.High)) + ")"
	}
	return []doc.Fact{{Label: s.Label + of, Value: text}}
}

// ClassFacts are the figures of the answers of a task, by its id.
func ClassFacts(id string, m stat.Classes, criterion string, cost *float64) []doc.Fact {
	var all []doc.Fact
	add := func(id, of string) {
		v := m.Of(id)
		if id == "cost" {
			v.Value = cost
		}
		all = append(all, classFact(id, of, v)...)
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
	return all
}

// TestRows says which rows the numbers are from, and where λ came from.
func (s Classes) TestRows() string { return judged(s.Result, s.Spec, "answered") }

// ruleWords say how an answer follows from scores.
var ruleWords = map[string]string{
	task.RuleExpected: "the answer of the least expected cost", task.RuleLargest: "the class of the largest score",
	task.RuleThresholds: "the number of thresholds below the score",
	task.RuleLead:       "the class of the largest score, if it leads by ½",
	task.RulePositive:   "the class of the largest score, if that is positive",
	task.RuleMixture:    "the largest share of the mixture",
}

// Fit says how the final fit ended and what to repeat it with.
func (s Classes) Fit() doc.Facts {
	r, c := s.Result, s.Result.Classes
	facts := doc.Facts{
		{Label: "Model", Value: r.Method}, {Label: "Probabilities", Value: r.Link.Formula},
		{Label: "Answer", Value: ruleWords[c.Rule]},
		{Label: "Judged by", Value: r.Validation}, {Label: "Penalty λ", Value: viz.Short(r.L2, 3)},
	}
	if c.Gamma != nil {
		facts = append(facts, doc.Fact{Label: "Kernel width γ", Value: viz.Short(*c.Gamma, 3)})
	}
	if k := c.Kernel; k != nil {
		text := phrase.Int(k.Rows) + " training rows carry the score"
		if k.Landmarks > 0 {
			text = phrase.Int(k.Landmarks) + " landmarks (Nyström) stand for the kernel"
		}
		facts = append(facts, doc.Fact{Label: "Kernel", Value: text})
	}
	return append(facts, solved(r, s.Spec)...)
}
