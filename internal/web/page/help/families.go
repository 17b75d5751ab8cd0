package help

import (
	"math"
	"slices"

	"taper/internal/web/mathml"
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// topics are all of them, in the order of the index.
func topics() []Topic {
	return slices.Concat(familyTopics(), []Topic{biTemperedTopic()}, pageTopics(), []Topic{compareTopic(), auditTopic()},
		methodTopics(), []Topic{statisticsTopic()}, controlTopics())
}

const (
	groupFamilies = "Loss families"
	groupControls = "Controls and charts"
)

// try is a state of the explorer as a link.
func try(label string, st explore.State) templates.Link {
	return templates.Link{Label: label, URL: st.URL()}
}

func see(label, id string) templates.Link { return templates.Link{Label: label, URL: "/help/" + id} }

// familyTopics say of each family what it is, how to steer it and what to look
// for.
func familyTopics() []Topic {
	type item = templates.HelpItem
	z, p := mathml.Mi("z"), mathml.Hat("p")
	return []Topic{
		{explore.TwoTemperature, "Two-temperature loss", groupFamilies, templates.Help{
			Lead: "A logistic loss with two temperatures: t1 below 1 caps what one row can cost, t2 above 1 gives the " +
				"probability heavy tails. Both together make a far, probably mislabelled row stop pulling.",
			Formula: []templates.Math{
				mathml.Display(mathml.Mi("ℓ"), mathml.Paren(z), mathml.Mo("="), mathml.Mo("−"),
					mathml.Msub(mathml.Word("log"), mathml.Msub(mathml.Mi("t"), mathml.Mn("1"))), p, mathml.Mo(","), p,
					mathml.Mo("="), mathml.Msub(mathml.Word("exp"), mathml.Msub(mathml.Mi("t"), mathml.Mn("2"))),
					mathml.Paren(mathml.Mfrac(z, mathml.Mn("2")), mathml.Mo("−"),
						mathml.Msub(mathml.Mi("G"), mathml.Msub(mathml.Mi("t"), mathml.Mn("2"))), mathml.Paren(z))),
				mathml.Display(mathml.Msub(mathml.Word("log"), mathml.Mi("t")), mathml.Mi("x"), mathml.Mo("="),
					mathml.Mfrac(mathml.Msup(mathml.Mi("x"), mathml.Mn("1")+mathml.Mo("−")+mathml.Mi("t"))+mathml.Mo("−")+
						mathml.Mn("1"), mathml.Mn("1")+mathml.Mo("−")+mathml.Mi("t")), mathml.Mo("≥"), mathml.Mo("−"),
					mathml.Mfrac(mathml.Mn("1"), mathml.Mn("1")+mathml.Mo("−")+mathml.Mi("t"))),
			},
			Parts: []templates.HelpPart{
				{Title: "Why the cap is 1/(1 − t1)",
					Text: "A row costs −log, at the temperature t1, of the probability the model gives its label. The worst " +
						"probability is 0, whose logarithm is −1/(1 − t1) for t1 < 1. So no label, however absurd, costs more than " +
						"1/(1 − t1): 2.5 at t1 = 0.6."},
				{Title: "Sliders", List: []item{{"t1",
					"0 to 1. The smaller, the lower the cap. At 1 there is none, and the loss is t-logistic."},
					{"t2", "1 to 1.99. The larger, the slower p̂ falls: like |z| to the power −1/(t2 − 1)."}}},
				{Title: "What to look for", List: []item{
					{"The cap", "The steered curve flattens under it; the logistic one crosses it and goes on."},
					{"Gives up beyond", "Left of that margin the influence falls: the more wrong a row, the less it pulls."},
					{"Class probability", "p̂ is not the risk. The risk is p̂ to the power t1, made to sum to one; never the power " +
						"t2."},
					{"Not convex", "Below t1 = 1 a fit may end in a poorer minimum; start it from several places."}}},
			},
			Source: "Amid, Warmuth, Srinivasan: Two-temperature logistic regression based on the Tsallis divergence, 2019; " +
				"equation (12).",
			Errata: []templates.HelpErratum{
				{ID: "000-1", Text: "Algorithm 2 prints its update without the factor a; the normaliser here is found by " +
					"Newton’s method instead, to full precision. The paper’s fixed point is said to take about 20 iterations to " +
					"10⁻¹⁰; it takes 6 to 111, by the number of classes, t2 and the spread of the activations."},
				{ID: "000-5", Text: "The second derivative of appendix B has a wrong prefactor; sign and inflection are not " +
					"affected."},
				{ID: "000-11", Text: "The loss is quasi-convex at all temperatures, not only for t1 < t2 or t1 < 1."}},
			See: []templates.Link{see("t-logistic", explore.TLogistic), see("α-loss", explore.Alpha), see("Weight ξ", "xi")},
			Try: []templates.Link{try("The paper’s setting, (0.6, 1.6)", explore.New(explore.TwoTemperature)),
				try("logₜ and expₜ", explore.With(explore.TwoTemperature, func(s *explore.State) { s.View = explore.Functions })),
				try("The sigmoid end, (0, 1)", explore.With(explore.TwoTemperature, func(s *explore.State) { s.T1, s.T2 = 0, 1 }))},
		}},
		{explore.TLogistic, "t-logistic loss", groupFamilies, templates.Help{
			Lead: "A heavy-tailed likelihood: logistic regression with the exponential replaced by one with a heavier " +
				"tail. A wrong label still costs without bound, but only like a logarithm, and it pulls less the further away " +
				"it is.",
			Formula: []templates.Math{mathml.Display(mathml.Mi("ℓ"), mathml.Paren(z), mathml.Mo("="), mathml.Mo("−"),
				mathml.Fn("log"), mathml.Msub(mathml.Word("exp"), mathml.Mi("t")), mathml.Paren(mathml.Mfrac(z, mathml.Mn("2")),
					mathml.Mo("−"), mathml.Msub(mathml.Mi("G"), mathml.Mi("t")), mathml.Paren(z)))},
			Parts: []templates.HelpPart{
				{Title: "Slider", List: []item{{"t",
					"1 to 1.99. At 1 it is logistic regression; the larger, the heavier the tail and the sooner a far row is given " +
						"up on."}}},
				{Title: "What to look for", List: []item{
					{"Influence", "It has a peak and falls on its left: unlike logistic, a row can be too wrong to matter."},
					{"Probability", "The loss is proper: p̂ is the class probability itself, no correction needed."},
					{"ξ", "p̂ to the power t − 1 is the weight of a row in the fit. On the Long–Servedio data it sorts rows into " +
						"six groups at t = 1.9, not four."}}},
			},
			Source: "Ding, Vishwanathan: t-Logistic regression, 2010; equation (15).",
			Errata: []templates.HelpErratum{{ID: "002-2",
				Text: "With the printed prior the penalty tends to (λ/4)θ² as t goes to 1, half of logistic regression’s: λ is " +
					"not comparable between the two."},
				{ID: "002-5", Text: "The factor Ψ cancels from every step of the algorithm and is left out."}},
			See: []templates.Link{see("Two-temperature", explore.TwoTemperature), see("Weight ξ", "xi")},
			Try: []templates.Link{try("t = 1.6", explore.New(explore.TLogistic)),
				try("t = 1, 1.3, 1.6, 1.9", explore.With(explore.TLogistic, func(s *explore.State) {
					s.T, s.With = 1.9, explore.Specs("logistic", "t-logistic:1.3", "t-logistic:1.6", "zero-one")
				}))},
		}},
		{explore.Alpha, "α-loss", groupFamilies, templates.Help{
			Lead: "One dial from boosting to giving up: α = ½ is the exponential loss of AdaBoost, α = 1 the logistic " +
				"loss, α = ∞ the sigmoid. Above 1 the loss is capped at α/(α − 1).",
			Formula: []templates.Math{mathml.Display(mathml.Mi("ℓ"), mathml.Paren(z), mathml.Mo("="),
				mathml.Mfrac(mathml.Mi("α"), mathml.Mi("α")+mathml.Mo("−")+mathml.Mn("1")),
				mathml.Paren(mathml.Mn("1"), mathml.Mo("−"), mathml.Mi("σ"), mathml.Msup(mathml.Paren(z), mathml.Mn("1")+
					mathml.Mo("−")+mathml.Mn("1")+mathml.Mo("/")+mathml.Mi("α"))))},
			Parts: []templates.HelpPart{
				{Title: "Slider", List: []item{{"α", "0.25 to 32 on a log scale, and ∞. Any number above 0 can be typed."}}},
				{Title: "What to look for", List: []item{
					{"Gives up beyond", "For α > 1 the pull is strongest at z = log(1 − 1/α) and falls left of it."},
					{"Class probability", "σ(z) is not the risk unless α = 1: a fit ends where the risk is σ(z/α), and an odds " +
						"ratio is exp(θ/α)."},
					{"Weights", "The raw pull is not monotone in the margin: never read it as an audit score."}}},
			},
			Source: "Sypherd, Stromberg, Nock, Berisha, Sankar: Smoothly giving up: robustness for simple models, 2023; " +
				"equations (5), (6), Lemma 1.",
			Errata: []templates.HelpErratum{{ID: "003-1",
				Text: "The printed forms in e^z are right but overflow in doubles beyond z = 236; logarithms are used here."},
				{ID: "003-3", Text: "Theorem 1’s minimum (θ1, 0) is only nearly one: the true one has a tiny second weight."}},
			See: []templates.Link{see("The 2-D landscape", "landscape"), see("Two-temperature", explore.TwoTemperature)},
			Try: []templates.Link{try("α = 4", explore.New(explore.Alpha)),
				try("The sigmoid, α = ∞", explore.With(explore.Alpha, func(s *explore.State) { s.Alpha = math.Inf(1) })),
				try("The 2-D risk, α = 3", explore.With(explore.Alpha, func(s *explore.State) {
					s.View, s.Alpha = explore.Landscape, 3
				}))},
		}},
		{explore.Interval, "Interval surrogate", groupFamilies, templates.Help{
			Lead: "A loss that aims at chosen probability boundaries alone. Its two surrogates, one for each class, are " +
				"made of straight pieces: tangents of the logistic loss, one for each boundary.",
			Formula: []templates.Math{mathml.Display(mathml.Msup(mathml.Mi("φ"), mathml.Mo("+")), mathml.Paren(z),
				mathml.Mo("="), mathml.Munder("max", mathml.Mi("k")), mathml.Paren(mathml.Mn("0"), mathml.Mo(","), mathml.Mi("H"),
					mathml.Paren(mathml.Msub(mathml.Mi("π"), mathml.Mi("k"))), mathml.Mo("−"),
					mathml.Paren(mathml.Mn("1"), mathml.Mo("−"), mathml.Msub(mathml.Mi("π"), mathml.Mi("k"))), z))},
			Parts: []templates.HelpPart{
				{Title: "Sliders", List: []item{{"π",
					"One slider a boundary, at least 0.01 apart. One boundary is hard or weighted classification, two are " +
						"classification with “don’t know”, more are risk bands."},
					{"Axis", "Over the score f both classes share an axis and meet at the hinges; over the margin each class is " +
						"seen on its own."}}},
				{Title: "What to look for", List: []item{
					{"The circles", "Hinges. Between two of them both classes lie on the tangents of one boundary."},
					{"The shaded ranges", "A cut-off δ anywhere between its two hinges names the same bands in the limit; logit π " +
						"is the canonical one."},
					{"No percentages", "The fit knows only which band a row is in. " +
						"It names bands and never a percentage within one."}}},
			},
			Source: "Kimes, Hayes, Marron, Liu: Large-margin classification with multiple decision rules, 2016; Proposition " +
				"1, Theorems 1 and 2.",
			Errata: []templates.HelpErratum{{ID: "004-14",
				Text: "Tangents of the exponential and DWD losses are not minimally consistent: their hinges do not line up. " +
					"Logistic and squared hinge are."},
				{ID: "004-15", Text: "One boundary at ½ is the SVM’s hinge only up to scale: log 2 · hinge(z/(2 log 2))."}},
			See: []templates.Link{see("Boundaries", "boundaries")},
			Try: []templates.Link{try("Quartiles", explore.New(explore.Interval)),
				try("Tangents behind .2, .4, .6", explore.With(explore.Interval, func(s *explore.State) {
					s.Pi = []float64{.2, .4, .6}
				})), try("A hundred points by band", explore.With(explore.Interval, func(s *explore.State) {
					s.View = explore.Points
				}))},
		}},
		{explore.Adversarial, "Adversarial losses", groupFamilies, templates.Help{
			Lead: "Choose what a wrong answer costs, and the loss follows: it is the value of a game in which an " +
				"adversary deals the label that hurts most and the predictor mixes its answers.",
			Formula: []templates.Math{mathml.Display(mathml.Word("AL"), mathml.Paren(mathml.Mi("f"), mathml.Mo(","),
				mathml.Mi("y")), mathml.Mo("="), mathml.Munder("min", mathml.Mi("p")), mathml.Munder("max", mathml.Mi("q")),
				mathml.Mrow(mathml.Msup(mathml.Mi("p"), mathml.Mo("⊤")), mathml.Mi("L"), mathml.Mi("q"), mathml.Mo("+"),
					mathml.Msup(mathml.Mi("f"), mathml.Mo("⊤")), mathml.Mi("q")), mathml.Mo("−"),
				mathml.Msub(mathml.Mi("f"), mathml.Mi("y")))},
			Parts: []templates.HelpPart{
				{Title: "Controls", List: []item{
					{"Metric", "Zero-one, absolute or squared error between ordered classes, or zero-one with the option to abstain."},
					{"Cost of abstaining", "What “don’t know” costs against 1 for a wrong class. At ½ and below the closed form of " +
						"the paper holds."},
					{"True class, rival", "Whose loss is drawn, and which other multiclass loss beside it."},
					{"The point", "ψ of the other classes: how much they score above the true one. Drag it in a chart or use its " +
						"sliders."}}},
				{Title: "What to look for", List: []item{
					{"Corners", "The lines are polygons: each straight part is one set of labels the adversary mixes."},
					{"The game", "Filled bars are the adversary’s mixture q*, hatched ones the predictor’s p*."},
					{"Crammer–Singer", "It is not consistent: its corner at (0, 0) reaches further than that of the zero-one game."}}},
			},
			Source: "Fathony, Asif, Liu, Bashiri, Xing, Behpour, Zhang, Ziebart: Consistent robust adversarial prediction " +
				"for general multiclass classification, 2018; Theorems 5 to 13.",
			Errata: []templates.HelpErratum{{ID: "001-2",
				Text: "The closed form with abstention holds for costs up to ½ only; above, the exact value of the game is " +
					"computed."}, {ID: "001-7", Text: "The search in O(log k) needs sorted thresholds, which nothing enforces; " +
				"O(k) is used."}},
			See: []templates.Link{see("Metric", "metric"), see("Rival", "rival")},
			Try: []templates.Link{try("Zero-one beside WW", explore.New(explore.Adversarial)),
				try("Absolute error, y = 2", explore.With(explore.Adversarial, func(s *explore.State) {
					s.Metric, s.True = "absolute", 2
				})), try("Abstaining at 1/3", explore.With(explore.Adversarial, func(s *explore.State) {
					s.Metric, s.Cost = "abstain", 1./3
				}))},
		}},
	}
}
