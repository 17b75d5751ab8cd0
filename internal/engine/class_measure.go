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
	label := pick(b.p.cohort.label, at)
	return stat.Multiclass(a.Statistics(b.task, b.cost, b.p.cohort.target.Levels, label))
}

// average judges every repeat: tables of the first, means of the metrics.
func (b *classRun) average(v readings) stat.Classes {
	var all []stat.Classes
	for _, a := range v.repeat {
		all = append(all, b.measure(a, b.p.judged()))
	}
	return stat.Average(all)
}
