package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// comparison holds the models of one run, fitted on the same folds: the spec's model and its baselines. A
// logistic regression is its own baseline.
type comparison struct {
	p    *Prepared
	spec runspec.Spec
	task task.Task
	how  fit.Method
	iv   loss.Interval // of a task with an event
	cost task.Cost
	rule string // how scores become an answer; "" for a task with an event

	unlisted bool           // leave out the list of rows
	near     *crossfit.Near // fits that those of the model start from; nil = none

	model, plain *crossfit.Assessment
	cuts         *crossfit.Cuts // of a given score
	// in the order of task.Baselines: the regression, then the model without predictors
	baselines []func() *crossfit.Assessment // of millions of rows each takes a while, so where it is evaluated
}

// eventRun is the comparison of a task with an event.
type eventRun struct {
	*comparison
	cut    float64         // probability above which a row is predicted to have the event
	own    task.BandReader // reads the model's scores
	logits task.BandReader // reads the baselines' scores
}

// answers are the predictions of an assessment.
type answers struct {
	repeat       []task.Answers // of the test rows in order, by repeat; of the training rows without validation
	train, extra task.Answers
}

// classRun is the comparison of a multiclass task.
type classRun struct {
	*comparison
	answers // those of the model
}

// average evaluates every repeat. It returns the evaluation of the first with the mean metrics of all. known, when not
// nil, is what is known of the metrics of an assessment that is evaluated again.
func (j *eventRun) average(a *crossfit.Assessment, how task.BandReader,
	known func(*crossfit.Assessment, int) *stat.Known) task.BandResult {
	event := j.p.Events(j.p.Judged())
	var first task.BandResult
	var all []stat.Binary
	for r, score := range j.held(a) {
		if how.Known = nil; known != nil {
			how.Known = known(a, r)
		}
		v := j.evaluate(a, how, r, score, event)
		if r == 0 {
			first = v
		}
		all = append(all, v.Metrics)
	}
	first.Metrics = stat.Average(all)
	if a.Flat {
		first = first.WithoutRanking()
	}
	return first
}

// cut is the probability above which a row is predicted to have the event: one half for binary classification.
// For intervals it is the boundary nearest to one half, because an interval model knows only whether a risk
// exceeds a boundary; where two boundaries are equally near, one half is used.
func cut(s *runspec.Spec) float64 {
	best, twice := s.Boundaries[0], false
	for _, pi := range s.Boundaries[1:] {
		was, is := math.Abs(best-0.5), math.Abs(pi-0.5)
		twice = math.Abs(is-was) < 1e-12 || twice && is > was
		if is < was-1e-12 {
			best = pi
		}
	}
	if twice || s.ChosenTask() == task.Task(task.Binary{}) {
		return 0.5
	}
	return best
}

// CutByScore reports whether the event is predicted above a score of 0 instead of above a risk. An interval model has a
// cut-off for each of its boundaries and none for another risk, so this is where two boundaries are equally near to
// one half.
func (r *Result) CutByScore(s runspec.Spec) bool {
	return s.Model.Banded() && !slices.Contains(r.Boundaries, r.Cut)
}

// comparison sets up the models of a validated spec.
func (p *Prepared) comparison(spec runspec.Spec) (*comparison, error) {
	c := &comparison{p: p, spec: spec, task: spec.ChosenTask()}
	var err error
	if c.how, c.cost, c.iv, err = p.Method(&spec); err != nil {
		return nil, err
	}
	if c.how.Costs() != nil {
		err = runspec.CheckCosts(c.cost, c.task, p.Cohort.Classes())
	}
	c.rule = c.task.Rule(c.how.Family)
	return c, err
}

