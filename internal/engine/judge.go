package engine

import (
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// repeats returns the scores that judge, by repeat: out of fold, or apparent
// without validation.
func (a *assessment) repeats() [][]float64 {
	if len(a.raw) == 0 {
		return [][]float64{a.train}
	}
	return a.raw
}

// average judges every repeat and returns the first with the mean metrics.
func (j *eventRun) average(a *assessment, how task.BandReader) task.BandResult {
	at := j.p.judged()
	event := j.p.events(at)
	var first task.BandResult
	var all []stat.Binary
	for r, score := range a.repeats() {
		v := how.Evaluate(pick(score, at), event, j.cut)
		if r == 0 {
			first = v
		}
		all = append(all, v.Metrics)
	}
	first.Metrics = stat.Average(all)
	if a.flat {
		first = first.WithoutRanking()
	}
	return first
}

// judged returns the positions that judge: each once a repeat.
func (p *Prepared) judged() []int {
	if p.spec.Validation.Kind == "split" {
		return p.final.test()
	}
	return positions(len(p.cohort.rows))
}

func (p *Prepared) events(at []int) []bool {
	event := make([]bool, len(at))
	for i, k := range at {
		event[i] = p.cohort.label[k] > 0
	}
	return event
}
