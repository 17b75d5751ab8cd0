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
		Lead: "Statistics on the pages of a run, in its report and in comparisons, and how their confidence intervals are " +
			"computed.",
		Parts: []templates.HelpPart{
			{Title: "Intervals", List: []templates.HelpItem{
				{"95" + format.Pc + " confidence interval", "Each statistic below names its method. “No interval” means " +
					"that the method sees no variation: where all events rank above all other rows the AUC is 1 and " +
					"DeLong’s interval has no width, and where no row is above a threshold the net benefit is 0 on every row. " +
					"That says nothing about new rows. The lower limit of a mean loss is at least 0, its least " +
					"value. A likelihood ratio of ∞ has no non-event in its denominator."},
				{"Corrected for optimism", "The apparent value minus the mean optimism of bootstrap refits (Harrell et al. " +
					"1996). Its interval: " + stat.CorrectedInterval + ". It does not include the uncertainty of the " +
					"optimism itself. Calibration has none. For the calibration slope it is the median optimism: the " +
					"slopes of penalised models vary widely between samples (Van Calster et al. 2020), and risks that hardly differ " +
					"can have a slope of any size."},
			}},
			{Title: "Digits", List: []templates.HelpItem{
				{"Rates, areas, losses", "The same number of decimals in every row of a column."},
				{"Ratios, coefficients", "Likelihood ratios, odds ratios and coefficients range over powers of ten, so they " +
					"have about three significant digits, coefficients per natural unit four, and unequal decimals: 0.36, 2.99, " +
					"12.1. An odds ratio between 0.9 and 1.1 has at least four decimals, because one unit of a column can " +
					"change the odds very little."},
			}},
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
