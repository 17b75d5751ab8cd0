package comparison

import (
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/compare"
	"taper/internal/engine/phrase"
	"taper/internal/web/format"
)

// note explains the table and the source of its intervals.
func (v Page) note() string {
	text := "↑ higher is better, ↓ lower is better, → nearer to that value is better. Difference = run − " +
		"baseline, before the values are rounded. "
	reviewed := func(r compare.Run) bool { return r.Spec.Review != nil && len(r.Spec.Review.Changes) > 0 }
	if slices.ContainsFunc(v.runs, reviewed) {
		text += "Values of a run on reviewed labels are measured on those labels, differences with an interval on the " +
			"labels as uploaded. "
	}
	how := v.intervalWords()
	if how == "" && v.onTraining(v.Base) {
		return text + "No difference has an interval: the runs were evaluated on their training rows."
	}
	if how == "" {
		return text + "No difference has an interval: every one may be due to chance."
	}
	text += "Small print: its 95" + format.Pc + " interval. A difference with one is over the rows that both tested, " +
		"paired: " + how
	for i := range v.runs {
		if v.repeated(i) {
			text += ". Values are means of the repeats, differences with an interval those of the first repeat"
			break
		}
	}
	return text + ". Better and worse: the interval excludes 0. A difference without one is that of the " +
		"values, and may be due to chance."
}

// intervalWords names the methods of the intervals, with rows and bootstrap samples.
func (v Page) intervalWords() string {
	rows, draws := map[int]string{}, map[int]int{} // by run
	used := map[string]bool{}
	for _, m := range v.Metrics {
		for i, p := range m.PairedDifferences {
			if p != nil && p.Low != nil {
				rows[i] = phrase.Int(max(p.N, v.pairedRows(i)))
				used[p.Method], draws[i] = true, max(draws[i], p.Draws)
			}
		}
	}
	if len(rows) == 0 {
		return ""
	}
	var each []string
	for _, w := range intervalMethods {
		if used[w.method] && w.text != "" {
			each = append(each, w.text)
		}
	}
	if used[compare.Bootstrap] {
		the := ""
		if len(each) > 0 {
			the = "the others "
		}
		each = append(each, the+"percentiles of "+v.alike(func(i int) string {
			if draws[i] == 0 {
				return ""
			}
			return phrase.Int(draws[i])
		})+" bootstrap draws, seed "+strconv.FormatUint(v.runs[v.Base].Spec.Seed, 10))
	}
	return v.alike(func(i int) string { return rows[i] }) + " rows; " + strings.Join(each, ", ")
}

// intervalMethods are the methods that have a name of their own.
var intervalMethods = []struct{ method, text string }{{compare.DeLong, "AUC by DeLong"},
	{compare.Newcombe, "accuracies by Newcombe"}}

func (v Page) pairedRows(i int) int {
	for _, m := range v.Reclassification {
		if m.Run == v.IDs[i] {
			return m.N
		}
	}
	return 0
}

// alike is a text that all runs share, or the text of each run.
func (v Page) alike(text func(i int) string) string {
	common := ""
	for i := range v.runs {
		switch t := text(i); {
		case t == "" || t == common:
		case common == "":
			common = t
		default:
			return v.per(text)
		}
	}
	return common
}
