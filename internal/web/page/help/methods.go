package help

import (
	"taper/internal/engine/task"
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
			see("Interval", explore.Interval), see("α-loss", explore.Alpha)),
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
		short("noise", "Label noise", "An experiment: a share of the training labels is flipped, at random or near to or "+
			"far "+
			"from the decision boundary. Rows are tested on their original labels. One seed flips the same rows for every "+
			"method, and a higher rate flips these and more."),
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
