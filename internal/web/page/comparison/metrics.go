package comparison

import (
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/compare"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// metricRows are the metrics with their differences; those that are the same in
// all are counted apart unless everything is asked for.
func (v Page) metricRows() (rows []doc.Row, equal []string) {
	for _, m := range v.Metrics {
		w := metricWords[m.ID]
		if m.ID == "accuracy" && !v.answersAll() {
			w.label = "Accuracy of the answers"
		}
		if !v.State.All && v.sameMetric(m) {
			equal = append(equal, w.label+" "+viz.NumberOf(m.Values[0], w.decimals))
			continue
		}
		label := doc.Cell{View: templates.CompareLabel(w.label, w.formula, directions[m.Direction][0],
			directions[m.Direction][1])}
		row := doc.Row{Cells: []doc.Cell{label}}
		for _, i := range v.order() {
			row.Cells = append(row.Cells, doc.Cell{Value: m.Values[i], Format: doc.To(w.decimals)})
			if i != v.Base {
				row.Cells = append(row.Cells, v.differenceCell(m, i, w.decimals))
			}
		}
		rows = append(rows, row)
	}
	return rows, equal
}

// answersAll reports whether no run left a row without an answer.
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

// differenceCell is how far a run is from the baseline, with the interval of rows
// that both judged.
func (v Page) differenceCell(m compare.Metric, i, decimals int) doc.Cell {
	if m.Deltas[i] == nil {
		return doc.Cell{Value: ""}
	}
	c := doc.Cell{Value: m.Deltas[i], Format: doc.Format{Digits: decimals, Signed: true, Bare: true}, Class: "nowrap",
		Verdict: m.Verdicts[i], Note: unpaired[v.reason(i)]}
	if c.Verdict == compare.Unclear {
		c.Verdict = "not clear"
	}
	if p := m.Paired[i]; p != nil {
		c.Low, c.High = p.Low, p.High
	}
	return c
}

// unpaired says in place of an interval why there is none.
var unpaired = map[string]string{"rows": "no common rows", "reading": "rows not paired"}

// reason is why rows of a run are not crossed with the baseline's, "" where
// they are.
func (v Page) reason(i int) string {
	for _, m := range v.Moves {
		if m.Run == v.IDs[i] {
			return m.Reason
		}
	}
	return ""
}

// sameSentence names what is not shown.
func (v Page) sameSentence(rows []doc.Row, equal []string) string {
	var each []string
	for _, r := range rows {
		value := r.Cells[1].Text()
		if !strings.HasSuffix(value, "predictors") { // "12 predictors" names itself
			value = inSentence(r.Cells[0].Text()) + " " + value
		}
		each = append(each, value)
	}
	each = append(each, equal...)
	if len(each) == 0 {
		return ""
	}
	which := "both"
	if len(v.runs) > 2 {
		which = "all " + format.Small(len(v.runs))
	}
	return "The same in " + which + ", hidden: " + strings.Join(each, "; ") + "."
}

// inSentence writes a label within a sentence: AUC and λ stay as they are.
func inSentence(label string) string {
	if len(label) > 1 && label[0] >= 'A' && label[0] <= 'Z' && label[1] >= 'a' && label[1] <= 'z' {
		return format.LowerFirst(label)
	}
	return label
}