// fit fits and assesses all models. The regression depends only on λ and, for multiclass tasks, on the costs,
// so it is cached between fits.
func (c *comparison) fit(ctx context.Context, report func(Progress)) error {
	p, plainly := c.p, c.spec.Plain()
	key := c.regression()
	if c.plain = p.remembered(key); c.plain == nil && len(p.Cohort.Predictors) == 0 {
		c.plain = p.Constant() // beside a given prediction: there is nothing to fit
	}
	if plainly && c.plain != nil {
		c.model = c.plain
		return nil
	}
	t := crossfit.NewTracker(report)
	defer t.Close()
	var todo []crossfit.Work
	if c.plain == nil {
		what := c.task.Baselines()[0].Name + " beside it: "
		if plainly {
			what = ""
		}
		line, err := p.Straight(ctx)
		if err != nil {
			return err
		}
		own, err := p.Baseline(&c.spec, key.l2, what)
		if err != nil {
			return err
		}
		todo = append(todo, crossfit.Work{Folds: line, Candidate: own, To: &c.plain})
	}
	given := c.spec.Model.Given()
	if !plainly && !given {
		own, err := p.Candidate(&c.spec, c.how, c.spec.Penalty(), "")
		if err != nil {
			return err
		}
		own.Near = c.near
		todo = append(todo, crossfit.Work{Folds: p.Folds, Candidate: own, To: &c.model})
	}
	if err := crossfit.AssessAll(ctx, todo, c.spec.Model.Tuning, t); err != nil {
		return err
	}
	if p.remember(key, c.plain); plainly {
		c.model = c.plain
	}
	if given {
		t.Step(0, "Evaluating the predictions")
		at, err := 0.5, error(nil)
		if p.Cohort.Target.Event {
			at = cut(&c.spec)
		}
		c.model, c.cuts, err = p.Given(ctx, &c.spec, c.how, at)
		return err
	}
	return nil
}

// result fills in what every run reports about its settings, rows and final fit.
func (c *comparison) result() *Result {
	s, m, end := &c.spec, c.model, c.model.Final.Certificate()
	kept := ""
	for _, start := range end.Starts {
		if start.Kept {
			kept = start.Start
		}
	}
	r := &Result{
		Outcome: s.Outcome, Method: runspec.TitleOfClasses(c.how, s), Validation: validationOf(s, c.p.about.flow),
		Apparent:   s.Validation.Kind == "none",
		Optimistic: s.Model.Tuned() && s.Model.Tuning == runspec.TuningSame,
		Flow:       c.p.about.flow, Tuning: m.Tuning, Trace: m.Trace.Of(kept),
		Objective: end.Objective, Gap: end.Gap, GradientNorm: end.GradientNorm, Iterations: end.Iterations,
		Evaluations: end.Evaluations, Stopped: end.Stopped, Starts: end.Starts,
	}
	if s.Model.Penalised() {
		r.L2 = m.Setting.L2
		for _, at := range m.Chosen {
			r.FoldL2 = append(r.FoldL2, at.L2)
		}
	}
	return r
}

// list returns every row used, in the order of the table; with Validation.Rows those that no final fit was trained on.
// The three functions add the predictions for rows of the final fit's training part, test rows and rows that are only
// scored. i counts within that list; at is the row's position, −1 for a row that is only scored.
func (c *comparison) list(train, judged, extra func(r *RowScore, i, at int)) []RowScore {
	p := c.p
	if c.unlisted {
		return nil
	}
	var fitted, tested []int // positions, ascending
	if v := c.spec.Validation; len(p.Parts) == 0 || v.Kind == "split" && v.Rows == "" {
		fitted = p.Final.Train()
	}
	name := func(int) string { return "test" }
	if len(p.Parts) > 0 {
		tested = p.Judged()
	}
	if c.spec.Validation.Kind == "cv" {
		of := make([]string, len(p.Cohort.Rows)) // name of the test part of each position
		for _, q := range p.Parts[0] {
			for _, at := range q.Test() {
				of[at] = q.Name
			}
		}
		name = func(at int) string { return of[at] }
	}
	rows := make([]RowScore, 0, len(fitted)+len(tested)+len(p.Cohort.Extra))
	add := func(row int, split string, i, at int, say func(r *RowScore, i, at int)) {
		rows = append(rows, RowScore{Row: row, Outcome: p.Cohort.Level(row), Split: split, Flipped: at >= 0 && p.Noisy(at)})
		say(&rows[len(rows)-1], i, at)
	}
	next := func(at []int, i int) int { // the table row of a position, past all others at the end
		if i == len(at) {
			return math.MaxInt
		}
		return p.Cohort.Rows[at[i]]
	}
	for i, j, k := 0, 0, 0; len(rows) < cap(rows); {
		a, b, e := next(fitted, i), next(tested, j), math.MaxInt
		if k < len(p.Cohort.Extra) {
			e = p.Cohort.Extra[k]
		}
		switch least := min(a, b, e); least {
		case a:
			add(a, "train", i, fitted[i], train)
			i++
		case b:
			add(b, name(tested[j]), j, tested[j], judged)
			j++
		default:
			add(e, "scored", k, -1, extra)
			k++
		}
	}
	return rows
}

