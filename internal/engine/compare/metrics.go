package compare

import (
	"reflect"
	"slices"

	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
)

// Metric is one metric of every run.
type Metric struct {
	ID        string         `json:"id"`
	Direction stat.Direction `json:"direction"`
	Values    []*float64     `json:"values"`
	Deltas    []*float64     `json:"deltas"`
	Verdicts  []string       `json:"verdicts"` // "" without an interval
	// nil where rows are not paired, or the metric is not a mean over rows
	PairedDifferences []*Difference `json:"paired"`
}

// Comparable reports whether two runs agree in what a statistic depends on.
func Comparable(s stat.Statistic, x, y Run) bool { return sameNeeds(s.Needs, x, y) }

// sameNeeds reports whether two runs agree in what a metric depends on, so that its difference
// is meaningful.
func sameNeeds(n stat.Need, x, y Run) bool {
	return (n&stat.NeedBoundaries == 0 || sameBands(x, y)) && (n&stat.NeedCosts == 0 || sameCosts(x, y)) &&
		(n&stat.NeedCut == 0 || sameCut(x, y)) &&
		(n&stat.NeedEveryAnswer == 0 || answersAll(x) && answersAll(y))
}

func sameBands(x, y Run) bool { return slices.Equal(x.Result.Boundaries, y.Result.Boundaries) }

// sameCosts reports whether both runs use the same costs for predictions. The cost of
// abstaining, allowed in one of them, may differ.
func sameCosts(x, y Run) bool {
	a, b := x.Result.Classes, y.Result.Classes
	if a == nil || b == nil {
		return false
	}
	n := min(len(a.Costs), len(b.Costs))
	if n < len(a.Levels) || n < len(b.Levels) {
		return false
	}
	return reflect.DeepEqual(a.Costs[:n], b.Costs[:n])
}

// answersAll reports whether a run never abstains. Accuracy among the rows with an answer is
// not comparable otherwise.
func answersAll(r Run) bool {
	if r.Result.Classes == nil {
		return true
	}
	rate := measured(r, "abstention_rate")
	return rate == nil || *rate == 0
}

// sameCut reports whether both runs predict the event above the same threshold. A score of 0 is none of a
// probability: which risk an interval model has there depends on its boundaries.
func sameCut(x, y Run) bool {
	a, b := x.Result.CutByScore(x.Spec), y.Result.CutByScore(y.Spec)
	return x.Result.Cut == y.Result.Cut && a == b && (!a || sameBands(x, y))
}

// metrics compares the metrics on the test rows.
func (b *joined) metrics() []Metric {
	list := []Metric{}
	for _, s := range stat.All {
		m := Metric{ID: s.ID, Direction: s.Better, Values: make([]*float64, len(b.runs)),
			Deltas:   make([]*float64, len(b.runs)),
			Verdicts: make([]string, len(b.runs)), PairedDifferences: make([]*Difference, len(b.runs))}
		some := false
		for i, r := range b.runs {
			if m.Values[i] = measured(r, s.ID); r.Result.IsRecalibrated() && !slices.Contains(withinClasses, s.ID) {
				m.Values[i] = nil
			}
			some = some || m.Values[i] != nil
		}
		if !some {
			continue
		}
		b.others(func(i int, r Run) {
			if subtractable(b.baseline(), r) && sameNeeds(s.Needs, b.baseline(), r) && samePopulation(s, b.baseline(), r) {
				m.compare(b.base, i, b.pairs[i], sameLabels(b.baseline(), r))
			}
		})
		list = append(list, m)
	}
	return list
}

// subtractable reports whether metrics of two runs may be subtracted.
func subtractable(x, y Run) bool {
	return x.SHA256 == y.SHA256 && sameEvent(x, y) && x.Result.Apparent == y.Result.Apparent
}

// withinClasses are the statistics that do not depend on the share of events. The others say of a recalibrated run only
// that its rows are of another population.
var withinClasses = []string{"auc", "sensitivity", "specificity", "balanced_accuracy"}

// samePopulation reports whether both runs are meant for the population of their rows, or the statistic depends on the
// ranking alone: risks moved to another prevalence have other losses on these rows by construction.
func samePopulation(s stat.Statistic, x, y Run) bool {
	return s.ID == "auc" || !x.Result.IsRecalibrated() && !y.Result.IsRecalibrated()
}

// sameLabels reports whether two runs were evaluated on the same labels: where a review changed some or left rows
// out, values differ by that too.
func sameLabels(x, y Run) bool {
	changes := func(r Run) []runspec.Relabel {
		if r.Spec.Review == nil {
			return nil
		}
		return r.Spec.Review.Changes
	}
	return slices.Equal(changes(x), changes(y))
}

// compare fills in the difference of run i; that of the values only if they were measured on the same labels.
func (m *Metric) compare(base, i int, p pair, labels bool) {
	if m.Values[base] == nil || m.Values[i] == nil {
		return
	}
	if labels {
		d := *m.Values[i] - *m.Values[base]
		m.Deltas[i] = &d
	}
	m.PairedDifferences[i] = p.difference(m.ID)
	if q := m.PairedDifferences[i]; q != nil {
		m.Verdicts[i] = m.Direction.Verdict(stat.Estimate{Value: q.Value, Low: q.Low, High: q.High})
	}
}

// measured is a metric of a run, averaged over repeats; nil if it has none.
func measured(r Run, id string) *float64 {
	switch c := r.Result.Classes; {
	case c == nil:
		return r.Result.Metrics.Test.Of(id).Value
	case id == "cost":
		return &c.Cost
	default:
		return c.Metrics.Test.Of(id).Value
	}
}
