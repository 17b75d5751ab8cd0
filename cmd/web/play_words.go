package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"taper/cmd/web/bounds"
	"taper/cmd/web/query"
	"taper/cmd/web/wording"
	"taper/internal/engine/arena"
	"taper/internal/engine/metric"
	"taper/internal/engine/synth"
	"taper/internal/viz"
)

// parts reports whether a method parts points of a kind.
func (h playHow) parts(k playKind) bool { return slices.Contains(h.Kinds, k) }

// dataset is the id of the dataset that the points come from, "" for others.
func (st playState) dataset() string {
	id, ok := strings.CutPrefix(st.Data, playDataset)
	if !ok {
		return ""
	}
	return id
}

// playTitle names a model with what a reader must know of it.
func playTitle(m playModel, set arena.Setting) string {
	title := set.Method.Title()
	switch {
	case m.Method == "logistic":
		title = "Logistic"
	case m.Method == "interval":
		title = "Interval surrogate at " + bounds.Text(m.Pi)
	}
	switch {
	case set.Method.Spec.Kernelled():
		if k := set.Method.Spec.Kernel.Title(); !strings.Contains(title, k) {
			title += ", " + k
		}
	case m.Features == arena.Quadratic:
		title += ", quadratic features"
	case m.Features == arena.RBF:
		title += ", RBF features"
	}
	return title
}

// tell writes the sentence and the tables.
func (a *playAnswer) tell(st playState) {
	a.Sentence, a.Notes = a.sentence(st), st.notes()
	a.table()
}

// sentence says what is to be seen.
func (a *playAnswer) sentence(st playState) string {
	b := a.bench
	done := viz.Count(b.spoilt.Count) + " of " + viz.Count(b.spoilt.Trained)
	var text string
	switch {
	case st.Noise == synth.NoiseNone || b.spoilt.Count == 0:
		text = "With every label as it is"
	case st.Noise == synth.NoiseInstance:
		text = "With the features of " + done + " training points replaced"
	case st.Noise == synth.NoiseLargeMargin:
		text = "With " + done + " labels flipped, those farthest from the border,"
	case st.Noise == synth.NoiseSmallMargin:
		text = "With " + done + " labels flipped, those nearest the border,"
	case st.Noise == synth.NoiseClass && st.Rate0 == 0:
		text = "With " + done + " labels flipped, all of class " + b.sample.Levels[1] + ","
	default:
		text = "With " + done + " labels flipped"
	}
	m := a.Models.both()
	if !m[0].ok() || !m[1].ok() {
		for k := range m {
			if !m[k].ok() {
				return "Model " + string(rune('A'+k)) + " is not fitted. " + m[k].Error
			}
		}
	}
	text = strings.TrimSuffix(text, ",") + map[bool]string{true: ", ", false: " "}[strings.HasSuffix(text, ",") || strings.Contains(text, "With")]
	return text + a.outcome(m)
}

// outcome compares the clean accuracies.
func (a *playAnswer) outcome(m [2]*playShown) string {
	x, y := shareOf(m[0].verdict.Clean), shareOf(m[1].verdict.Clean)
	if leaves(m) {
		return wording.UpperFirst(m[1].answering("B")) + "; " + m[0].answering("A") + "."
	}
	what := map[arena.Clean]string{arena.CleanFresh: "clean points", arena.CleanHeld: "held-out clean points", arena.CleanTraining: "the points’ true labels"}[m[0].verdict.Judges]
	return "B gets " + viz.Percent(y, 1) + wording.NBSP + "% of " + what + " right and A " + viz.Percent(x, 1) + wording.NBSP + "%."
}

// leaves reports whether a model leaves points without an answer: then what is
// right of all points says little.
func leaves(m [2]*playShown) bool {
	return slices.ContainsFunc(m[:], func(x *playShown) bool { return x.ok() && x.verdict.Answered < x.verdict.Rows })
}

// answering says how many of the clean points a model answers, and how well.
func (m *playShown) answering(letter string) string {
	v := m.verdict
	what := map[arena.Clean]string{arena.CleanFresh: "clean points", arena.CleanHeld: "held-out clean points", arena.CleanTraining: "the points"}[v.Judges]
	if v.Answered == 0 {
		return letter + " answers none of " + what
	}
	text := letter + " answers " + viz.Percent(m.answered(), 1) + wording.NBSP + "% of " + what
	if v.Answered == v.Rows {
		text = letter + " answers all " + strings.TrimPrefix(what, "the ")
	}
	return text + " and gets " + viz.Percent(m.ofAnswers(), 1) + wording.NBSP + "% of its answers right"
}

func (m *playShown) answered() float64 { return float64(m.verdict.Answered) / float64(m.verdict.Rows) }

// ofAnswers is the share of its answers that a model gets right.
func (m *playShown) ofAnswers() float64 {
	if v := m.verdict.Classes.Accuracy; v != nil {
		return *v
	}
	return math.NaN()
}

func shareOf(e metric.Estimate) float64 {
	if e.Value == nil {
		return math.NaN()
	}
	return *e.Value
}

