package help

import (
	"taper/internal/engine/task"
	"taper/internal/web/mathml"
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// taskTopic describes the multiclass tasks.
func taskTopic() Topic {
	var items []templates.HelpItem
	for _, t := range task.ClassTasks() {
		w := t.Words()
		items = append(items, templates.HelpItem{w.Label, w.Note + " " + w.Help})
	}
	return Topic{"task", "Kind of task", helpMethods, templates.Help{
		Lead: "The cost of a wrong answer. The fit, the choice of λ and the answers use these costs, and so does the " +
			"main figure of the run.",
		Parts: []templates.HelpPart{{Title: "Tasks", List: items}},
		See:   []templates.Link{see("Adversarial", explore.Adversarial)}}}
}

const helpMethods = "Methods and settings"

// methodTopics describe the models of the stratification page and the figures of a run.
func methodTopics() []Topic {
	short := func(id, title, lead string, links ...templates.Link) Topic {
		return Topic{id, title, helpMethods, templates.Help{Lead: lead, See: links}}
	}
	kernel := see("Kernels", "kernel")
	return []Topic{
		taskTopic(),
		short("method", "Method", "The model that is fitted. The interval surrogate gives risk bands; the others estimate a "+
			"probability, which the boundaries cut into bands. Linear models have coefficients; trees and kernels are "+
			"nonlinear and have none.", kernel,
			see("Interval surrogate", explore.Interval), see("α-loss", explore.Alpha)),
		short("kernel", "Kernels", "The score is a sum over training rows, Σ a κ(x′, x) + b. Radial: κ = "+
			"exp(−γ‖x − x′‖²), similar rows count more. Polynomial: (1 + γ x·x′) to the power of the "+
			"degree, all products up to the degree. Linear: x·x′, equivalent to the linear model. Up to 1000 rows the "+
			"full Gram matrix is used, for the interval surrogate and the hinge loss up to 6000; with more rows a "+
			"Nyström approximation with 500 landmarks is used, "+
			"and a note says so. The model file contains rows of the data."),
		short("gamma", "γ of the kernel", "How quickly similarity decays with distance, on standardised predictors. Large "+
			"γ: "+
			"flexible, at the risk of overfitting. Small γ: nearly linear. Cross-validation chooses γ and "+
			"λ together in two stages: γ from 2⁻¹² to 1 and C = 1/(λn) from 1 to 2¹² in steps of 8, then both "+
			"within a factor of 4 of the best.", kernel),
		short("kernel-solver", "Solver of a kernel",
			"Certified: stops when the duality gap bounds the distance to the optimum. PEGASOS: stochastic subgradient "+
				"steps as in Fathony et al. (2018), without an intercept. It illustrates slow convergence; not recommended for "+
				"final results.", kernel),
		short("penalty", "Penalty λ", "λ/2 times the squared norm of the weights is added to the mean loss (ridge "+
			"penalty). Large λ: "+
			"predictions shrink towards the mean. Small λ: the fit follows the training rows. Cross-validation takes the λ "+
			"with the lowest loss on held-out rows; the one-standard-error rule takes the largest λ whose loss is within one "+
			"standard error of the lowest.", see("Nested tuning", "nested")),
		short("curves", "Restricted cubic splines",
			"A numeric predictor enters a linear model as a straight line: each unit adds the same. With 3, 4 or 5 knots it "+
				"enters as a restricted (natural) cubic spline, linear beyond the outer knots. The knots are fixed quantiles of "+
				"the training rows, chosen without the outcome (Harrell). The curve shows the contribution relative to the "+
				"median; the bootstrap adds a confidence band. Each knot adds a parameter: use few knots with few events."),
		short("epp", "Events per parameter (EPP, EPV)", "The events, or the non-events where they are fewer, divided by the "+
			"number of parameters of the model without its intercept. Many texts say events per variable (EPV); a factor "+
			"or a spline has several parameters, so we count parameters. Below 10, coefficients and risks are "+
			"exploratory. The criteria of Riley et al. (2020) replace such a fixed rule: they ask for a minimum number of "+
			"rows from the number of parameters, the event rate and the expected fit."),
		short("noise", "Label noise", "An experiment: a share of the training labels is flipped, at random or near to or "+
			"far from the decision boundary. Rows are tested on their original labels. One seed flips the same rows for "+
			"every method, and a higher rate flips these and more. Another draw flips other rows in the same folds: one draw "+
			"alone shows what noise can do, not what it does on average."),
		short("roc", "ROC curve",
			"Sensitivity against 1 − specificity over all thresholds of the score. The area under the curve (AUC) is the "+
				"probability that an event scores higher than a non-event. After cross-validation it pools the out-of-fold "+
				"scores of all folds; it is not a mean over folds. The dot is the threshold in use."),
		short("calibration-curve", "Calibration",
			"Observed against predicted risk. Of the patients with a predicted risk of 30\u00a0%, about 30\u00a0% should "+
				"have the "+
				"event: then the curve follows the diagonal. The probability is recovered from the score by the link of the "+
				"loss, which the title names. The curve is a logistic regression on a restricted cubic spline "+
				"of logit p with five knots, fewer where the data have too few distinct values. Dashed lines: pointwise "+
				"95\u00a0% confidence band."),
		decisionTopic(),
		gainsTopic(),
		short("confusion", "Confusion matrix",
			"Observed against predicted classes at the threshold: one half, or the boundary nearest to it. Where two "+
				"boundaries are equally near, it is one half, and for the interval surrogate a score of 0. "+
				"Sensitivity (recall): the share of a class that is predicted as such. Positive predictive value (precision): "+
				"the share of those predicted as such that are."),
		short("give-up", "Weight of each row",
			"The weight of a row relative to logistic loss: p to the power t₂ − t₁, where p is the model’s probability "+
				"of the recorded label. Near 0 the row is down-weighted: "+
				"its label contradicts the model. Rows with injected label noise should have low weights.",
			see("The weight ξ", "xi")),
		short("convergence", "Convergence", "Distance from the optimum at each iteration, on a logarithmic scale: the "+
			"duality gap "+
			"where there is one, otherwise the largest entry of the gradient. At most 200 points are drawn."),
		short("starts", "Initialisations", "A loss that is not convex can have several minima, and the one that a fit "+
			"reaches "+
			"depends on the starting point. Fits start from zero, from logistic regression, along a sequence of increasingly "+
			"robust losses, and at random; the lowest minimum is kept. Fifty random initialisations show how much the start "+
			"matters."),
	}
}

// decisionTopic describes the decision curve and the net interventions avoided.
func decisionTopic() Topic {
	n, pt, net := mathml.Mi("n"), mathml.Msub(mathml.Mi("p"), mathml.Mi("t")), mathml.Word("NB")
	minus, equal := mathml.Mo("−"), mathml.Mo("=")
	of := func(count string) string { return mathml.Mfrac(mathml.Word(count), n) }
	rest := mathml.Mrow(mathml.Mn("1"), minus, pt)
	odds, against := mathml.Mfrac(pt, rest), mathml.Mfrac(rest, pt)
	return Topic{"decision-curve", "Decision curve and net interventions avoided", helpMethods, templates.Help{
		Lead: "Net benefit over the threshold probability: the value of acting on the rows above the threshold, in events " +
			"per row. The threshold sets the weight of a false positive: its odds.",
		Formula: []templates.Math{
			mathml.Display(net, equal, of("TP"), minus, of("FP"), odds),
			mathml.Display(mathml.Word("avoided per 100"), equal, mathml.Mn("100"), mathml.Paren(net, minus,
				mathml.Msub(net, mathml.Word("all"))), against, equal, mathml.Mn("100"),
				mathml.Paren(of("TN"), minus, of("FN"), against)),
		},
		Parts: []templates.HelpPart{
			{Title: "What to look for", List: []templates.HelpItem{
				{"Net benefit", "A model is useful at the thresholds where its curve lies above both acting on all rows and " +
					"acting on none. Compare curves only over thresholds at which one would act."},
				{"Net interventions avoided", "The gain over acting on all rows, as interventions: non-events " +
					"correctly left alone, minus the missed events, each weighted by the odds against the threshold. 30 per " +
					"100 is the same net benefit as 30 fewer interventions per 100 rows with no event missed. A negative " +
					"value: acting on all rows has the higher net benefit."}}},
		},
		Source: "Vickers and Elkin: Decision curve analysis: a novel method for evaluating prediction models, 2006. Net " +
			"interventions avoided: Vickers, Cronin, Elkin and Gonen: Extensions to decision curve analysis, 2008.",
		See: []templates.Link{see("Statistics", "statistics"), see("Cumulative gains curve", "gains")}}}
}

// gainsTopic describes the cumulative gains curve.
func gainsTopic() Topic {
	q, lift, share := mathml.Mi("q"), mathml.Word("lift"), mathml.Word("sensitivity")
	among := mathml.Word("events among the rows predicted positive")
	return Topic{"gains", "Cumulative gains curve", helpMethods, templates.Help{
		Lead: "Sensitivity against the share of rows predicted positive, highest scores first. It shows how many of " +
			"the events one finds with the capacity to act on a given share of the rows.",
		Formula: []templates.Math{
			mathml.Display(share, mathml.Paren(q), mathml.Mo("="), mathml.Mfrac(among, mathml.Word("all events"))),
			mathml.Display(lift, mathml.Paren(q), mathml.Mo("="), mathml.Mfrac(mathml.Mrow(share, mathml.Paren(q)), q)),
		},
		Parts: []templates.HelpPart{
			{Title: "What to look for", List: []templates.HelpItem{
				{"q", "The share of rows predicted positive."},
				{"Lift", "How many times as many events these rows contain as the same number of rows taken at random. At " +
					"random the curve follows the diagonal and the lift is 1."},
				{"A perfect score", "All events rank first: the curve rises to 100\u00a0% at the prevalence."},
				{"Prevalence", "The curve depends on the prevalence of these rows; the ROC curve does not."}}},
		},
		Source: "Provost and Fawcett: Data Science for Business, 2013; chapter 8.",
		See:    []templates.Link{see("ROC curve", "roc"), see("Decision curve", "decision-curve")}}}
}
