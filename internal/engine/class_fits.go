package engine

import (
	"taper/internal/engine/resample"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// readings is an assessment with what its outputs say.
type readings struct {
	*assessment
	repeat []task.Answers // of the judged rows in order, by repeat; the rows trained on without validation
	train  task.Answers
	extra  task.Answers
}

// classRun makes the result of a Run of classes without an event.
type classRun struct {
	*comparison
	model, plain, null readings
}

// reader reads the outputs of a model of classes.
func (b *classRun) reader(a *assessment, rule string) func(raw []float64) task.Answers {
	return task.NewReader(a.final.Potential.Model, rule, b.cost).All
}

// likely reads outputs that are probabilities: the call is that of the least expected
// cost.
func (b *classRun) likely(prob []float64) task.Answers {
	k := b.p.cohort.Classes()
	a := task.Answers{Prob: prob, Class: make([]int, len(prob)/k)}
	for i := range a.Class {
		a.Class[i] = b.cost.Least(prob[i*k : (i+1)*k])
	}
	return a
}

// read makes answers of the outputs.
func (b *classRun) read(a *assessment, of func(raw []float64) task.Answers) readings {
	v := readings{assessment: a, train: of(a.train), extra: of(a.extra)}
	for _, raw := range v.raw {
		k := len(raw) / len(b.p.cohort.Rows)
		judged := make([]float64, 0, len(raw))
		for _, at := range b.p.judged() {
			judged = append(judged, raw[at*k:(at+1)*k]...)
		}
		v.repeat = append(v.repeat, of(judged))
	}
	if v.repeat == nil {
		v.repeat = []task.Answers{v.train}
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
