package help

import "taper/web/templates"

// audienceTopic is about presenting on a full screen and the picture to share.
func audienceTopic() Topic {
	type item = templates.HelpItem
	return Topic{"audience", "Before an audience", groupPages, templates.Help{
		Lead: "These pages show a result to others, in type that can be read from the last row. Arrow keys change the " +
			"scene, Escape leaves.",
		Parts: []templates.HelpPart{
			{Title: "What you see", List: []item{
				{"Show my group", "Each risk band of a run as 100 people: triangles have the event, circles do not. When " +
					"you move a boundary, people change bands; a ring marks those who did. Percentages are rounded to whole " +
					"people that sum to 100."},
				{"Nomogram", "What each predictor adds to the score, in points. When you move a value, its points, the sum " +
					"and the band change. Values are sent in the body of the request and are not stored."},
				{"Robustness scenes", "Clean accuracy against label noise, with a slider over the noise rates of the study."},
				{"Flip labels", "From stratify: the strata of your file beside those after some training labels were flipped. " +
					"The seed decides which; nothing is saved."},
				{"Verdict card", "The verdict and the strata of the report as one picture, SVG or PNG."}}},
			{Title: "Small counts", Text: "The people and the card follow the masks of the report: counts of 1 to 9, and " +
				"what would disclose them, are shown as ranges. An outcome that is masked is a dash in place of a triangle or " +
				"circle. A link shows all counts."},
			{Title: "Other boundaries", Text: "Where the model predicts a probability, moving a boundary does not change " +
				"the model. An interval model is fitted again, with the same λ."},
		},
		See: []templates.Link{see("Risk bands", "strata"), see("Robustness", "robustness"), see("Verdicts", "verdicts")},
	}}
}
