package help

import (
	"taper/internal/engine/stat"
	"taper/internal/web/format"
	"taper/web/templates"
)

// statisticsTopic says of every statistic what it is.
func statisticsTopic() Topic {
	list := func(holds func(stat.Statistic) bool) (items []templates.HelpItem) {
		for _, s := range stat.Which(holds) {
			items = append(items, templates.HelpItem{s.Label, format.Describe(s)})
		}
		return items
	}
	return Topic{"statistics", "Statistics", helpMethods, templates.Help{
		Lead: "Every number that a run’s page, its report and a comparison show of a model, and how its interval is made.",
		Parts: []templates.HelpPart{
			{Title: "Of two classes", List: list(stat.Statistic.InPerformance)},
			{Title: "At each boundary", List: list(stat.Statistic.AtBoundaries)},
			{Title: "In each band", List: list(stat.Statistic.InBands)},
			{Title: "Of several classes", List: list(func(s stat.Statistic) bool {
				return s.OfClasses() &&
					!s.InPerformance()
			})},
			{Title: "Of each class", List: list(stat.Statistic.OfEachClass)},
		}}}
}
