package explore

import (
	"math"

	"taper/internal/viz"
)

func gameChart(st State, g play) chart {
	c := chart{height: "s2", head: []string{"Option"}}
	bars := viz.Game{ID: "game", Title: "The game at the point", Options: g.options, Q: g.q, P: g.p}
	bars.Sentence = "The adversary’s optimal mixture: " + g.mixture(g.q) + "; the predictor’s: " + g.mixture(g.p) + "."
	bars.Label = bars.Title + ". " + bars.Sentence
	c.plot = viz.GameBars(bars)
	c.head = []string{"Option", "adversary q*", "predictor p*"}
	c.rows = func(bool) [][]float64 {
		var rows [][]float64
		for j := range g.options {
			row := []float64{float64(j + 1), math.NaN(), math.NaN()}
			if j < len(g.q) {
				row[1] = g.q[j]
			}
			if j < len(g.p) {
				row[2] = g.p[j]
			}
			rows = append(rows, row)
		}
		return rows
	}
	c.text = func(v float64, column int) string {
		if column == 0 {
			return g.options[int(v)-1]
		}
		return amount(v)
	}
	return c
}

// levels are the contour values of a loss: multiples of one half, and the border of the region with loss 0.
var levels = []float64{.005, .5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8}

func comparisonSentence(st State) string {
	switch st.Comparison {
	case "ww":
		return "Weston–Watkins sums over every class within 1 of the true one."
	case "cs":
		return "Crammer–Singer counts only the strongest competing class."
	case "llw":
		return "Lee–Lin–Wahba does not use the score of the true class; shown for potentials that sum to 0."
	case "ova":
		return "One hinge for each class against the rest; shown for potentials that sum to 0."
	}
	return "The softmax loss is smooth and always above 0."
}

func planeChart(st State, id, title, mark string, f func(psi ...float64) float64, sentence string) chart {
	at := f(st.psi()...)
	field := viz.Field{ID: id, Title: title, F: func(x, y float64) float64 { return f(x, y) },
		X: [2]float64{-psiEnd, psiEnd}, Y: [2]float64{-psiEnd, psiEnd}, XName: st.psiName(0), YName: st.psiName(1),
		Levels: levels, Decimals: 1, Mark: mark,
		Points: []viz.Spot{{X: st.Psi[0], Y: st.Psi[1], Text: viz.Number(at, 2), Symbol: "circle", Ink: "@accent"}},
		Drag:   true, Sentence: sentence}
	field.Label = title + " over " + st.psiName(0) + " and " + st.psiName(1) + "; " + viz.Number(at, 2) +
		" at the point. " + sentence
	c := chart{plot: viz.Contours(field), height: "l", half: true, drag: "psi",
		head: []string{st.psiName(0), st.psiName(1), "loss"}}
	c.rows = func(fine bool) [][]float64 { return planeRows(field, fine) }
	return c
}

// planeRows tabulates a field on a grid, finer for a file than for the page.
func planeRows(f viz.Field, fine bool) (rows [][]float64) {
	n := 6
	if fine {
		n = 48
	}
	at := func(ends [2]float64, i int) float64 { return ends[0] + (ends[1]-ends[0])*float64(i)/float64(n) }
	for i := range n + 1 {
		for j := range n + 1 {
			x, y := at(f.X, i), at(f.Y, j)
			rows = append(rows, []float64{x, y, f.F(x, y)})
		}
	}
	return rows
}
