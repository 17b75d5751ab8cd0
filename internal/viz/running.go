package viz

import (
	"math"

	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
)

// mostPoints bounds the points of a running rate; more cannot be distinguished.
const mostPoints = 150

// RunningSVG draws the proportion of wrong labels among the rows reviewed so far, with its
// Wilson band, after each decision.
func RunningSVG(rows []stat.ReviewState) string {
	const left, top, high = 48.0, 8.0, 150.0
	base := high - 36
	d := &drawing{w: figW, h: high}
	n := len(rows)
	x, y := NewScale(0, float64(max(n, 2)), 4), scale(0, 1, 0.25)
	d.yTicks(y, left, figW-figR, top, base)
	at := func(r stat.ReviewState) float64 { return x.At(float64(r.Reviewed), left, figW-figR-8) }
	height := func(v *float64) float64 { return y.At(*v, base, top) }
	var xs, ys, lower, upper []float64
	for _, r := range thinned(rows) {
		xs, ys = append(xs, at(r)), append(ys, height(r.Rate.Value))
		lower, upper = append(lower, height(r.Rate.Low)), append(upper, height(r.Rate.High))
	}
	if n > 1 {
		d.path("conf", between(xs, lower, upper))
		d.path("ln s1", polyline(xs, ys))
	}
	d.xTicks(x, left, figW-figR-8, base, "rows reviewed")
	d.upright("ax-t", 9, (top+base)/2, "error rate")
	return d.svg("", "Label errors among the rows reviewed so far, with the Wilson 95"+phrase.NBSP+"% band")
}

// thinned keeps the first row, the last, and evenly spaced rows between.
func thinned(rows []stat.ReviewState) []stat.ReviewState {
	n := len(rows)
	if n <= mostPoints {
		return rows
	}
	kept := make([]stat.ReviewState, mostPoints)
	for i := range kept {
		kept[i] = rows[int(math.Round(float64(i)*float64(n-1)/(mostPoints-1)))]
	}
	return kept
}
