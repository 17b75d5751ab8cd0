package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
)

// Fit makes a whole run: Prepare, then Run.
func Fit(ctx context.Context, t *table.Table, spec Spec, report func(Progress)) (*Result, error) {
	started := time.Now()
	beat := newTracker(report)
	p, err := Prepare(ctx, t, spec)
	beat.close()
	if err != nil {
		return nil, err
	}
	p.traced = true
	r, err := p.Run(ctx, spec, report)
	if err != nil {
		return nil, err
	}
	r.ElapsedS = time.Since(started).Seconds()
	return r, nil
}

// Run fits the spec's model for its boundaries and λ, with logistic regression
// and the null model beside it on the same folds. Report, when not nil, is
// called from one goroutine at a time. The result of a spec is the same to the
// bit whatever was run before, save the seconds it took.
func (p *Prepared) Run(ctx context.Context, spec Spec, report func(Progress)) (*Result, error) {
	started := time.Now()
	if err := p.check(ctx, &spec); err != nil {
		return nil, err
	}
	c, err := p.comparison(spec)
	if err != nil {
		return nil, err
	}
	if err := c.fit(ctx, report); err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	var r *Result
	if p.cohort.target.Event {
		r, err = c.ofEvent(ctx)
	} else {
		r = c.ofClasses()
	}
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	r.Seconds, r.ElapsedS = c.model.seconds, time.Since(started).Seconds()
	return r, nil
}

// check fills in the defaults and validates what may differ from Prepare.
func (p *Prepared) check(ctx context.Context, s *Spec) error {
	*s = s.WithDefaults()
	var bad fieldErrors
	bad.task(s)
	bad.model(s)
	bad.boundaries(s)
	if err := bad.err(); err != nil {
		return err
	}
	if err := p.matches(*s); err != nil {
		return err
	}
	if !p.spec.Model.Tuned() && s.Model.Tuned() {
		_, err := p.cohort.partition(ctx, s) // Prepare did not ask for tuning
		return err
	}
	return nil
}

// cut is the probability at which rows are called events: one half for two
// classes; for intervals the boundary nearest to it, since an interval model
// knows its boundaries only, and one half again where two are equally near.
func cut(s *Spec) float64 {
	best, twice := s.Boundaries[0], false
	for _, pi := range s.Boundaries[1:] {
		was, is := math.Abs(best-0.5), math.Abs(pi-0.5)
		twice = math.Abs(is-was) < 1e-12 || twice && is > was
		if is < was-1e-12 {
			best = pi
		}
	}
	if twice || s.Task == "binary" {
		return 0.5
	}
	return best
}

// comparison is the models of one Run on the same folds: the spec's and the
// regression that it is compared with, which may be the same.
type comparison struct {
	p    *Prepared
	spec Spec
	task task.Task
	how  fit.Method
	iv   loss.Interval // of a task with an event
	cost task.Cost

	model, plain *assessment
}

// comparison settles the models of a checked spec.
func (p *Prepared) comparison(spec Spec) (*comparison, error) {
	c := &comparison{p: p, spec: spec, task: spec.about()}
	var err error
	if c.how, c.cost, c.iv, err = p.method(&spec); err != nil {
		return nil, err
	}
	if c.how.Costs() != nil {
		err = checkCosts(c.cost, c.task, p.cohort.classes())
	}
	return c, err
}

// method reads the model of a spec, what its answers cost, and the boundaries of a task
// with an event.
func (p *Prepared) method(s *Spec) (how fit.Method, c task.Cost, iv loss.Interval, err error) {
	if p.cohort.target.Event {
		if iv, err = loss.NewInterval(s.Boundaries); err != nil {
			return how, nil, iv, err
		}
	}
	how, c, err = task.Method(s.about(), s.Model, p.cohort.classes(), iv)
	return how, c, iv, err
}

// fit assesses the models. The regression depends on λ, and of classes on the cost,
// alone and is remembered.
func (c *comparison) fit(ctx context.Context, report func(Progress)) error {
	p, plainly := c.p, c.spec.Plain()
	key := c.regression()
	c.plain = p.remembered(key)
	if plainly && c.plain != nil {
		c.model = c.plain
		return nil
	}
	t := newTracker(report)
	defer t.close()
	var todo []work
	if c.plain == nil {
		what := c.task.Baselines()[0].Name + " beside it: "
		if plainly {
			what = ""
		}
		line, err := p.straightened(ctx)
		if err != nil {
			return err
		}
		own, err := p.baseline(&c.spec, key.l2, what)
		if err != nil {
			return err
		}
		todo = append(todo, work{p: line, candidate: own, to: &c.plain})
	}
	if !plainly {
		own, err := p.candidate(&c.spec, c.how, penaltyOf(&c.spec), "")
		if err != nil {
			return err
		}
		todo = append(todo, work{p: p, candidate: own, to: &c.model})
	}
	if err := assessAll(ctx, todo, c.spec.Model.Tuning, t); err != nil {
		return err
	}
	if p.remember(key, c.plain); plainly {
		c.model = c.plain
	}
	return nil
}

