package viz

import "math"

// The scale of a score, from scoreL to scoreR pixels. It is as wide as the text of a phone, so that 12 px are 12 px
// there.
const (
	scoreW, scoreH = 328.0, 58.0
	scoreL, scoreR = 2.0, 326.0
	scoreRoom      = 2.5 // score units beyond the outer cut-offs
)

// ScoreSVG shows one score on a scale with the cut-offs of the bands. The scale depends on the
// cut-offs only, so that patients can be compared; a score beyond it is drawn as an arrow at
// the end.
func ScoreSVG(pi, delta []float64, score float64) string {
	low, high := delta[0]-scoreRoom, delta[len(delta)-1]+scoreRoom
	at := func(f float64) float64 { return scoreL + (f-low)/(high-low)*(scoreR-scoreL) }
	const top, tall = 16.0, 20.0
	cuts := PointScale{Points: delta, Levels: true}
	for _, c := range delta {
		cuts.Labels = append(cuts.Labels, Number(c, 2))
	}
	labels := cuts.place(at, scoreW)
	d := drawing{w: scoreW, h: scoreH + axisLine*lowest(labels)}
	for j := range len(pi) + 1 {
		from, to := low, high
		if j > 0 {
			from = delta[j-1]
		}
		if j < len(pi) {
			to = delta[j]
		}
		lo, hi := edges(pi, j)
		d.tint(pi, j, at(from), top, at(to)-at(from), tall)
		if name := BandName(lo, hi); at(to)-at(from) > 6.2*float64(len([]rune(name))) {
			d.text("ax ink", "middle", (at(from)+at(to))/2, top+tall-6, name)
		}
	}
	for _, l := range labels {
		d.line("cutl", l.tick, top-3, l.tick, top+tall+3)
		d.text("ax", "middle", l.x, scoreH-6+axisLine*float64(l.line), l.text)
	}
	d.scoreMark(at(math.Max(low, math.Min(high, score))), top, score < low, score > high)
	return d.svg("score-scale", "Score "+Number(score, 2)+" among the cut-offs")
}

// scoreMark is a triangle at the score, pointing outwards if the score is off the scale.
func (d *drawing) scoreMark(x, top float64, below, above bool) {
	switch {
	case below:
		d.path("fill-ink", "M"+px(x)+" "+px(top-7)+"l9 -5v10z")
	case above:
		d.path("fill-ink", "M"+px(x)+" "+px(top-7)+"l-9 -5v10z")
	default:
		d.path("fill-ink", "M"+px(x)+" "+px(top-1)+"l-6 -11h12z")
		d.line("st-ink w15", x, top, x, top+4) // short, because a name is below it
	}
}
