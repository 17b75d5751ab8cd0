package help

import (
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// compareTopic is the help of /compare.
func compareTopic() Topic {
	type item = templates.HelpItem
	return Topic{"compare", "Compare runs", groupPages, templates.Help{
		Lead: "Two to six finished runs beside each other: what was asked differently, what came of it, and how much of " +
			"that chance can be.",
		Parts: []templates.HelpPart{
			{Title: "Controls", List: []item{
				{"Differences only", "Hides what is the same in all runs; the line under the table names it. Everything shows it."},
				{"Baseline", "The run that the others are held against. A difference is the run less the baseline."},
				{"The choice", "Tick runs in the list, on several of its pages if need be. The address holds the whole state: " +
					"copy it, and it shows the same."}}},
			{Title: "What to look for", List: []item{
				{"Better, worse, no clear difference", "By the direction of the metric, ↑ or ↓, where the 95\u00a0% interval " +
					"of the difference excludes 0; where it holds 0, there is no clear difference. Without an interval " +
					"there is no verdict."},
				{"The small print", "That interval, over the rows that both runs judged, row by row: DeLong’s for AUC, " +
					"Newcombe’s for shares of rows right, the standard error of the mean for losses. It says nothing about other " +
					"folds or other patients."},
				{"Who moved", "Rows by band before and after. Up is right for events, down for the others; the two are never " +
					"added up."},
				{"How much of each row was kept", "The give-up factor of the rows: near 0 the fit let go of a row. Rows spoilt " +
					"on purpose should lie left of the others."},
				{"Warnings", "Other data, another event, other boundaries or another cut: such numbers stand side by side and " +
					"are not subtracted. Other folds or seeds: part of the difference is the luck of the split."}}},
		},
		Source: "DeLong, DeLong and Clarke-Pearson 1988 (AUC); Newcombe 1998 (paired proportions); Kerr et al. 2014 (why " +
			"no total of moves over three bands and more).",
		See: []templates.Link{see("Interval", explore.Interval), see("α-loss", explore.Alpha),
			see("Two-temperature", explore.TwoTemperature)},
	}}
}
