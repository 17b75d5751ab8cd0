package help

import (
	"taper/internal/engine/stat"
	"taper/internal/web/format"
	"taper/web/templates"
)

// statisticsTopic defines every statistic.
func statisticsTopic() Topic {
	list := func(holds func(stat.Statistic) bool) (items []templates.HelpItem) {
		for _, s := range stat.Which(holds) {
			items = append(items, templates.HelpItem{s.Label, format.Describe(s)})
		}
		return items
	}
	return Topic{"statistics", "Statistics", groupEvaluation, templates.Help{
		Lead: "All statistics on the page of a run, in its report and in comparisons, and how their confidence intervals " +
			"are computed.",
		Parts: []templates.HelpPart{
			{Title: "Two classes", List: list(stat.Statistic.InPerformance)},
			{Title: "Per boundary", List: list(stat.Statistic.AtBoundaries)},
			{Title: "Per band", List: list(stat.Statistic.InBands)},
			{Title: "Multiclass", List: list(func(s stat.Statistic) bool {
				return s.OfClasses() &&
					!s.InPerformance()
			})},
			{Title: "Per class", List: list(stat.Statistic.OfEachClass)},
		}}}
}
