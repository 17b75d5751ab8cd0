package engine

import (
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// repeats returns the scores that judge, by repeat: out of fold, or apparent
// without validation.
func (a *assessment) repeats() [][]float64 {
	if len(a.raw) == 0 {
		return [][]float64{a.train}
	}
	return a.raw
}

// view is one model on the rows that judge it.
type view struct {
	metrics stat.Binary
	strata  []stat.Stratum
	band    []int     // of each judged row, first repeat
	prob    []float64 // nil without a link
	score   []float64
	flat    bool // every row has the same answer but for its fold: no ranking
}

// reading is how the scores of a model are read: its link, and boundaries with
// their cut-offs in its scores.
type reading struct {
	link fit.Link
	iv   loss.Interval
}

func newReading(l fit.Link, iv loss.Interval) reading {
	iv.Delta = l.Cuts(iv)
	return reading{l, iv}
}

// look judges scores of the given rows.
func (r reading) look(f []float64, event []bool, cut float64) view {
	v := view{score: f, band: make([]int, len(f))}
	if r.link.Has() {
		v.prob = make([]float64, len(f))
	}
	for i, s := range f {
		band, p := r.link.Band(r.iv, s)
		if v.band[i] = band; v.prob != nil {
			v.prob[i] = p
		}
	}
	v.strata = stat.Strata(r.iv.Pi, v.band, event)
	v.metrics = r.metrics(v, event, cut)
	return v
}

// metrics are cut at the same probability for every model.
func (r reading) metrics(v view, event []bool, cut float64) stat.Binary {
	s := stat.Scores{Event: event, Score: v.score, Band: v.band, Pi: r.iv.Pi, Cut: r.link.Cut(cut)}
	m := stat.Classification(s)
	if v.prob != nil && cut == 0.5 && r.link.Scale > 0 {
		s.Probability = v.prob
		return stat.Classification(s)
	}
	if v.prob != nil {
		at := m
		s.Probability = v.prob
		m = stat.Classification(s)
		m.Accuracy, m.BalancedAccuracy, m.Sensitivity, m.Specificity = at.Accuracy, at.BalancedAccuracy, at.Sensitivity,
			at.Specificity
	}
	return m
}

// average judges every repeat and returns the first with the mean metrics.
func (j *eventRun) average(a *assessment, how reading) view {
	at := j.p.judged()
	event := j.p.events(at)
	var first view
	var all []stat.Binary
	for r, score := range a.repeats() {
		v := how.look(pick(score, at), event, j.cut)
		if r == 0 {
			first = v
		}
		all = append(all, v.metrics)
	}
	first.metrics = stat.Average(all)
	if first.flat = a.flat; a.flat {
		first.metrics = withoutRanking(first.metrics)
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
