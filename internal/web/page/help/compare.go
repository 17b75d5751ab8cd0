package help

import (
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// compareTopic is the help of /compare.
func compareTopic() Topic {
	type item = templates.HelpItem
	return Topic{"compare", "Compare runs", groupPages, templates.Help{
		Lead: "Two to six finished runs side by side: different settings, different results, and how much of the " +
			"difference can be due to chance.",
		Parts: []templates.HelpPart{
			{Title: "Controls", List: []item{
				{"Differences only", "Hides what is the same in all runs; the line under the table lists it. Everything shows it."},
				{"Baseline", "The run that the others are compared with. Difference = run − baseline."},
				{"Selection", "Select runs in the list, on several of its pages if necessary. The address contains the whole " +
					"state and can be shared."}}},
			{Title: "What to look for", List: []item{
				{"Better, worse, no significant difference", "By the direction of the metric, ↑ or ↓. Better or worse: the " +
					"95\u00a0% interval of the difference excludes 0. No significant difference: it includes 0. Without an interval " +
					"there is no verdict."},
				{"Paired intervals", "Over the rows that both runs tested: DeLong’s for AUC, " +
					"Newcombe’s for proportions of correct rows, a paired bootstrap for losses. They do not cover " +
					"other folds or other patients."},
				{"Reclassification", "Rows by band in both runs. Up is correct for events, down for non-events; the two are " +
					"not added."},
				{"Weights", "The weight of each row in the fit: near 0 the row is down-weighted. Rows with injected label noise " +
					"should have lower weights than the others."},
				{"Warnings", "Other data, another event, other boundaries or another threshold: the values are shown side by " +
					"side and not subtracted. Other folds or seeds: part of the difference is due to the split."}}},
		},
		Source: "DeLong, DeLong and Clarke-Pearson 1988 (AUC); Newcombe 1998 (paired proportions); Kerr et al. 2014 (why " +
			"no overall NRI with three or more bands).",
		See: []templates.Link{see("Interval surrogate", explore.Interval), see("α-loss", explore.Alpha),
			see("Two-temperature", explore.TwoTemperature), see("Verdicts", "verdicts")},
	}}
}
