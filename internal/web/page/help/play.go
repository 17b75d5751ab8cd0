package help

import (
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

const groupPages = "Pages"

// pageTopics describe the pages other than the loss explorer.
func pageTopics() []Topic {
	type item = templates.HelpItem
	return []Topic{{"playground", "Playground", groupPages, templates.Help{
		Lead: "Two models on the same points, refitted at every move of a slider: what a few wrong labels do to one of " +
			"them, and whether the other holds up.",
		Parts: []templates.HelpPart{
			{Title: "Controls", List: []item{
				{"Label noise", "Kind and rate. The sample stays the same, only labels change; labels flipped at 10\u00a0% are " +
					"also flipped at 20\u00a0%."},
				{"Seed", "The same seed gives the same sample and the same flips. New sample draws another one."},
				{"Shared or one each", "Both models have the same λ, features and kernel. \u201cOne each\u201d gives each " +
					"model its own; a method that fits without a kernel, such as t-logistic, ignores the common one."},
				{"Features", "Linear, with squares and products, or 64 RBF basis functions on a grid. Some methods use a kernel " +
					"instead."},
				{"Step", "The solver’s iterations or the trees of a boosted model; the last one is at the right. t-logistic " +
					"alternates between weights ξ and the model θ."}}},
			{Title: "What to look for", List: []item{
				{"Rings", "Points whose label was flipped. The symbol is the label that the models are given."},
				{"On the loss curve", "Each point at its own margin. " +
					"Where the curve flattens to the left, a flipped point has little influence."},
				{"Weights", "The weight of each point relative to logistic loss. Select a bar to highlight its points on both " +
					"surfaces."},
				{"Clean accuracy", "Measured on correctly labelled points that were not used for training. High accuracy on " +
					"noisy labels is not desirable in itself."}}},
			{Title: "Keys", List: []item{
				{"On a surface", "Arrows move the probe, with Shift by ten. With your own points: Enter adds one, Delete " +
					"removes it, number keys choose the class."},
				{"On the bars", "Left and right go from bar to bar, Enter highlights its points."}}},
		},
		See: []templates.Link{see("Two-temperature", explore.TwoTemperature), see("t-logistic", explore.TLogistic),
			see("α-loss", explore.Alpha), see("Interval surrogate", explore.Interval), see("Adversarial", explore.Adversarial)},
	}},
		{"robustness", "Robustness and studies", groupPages, templates.Help{
			Lead: "A study trains models many times with labels flipped at random and measures accuracy on correctly " +
				"labelled test rows. Robustness shows one such study as slides; Studies lists those of the papers.",
			Parts: []templates.HelpPart{
				{Title: "Settings", List: []item{
					{"Noise rates", "The shares of training labels that are flipped. Test rows stay clean."},
					{"Replicates", "Each replicate draws the split and the flips again. More replicates give narrower intervals."},
					{"Test fraction", "The share of rows that only test."}}},
				{Title: "What to look for", List: []item{
					{"Accuracy retained", "Accuracy as a percentage of the model’s own noise-free accuracy."},
					{"Bands", "95\u00a0% confidence intervals of the mean over replicates."},
					{"Large margin, puller, penalizer", "The kinds of rows of Long and Servedio’s data, by how many of the " +
						"21 features agree with the label: all of them; the first eleven; five of the first eleven and six of the last " +
						"ten. With flipped labels, convex losses misclassify the penalizers."},
					{"Weights", "Whether the rows that a robust loss down-weights are the flipped ones: precision and recall."},
					{"Replicated or not", "Our result beside the published number, and which claims did not replicate."}}},
				{Title: "While it runs", Text: "Results are saved as they finish: you can pause, quit and resume."},
			},
			See: []templates.Link{see("Playground", "playground"), see("Label noise", "noise"), see("α-loss", explore.Alpha)},
		}},
		{"runs", "Runs and their results", groupPages, templates.Help{
			Lead: "A run is one model with its settings, its evaluation and its report. It does not change after it is saved.",
			Parts: []templates.HelpPart{
				{Title: "On the page of a run", List: []item{
					{"Result", "Bands or answers with their intervals and verdicts."},
					{"Performance", "Discrimination (AUC, ROC curve), calibration, thresholds, decision curve, reclassification; " +
						"after the bootstrap, optimism and the stability of the bands."},
					{"Model", "Coefficients, nomogram, splines. The coefficients have intervals after the bootstrap."},
					{"Patients", "Score a file, score one patient, list the rows of a band."},
					{"Report", "A document to print, with the settings and the items of TRIPOD."}}},
				{Title: "What to do next", List: []item{
					{"Validate", "Score a file of other patients that includes the outcome: this is an external validation."},
					{"Recalibrate", "Adapt the intercept, or intercept and slope, to another population."},
					{"Audit labels", "Review the labels that disagree most with the model."},
					{"Compare", "Select two to six runs in the list."}}},
				{Title: "Small counts", Text: "Reports mask counts from 1 to 9 and everything that would reveal them."},
			},
			See: []templates.Link{see("Risk bands", "strata"), see("Verdicts", "verdicts"), see("Statistics", "statistics"),
				see("Compare runs", "compare"), see("Audit labels", "audit")},
		}}}
}