// portable builds model.json.
func (c *comparison) portable(r *Result) *model.Model {
	pre, of := c.p.Final.Design.Pre, c.p.Cohort
	m := &model.Model{
		Format: model.Format, Columns: pre.Columns, Terms: pre.Terms, Kind: c.spec.Model.Kind, Weights: []float64{},
		Loss: c.spec.Model.Loss, Params: c.how.Params(c.iv), Link: r.Link.ID,
		Boundaries: r.Boundaries, Delta: r.Delta, Cut: r.Cut, Outcome: r.Outcome, Levels: of.Target.Levels,
		Decimal: cmp.Or(c.p.Table.Dialect.Decimal, "."), OutcomeJoin: of.Outcome.Spec.JoinLevels,
	}
	for text, level := range of.Outcome.Aliases {
		if of.Target.Class(of.Code(level), math.NaN()) < 0 {
			continue
		}
		if m.OutcomeAliases == nil {
			m.OutcomeAliases = map[string]string{}
		}
		m.OutcomeAliases[text] = level
	}
	if c.spec.Model.Given() {
		m.Columns, m.Terms = nil, nil
		m.Positive, m.Negative = r.Positive, r.Negative
		return m
	}
	if p := c.model.Final.Potential; p != nil {
		m.Task, m.Rule, m.Costs, m.Bins, m.Potentials = c.spec.Task, c.rule, c.cost, of.Target.Cuts, p.Model
		return m
	}
	fit := c.model.Final.Fitted
	m.Weights, m.Intercept, m.Positive, m.Negative = present(fit.W), fit.B, r.Positive, r.Negative
	if m.Link == loss.LinkScaled {
		m.LinkScale = c.how.Link.Scale
	}
	if t := fit.Trees; t != nil {
		m.Trees = present(t.Trees)
	}
	if k := fit.Kernel; k != nil {
		m.SetExpansion(k)
	}
	return m
}

// ofTerms leaves out the warnings about coefficients where the model has none: that of a category on one side of the
// outcome and that of collinear terms. A predictor that separates the classes is named without its coefficient.
func (c *comparison) ofTerms(all []Warning) []Warning {
	if kind := c.spec.Model.Kind; kind != "boost" && kind != "kernel" {
		return all
	}
	var left []Warning
	for _, w := range all {
		if w.Code == WarnOneSided || w.Code == WarnCollinear {
			continue
		}
		if w.Code == WarnSeparation {
			w.Message = strings.Replace(w.Message, sizeByPenalty, ".", 1)
		}
		left = append(left, w)
	}
	return left
}

