package help

import (
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

const groupPages = "Pages"

// pageTopics are the pages that are not the loss explorer.
func pageTopics() []Topic {
	type item = templates.HelpItem
	return []Topic{{"playground", "Playground", groupPages, templates.Help{
		Lead: "Two models on the same points, fitted again at every move of a slider: what a few wrong labels do to one " +
			"of them, and whether the other lets go of them.",
		Parts: []templates.HelpPart{
			{Title: "Controls", List: []item{
				{"Label noise", "Kind and rate. The sample stays, only labels change; what is flipped at 10\u00a0% is flipped " +
					"at 20\u00a0% too."},
				{"Seed", "The same seed is always the same sample and the same flips. New sample draws another."},
				{"Features", "Linear, with squares and products, or 64 bumps on a grid. Some methods take a kernel instead."},
				{"Step", "The solver’s iterations or a boosted model’s trees, the last one at the right. t-logistic alternates " +
					"between weights ξ and the model θ."}}},
			{Title: "What to look for", List: []item{
				{"Rings", "Points whose label was flipped. The symbol is the label that the models are given."},
				{"On the loss curve", "Each point at its own margin. " +
					"Where the curve flattens to the left, a ring no longer pulls."},
				{"Weights", "How much of its pull a point keeps. Press a bar and its points light up on both surfaces."},
				{"Clean accuracy", "Counted on clean labels of points that did not train. Accuracy on the noisy labels is no " +
					"merit."}}},
			{Title: "Keys", List: []item{
				{"On a surface", "Arrows move the probe, with Shift by ten. With points of your own: Enter adds one, Delete " +
					"removes it, 1 to 4 choose the class."},
				{"On the bars", "Left and right go from bar to bar, Enter lights its points."}}},
		},
		See: []templates.Link{see("Two-temperature", explore.TwoTemperature), see("t-logistic", explore.TLogistic),
			see("α-loss", explore.Alpha), see("Interval", explore.Interval), see("Adversarial", explore.Adversarial)},
	}}}
}
