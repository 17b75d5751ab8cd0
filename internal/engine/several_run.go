package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// readings is an assessment with what its outputs say.
type readings struct {
	*assessment                // nil of the model without predictors
	repeat      []task.Answers // of the judged rows in order, by repeat; the rows trained on without validation
	train       task.Answers
	extra       task.Answers
}

// bench holds the methods of one Run of several classes.
type bench struct {
	p    *Prepared
	spec Spec
	how  fit.Method
	task task.Task
	rule string
	cost task.Cost

	model, plain, null readings
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
	b := &bench{p: p, spec: spec, how: how}
	b.task, _ = task.ByID(spec.Task)
	b.rule, b.cost = b.task.Rule(how.Family), b.task.Cost(how, k, loss.Interval{})
	if how.Family.ID == "al-cost" {
		err = checkCosts(b.cost, spec.Task, k)
	}
	return b, err
}

// checkCosts wants a row for each class, and in task abstain one more.
func checkCosts(c task.Cost, id string, k int) error {
	want := k
	if id == "abstain" {
		want++
	}
	if len(c) == want && c.Classes() == k {
		return nil
	}
	words := "a row and a column for each class"
	if id == "abstain" {
		words = "a column for each class, a row for each class and one for abstaining"
	}
	return usererr.BadField("model.params.matrix", "must be %d×%d, %s, in the order of the levels (got %d×%d)", want, k,
		words, len(c), c.Classes())
}

// fit assesses the model, softmax regression beside it, and the shares of the
// classes alone.
func (b *bench) fit(ctx context.Context, report func(Progress)) error {
	t := newTracker(report)
	defer t.close()
	b.null = b.shares()
	own, err := b.p.candidate(&b.spec, b.how, b.spec.Model.L2, "")
	if err != nil {
		return err
	}
	todo := []work{{p: b.p, candidate: own, to: &b.model.assessment}}
	if !b.spec.Plain() {
		line, err := b.p.straightened(ctx)
		if err != nil {
			return err
		}
		plain, err := b.p.baseline(&b.spec, b.spec.Model.L2, "Softmax regression beside it: ")
		if err != nil {
			return err
		}
		todo = append(todo, work{p: line, candidate: plain, to: &b.plain.assessment})
	}
	if err := assessAll(ctx, todo, b.spec.Model.Tuning, t); err != nil {
		return err
	}
	if b.read(&b.model, b.rule); b.spec.Plain() {
		b.plain = b.model
		return nil
	}
	b.read(&b.plain, task.RuleExpected)
	return nil
}

// read makes answers of the outputs.
func (b *bench) read(v *readings, rule string) {
	r, k := task.NewReader(v.final.Potential.Model, rule, b.cost), v.final.Outputs()
	v.train, v.extra = r.All(v.assessment.train), r.All(v.assessment.extra)
	for _, raw := range v.raw {
		judged := make([]float64, 0, len(raw))
		for _, at := range b.p.judged() {
			judged = append(judged, raw[at*k:(at+1)*k]...)
		}
		v.repeat = append(v.repeat, r.All(judged))
	}
	if v.repeat == nil {
		v.repeat = []task.Answers{v.train}
	}
}

// shares is the model without predictors: the shares of the classes among each
// fold's training rows, and the call of the least expected cost by them.
func (b *bench) shares() (v readings) {
	p, k := b.p, b.p.cohort.classes()
	says := func(at []int) (share []float64, call int) {
		share = make([]float64, k)
		total := p.mass(at)
		for _, i := range at {
			w := 1.0
			if p.cohort.weights != nil {
				w = p.cohort.weights[i]
			}
			share[p.labelOf(i)] += w / total
		}
		return share, b.cost.Least(share)
	}
	judged := p.judged()
	place := make([]int, len(p.cohort.rows)) // of each position among the judged
	for i, at := range judged {
		place[at] = i
	}
	for _, parts := range p.parts {
		a := task.Answers{Prob: make([]float64, len(judged)*k), Class: make([]int, len(judged))}
		for _, q := range parts {
			share, call := says(q.train())
			for _, at := range q.test() {
				i := place[at]
				a.Class[i] = call
				copy(a.Prob[i*k:(i+1)*k], share)
			}
		}
		v.repeat = append(v.repeat, a)
	}
	if v.repeat == nil {
		share, call := says(p.final.train())
		n := len(p.final.train())
		v.repeat = []task.Answers{{Prob: slices.Repeat(share, n), Class: repeated(call, n)}}
	}
	return v
}
