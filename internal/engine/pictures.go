package engine

import (
	"math"
	"slices"

	"taper/internal/engine/resample"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

const (
	picturePoints = 200
	pictureBins   = 20
)

// pictures computes the curves over the test rows.
func (j *eventRun) pictures(own task.BandResult) *Pictures {
	at := j.p.Judged()
	event := j.p.Events(at)
	p := &Pictures{}
	if !own.Constant {
		p.ROC, p.GiveUp = stat.ROC(own.Score, event, picturePoints), j.giveUp(own.Score, at)
	}
	if own.Prob != nil && !own.Constant {
		smooth := stat.CalibrationCurve(own.Prob, event, picturePoints/2, pictureBins)
		p.Calibration = &smooth
	}
	a := stat.Answers{Levels: j.p.Cohort.Target.Levels, Label: make([]int, len(at)), Predicted: make([]int, len(at))}
	cut := j.own.Link.Cut(j.cut)
	for i, is := range event {
		a.Label[i] = side(is)
		a.Predicted[i] = side(j.called(own, i, cut))
	}
	p.Confusion = stat.Multiclass(a)
	return p
}

// called reports whether a row is predicted to have the event, by the same rule as the metrics.
func (j *eventRun) called(own task.BandResult, i int, cut float64) bool {
	if own.Above != nil {
		return own.Above[i]
	}
	if own.Prob != nil && j.cut == 0.5 && j.own.Link.Scale > 0 {
		return own.Prob[i] > 0.5
	}
	return own.Score[i] > cut
}

func side(event bool) int {
	if event {
		return 1
	}
	return 0
}

// giveUp is the histogram of weight factors by class, nil where the loss has none.
func (j *eventRun) giveUp(score []float64, at []int) *GiveUp {
	all := j.factors(at, func(i, label int) *float64 { return j.how.Weight(sign(label), score[i]) },
		func(_, label int) bool { return label > 0 })
	if all == nil {
		return nil
	}
	g := &GiveUp{Half: all.Half}
	for _, b := range all.Bins {
		g.Bins = append(g.Bins, GiveUpBin{b.Lower, b.Upper, b.Right, b.Wrong, b.Flipped})
	}
	return g
}

// factors counts rows by the weight factor of the class they were trained with, and separately those predicted
// correctly. It returns nil if any row has no factor.
func (c *comparison) factors(at []int, of func(i, label int) *float64, right func(i, label int) bool) *ClassGiveUp {
	g := &ClassGiveUp{Bins: make([]ClassGiveUpBin, pictureBins)}
	for k := range g.Bins {
		g.Bins[k].Lower, g.Bins[k].Upper = float64(k)/pictureBins, float64(k+1)/pictureBins
	}
	for i, row := range at {
		w := of(i, c.p.LabelOf(row))
		if w == nil {
			return nil
		}
		k := pictureBins - 1
		for k > 0 && *w <= g.Bins[k].Lower {
			k--
		}
		b := &g.Bins[k]
		if right(i, c.p.Cohort.Label[row]) {
			b.Right++
		} else {
			b.Wrong++
		}
		if c.p.Noisy(row) {
			b.Flipped++
		}
		if *w < 0.5 {
			g.Half++
		}
	}
	return g
}

// mostDrawn is the largest number of classes with curves: more cannot be distinguished by colour.
const mostDrawn = 8

// The two ways to rank the rows of a class.
const (
	ByProbability = "probability"
	ByLead        = "lead"
)

// pictures computes the curves over the test rows.
func (b *classRun) pictures() *ClassPictures {
	at, k := b.p.Judged(), b.p.Cohort.Classes()
	a, label := b.answers.repeat[0], resample.Pick(b.p.Cohort.Label, at)
	p := &ClassPictures{By: ByProbability, GiveUp: b.giveUp(a, at)}
	if a.Prob == nil {
		p.By = ByLead
	}
	drawn := commonest(label, k, mostDrawn)
	event := make([]bool, len(at))
	for c, level := range b.p.Cohort.Target.Levels {
		one := ClassPicture{Level: level}
		for i, own := range label {
			if event[i] = own == c; event[i] {
				one.Rows++
			}
		}
		rank := rankOf(a, c, k)
		one.ROC = stat.ROC(rank, event, picturePoints/2)
		if !drawn[c] {
			one.ROC.Points = nil
		} else if a.Prob != nil {
			smooth := stat.CalibrationCurve(rank, event, picturePoints/2, pictureBins)
			one.Calibration = &smooth
		}
		p.Classes = append(p.Classes, one)
	}
	return p
}

// rankOf returns the probability of class c per row or, without probabilities, the margin of its score over the
// largest other score. The score alone would not do: adding a constant to all scores of a row changes no
// prediction.
func rankOf(a task.Answers, c, k int) []float64 {
	all := make([]float64, len(a.Class))
	for i := range all {
		if a.Prob != nil {
			all[i] = a.Prob[i*k+c]
			continue
		}
		row := a.Score[i*k : (i+1)*k]
		other := math.Inf(-1)
		for j, f := range row {
			if j != c {
				other = max(other, f)
			}
		}
		all[i] = row[c] - other
	}
	return all
}

// commonest marks the given number of largest classes; ties go to the first.
func commonest(label []int, k, most int) []bool {
	rows, order := make([]int, k), make([]int, k)
	for _, c := range label {
		rows[c]++
	}
	for c := range order {
		order[c] = c
	}
	slices.SortStableFunc(order, func(a, b int) int { return rows[b] - rows[a] })
	drawn := make([]bool, k)
	for _, c := range order[:min(k, most)] {
		drawn[c] = true
	}
	return drawn
}

// giveUp is the histogram of weight factors by correctness of the prediction, nil where the loss has none.
func (b *classRun) giveUp(a task.Answers, at []int) *ClassGiveUp {
	k := b.p.Cohort.Classes()
	l := b.how.Family.ClassWeigher(b.how.Values, k)
	if l == nil {
		return nil
	}
	return b.factors(at, func(i, label int) *float64 { return stat.Finite(l.Importance(label, a.Score[i*k:(i+1)*k])) },
		func(i, label int) bool { return a.Class[i] == label })
}
