package engine

import (
	"context"
	"fmt"
	"math"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/table"
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
	if !p.cohort.target.Event {
		return p.runSeveral(ctx, spec, report)
	}
	iv, err := loss.NewInterval(spec.Boundaries)
	if err != nil {
		return nil, err
	}
	how, err := fit.Parse(spec.Model)
	if err != nil {
		return nil, err
	}
	j := &judge{p: p, spec: spec, iv: iv, cut: cut(&spec), how: how}
	j.own, j.logits = newReading(how.Link, iv), newReading(fit.Link{ID: LinkLogistic, Scale: 1}, iv)
	if err := j.fit(ctx, report); err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	r, err := j.result(ctx)
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	r.Seconds, r.ElapsedS = j.model.seconds, time.Since(started).Seconds()
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

// judge holds the models of one Run while the result is made.
type judge struct {
	p      *Prepared
	spec   Spec
	iv     loss.Interval
	cut    float64
	how    fit.Method
	own    reading // of the model's scores
	logits reading // of the baselines'

	model, plain, null *assessment
}

// fit makes the three assessments. Plain logistic regression depends on λ alone and
// is remembered.
func (j *judge) fit(ctx context.Context, report func(Progress)) error {
	p, tuning, plainly := j.p, j.spec.Model.Tuning, j.spec.Plain()
	penalty := j.baselinePenalty()
	j.null = p.null()
	j.plain = p.remembered(penalty, tuning)
	if plainly && j.plain != nil {
		j.model = j.plain
		return nil
	}
	t := newTracker(report)
	defer t.close()
	var todo []work
	if j.plain == nil {
		what := "Logistic regression beside it: "
		if plainly {
			what = ""
		}
		line, err := p.straightened(ctx)
		if err != nil {
			return err
		}
		c, err := p.baseline(&j.spec, penalty, what)
		if err != nil {
			return err
		}
		todo = append(todo, work{p: line, candidate: c, to: &j.plain})
	}
	if !plainly {
		c, err := p.candidate(&j.spec, j.how, j.penalty(), "")
		if err != nil {
			return err
		}
		todo = append(todo, work{p: p, candidate: c, to: &j.model})
	}
	if err := assessAll(ctx, todo, tuning, t); err != nil {
		return err
	}
	p.remember(penalty, tuning, j.plain)
	if plainly {
		j.model = j.plain
	}
	return nil
}

// penalty is the rule by which the model's λ is found. Trees have none: any
// fixed one will do.
func (j *judge) penalty() L2 {
	if m := j.spec.Model; m.Penalised() {
		return m.L2
	}
	return L2{Value: 1}
}

// baselinePenalty is the rule for logistic regression beside the model. A fixed λ
// of t-logistic regression belongs to a sum over n rows, and for t → 1 its prior
// is that of λ/(2n) in the mean (errata 002-2).
func (j *judge) baselinePenalty() L2 {
	l2 := j.spec.Model.L2
	if j.spec.Model.Loss == "t-logistic" && !l2.Tuned() {
		return L2{Value: max(l2.Value/(2*j.p.mass(j.p.final.train())), fit.MinL2)}
	}
	return l2
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

// rule is what logistic regression depends on.
type rule struct {
	l2     L2
	tuning string
}

// maxRemembered bounds the λ whose logistic regression is kept.
const maxRemembered = 32

func (p *Prepared) remembered(l2 L2, tuning string) *assessment {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.plain[rule{l2, tuning}]
}

func (p *Prepared) remember(l2 L2, tuning string, a *assessment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.plain) >= maxRemembered {
		clear(p.plain)
	}
	p.plain[rule{l2, tuning}] = a
}
