package report

import (
	"math"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// movedSentence says from which run another was recalibrated, and by what.
func (p Printed) movedSentence() string {
	o := p.c.Origin
	text := "Recalibrated from run " + o.Parent + ": intercept " + viz.Number(o.Intercept, 3) + ", slope " +
		viz.Number(o.Slope, 3)
	switch o.How {
	case engine.MovedBoth:
		return text + " estimated on " + p.validation() + "."
	case engine.MovedIntercept:
		return "Recalibrated from run " + o.Parent + ": intercept " + viz.Number(o.Intercept, 3) + " estimated on " +
			p.validation() + ", slope as it was."
	}
	if to, ok := p.movedTo(); ok {
		return text + ", as for a prevalence of " + viz.Percent(to, 1) + format.Pc + "."
	}
	return text + " as given."
}

// validation names the external validation behind a recalibrated run.
func (p Printed) validation() string {
	if v := p.c.Asked; v != nil {
		return "the external validation “" + v.Name + "”"
	}
	return "the external validation " + p.c.Origin.Evaluation + ", which is gone"
}

// movedTo is the prevalence that the intercept moves the rows trained on to,
// where their own may be told.
func (p Printed) movedTo() (to float64, ok bool) {
	n, events := p.r.Flow.Trained, p.r.Flow.TrainedEvents
	if p.c.Origin.Slope != 1 || events <= 0 || events >= n || !p.trained().Events.Shown() {
		return 0, false
	}
	f := p.c.Origin.Intercept + fit.Logit(float64(events)/float64(n))
	return 1 / (1 + math.Exp(-f)), true
}

// movedResult says what recalibration came to: on the rows it was estimated on,
// as far as print may tell, and where to look otherwise.
func (p Printed) movedResult() string {
	own := "On the rows of the run it came from: under Strata and Performance."
	v := p.c.Asked
	if v == nil || p.c.Origin.How == "" || v.Result == nil || v.Result.Performance == nil {
		return own + " No row of the other population was at hand."
	}
	m := v.Result.Movement(p.c.Origin.How)
	if m == nil {
		return own
	}
	was, is := v.Result.Performance, m.Performance
	text := "On the rows it was estimated on, apparent: calibration slope " + worded(was.CalibrationSlope, doc.To(2)) +
		" before, " + worded(is.CalibrationSlope, doc.To(2)) + " after"
	if maskedTotal(*v).Events.Shown() {
		text += "; O/E " + worded(was.ObservedExpected, inRatios) + " before, " +
			worded(is.ObservedExpected, inRatios) + " after"
	}
	return text + ". " + own
}

// maskedTotal counts the rows of a validation as its own report prints them.
func maskedTotal(v store.Evaluation) mask.Row {
	var rows []mask.Split
	for _, s := range v.Result.Strata {
		rows = append(rows, mask.Split{N: s.N, Events: s.Events})
	}
	return mask.Hide(rows).Total
}
