package engine

import "taper/internal/engine/metric"

// repeats returns the scores that judge, by repeat: out of fold, or apparent
// without validation.
func (a *assessment) repeats() [][]float64 {
	if len(a.score) == 0 {
		return [][]float64{a.train}
	}
	return a.score
}

// view is one model on the rows that judge it.
type view struct {
	metrics metric.Binary
	strata  []metric.Stratum
	band    []int     // of each judged row, first repeat
	prob    []float64 // nil without a link
	score   []float64
}

// look judges scores of the given rows; soft scores are logits.
func (j *judge) look(f []float64, event []bool, soft bool) view {
	v := view{score: f, band: make([]int, len(f))}
	if soft {
		v.prob = make([]float64, len(f))
	}
	for i, s := range f {
		if soft {
			v.prob[i] = sigmoid(s)
			v.band[i] = j.iv.BandOf(v.prob[i])
		} else {
			v.band[i] = j.iv.Band(s)
		}
	}
	v.strata = metric.Strata(j.iv.Pi, v.band, event)
	v.metrics = j.metrics(v, event)
	return v
}

// metrics are cut at the same probability for every model.
func (j *judge) metrics(v view, event []bool) metric.Binary {
	s := metric.Scores{Event: event, Score: v.score, Band: v.band, Pi: j.iv.Pi, Cut: logit(j.cut)}
	m := metric.Classification(s)
	if v.prob != nil && j.cut == 0.5 {
		s.Probability = v.prob
		return metric.Classification(s)
	}
	if v.prob != nil {
		at := m
		s.Probability = v.prob
		m = metric.Classification(s)
		m.Accuracy, m.BalancedAccuracy, m.Sensitivity, m.Specificity = at.Accuracy, at.BalancedAccuracy, at.Sensitivity, at.Specificity
	}
	return m
}

// average judges every repeat and returns the first with the mean metrics.
func (j *judge) average(a *assessment, soft bool) view {
	at := j.p.judged()
	event := j.p.events(at)
	var first view
	var all []metric.Binary
	for r, score := range a.repeats() {
		v := j.look(pick(score, at), event, soft)
		if r == 0 {
			first = v
		}
		all = append(all, v.metrics)
	}
	first.metrics = mean(all)
	return first
}

// judged returns the positions that judge: each once a repeat.
func (p *Prepared) judged() []int {
	if p.spec.Validation.Kind == "split" {
		return p.final.test
	}
	return positions(len(p.cohort.rows))
}

func (p *Prepared) events(at []int) []bool {
	event := make([]bool, len(at))
	for i, k := range at {
		event[i] = p.cohort.y[k] > 0
	}
	return event
}
