package playground

import (
	"math"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/playground"
	"taper/internal/engine/stat"
	"taper/internal/viz"
)

// table compares the models.
func (a *Answer) table() {
	a.Table = textTable{Columns: []string{"Same points, same labels", "A", "B", "B" + phrase.NBSP + minusSign +
		phrase.NBSP + "A"}}
	a.Times = textTable{Columns: a.Table.Columns}
	m := a.Models.models()
	if !m[0].ok() && !m[1].ok() {
		return
	}
	row := func(name string, decimals int, scale float64, minus bool, of func(m *modelView) float64) {
		v := [2]float64{math.NaN(), math.NaN()}
		for k := range m {
			if m[k].ok() {
				v[k] = scale * of(m[k])
			}
		}
		diff := viz.None
		if minus {
			diff = withSign(v[1]-v[0], decimals)
		}
		a.Table.Rows = append(a.Table.Rows, []string{name, viz.Number(v[0], decimals), viz.Number(v[1], decimals), diff})
	}
	judged := m[0]
	if !judged.ok() {
		judged = m[1]
	}
	if anyAbstains(m) {
		a.answerRows(row, m, a.testRowsName(judged))
	} else {
		s := stat.ByID("accuracy")
		row(s.Label+", "+a.testRowsName(judged), s.Digits, 100, true,
			func(m *modelView) float64 { return shareOf(m.verdict.CleanAccuracy) })
		a.Table.Verdict = cleanVerdict(m)
		row(s.Label+", observed training labels, %", s.Digits, 100, true, func(m *modelView) float64 {
			return shareOf(m.verdict.NoisyAccuracy)
		})
	}
	a.costRows(row, m)
	a.classRows(row, m)
	row("Mean loss (each on its own scale)", 4, 1, false, func(m *modelView) float64 { return m.look.Loss.Mean })
	row("Solver steps", 0, 1, true, func(m *modelView) float64 { return float64(m.fit.Steps()) })
	a.strataRows(m)
	t := a.Table
	a.Table.Rows, a.Times.Rows = nil, nil
	row("Fit, ms", 1, 1, true, func(m *modelView) float64 { return m.MS })
	a.Times.Rows, a.Table = a.Table.Rows, t
	a.Table.Note = "Accuracy on noisy training labels is not scored as better or worse; losses on different scales are " +
		"not compared."
	if a.Table.Verdict != "" {
		a.Table.Note += " Better and worse: Newcombe’s 95" + phrase.NBSP + "% interval of the paired difference in " +
			"accuracy excludes 0."
	}
}

// cleanVerdict says whether B is better than A on the clean points that test both, by the confidence interval of
// the paired difference.
func cleanVerdict(m [2]*modelView) string {
	if !m[0].ok() || !m[1].ok() {
		return ""
	}
	a, b := m[0].verdict.Correct, m[1].verdict.Correct
	var counts [2][2]int // indices: A correct, B correct
	for i := range min(len(a), len(b)) {
		counts[right(a[i])][right(b[i])]++
	}
	d := stat.PairedDifference(counts[1][1], counts[0][1], counts[1][0], counts[0][0])
	return stat.VerdictWord(stat.HigherBetter.Verdict(d))
}

func right(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

const minusSign = "\u2212"

// withSign writes a difference with its sign.
func withSign(v float64, decimals int) string {
	text := viz.Number(v, decimals)
	if v > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}

func (a *Answer) testRowsName(m *modelView) string { return m.testRows() + ", %" }

// testRows names the test points of a model.
func (m *modelView) testRows() string {
	n := phrase.Int(m.verdict.Rows)
	switch m.verdict.TestSet {
	case playground.TestFresh:
		return n + " new clean points"
	case playground.TestHeldOut:
		return n + " held-out clean points"
	}
	return "true labels of the " + n + " training points"
}

// tell writes the summary and the tables.
func (a *Answer) tell(st state) {
	a.Sentence, a.Notes = a.sentence(st), st.notes()
	a.table()
}
