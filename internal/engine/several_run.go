package engine

import (
	"context"
	"fmt"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/usererr"
)

// verdicts are what one method says of the cohort: answers for rows it did not
// see, and its final fit.
type verdicts struct {
	repeat []answers // of each position; rows that no part judges are empty
	chosen []setting // of each judging fit, by repeat, then by fold

	final        *fit.Model
	train, extra answers // of the final fit's own rows, and of those scored only
	setting      setting
	oneSE        *setting
	tuning       []TuningPoint
	seconds      float64  // of the final fit
	trace        *tracing // so too; nil where nobody keeps it

	uncertified int
}

// bench holds the methods of one Run of several classes.
type bench struct {
	p    *Prepared
	spec Spec
	own  *fitter

	model, plain, null *verdicts
}

// runSeveral is Run for the tasks without an event.
func (p *Prepared) runSeveral(ctx context.Context, spec Spec, report func(Progress)) (*Result, error) {
	started := time.Now()
	b, err := p.newBench(spec)
	if err != nil {
		return nil, err
	}
	if err := b.fit(ctx, report); err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	r := b.result()
	r.Seconds, r.ElapsedS = b.model.seconds, time.Since(started).Seconds()
	return r, nil
}

// newBench settles the model of a spec.
func (p *Prepared) newBench(spec Spec) (*bench, error) {
	how, err := fit.Parse(spec.Model)
	if err != nil {
		return nil, err
	}
	k := p.cohort.classes()
	b := &bench{p: p, spec: spec}
	gamma, tuned, _ := gammaOf(spec.Model)
	b.own = &fitter{how: how, rule: ruleOf(how.Family, spec.Task), prices: pricesOf(spec.Task, how, k),
		l2: spec.Model.L2, gamma: gamma, gammaTuned: tuned, seed: spec.Seed}
	if err := b.checkMatrix(k); err != nil {
		return nil, err
	}
	return b, nil
}

// checkMatrix holds an own cost matrix against the classes.
func (b *bench) checkMatrix(k int) error {
	if b.own.how.Family.ID != "al-cost" {
		return nil
	}
	return checkCosts(b.own.prices, b.spec.Task, k)
}

// checkCosts wants a row for each class, and in task abstain one more.
func checkCosts(t prices, task string, k int) error {
	want := k
	if task == "abstain" {
		want++
	}
	if len(t) == want && t.classes() == k {
		return nil
	}
	words := "a row and a column for each class"
	if task == "abstain" {
		words = "a column for each class, a row for each class and one for abstaining"
	}
	return usererr.BadField("model.params.matrix", "must be %d×%d, %s, in the order of the levels (got %d×%d)", want, k,
		words, len(t), t.classes())
}

// fit makes the verdicts of the model, of softmax regression beside it, and of
// the shares of the classes alone.
func (b *bench) fit(ctx context.Context, report func(Progress)) error {
	t := newTracker(report)
	defer t.close()
	b.null = b.p.shares0(b.own.prices)
	beside, on := []*fitter{b.own}, []*Prepared{b.p}
	if !b.spec.Plain() {
		plain, err := b.softmax()
		if err != nil {
			return err
		}
		line, err := b.p.straightened(ctx)
		if err != nil {
			return err
		}
		beside, on = append(beside, plain), append(on, line)
	}
	work := 0.0
	plans := make([]severalPlan, len(beside))
	for i, f := range beside {
		var err error
		if plans[i], err = on[i].planSeveral(ctx, f, b.spec.Model.Tuning); err != nil {
			return err
		}
		work += plans[i].work
	}
	t.expect(work)
	for i, f := range beside {
		v, err := on[i].judgeSeveral(ctx, f, plans[i], t)
		if err != nil {
			return err
		}
		if b.plain = v; i == 0 {
			b.model = v
		}
	}
	return nil
}

// softmax is softmax regression beside the model, its λ found or given like the
// model's.
func (b *bench) softmax() (*fitter, error) {
	how, err := fit.Parse(ModelSpec{Kind: "linear", Loss: "softmax", Solver: "auto"})
	if err != nil {
		return nil, err
	}
	return &fitter{how: how, rule: RuleExpected, prices: b.own.prices, l2: b.spec.Model.L2,
		gamma: 1, what: "Softmax regression beside it: ", seed: b.spec.Seed}, nil
}