// result is what every run says of its settings, its rows and its final fit.
func (c *comparison) result() *Result {
	s, m, end := &c.spec, c.model, c.model.final.Certificate()
	r := &Result{
		Outcome: s.Outcome, Method: classWords(c.how, s), Validation: validationOf(s, c.p.cohort.group != nil),
		Apparent:   s.Validation.Kind == "none",
		Optimistic: s.Model.Tuned() && s.Model.Tuning == TuningSame,
		Flow:       c.p.about.flow, Tuning: m.tuning, Trace: m.trace.points(),
		Objective: end.Objective, Gap: end.Gap, GradientNorm: end.GradientNorm, Iterations: end.Iterations,
		Evaluations: end.Evaluations, Stopped: end.Stopped, Starts: end.Starts,
	}
	if s.Model.Penalised() {
		r.L2 = m.setting.L2
		for _, at := range m.chosen {
			r.FoldL2 = append(r.FoldL2, at.L2)
		}
	}
	return r
}

// list lists every row used, in the order of the table. Each of the functions says
// what the model says of row i of those that its final fit trained on, that are judged
// and that are scored only; at is the row's position, −1 of one scored only.
func (c *comparison) list(train, judged, extra func(r *RowScore, i, at int)) []RowScore {
	p := c.p
	rows := make([]RowScore, 0, len(p.cohort.rows)+len(p.cohort.extra))
	add := func(row int, split string, i, at int, say func(r *RowScore, i, at int)) {
		r := RowScore{Row: row, Outcome: p.cohort.level(row), Split: split, Flipped: at >= 0 && p.noisy(at)}
		say(&r, i, at)
		rows = append(rows, r)
	}
	if len(p.parts) == 0 || c.spec.Validation.Kind == "split" {
		for i, at := range p.final.train() {
			add(p.cohort.rows[at], "train", i, at, train)
		}
	}
	if len(p.parts) > 0 {
		of := make([]string, len(p.cohort.rows)) // the part that judges each position
		for _, q := range p.parts[0] {
			for _, at := range q.test() {
				of[at] = q.name
			}
		}
		for i, at := range p.judged() {
			add(p.cohort.rows[at], of[at], i, at, judged)
		}
	}
	for i, row := range p.cohort.extra {
		add(row, "scored", i, -1, extra)
	}
	slices.SortFunc(rows, func(a, b RowScore) int { return a.Row - b.Row })
	return rows
}

// portable is what every model.json has.
func (c *comparison) portable(r *Result) *model.Model {
	pre, of := c.p.final.design.pre, c.p.cohort
	m := &model.Model{
		Format: model.Format, Columns: pre.Columns, Terms: pre.Terms, Kind: c.spec.Model.Kind, Weights: []float64{},
		Loss: c.spec.Model.Loss, Params: c.how.Params(c.iv), Link: r.Link.ID,
		Boundaries: r.Boundaries, Delta: r.Delta, Cut: r.Cut, Outcome: r.Outcome, Levels: of.target.Levels,
		Decimal: cmp.Or(c.p.t.Dialect.Decimal, "."), OutcomeJoin: of.outcome.Spec.JoinLevels,
	}
	for text, level := range of.outcome.Aliases {
		if of.target.Class(of.code(level), math.NaN()) < 0 {
			continue
		}
		if m.OutcomeAliases == nil {
			m.OutcomeAliases = map[string]string{}
		}
		m.OutcomeAliases[text] = level
	}
	return m
}

// warned are the warnings of how any model was trained and judged.
func (c *comparison) warned(r *Result) (all []Warning) {
	if c.p.noise != nil {
		all = append(all, check.Note(WarnNoise, "", "%s", c.p.noise.words(r.Flow.Trained)))
	}
	if r.Apparent {
		all = append(all, check.Note(WarnApparent, "",
			"No rows were held out: every number is on rows that the model has seen, and too good."))
	}
	if r.Optimistic {
		all = append(all, check.Note(WarnOptimistic, "",
			"λ was chosen on the same folds that judge the model: the numbers are optimistic."))
	}
	return all
}

// penaltyOf is the rule by which the model's λ is found. Trees have none: any
// fixed one will do.
func penaltyOf(s *Spec) L2 {
	if s.Model.Penalised() {
		return s.Model.L2
	}
	return L2{Value: 1}
}

// regression is what the regression beside a model depends on. A fixed λ of
// t-logistic regression belongs to a sum over n rows, and for t → 1 its prior is that
// of λ/(2n) in the mean (errata 002-2).
func (c *comparison) regression() rule {
	r := rule{l2: c.spec.Model.L2, tuning: c.spec.Model.Tuning}
	if c.spec.Model.Loss == "t-logistic" && !r.l2.Tuned() {
		r.l2 = L2{Value: max(r.l2.Value/(2*c.p.mass(c.p.final.train())), fit.MinL2)}
	}
	if !c.p.cohort.target.Event { // an event's is tuned by the log-loss
		r.cost = fmt.Sprint(c.cost)
	}
	return r
}

// mass is the sum of the weights of the positions.
func (p *Prepared) mass(at []int) float64 {
	if p.cohort.weights == nil {
		return float64(len(at))
	}
	sum := 0.0
	for _, i := range at {
		sum += p.cohort.weights[i]
	}
	return sum
}

// rule is what the regression beside a model depends on.
type rule struct {
	l2     L2
	tuning string
	cost   string
}

// maxRemembered bounds the rules whose regression is kept.
const maxRemembered = 32

func (p *Prepared) remembered(r rule) *assessment {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.plain[r]
}

func (p *Prepared) remember(r rule, a *assessment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.plain) >= maxRemembered {
		clear(p.plain)
	}
	p.plain[r] = a
}