// table compares the models.
func (a *playAnswer) table() {
	a.Table = playTable{Columns: []string{"Same points, same labels", "A", "B", "B" + wording.NBSP + minusSign + wording.NBSP + "A"}}
	a.Times = playTable{Columns: a.Table.Columns}
	m := a.Models.both()
	if !m[0].ok() && !m[1].ok() {
		return
	}
	row := func(name string, decimals int, scale float64, minus bool, of func(m *playShown) float64) {
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
	if leaves(m) {
		a.answerRows(row, m, a.judges(judged))
	} else {
		row("Accuracy, "+a.judges(judged), 1, 100, true, func(m *playShown) float64 { return shareOf(m.verdict.Clean) })
		a.Table.Verdict = clearly(m)
		row("Accuracy, training labels as given, %", 1, 100, true, func(m *playShown) float64 { return shareOf(m.verdict.Noisy) })
	}
	a.classRows(row, m)
	row("Mean loss, each on its own scale", 4, 1, false, func(m *playShown) float64 { return m.look.Loss.Mean })
	row("Solver steps", 0, 1, true, func(m *playShown) float64 { return float64(m.fit.Steps()) })
	a.strataRows(m)
	t := a.Table
	a.Table.Rows, a.Times.Rows = nil, nil
	row("Fit, ms", 1, 1, true, func(m *playShown) float64 { return m.MS })
	a.Times.Rows, a.Table = a.Table.Rows, t
	a.Table.Note = "Fit to noisy labels has no better or worse, and losses on two scales are not subtracted."
	if a.Table.Verdict == unclear {
		a.Table.Note += " Not clear: McNemar’s test on the same clean points leaves the difference to chance at 5" + wording.NBSP + "%."
	}
}

const unclear = "not clear"

// clearly says whether B is better than A on the clean points that judge both,
// by McNemar's test at 5 %.
func clearly(m [2]*playShown) string {
	if !m[0].ok() || !m[1].ok() {
		return ""
	}
	a, b := m[0].verdict.Right, m[1].verdict.Right
	var better, worse float64
	for i := range min(len(a), len(b)) {
		switch {
		case b[i] && !a[i]:
			better++
		case a[i] && !b[i]:
			worse++
		}
	}
	switch d := (better - worse) / math.Sqrt(max(1, better+worse)); {
	case d > 1.96:
		return "better"
	case d < -1.96:
		return "worse"
	}
	return unclear
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

func (a *playAnswer) judges(m *playShown) string {
	n := viz.Count(m.verdict.Rows)
	switch m.verdict.Judges {
	case arena.CleanFresh:
		return n + " fresh clean points, %"
	case arena.CleanHeld:
		return n + " clean points held out, %"
	}
	return "true labels of the " + n + " training points, %"
}

// answerRows judge models of which one may leave a point unanswered: how many
// are answered, how well, and what both come to at the price of no answer.
func (a *playAnswer) answerRows(row func(string, int, float64, bool, func(*playShown) float64), m [2]*playShown, judges string) {
	row("Accuracy of the answers, "+judges, 1, 100, true, (*playShown).ofAnswers)
	row("Answered, %", 1, 100, true, (*playShown).answered)
	if price, ok := a.price(m); ok {
		row("Cost a point: a mistake 1, no answer "+query.Text(price), 3, 1, true, func(m *playShown) float64 {
			if m.verdict.Answered == 0 {
				return price
			}
			return m.answered()*(1-m.ofAnswers()) + (1-m.answered())*price
		})
	}
	row("Training labels repeated, no answer is none, %", 1, 100, true, func(m *playShown) float64 { return shareOf(m.verdict.Noisy) })
}

// price is what no answer costs by the models that may give none, where they
// agree (math.md §7.4).
func (a *playAnswer) price(m [2]*playShown) (price float64, ok bool) {
	for k, x := range m {
		if !x.ok() || x.verdict.Answered == x.verdict.Rows {
			continue
		}
		at, given := query.ParseNumber(a.st.Models[k].Params["alpha"])
		if !given {
			at = .5 // as the baselines that have none
		}
		if ok && at != price {
			return 0, false
		}
		price, ok = at, true
	}
	return price, ok
}

// classRows are the recalls of the classes on the clean judges, and what was
// left without an answer.
func (a *playAnswer) classRows(row func(string, int, float64, bool, func(*playShown) float64), m [2]*playShown) {
	for c, level := range a.bench.sample.Levels {
		name := "Class " + level + " found, %"
		if leaves(m) {
			name = "Class " + level + " found, % of its answered points"
		}
		row(name, 1, 100, true, func(m *playShown) float64 { return shareOf(m.verdict.Classes.PerClass[c].Recall) })
	}
	if a.bench.sample.Ordered {
		row("Mean distance in classes", 3, 1, true, func(m *playShown) float64 {
			if v := m.verdict.Classes.MAE; v != nil {
				return *v
			}
			return math.NaN()
		})
	}
}

// strataRows are the bands of interval models: the share of events in each.
func (a *playAnswer) strataRows(m [2]*playShown) {
	for k, x := range m {
		if !x.ok() {
			continue
		}
		for _, s := range x.verdict.Strata {
			cells := []string{fmt.Sprintf("Events in band %s of %c, %% of clean points", viz.BandName(s.Lower, s.Upper), 'A'+k), viz.None, viz.None, viz.None}
			if s.Observed != nil {
				cells[1+k] = viz.Percent(*s.Observed, 1) + " of " + viz.Count(s.N)
			}
			a.Table.Rows = append(a.Table.Rows, cells)
		}
	}
}
