package engine

import (
	"slices"

	"taper/internal/engine/resample"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// readings is an assessment with what its outputs say.
type readings struct {
	*assessment                // nil of the model without predictors
	repeat      []task.Answers // of the judged rows in order, by repeat; the rows trained on without validation
	train       task.Answers
	extra       task.Answers
}

// classRun makes the result of a Run of classes without an event.
type classRun struct {
	*comparison
	rule               string
	model, plain, null readings
}

// read makes answers of the outputs.
func (b *classRun) read(a *assessment, rule string) readings {
	v := readings{assessment: a}
	r, k := task.NewReader(v.final.Potential.Model, rule, b.cost), v.final.Outputs()
	v.train, v.extra = r.All(a.train), r.All(a.extra)
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
	return v
}

// shares is the model without predictors: the shares of the classes among each
// fold's training rows, and the call of the least expected cost by them.
func (b *classRun) shares() (v readings) {
	p, k := b.p, b.p.cohort.Classes()
	says := func(at []int) (share []float64, call int) {
		share = make([]float64, k)
		total := p.mass(at)
		for _, i := range at {
			w := 1.0
			if p.cohort.Weights != nil {
				w = p.cohort.Weights[i]
			}
			share[p.labelOf(i)] += w / total
		}
		return share, b.cost.Least(share)
	}
	judged := p.judged()
	place := make([]int, len(p.cohort.Rows)) // of each position among the judged
	for i, at := range judged {
		place[at] = i
	}
	for _, parts := range p.parts {
		a := task.Answers{Prob: make([]float64, len(judged)*k), Class: make([]int, len(judged))}
		for _, q := range parts {
			share, call := says(q.Train())
			for _, at := range q.Test() {
				i := place[at]
				a.Class[i] = call
				copy(a.Prob[i*k:(i+1)*k], share)
			}
		}
		v.repeat = append(v.repeat, a)
	}
	if v.repeat == nil {
		share, call := says(p.final.Train())
		n := len(p.final.Train())
		v.repeat = []task.Answers{{Prob: slices.Repeat(share, n), Class: repeated(call, n)}}
	}
	return v
}

// measure judges answers to rows of the classes.
func (b *classRun) measure(a task.Answers, at []int) stat.Classes {
	label := resample.Pick(b.p.cohort.Label, at)
	return stat.Multiclass(a.Statistics(b.task, b.cost, b.p.cohort.Target.Levels, label))
}

// average judges every repeat: tables of the first, means of the metrics.
func (b *classRun) average(v readings) stat.Classes {
	var all []stat.Classes
	for _, a := range v.repeat {
		all = append(all, b.measure(a, b.p.judged()))
	}
	return stat.Average(all)
}
