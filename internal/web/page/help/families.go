package help

import (
	"math"
	"slices"

	"taper/internal/web/mathml"
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// topics are all topics in the order of the index.
func topics() []Topic {
	return slices.Concat(startTopics(), []Topic{limitsTopic()}, evaluationTopics(), []Topic{statisticsTopic()},
		methodTopics(), pageTopics(), []Topic{compareTopic(), auditTopic(), audienceTopic(), takeTopic(), keysTopic()},
		familyTopics(), []Topic{biTemperedTopic()}, controlTopics())
}

const (
	groupFamilies = "Loss families"
	groupControls = "Controls and charts"
)

// try is a link to a state of the explorer.
func try(label string, st explore.State) templates.Link {
	return templates.Link{Label: label, URL: st.URL()}
}

func see(label, id string) templates.Link { return templates.Link{Label: label, URL: "/help/" + id} }

// familyTopics describe each family, its sliders, and what to look for.
func familyTopics() []Topic {
	type item = templates.HelpItem
	z, p := mathml.Mi("z"), mathml.Hat("p")
	return []Topic{
		{explore.TwoTemperature, "Two-temperature loss", groupFamilies, templates.Help{
			Lead: "A logistic loss with two temperatures: t₁ below 1 bounds the loss of one row, t₂ above 1 gives the " +
				"probability heavy tails. Together they remove the influence of rows far on the wrong side, which are probably " +
				"mislabelled.",
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
				{Title: "Why the bound is 1/(1 − t₁)",
					Text: "The loss of a row is −log, at temperature t₁, of the probability of its label. The lowest " +
						"probability is 0, whose logarithm is −1/(1 − t₁) for t₁ < 1. So the loss never exceeds 1/(1 − " +
						"t₁): 2.5 at t₁ = 0.6."},
				{Title: "Sliders", List: []item{{"t₁",
					"0 to 1. The smaller, the lower the bound. At 1 the loss is not bounded: it is t-logistic."},
					{"t₂", "1 to 1.99. The larger, the slower p̂ decays: as |z| to the power −1/(t₂ − 1)."}}},
				{Title: "What to look for", List: []item{
					{"The bound", "The curve levels off below it; the logistic one crosses it."},
					{"Redescends below", "Below that margin the gradient decreases: the more wrong a row, the less influence it has."},
					{"Class probability", "p̂ is not the risk. The risk is p̂ to the power t₁, renormalised (the escort " +
						"distribution); not to the power t₂."},
					{"Not convex", "Below t₁ = 1 a fit may end in a local minimum; use several random initialisations."}}},
			},
			Source: "Amid, Warmuth and Srinivasan: Two-temperature logistic regression based on the Tsallis divergence, 2019; " +
				"equation (12).",
			Errata: []string{
				"Algorithm 2 of the paper lacks the factor a in its update; the normaliser here is computed " +
					"by Newton’s method instead, to full precision. The paper reports about 20 iterations of its fixed point to " +
					"10⁻¹⁰; we count 6 to 111, depending on the number of classes, t₂ and the spread of the activations.",
				"The second derivative in appendix B has a wrong prefactor; sign and inflection point are " +
					"not affected.",
				"The loss is quasi-convex at all temperatures, not only for t₁ < t₂ or t₁ < 1."},
			See: []templates.Link{see("t-logistic", explore.TLogistic), see("α-loss", explore.Alpha), see("Weight ξ", "xi")},
			Try: []templates.Link{try("The paper’s setting, (0.6, 1.6)", explore.New(explore.TwoTemperature)),
				try("logₜ and expₜ", explore.With(explore.TwoTemperature,
					func(s *explore.State) { s.View = explore.Functions })),
				try("The sigmoid end, (0, 1)", explore.With(explore.TwoTemperature, func(s *explore.State) { s.T1, s.T2 = 0, 1 }))},
		}},
		{explore.TLogistic, "t-logistic loss", groupFamilies, templates.Help{
			Lead: "A heavy-tailed likelihood: logistic regression with the exponential replaced by one with a heavier " +
				"tail. The loss is not bounded, but grows only logarithmically, and the influence of a row decreases the " +
				"further it is on the wrong side.",
			Formula: []templates.Math{mathml.Display(mathml.Mi("ℓ"), mathml.Paren(z), mathml.Mo("="), mathml.Mo("−"),
				mathml.Fn("log"), mathml.Msub(mathml.Word("exp"), mathml.Mi("t")), mathml.Paren(mathml.Mfrac(z, mathml.Mn("2")),
					mathml.Mo("−"), mathml.Msub(mathml.Mi("G"), mathml.Mi("t")), mathml.Paren(z)))},
			Parts: []templates.HelpPart{
				{Title: "Slider", List: []item{{"t",
					"1 to 1.99. At 1 it is logistic regression; the larger, the heavier the tail and the stronger the " +
						"down-weighting of outliers."}}},
				{Title: "What to look for", List: []item{
					{"Influence", "It has a peak and decreases to its left: unlike under logistic loss, rows far on the wrong side " +
						"have little influence."},
					{"Probability", "The loss is proper: p̂ is the class probability itself, without correction."},
					{"ξ", "p̂ to the power t − 1 is the weight of a row in the fit. On the Long–Servedio data the weights " +
						"form six groups at t = 1.9, not the four reported in the paper."}}},
			},
			Source: "Ding and Vishwanathan: t-Logistic regression, 2010; equation (15).",
			Errata: []string{"With the printed prior the penalty tends to (λ/4)θ² as t goes to 1, half of logistic " +
				"regression’s: λ is not comparable between the two.",
				"The factor Ψ cancels in every step of the algorithm and is omitted."},
			See: []templates.Link{see("Two-temperature", explore.TwoTemperature), see("Weight ξ", "xi")},
			Try: []templates.Link{try("t = 1.6", explore.New(explore.TLogistic)),
				try("t = 1, 1.3, 1.6, 1.9", explore.With(explore.TLogistic, func(s *explore.State) {
					s.T, s.With = 1.9, explore.Specs("logistic", "t-logistic:1.3", "t-logistic:1.6", "zero-one")
				}))},
		}},
		{explore.Alpha, "α-loss", groupFamilies, templates.Help{
			Lead: "One parameter from boosting to robust losses: α = ½ is the exponential loss of AdaBoost, α = 1 the " +
				"logistic loss, α = ∞ the sigmoid. Above 1 the loss is bounded by α/(α − 1).",
			Formula: []templates.Math{mathml.Display(mathml.Mi("ℓ"), mathml.Paren(z), mathml.Mo("="),
				mathml.Mfrac(mathml.Mi("α"), mathml.Mi("α")+mathml.Mo("−")+mathml.Mn("1")),
				mathml.Paren(mathml.Mn("1"), mathml.Mo("−"), mathml.Mi("σ"), mathml.Msup(mathml.Paren(z), mathml.Mn("1")+
					mathml.Mo("−")+mathml.Mn("1")+mathml.Mo("/")+mathml.Mi("α"))))},
			Parts: []templates.HelpPart{
				{Title: "Slider", List: []item{{"α", "0.25 to 32 on a log scale, and ∞. You can type any number above 0."}}},
				{Title: "What to look for", List: []item{
					{"Redescends below", "For α > 1 the gradient peaks at z = log(1 − 1/α) and decreases below it."},
					{"Class probability", "σ(z) is not the risk unless α = 1: the risk is σ(z/α), and an odds " +
						"ratio is exp(θ/α)."},
					{"Weights", "The gradient is not monotone in the margin: do not use it to rank suspicious labels."}}},
			},
			Source: "Sypherd, Stromberg, Nock, Berisha and Sankar: Smoothly giving up: robustness for simple models, 2023; " +
				"equations (5), (6), Lemma 1.",
			Errata: []string{"The printed forms in exp(z) are correct but overflow in double precision beyond z = 236; we use " +
				"logarithms.",
				"The minimum (θ1, 0) of Theorem 1 is approximate: the exact one has a very small second " +
					"weight."},
			See: []templates.Link{see("Risk landscape", "landscape"), see("Two-temperature", explore.TwoTemperature)},
			Try: []templates.Link{try("α = 4", explore.New(explore.Alpha)),
				try("The sigmoid, α = ∞", explore.With(explore.Alpha, func(s *explore.State) { s.Alpha = math.Inf(1) })),
				try("Risk landscape, α = 3", explore.With(explore.Alpha, func(s *explore.State) {
					s.View, s.Alpha = explore.Landscape, 3
				}))},
		}},
		{explore.Interval, "Interval surrogate", groupFamilies, templates.Help{
			Lead: "A surrogate loss that targets chosen probability boundaries only. It is piecewise linear for each " +
				"class: tangents of the logistic loss, one per boundary.",
			Formula: []templates.Math{mathml.Display(mathml.Msup(mathml.Mi("φ"), mathml.Mo("+")), mathml.Paren(z),
				mathml.Mo("="), mathml.Munder("max", mathml.Mi("k")), mathml.Paren(mathml.Mn("0"), mathml.Mo(","), mathml.Mi("H"),
					mathml.Paren(mathml.Msub(mathml.Mi("π"), mathml.Mi("k"))), mathml.Mo("−"),
					mathml.Paren(mathml.Mn("1"), mathml.Mo("−"), mathml.Msub(mathml.Mi("π"), mathml.Mi("k"))), z))},
			Parts: []templates.HelpPart{
				{Title: "Sliders", List: []item{{"π",
					"One slider per boundary, at least 0.01 apart. One boundary is hard or weighted classification, two are " +
						"classification with “don’t know”, more are risk bands."},
					{"Axis", "Over the score f both classes share an axis and their hinges coincide; over the margin each class has " +
						"its own."}}},
				{Title: "What to look for", List: []item{
					{"The circles", "Hinges. Between two of them both classes lie on the tangents of one boundary."},
					{"The shaded ranges", "Any cut-off δ between its two hinges gives the same bands in the limit of large " +
						"samples; logit π is the canonical one."},
					{"No percentages", "The fit estimates only the band of a row, no individual probability."}}},
				{Title: "Names", List: []item{
					{"Interval surrogate", "This loss, which is minimised in training. It is convex."},
					{"Interval model", "A model fitted with it."},
					{"Interval loss ℓπ", "The statistic that evaluates bands, of this or of any other model, on test rows: " +
						"the mean of the target loss. It is not convex, so it is not minimised directly."}}},
			},
			Source: "Kimes, Hayes, Marron and Liu: Large-margin classification with multiple decision rules, 2016; " +
				"Proposition 1, Theorems 1 and 2.",
			Errata: []string{"Tangents of the exponential and DWD losses are not minimally consistent: their hinges do not " +
				"coincide. Those of logistic and squared hinge loss are.",
				"One boundary at ½ is the SVM’s hinge only up to scale: log 2 · hinge(z/(2 log 2))."},
			See: []templates.Link{see("Boundaries", "boundaries")},
			Try: []templates.Link{try("25, 50, 75\u00a0% risk", explore.New(explore.Interval)),
				try("Tangents for 0.2, 0.4, 0.6", explore.With(explore.Interval, func(s *explore.State) {
					s.Pi = []float64{.2, .4, .6}
				})), try("One hundred points by band", explore.With(explore.Interval, func(s *explore.State) {
					s.View = explore.Points
				}))},
		}},
		{explore.Adversarial, "Adversarial losses", groupFamilies, templates.Help{
			Lead: "A loss derived from a cost matrix: the value of a zero-sum game between a predictor, who mixes " +
				"answers, and an adversary, who chooses the label distribution.",
			Formula: []templates.Math{mathml.Display(mathml.Word("AL"), mathml.Paren(mathml.Mi("f"), mathml.Mo(","),
				mathml.Mi("y")), mathml.Mo("="), mathml.Munder("min", mathml.Mi("p")), mathml.Munder("max", mathml.Mi("q")),
				mathml.Mrow(mathml.Msup(mathml.Mi("p"), mathml.Mo("⊤")), mathml.Mi("L"), mathml.Mi("q"), mathml.Mo("+"),
					mathml.Msup(mathml.Mi("f"), mathml.Mo("⊤")), mathml.Mi("q")), mathml.Mo("−"),
				mathml.Msub(mathml.Mi("f"), mathml.Mi("y")))},
			Parts: []templates.HelpPart{
				{Title: "Controls", List: []item{
					{"Metric", "Zero-one, absolute or squared error between ordered classes, or zero-one with the option to abstain."},
					{"Cost of abstaining", "The cost of “don’t know”, relative to 1 for a wrong class. Up to ½ the closed " +
						"form of the paper holds."},
					{"True class, comparison loss", "The class whose loss is drawn, and the multiclass loss shown next to it."},
					{"The point", "ψ of the other classes: how much they score above the true one. Drag it in a chart or use its " +
						"sliders."}}},
				{Title: "What to look for", List: []item{
					{"Corners", "The contours are polygons: each straight part is one set of labels in the adversary’s mixture."},
					{"The game", "Filled bars are the adversary’s mixture q*, hatched ones the predictor’s p*."},
					{"Crammer–Singer", "It is not consistent: its corner at (0, 0) extends further than that of the zero-one " +
						"game."}}},
			},
			Source: "Fathony, Asif, Liu, Bashiri, Xing, Behpour, Zhang and Ziebart: Consistent robust adversarial prediction " +
				"for general multiclass classification, 2018; Theorems 5 to 13.",
			Errata: []string{"The closed form with abstention holds for costs up to ½ only; above, the exact value of the " +
				"game is computed.", "The search in O(log k) requires sorted thresholds, which are not guaranteed; " +
				"O(k) is used."},
			See: []templates.Link{see("Metric", "metric"), see("Comparison loss", "rival")},
			Try: []templates.Link{try("Zero-one next to WW", explore.New(explore.Adversarial)),
				try("Absolute error, y = 2", explore.With(explore.Adversarial, func(s *explore.State) {
					s.Metric, s.True = "absolute", 2
				})), try("Abstaining at 1/3", explore.With(explore.Adversarial, func(s *explore.State) {
					s.Metric, s.Cost = "abstain", 1./3
				}))},
		}},
	}
}
