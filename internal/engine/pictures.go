package engine

import (
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

const (
	picturePoints = 200
	pictureBins   = 20
)

// pictures draws the judged rows.
func (j *eventRun) pictures(own task.BandResult) *Pictures {
	at := j.p.judged()
	event := j.p.events(at)
	p := &Pictures{}
	if !own.Constant {
		p.ROC, p.GiveUp = stat.ROC(own.Score, event, picturePoints), j.giveUp(own.Score, at)
	}
	if own.Prob != nil && !own.Constant {
		smooth := stat.CalibrationCurve(own.Prob, event, picturePoints/2, pictureBins)
		p.Calibration = &smooth
	}
	a := stat.Answers{Levels: j.p.cohort.Target.Levels, Label: make([]int, len(at)), Predicted: make([]int, len(at))}
	cut := j.own.Link.Cut(j.cut)
	for i, is := range event {
		a.Label[i] = side(is)
		a.Predicted[i] = side(j.called(own, i, cut))
	}
	p.Confusion = stat.Multiclass(a)
	return p
}

// called reports whether a row is called an event, as reading.metrics has it.
func (j *eventRun) called(own task.BandResult, i int, cut float64) bool {
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

// giveUp counts the factors of the rows by class, nil where the loss has none.
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

// factors counts rows by the give-up factor of the class they train with, those that
// are right by their own class apart from the others; nil where a row has none.
func (c *comparison) factors(at []int, of func(i, label int) *float64, right func(i, label int) bool) *ClassGiveUp {
	g := &ClassGiveUp{Bins: make([]ClassGiveUpBin, pictureBins)}
	for k := range g.Bins {
		g.Bins[k].Lower, g.Bins[k].Upper = float64(k)/pictureBins, float64(k+1)/pictureBins
	}
	for i, row := range at {
		w := of(i, c.p.labelOf(row))
		if w == nil {
			return nil
		}
		k := pictureBins - 1
		for k > 0 && *w <= g.Bins[k].Lower {
			k--
		}
		b := &g.Bins[k]
		if right(i, c.p.cohort.Label[row]) {
			b.Right++
		} else {
			b.Wrong++
		}
		if c.p.noisy(row) {
			b.Flipped++
		}
		if *w < 0.5 {
			g.Half++
		}
	}
	return g
}
