package comparison

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/engine/compare"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// Finding is the summary: the best run by the first metric that all runs have and whose differences are meaningful.
func (v Page) Finding() (strong, rest string) {
	for _, m := range v.Metrics {
		best, ok := v.best(m)
		if !ok {
			continue
		}
		s := stat.ByID(m.ID)
		value := func(i int) string { return format.WithUnit(s, m.Values[i]) }
		extreme := map[stat.Direction]string{stat.LowerBetter: "lowest ", stat.HigherBetter: "highest "}[m.Direction]
		label := s.InSentence()
		other := best
		if best == v.Base {
			other = v.next(m)
		}
		if value(other) == value(v.Base) {
			return phrase.UpperFirst(label), fmt.Sprintf("is the same to the digits shown, %s, in the baseline ‘%s’ and in "+
				"‘%s’%s", value(best), v.Names[v.Base], v.Names[other], v.sureness(m, other))
		}
		if best != v.Base {
			return "‘" + v.Names[best] + "’", fmt.Sprintf("has the %s%s: %s against %s of the baseline ‘%s’%s",
				extreme, label,
				value(best), value(v.Base), v.Names[v.Base], v.sureness(m, best))
		}
		next := other
		return "‘" + v.Names[best] + "’, the baseline,", fmt.Sprintf("has the %s%s: %s against %s of ‘%s’%s",
			extreme, label,
			value(best), value(next), v.Names[next], v.sureness(m, next))
	}
	if strong, rest = v.relabelled(); strong != "" {
		return strong, rest
	}
	if slices.ContainsFunc(v.Metrics, func(m compare.Metric) bool {
		return slices.ContainsFunc(m.Deltas, func(d *float64) bool { return d != nil })
	}) {
		return "No metric can be subtracted over all these runs;", "where two runs allow it, the table has their difference."
	}
	return "These runs have no metric that could be subtracted;", "their numbers stand side by side."
}

// relabelled compares a run with the baseline on the labels as uploaded, where their values are on other labels: it
// names neither as better by its value. "" for more than two runs, and without an interval.
func (v Page) relabelled() (strong, rest string) {
	other := slices.Max(v.order())
	if other == v.Base {
		other = slices.Min(v.order())
	}
	for _, m := range v.Metrics {
		p := m.PairedDifferences[other]
		if len(v.runs) == 2 && m.Deltas[other] == nil && p != nil && p.Low != nil && p.High != nil {
			return "On the labels as uploaded:", phrase.LowerFirst(strings.TrimPrefix(v.sureness(m, other), ". "))
		}
	}
	return "", ""
}

// sureness says whether the interval of a difference excludes 0.
func (v Page) sureness(m compare.Metric, i int) string {
	p := m.PairedDifferences[i]
	if v.onTraining(i) {
		return ", on the training rows. There a closer fit looks better, whatever it does on new rows."
	}
	if p == nil || p.Low == nil || p.High == nil {
		return "."
	}
	s := stat.ByID(m.ID)
	ci := viz.Range(format.SignedStatistic(s, *p.Low), format.SignedStatistic(s, *p.High))
	first := ""
	if v.repeated(i) {
		first = " in the first repeat"
	}
	if *p.Low == 0 && *p.High == 0 { // a run and the same one with more repeats
		return fmt.Sprintf(". Over %s tested by both%s, the two agree row by row.", phrase.Count(p.N, "row"), first)
	}
	return fmt.Sprintf(". Over %s tested by both%s, ‘%s’ − baseline: %s (95%s CI %s).", phrase.Count(p.N, "row"),
		first, v.Names[i], m.Direction.VerdictWords(m.Verdicts[i], s.InSentence()), format.Pc, ci)
}

// repeated reports whether the cross-validation of a run or of the baseline was repeated.
func (v Page) repeated(i int) bool {
	return max(v.runs[i].Spec.Validation.Repeats, v.runs[v.Base].Spec.Validation.Repeats) > 1
}

// best is the run with the best value of a metric; the baseline wins ties.
func (v Page) best(m compare.Metric) (best int, ok bool) {
	if m.Direction != stat.LowerBetter && m.Direction != stat.HigherBetter {
		return 0, false
	}
	for i := range v.runs {
		if i != v.Base && m.Deltas[i] == nil {
			return 0, false
		}
	}
	return v.leader(m, v.order()), true
}

// next is the best run after the first.
func (v Page) next(m compare.Metric) int { return v.leader(m, v.order()[1:]) }

func (v Page) leader(m compare.Metric, among []int) int {
	best := among[0]
	for _, i := range among[1:] {
		if d := *m.Values[i] - *m.Values[best]; m.Direction == stat.LowerBetter && d < 0 ||
			m.Direction == stat.HigherBetter && d > 0 {
			best = i
		}
	}
	return best
}
