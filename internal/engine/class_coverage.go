package engine

import (
	"math"

	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// coveragePoints bounds the points of the curve.
const coveragePoints = 60

// coverage is the accuracy of the best class against the share of rows
// answered, the surest first: by the largest probability, else by the lead of
// the largest score.
func (b *classRun) coverage(a task.Answers) []stat.Covered {
	if !b.task.Abstains() {
		return nil
	}
	at, k := b.p.judged(), b.p.cohort.classes()
	sure, right := make([]float64, len(at)), make([]bool, len(at))
	for i, row := range at {
		score := a.Score[i*k : (i+1)*k]
		if a.Prob != nil {
			score = a.Prob[i*k : (i+1)*k]
		}
		best, lead := leader(score)
		if sure[i] = lead; a.Prob != nil {
			sure[i] = score[best]
		}
		right[i] = best == b.p.cohort.label[row]
	}
	return stat.Coverage(sure, right, coveragePoints)
}

// leader is the largest entry and how far it leads the next.
func leader(v []float64) (best int, lead float64) {
	best = task.Largest(v)
	lead = math.Inf(1)
	for i, x := range v {
		if i != best {
			lead = min(lead, v[best]-x)
		}
	}
	return best, lead
}
