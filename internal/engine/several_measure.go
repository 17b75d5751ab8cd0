package engine

import "taper/internal/engine/stat"

func countOf(label, at []int, k int) (n int) {
	for _, i := range at {
		if label[i] == k {
			n++
		}
	}
	return n
}

// judged are the answers that judge, by repeat, for the judged rows in order;
// apparent ones without validation.
func (b *bench) judged(v *verdicts) []answers {
	if len(v.repeat) == 0 {
		return []answers{v.train}
	}
	var all []answers
	for _, a := range v.repeat {
		all = append(all, a.pick(b.p.judged(), b.p.cohort.classes()))
	}
	return all
}

// measure judges answers to rows of the classes.
func (b *bench) measure(a answers, at []int) stat.Classes {
	return measure(b.spec.Task, b.own.prices, b.p.cohort.several.levels, pick(b.p.cohort.label, at), a)
}

func measure(task string, t prices, levels []string, label []int, a answers) stat.Classes {
	return stat.Multiclass(asAnswers(task, t, levels, label, a))
}

// asAnswers is what metric judges.
func asAnswers(task string, t prices, levels []string, label []int, a answers) stat.Answers {
	return stat.Answers{
		Levels: levels, Label: label, Predicted: a.class, Probability: a.prob,
		Ordinal: task == "ordinal", Abstain: task == "abstain", Cost: t.abstention(),
	}
}

// average judges every repeat: tables of the first, means of the metrics.
func (b *bench) average(v *verdicts) (stat.Classes, []answers) {
	at := b.p.judged()
	each := b.judged(v)
	var all []stat.Classes
	for _, a := range each {
		all = append(all, b.measure(a, at))
	}
	return meanClasses(all), each
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
