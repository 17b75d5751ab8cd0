package format

import (
	"time"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/phrase"
	"taper/internal/viz"
)

// Elapsed words the time: 6 s so far, about 9 s left. What is left was
// worked out from what has passed, so that is known too.
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

// TimeLeft words what is left of a study: of units measured in this sitting.
func TimeLeft(p linear.Progress) string {
	if !(p.Fraction > 0 && p.Fraction < 1) || p.ETA < .5 {
		return ""
	}
	return "about " + Duration(time.Duration(p.ETA*float64(time.Second))) + " left"
}
