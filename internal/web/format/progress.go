package format

import (
	"time"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
)

// Elapsed describes the time: 6 s so far, about 9 s left. An estimate of the remaining time exists only together
// with the elapsed time.
func Elapsed(p linear.Progress) string {
	if !(p.Fraction > 0 && p.Fraction < 1) {
		return ""
	}
	so := p.ETA * p.Fraction / (1 - p.Fraction)
	text := viz.Number(so, 0) + phrase.NBSP + "s so far"
	if p.ETA >= .5 {
		text += ", about " + viz.Number(p.ETA, 0) + phrase.NBSP + "s left"
	}
	return text
}

// TimeLeft is the remaining time of a study, estimated from the units since it was last resumed.
func TimeLeft(p linear.Progress) string {
	if !(p.Fraction > 0 && p.Fraction < 1) || p.ETA < .5 {
		return ""
	}
	return "about " + Duration(time.Duration(p.ETA*float64(time.Second))) + " left"
}
