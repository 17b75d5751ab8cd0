package comparison

import (
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/compare"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/web/format"
	"taper/web/templates"
)

// metricRows are the metrics with their differences. Metrics that are equal in all runs are returned by name only,
// unless the page shows everything.
func (v Page) metricRows() (rows []doc.Row, equal []string) {
	for _, m := range v.Metrics {
		s := stat.ByID(m.ID)
		words, apart := v.apart(m, s)
		s.Label += words
		if apart { // neither is better for it
			s.Better = stat.NoDirection
		}
		if s.Needs&stat.NeedCut != 0 {
			s.Label += v.atThreshold()
		}
		if !v.State.All && v.sameMetric(m) {
			equal = append(equal, s.Label+" "+format.WithUnit(s, m.Values[0]))
			continue
		}
		label := s.Label
		if s.Unit != "" {
			label += ", " + s.Unit
		}
		row := doc.Row{Cells: []doc.Cell{{View: templates.CompareLabel(label, m.ID == "interval_loss",
			format.Arrow(s.Better), format.DirectionWords(s.Better))}}}
		for _, i := range v.order() {
			row.Cells = append(row.Cells, doc.Cell{Value: m.Values[i], Format: doc.Of(s)})
			if i != v.Base {
				row.Cells = append(row.Cells, v.differenceCell(m, i, s))
			}
		}
		rows = append(rows, row)
	}
	return rows, equal
}

// atThreshold names the threshold of the runs of two classes; "" if there are none.
func (v Page) atThreshold() string {
	if at := v.alike(v.threshold); at != "" {
		return " (threshold: " + at + ")"
	}
	return ""
}

// threshold is that of run i, "" for several classes.
func (v Page) threshold(i int) string {
	if r := v.runs[i]; r.Result.Classes == nil {
		return format.Threshold(r.Spec, r.Result)
	}
	return ""
}

// apart reports whether the values of a metric depend on something in which the runs differ, and says on what.
func (v Page) apart(m compare.Metric, s stat.Statistic) (words string, apart bool) {
	base := v.Base
	for i := range v.runs {
		apart = apart || m.Values[base] != nil && m.Values[i] != nil && !compare.Comparable(s, v.runs[base], v.runs[i])
	}
	switch {
	case !apart:
		return "", false
	case s.Needs&stat.NeedEveryAnswer != 0 && !v.answersAll():
		return " of the answers", true
	case s.Needs&stat.NeedCosts != 0:
		return " (each by its own costs)", true
	case s.Needs&stat.NeedBoundaries != 0:
		return " (each by its own boundaries)", true
	}
	return "", true
}

// answersAll reports whether no run abstained on any row.
func (v Page) answersAll() bool {
	m, ok := v.metric("abstention_rate")
	return !ok || !slices.ContainsFunc(m.Values, func(x *float64) bool { return x != nil && *x > 0 })
}

func (v Page) sameMetric(m compare.Metric) bool {
	for _, x := range m.Values {
		if x == nil || m.Values[0] == nil || *x != *m.Values[0] {
			return false
		}
	}
	return true
}

// differenceCell is the difference of a run to the baseline. One with an interval is over the rows that both
// evaluated, like its interval: with repeats or other rows it is not the difference of the values.
func (v Page) differenceCell(m compare.Metric, i int, s stat.Statistic) doc.Cell {
	p := m.PairedDifferences[i]
	if m.Deltas[i] == nil && (p == nil || p.Value == nil) {
		return doc.Cell{Value: ""}
	}
	f := doc.Of(s)
	f.Signed, f.Bare = true, true
	c := doc.Cell{Value: m.Deltas[i], Format: f, Class: "nowrap", Verdict: stat.VerdictWord(m.Verdicts[i]),
		Note: unpaired[v.reason(i)]}
	if v.onTraining(i) {
		c.Note = "training rows: no interval"
	}
	if p != nil {
		c.Value, c.Low, c.High = p.Value, p.Low, p.High
	}
	return c
}

// unpaired gives the reason for a missing interval.
var unpaired = map[string]string{"rows": "different rows: no interval",
	"reading": "rows not paired: no interval"}

// onTraining reports whether run i and the baseline were evaluated on their training rows.
func (v Page) onTraining(i int) bool {
	return len(v.runs) > 0 && compare.BothOnTraining(v.runs[v.Base], v.runs[i])
}

// reason says why the rows of a run cannot be paired with those of the baseline, "" where they can.
func (v Page) reason(i int) string {
	for _, m := range v.Reclassification {
		if m.Run == v.IDs[i] {
			return m.Reason
		}
	}
	return ""
}

// sameSentence names the settings and metrics that are equal.
func (v Page) sameSentence(rows []doc.Row, equal []string) string {
	var each []string
	for _, r := range rows {
		value := r.Cells[1].Text()
		if !strings.HasSuffix(value, "predictors") { // "12 predictors" needs no label
			value = stat.InSentence(r.Cells[0].Text()) + " " + value
		}
		each = append(each, value)
	}
	each = append(each, equal...)
	if len(each) == 0 {
		return ""
	}
	which := "both"
	if len(v.runs) > 2 {
		which = "all " + phrase.Numeral(len(v.runs))
	}
	return "The same in " + which + ", hidden: " + strings.Join(each, "; ") + "."
}
