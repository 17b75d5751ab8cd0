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
func (b *bench) measure(a task.Answers, at []int) stat.Classes {
	return measure(b.spec.Task, b.cost, b.p.cohort.target.Levels, pick(b.p.cohort.label, at), a)
}

func measure(id string, c task.Cost, levels []string, label []int, a task.Answers) stat.Classes {
	return stat.Multiclass(asAnswers(id, c, levels, label, a))
}

// asAnswers is what metric judges.
func asAnswers(id string, c task.Cost, levels []string, label []int, a task.Answers) stat.Answers {
	return stat.Answers{
		Levels: levels, Label: label, Predicted: a.Class, Probability: a.Prob,
		Ordinal: id == "ordinal", Abstain: id == "abstain", Cost: c.Abstention(),
	}
}

// average judges every repeat: tables of the first, means of the metrics.
func (b *bench) average(v readings) stat.Classes {
	var all []stat.Classes
	for _, a := range v.repeat {
		all = append(all, b.measure(a, b.p.judged()))
	}
	return meanClasses(all)
}

// meanClasses averages the metrics of repeats; one that a repeat lacks has no
// mean.
func meanClasses(all []stat.Classes) stat.Classes {
	m := all[0]
	if len(all) == 1 {
		return m
	}
	for k, to := range classFields(&m) {
		total, missing := 0.0, false
		for i := range all {
			if v := *classFields(&all[i])[k]; v != nil {
				total += *v
			} else {
				missing = true
			}
		}
		if *to = nil; !missing {
			v := total / float64(len(all))
			*to = &v
		}
	}
	return m
}

// classFields returns the addresses of the metrics, in the order of the struct.
func classFields(c *stat.Classes) []**float64 {
	return []**float64{
		&c.Accuracy, &c.AccuracyLow, &c.AccuracyHigh, &c.BalancedAccuracy, &c.MacroF1, &c.MAE, &c.MAELow, &c.MAEHigh,
		&c.Kappa, &c.LogLoss, &c.Brier, &c.AbstentionLoss, &c.AbstentionRate,
	}
}
