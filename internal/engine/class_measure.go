package engine

import (
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

func countOf(label, at []int, k int) (n int) {
	for _, i := range at {
		if label[i] == k {
			n++
		}
	}
	return n
}

// measure judges answers to rows of the classes.
func (b *classRun) measure(a task.Answers, at []int) stat.Classes {
	return measure(b.task, b.cost, b.p.cohort.target.Levels, pick(b.p.cohort.label, at), a)
}

func measure(about task.Task, c task.Cost, levels []string, label []int, a task.Answers) stat.Classes {
	return stat.Multiclass(asAnswers(about, c, levels, label, a))
}

// asAnswers is what metric judges.
func asAnswers(about task.Task, c task.Cost, levels []string, label []int, a task.Answers) stat.Answers {
	return stat.Answers{
		Levels: levels, Label: label, Predicted: a.Class, Probability: a.Prob,
		Ordinal: about.Ordered(), Abstain: about.Abstains(), Cost: c.Abstention(),
	}
}

// average judges every repeat: tables of the first, means of the metrics.
func (b *classRun) average(v readings) stat.Classes {
	var all []stat.Classes
	for _, a := range v.repeat {
		all = append(all, b.measure(a, b.p.judged()))
	}
	return stat.Average(all)
}