// finish adds the rows and warnings, and replaces nil by empty lists so that the JSON has no null for them.
func (c *comparison) finish(r *Result, rows []RowScore, doubts []Warning) *Result {
	r.Rows, r.Warnings = rows, present(check.Sort(append(doubts, c.ofTerms(c.p.about.warnings)...)))
	r.Boundaries, r.Delta, r.Strata = present(r.Boundaries), present(r.Delta), present(r.Strata)
	r.Density, r.Beside, r.Table1 = present(r.Density), present(r.Beside), present(r.Table1)
	r.Flow.Dropped, r.Flow.ScoreOnly = present(r.Flow.Dropped), present(r.Flow.ScoreOnly)
	r.Tuning, r.FoldL2 = present(r.Tuning), present(r.FoldL2)
	r.Model = c.portable(r)
	return r
}

// regression returns the settings of the comparison regression. The fixed λ of t-logistic regression multiplies
// a prior added to a sum over n rows; as t → 1 this equals λ/(2n) on the mean loss (docs/errata.md, Ding 2), so
// the comparison regression uses that.
func (c *comparison) regression() rule {
	r := rule{l2: c.spec.Model.L2, tuning: c.spec.Model.Tuning}
	if c.how.Family.Prior && !r.l2.Tuned() {
		r.l2 = fit.L2{Value: max(r.l2.Value/(2*c.p.Mass(c.p.Final.Train())), fit.MinL2)}
	}
	if !c.p.Cohort.Target.Event { // with an event, tuning minimises the log-loss whatever the costs
		r.cost = fmt.Sprint(c.cost)
	}
	return r
}

// validationOf describes the validation in words.
func validationOf(s *runspec.Spec, flow Flow) string {
	v, words := s.Validation, ""
	switch v.Kind {
	case "none":
		return "none: evaluated on the training rows"
	case "split":
		words = fmt.Sprintf("evaluated on a hold-out of %s (%s%s%%), stratified", phrase.Count(flow.Scored, "row"),
			phrase.Percent(v.Test), phrase.NBSP)
	default:
		words = fmt.Sprintf("%d folds, stratified", v.Folds)
		if v.Repeats > 1 {
			words += fmt.Sprintf(", %d repeats", v.Repeats)
		}
	}
	if flow.Groups > 0 {
		words += ", groups kept together"
	}
	switch {
	case s.Model.CutFromData():
		words += ", each cut by the rows of the others"
	case s.Model.Given():
		words += " for the regression beside the predictions, which are as they came"
	case !s.Model.Penalised():
	case !s.Model.Tuned():
		words += ", fixed λ"
		if s.Model.Kernelled() {
			words += " and γ"
		}
	case s.Model.Tuning == runspec.TuningSame:
		words += fmt.Sprintf(", %s chosen on the same folds (optimistic)", tunedWords(s.Model))
	case s.Model.Tuning == runspec.TuningSet:
		words += fmt.Sprintf(", %s chosen on a validation set inside the training part", tunedWords(s.Model))
	case s.Model.Tuning == runspec.TuningSample:
		words += fmt.Sprintf(", %s chosen on up to %s rows of the training part", tunedWords(s.Model),
			phrase.Int(runspec.TuningRows))
	case v.Kind == "split":
		words += fmt.Sprintf(", %s chosen inside the training part", tunedWords(s.Model))
	default:
		words += ", nested tuning"
	}
	return words
}

// held returns the outputs for the test rows in order, by repeat: out of fold, or on the training rows without
// validation.
func (c *comparison) held(a *crossfit.Assessment) [][]float64 {
	if len(a.Raw) == 0 {
		return [][]float64{a.Train}
	}
	var all [][]float64
	for _, raw := range a.Raw {
		k := len(raw) / len(c.p.Cohort.Rows)
		judged := make([]float64, 0, len(raw))
		for _, at := range c.p.Judged() {
			judged = append(judged, raw[at*k:(at+1)*k]...)
		}
		all = append(all, judged)
	}
	return all
}

// tunedWords names the parameters that tuning chooses.
func tunedWords(m fit.Spec) string {
	switch {
	case !m.GammaTuned():
		return "λ"
	case !m.L2.Tuned():
		return "γ"
	}
	return "λ and γ"
}
