package resultview

import (
	"cmp"
	"slices"
	"strings"

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

// Classes is a multiclass result for a page.
type Classes struct {
	Result *engine.Result
	Spec   runspec.Spec
	Beyond []string // as of Bands
}

// Headline is the main number of the task and that of the comparison model.
func (s Classes) Headline() Headline {
	h := Headline{Open: Unanswered(s.Result, nil)}
	h.Strong, h.Rest = ClassHeadline(s.Result.Classes)
	if s.Result.Apparent {
		h.Rest += " " + engine.OnTrainingRows
	}
	return h
}

// View is the view of an unsaved state, on one page.
func (s Classes) View() (v View) {
	v.Headline = s.Headline()
	v.Sections = []doc.Section{{Label: "Answers", Body: []doc.Node{s.answers()}}}
	v.Sections = append(append(v.Sections, s.caveats(anySubject)...), s.core()...)
	v.Sections = append(v.Sections, s.classification(s.eachClass()), s.comparison())
	if plane := s.plane(); len(plane) > 0 {
		v.Sections = append(v.Sections, doc.Section{Body: []doc.Node{plane}})
	}
	v.Details = []doc.Section{{ID: "penalty", Title: "Penalty λ", Body: doc.Nodes{s.figures()}}}
	if all := starts(s.Result, Restarts{}); all != nil {
		v.Details[0].Body = append(v.Details[0].Body, all...)
	}
	v.Details[0].Body = append(v.Details[0].Body, finalFit(s.Fit()))
	coefficients := doc.Nodes{doc.Note("A kernel model has no coefficients.")}
	if t := s.Coefficients(); t != nil {
		coefficients = doc.Nodes{*t}
	}
	v.Details = append(v.Details, doc.Section{ID: "coefficients", Title: "Coefficients", Body: coefficients},
		doc.Section{ID: "predictors", Title: "Predictors by class", Body: []doc.Node{s.predictors()}},
		doc.Section{ID: "flow", Title: "Row flow", Body: []doc.Node{rowFlow(s.Result, s.Spec)}})
	return v
}

// AnswerPage is a saved run’s first page: the answers by true class, and the limits.
func (s Classes) AnswerPage() []doc.Section {
	all := []doc.Section{{Label: "Answers", Body: []doc.Node{s.answers()}}}
	var caveats []doc.Node
	if limits := s.caveats(ofVerdict); len(limits) > 0 {
		caveats = limits[0].Body
	}
	return append(all, limitsOf(caveats, s.Beyond)...)
}

// PerformancePage is the performance of a saved run: the core measures, the statistics of its answers, and the
// models on the same folds.
func (s Classes) PerformancePage() []doc.Section {
	all := slices.Concat(s.caveats(ofPerformance), s.core(), before(s.Spec, s.Result))
	return append(all, s.classification(s.eachClass()), s.comparison())
}

// ModelPage is the model of a saved run: its terms, and the fit.
func (s Classes) ModelPage(settings doc.Section) (terms, fitted []doc.Section) {
	if s.Result.Given != nil {
		return append(s.caveats(ofModel), evaluated(s.Result.Given), settings),
			[]doc.Section{{Body: []doc.Node{s.plane()}}, rowFlow(s.Result, s.Spec)}
	}
	return append(s.caveats(ofModel), s.terms(settings)...), append(s.fitting(), ended(s.Result, s.Spec, s.Fit()))
}

// terms are the coefficients, which a kernel has none of, and the settings. The coefficients of one score leave room
// for the settings beside them.
func (s Classes) terms(settings doc.Section) (all []doc.Section) {
	by := doc.Section{ID: "by", Title: "Predictors by class", Body: []doc.Node{s.predictors()}}
	t := s.Coefficients()
	if t == nil {
		return []doc.Section{by, settings}
	}
	terms := doc.Section{ID: "coef", Title: "Coefficients", Body: []doc.Node{*t}}
	if len(t.Columns) == 2 {
		return []doc.Section{{Body: []doc.Node{doc.Pair{{terms}, {settings}}}}, by}
	}
	return []doc.Section{terms, by, settings}
}

// fitting are the figures about the fit.
func (s Classes) fitting() []doc.Section {
	return []doc.Section{{Body: []doc.Node{append(s.plane(), s.figures()...)}}, {Body: starts(s.Result, Restarts{})}}
}

func (s Classes) caveats(about subject) []doc.Section {
	list, _ := notices(s.Result, about, nil)
	if len(list) == 0 {
		return nil
	}
	return []doc.Section{{Body: []doc.Node{doc.Part{View: templates.Notices(list)}}}}
}

// classification is the statistics of the answers, under the rule that turns scores into answers.
func (s Classes) classification(body ...doc.Node) doc.Section {
	return doc.Section{ID: "classification", Title: "Classification", Say: RuleWords(s.Result.Classes.Rule), Body: body}
}

// answers are the figure of the answers by true class, and their statistics.
func (s Classes) answers() doc.Node {
	c := s.Result.Classes
	m := c.Metrics.Test
	drawn := templates.ConfusionMap(templates.SVG(viz.ConfusionSVG(m)), task.Of(c.Task).Abstains())
	return doc.Group{Class: "class-top", Body: []doc.Node{
		doc.Guarded{Node: doc.Part{View: drawn}, Reveals: mask.OfRows},
		doc.Group{Class: "stack-s", Body: []doc.Node{doc.Highlights(ClassFacts(c.Task, m, c.Criterion, s.Result.MeanCost())),
			doc.Note(strings.TrimSpace(s.TestRows() + Independent(s.Result) + " " + ClassIntervals(m) +
				CostInterval(c.Criterion, s.Result.MeanCost())))}},
	}}
}

func (s Classes) eachClass() doc.Node {
	m := s.Result.Classes.Metrics.Test
	return doc.Pair{
		{doc.Section{ID: "confusion", Title: "Confusion matrix", Lower: true, Body: []doc.Node{Confusion(m)}}},
		{doc.Section{ID: "per", Title: "Each class", Lower: true, Body: []doc.Node{PerClass(m)}}},
	}
}

func (s Classes) comparison() doc.Section {
	return doc.Section{ID: "beside", Title: "Comparison " + SameRows(s.Spec), Body: []doc.Node{s.Beside()}}
}

// ClassCore describes the core measures of several classes.
const ClassCore = "This section has the measures of probabilities and ranking. Net benefit and the distribution of " +
	"risks by class exist for two classes only. Measures of the answers, such as accuracy, are under Classification."

// RuleWords describes the rule that turns scores into an answer.
func RuleWords(rule string) string {
	return "Measures of the answers, by this rule: " + cmp.Or(ruleWords[rule], "that of the model") +
		". Under another rule accuracy, F1 and the like would differ."
}

// core are the measures before the answers: ROC curves and calibration of a saved run, and the statistics of the
// probabilities; none for a model without either.
func (s Classes) core() []doc.Section {
	var body []doc.Node
	if facts := ProbabilityFacts(s.Result.Classes.Metrics.Test); len(facts) > 0 {
		body = append(body, doc.Highlights(facts))
		if text := ProbabilityIntervals(s.Result.Classes.Metrics.Test); text != "" {
			body = append(body, doc.Note(text))
		}
	}
	if p := s.Result.Classes.Pictures; p != nil {
		if figures := drawn(mask.OfRows, s.roc(p), s.calibration(p)); len(figures) > 0 {
			body = append(body, figures)
		}
	}
	if len(body) == 0 {
		return nil
	}
	return []doc.Section{{ID: "performance", Title: "Core measures", Say: ClassCore + Independent(s.Result), Body: body}}
}

// plane shows the rows by class in the plane of two components, if there is one.
func (s Classes) plane() doc.Figures {
	if s.Result.Classes.PCA == nil {
		return nil
	}
	f := viz.ClassScatter(s.Result)
	return doc.Figures{{Chart: &f, Reveals: mask.OfRows}}
}

// figures are the figures about the fit.
func (s Classes) figures() (all doc.Figures) {
	c := s.Result.Classes
	add := func(f viz.Figure) { all = append(all, doc.Figure{Chart: &f, Reveals: mask.OfRows}) }
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

// ClassHeadline is the summary, with the rule of the answers.
func ClassHeadline(c *engine.ClassResult) (strong, rest string) {
	strong, rest = besideOthers(c)
	if rule, ok := ruleWords[c.Rule]; ok {
		rest += " Rule: " + rule + "."
	}
	return strong, rest
}

// besideOthers are the main number of a task and those of the models beside it.
func besideOthers(c *engine.ClassResult) (strong, rest string) {
	m, accuracy := c.Metrics.Test, func(m stat.Classes) string {
		if m.Accuracy == nil {
			return ""
		}
		return format.PercentOf(m.Accuracy)
	}
	switch about := task.Of(c.Task); {
	case about.Abstains():
		loss := func(m stat.Classes) string { return valueOf("abstention loss ", m.AbstentionLoss, 3) }
		answers := "No answer for " + format.PercentOf(m.AbstentionRate) + " of the rows"
		if m.AbstentionRate != nil && *m.AbstentionRate == 1 {
			answers = "The model answers no row."
		} else {
			answers += "; " + format.PercentOf(m.Accuracy) + " of the answers are correct."
		}
		if m.AbstentionLoss == nil { // beside masked answers
			return answers, ""
		}
		return phrase.UpperFirst(loss(m)) + ".", costsOfErrors(c) + answers + othersBeside(c, "abstention_loss", loss)
	case about.Ordered() && m.MAE != nil: // not beside masked answers
		return "Mean absolute error " + viz.NumberOf(m.MAE, 3) + " classes.", strings.TrimSpace(othersBeside(c, "mae",
			func(m stat.Classes) string { return valueOf("", m.MAE, 3) }))
	}
	if text := costsBeside(c); text != "" {
		return "Mean cost " + viz.Number(c.Cost, 4) + ".", strings.TrimSpace(text) + " " + format.PercentOf(m.Accuracy) +
			" correct."
	}
	return format.PercentOf(m.Accuracy) + " correct.", strings.TrimSpace(othersBeside(c, "accuracy", accuracy))
}

// costsBeside are the mean costs of the models beside one that was fitted to costs, like othersBeside; "" for another
// model, and where masked counts leave no comparison.
func costsBeside(c *engine.ClassResult) (text string) {
	if _, shown := c.Metrics.Baselines["null"]; !shown || c.Criterion != meanCost {
		return ""
	}
	for _, b := range c.Beside {
		switch {
		case b.ID == "null" && b.Difference != nil:
			text = " " + withoutPredictors(c, "cost") + ": " + viz.Number(b.Cost, 4) + "." + text
		case b.ID == "logistic" && b.Difference != nil && len(c.Beside) != 2:
			text += " Softmax regression: " + viz.Number(b.Cost, 4) + besideSoftmax(c, "cost") + "."
		}
	}
	return text
}

const meanCost = "mean cost" // the criterion of a model with costs of its own

// costsOfErrors says what an error and no answer cost, with a space behind; "" where no answer has no cost of its own.
func costsOfErrors(c *engine.ClassResult) string {
	if len(c.Costs) <= len(c.Levels) || len(c.Levels) == 0 {
		return ""
	}
	wrong := "An error costs 1"
	if task.Of(c.Task).Ordered() {
		wrong = "An error costs its distance in classes"
	}
	return wrong + ", no answer " + viz.Short(c.Costs[len(c.Levels)][0], 3) + ". "
}

// valueOf writes a number after its name, "" for none.
func valueOf(name string, v *float64, decimals int) string {
	if v == nil {
		return ""
	}
	return name + viz.Number(*v, decimals)
}

// othersBeside are sentences about the models beside the run's, each after a space: the one without predictors, with a
// verdict where the run's model is not shown to be better by the criterion of its tuning, and softmax regression
// unless the run's model is that. value writes the statistic with this id.
func othersBeside(c *engine.ClassResult, id string, value func(stat.Classes) string) string {
	text := ""
	if plain := value(c.Metrics.Baselines["null"]); plain != "" {
		text += " " + withoutPredictors(c, id) + ": " + plain + "."
	}
	if softmax := value(c.Metrics.Baselines["logistic"]); softmax != "" && len(c.Beside) != 2 {
		text += " Softmax regression: " + softmax + besideSoftmax(c, id) + "."
	}
	return text
}

// besideSoftmax is the verdict on softmax regression beside its value, in brackets, by the paired difference of the
// criterion that the statistic with this id measures; "" without an interval, and where the means over repeats order
// the two otherwise than the first repeat, which has the difference.
func besideSoftmax(c *engine.ClassResult, id string) string {
	if !measures(c, id) {
		return ""
	}
	for _, b := range c.Beside {
		switch d := b.CostDifference(); { // its cost minus that of the run's model
		case b.ID != "logistic" || d.Low == nil || *d.Value*(b.Cost-c.Cost) < 0:
		case *d.Low > 0:
			return " (significantly worse)"
		case *d.High < 0:
			return " (significantly better)"
		default:
			return " (no significant difference)"
		}
	}
	return ""
}

// measures reports whether a statistic is the criterion of the run's tuning.
func measures(c *engine.ClassResult, id string) bool {
	return c.Criterion == stat.ByID(id).InSentence() || c.Criterion == "error rate" && id == "accuracy"
}

// withoutPredictors introduces the statistic with this id of the model without predictors.
func withoutPredictors(c *engine.ClassResult, id string) string {
	in := " in " + c.Criterion
	if measures(c, id) {
		in = ""
	}
	for _, b := range c.Beside {
		switch d := b.CostDifference(); {
		case b.ID != "null" || d.Value == nil:
		case b.Cost <= c.Cost: // means over repeats, as the numbers shown
			return "No better" + in + " than without predictors"
		case d.Low != nil && *d.Low <= 0:
			return "Not shown to be better" + in + " than without predictors"
		}
	}
	return "Without predictors"
}

// ProbabilityFacts are the statistics of the probabilities, none without probabilities.
func ProbabilityFacts(m stat.Classes) (all []doc.Fact) {
	for _, id := range probabilityStatistics {
		all = append(all, classFact(id, "", m.Of(id))...)
	}
	return all
}

// classFact is a statistic with its interval, none without a value.
func classFact(id, of string, e stat.Estimate) []doc.Fact {
	if e.Value == nil {
		return nil
	}
	s := stat.ByID(id)
	text := format.WithUnit(s, e.Value)
	if e.Low != nil && e.High != nil {
		limits := viz.Range(format.StatisticOf(s, e.Low), format.StatisticOf(s, e.High))
		if viz.Widthless(*e.Low, *e.High, false) {
			limits = viz.NoInterval
		}
		text += " (" + limits + ")"
	}
	return []doc.Fact{{Label: s.Label + of, Value: text}}
}

// ClassFacts are the statistics of the answers of a task, by its id.
func ClassFacts(id string, m stat.Classes, criterion string, cost stat.Estimate) []doc.Fact {
	var all []doc.Fact
	add := func(id, of string) {
		v := m.Of(id)
		if id == "cost" {
			v = cost
		}
		all = append(all, classFact(id, of, v)...)
	}
	ofAnswers := map[bool]string{true: " of its answers"}[task.Of(id).Abstains()]
	add("mae", ofAnswers)
	add("abstention_loss", "")
	add("abstention_rate", "")
	add("accuracy", ofAnswers)
	if criterion == meanCost {
		add("cost", "")
	}
	add("kappa", ofAnswers) // of ordered classes, and before the rest: the first page of the report has the first figures
	add("macro_f1", ofAnswers)
	return all
}

// The statistics of ClassFacts and of ProbabilityFacts that may have an interval.
var (
	answerStatistics      = []string{"mae", "abstention_loss", "abstention_rate", "accuracy", "macro_f1", "kappa"}
	probabilityStatistics = []string{"log_loss", "brier"}
)

// ClassIntervals names how the intervals of ClassFacts are computed; "" if none has one.
func ClassIntervals(m stat.Classes) string {
	return strings.TrimSpace(intervalsOf(m, answerStatistics) + OverClasses(m))
}

// CostInterval names how the interval of the mean cost is computed, after a space; "" for a model that is not fitted to
// costs, and without an interval.
func CostInterval(criterion string, cost stat.Estimate) string {
	if criterion != meanCost || cost.Low == nil {
		return ""
	}
	return " " + stat.ByID("cost").Label + ": " + stat.MeanInterval + "."
}

// ProbabilityIntervals is the same of ProbabilityFacts, AllClassIntervals of both.
func ProbabilityIntervals(m stat.Classes) string { return intervalsOf(m, probabilityStatistics) }

func AllClassIntervals(m stat.Classes) string {
	return strings.TrimSpace(intervalsOf(m, slices.Concat(probabilityStatistics, answerStatistics)) + OverClasses(m))
}

// OverClasses names the classes over which macro F1 is no mean, after a space; "" where it is the mean over all.
func OverClasses(m stat.Classes) string {
	without := m.WithoutRows()
	if len(without) == 0 || !m.F1OverRows() {
		return ""
	}
	has, rows := " has no rows", ""
	if len(without) > 1 {
		has = " have no rows"
	}
	if m.Answered < m.N {
		rows = " with an answer"
	}
	return " " + stat.ByID("macro_f1").Label + " is the mean over " + phrase.Int(len(m.Levels)-len(without)) + " of " +
		phrase.Plural(len(m.Levels), "class", "classes") + ": " + phrase.Join(without) + has + rows + "."
}

func intervalsOf(m stat.Classes, ids []string) string {
	var list []stat.Statistic
	for _, id := range ids {
		if m.Of(id).Low != nil {
			list = append(list, stat.ByID(id))
		}
	}
	if len(list) == 0 {
		return ""
	}
	if m.Averaged {
		return "In brackets: 95" + format.Pc + " CI, its limits too as means over the repeats. " + format.Hows(list)
	}
	return "In brackets: 95" + format.Pc + " CI. " + format.Hows(list)
}

// TestRows names the rows of the statistics, and how λ was chosen.
func (s Classes) TestRows() string {
	return judged(s.Result, s.Spec, "answered") + MeansOfRepeats(s.Result, s.Spec, "counts and curves are")
}

// ruleWords describe the rules that turn scores into an answer.
var ruleWords = map[string]string{
	task.RuleExpected: "the answer with the lowest expected cost", task.RuleLargest: "the class with the largest score",
	task.RuleThresholds: "the number of thresholds below the score",
	task.RuleLead:       "the class with the largest score, if its margin over the next is at least ½",
	task.RulePositive:   "the class with the largest score, if that is positive",
	task.RuleMixture:    "the answer with the largest share in the optimal mixed strategy",
}

// Fit describes the convergence of the final fit and how to repeat it.
func (s Classes) Fit() doc.Facts {
	r, c := s.Result, s.Result.Classes
	facts := doc.Facts{
		{Label: "Model", Value: r.Method}, {Label: "Probabilities", Value: r.Link.Text()},
		{Label: "Answer", Value: ruleWords[c.Rule]},
		{Label: "Validation", Value: r.Validation}, {Label: PenaltyLabel, Value: viz.Short(r.L2, 3)},
	}
	if c.Gamma != nil {
		facts = append(facts, doc.Fact{Label: "Kernel width γ", Value: viz.Short(*c.Gamma, 3)})
	}
	if k := c.Kernel; k != nil {
		text := phrase.Int(k.Rows) + " training rows have a weight in the score"
		if k.Landmarks > 0 {
			text = phrase.Int(k.Landmarks) + " landmarks (Nyström) stand for the kernel"
		}
		facts = append(facts, doc.Fact{Label: "Kernel", Value: text})
	}
	return append(facts, solved(r, s.Spec)...)
}
