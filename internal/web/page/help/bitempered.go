package help

import (
	"taper/internal/web/mathml"
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

func biTemperedTopic() Topic {
	t1, t2, p := mathml.Msub(mathml.Mi("t"), mathml.Mn("1")), mathml.Msub(mathml.Mi("t"), mathml.Mn("2")), mathml.Hat("p")
	two := mathml.Mn("2") + mathml.Mo("−") + t1
	return Topic{"bi-tempered", "Bi-tempered loss", groupFamilies, templates.Help{
		Lead: "Two temperatures, like the two-temperature loss: t₁ below 1 bounds the loss of one row, t₂ above 1 " +
			"gives the probability heavy tails. A second term makes it a Bregman divergence, so that the fit estimates the " +
			"class probabilities themselves.",
		Formula: []templates.Math{mathml.Display(mathml.Mi("ℓ"), mathml.Paren(mathml.Mi("z")), mathml.Mo("="),
			mathml.Mo("−"),
			mathml.Msub(mathml.Word("log"), t1), p, mathml.Mo("+"),
			mathml.Mfrac(mathml.Msup(p, two)+mathml.Mo("+")+mathml.Msup(mathml.Paren(mathml.Mn("1"), mathml.Mo("−"), p), two)+
				mathml.Mo("−")+mathml.Mn("1"), two), mathml.Mo(","), p, mathml.Mo("="),
			mathml.Msub(mathml.Word("exp"), t2),
			mathml.Paren(mathml.Mfrac(mathml.Mi("z"), mathml.Mn("2")), mathml.Mo("−"),
				mathml.Msub(mathml.Mi("G"), t2), mathml.Paren(mathml.Mi("z"))))},
		Parts: []templates.HelpPart{
			{Title: "Sliders", List: []templates.HelpItem{
				{"t₁", "0 to 1. The smaller, the lower the bound 1/(1 − t₁). At 1 the loss is not bounded."},
				{"t₂", "1 to 1.99. The larger, the slower p̂ decays: as |z| to the power −1/(t₂ − 1)."}}},
			{Title: "What to look for", List: []templates.HelpItem{
				{"Probability", "p̂ is the class probability itself. The two-temperature loss needs a correction by t₁."},
				{"The bound", "1/(1 − t₁), as for the two-temperature loss: 5 at t₁ = 0.8."},
				{"Redescends below", "Below that margin the gradient decreases: the more wrong a row, the less influence it has."},
				{"Not convex", "Only t₁ = t₂ = 1, logistic regression, is convex; use several random initialisations."}}},
		},
		Source: "Amid, Warmuth, Anil and Koren: Robust bi-tempered logistic loss based on Bregman divergences, 2019; " +
			"equation (5).",
		See: []templates.Link{see("Two-temperature", explore.TwoTemperature), see("t-logistic", explore.TLogistic)},
		Try: []templates.Link{try("The paper’s setting, (0.8, 1.4)", explore.New("bi-tempered"))},
	}}
}
