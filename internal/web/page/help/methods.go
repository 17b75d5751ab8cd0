package help

import (
	"taper/internal/engine/task"
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// taskTopic says of every task of classes what it is for.
func taskTopic() Topic {
	var items []templates.HelpItem
	for _, t := range task.ClassTasks() {
		w := t.Words()
		items = append(items, templates.HelpItem{w.Label, w.Note + " " + w.Help})
	}
	return Topic{"task", "Kind of task", helpMethods, templates.Help{
		Lead: "What a wrong answer costs. The fit, the choice of λ and the answers go by these costs, and so does the " +
			"figure that names the run.",
		Parts: []templates.HelpPart{{Title: "Tasks", List: items}},
		See:   []templates.Link{see("Adversarial", explore.Adversarial)}}}
}

const helpMethods = "Methods and their fits"

// methodTopics are the choices of a model on the stratification page, and what
// a run's page draws.
func methodTopics() []Topic {
	short := func(id, title, lead string, links ...templates.Link) Topic {
		return Topic{id, title, helpMethods, templates.Help{Lead: lead, See: links}}
	}
	kernel := see("Kernels", "kernel")
	return []Topic{
		taskTopic(),
		short("method", "Method", "What is fitted. The interval surrogate promises bands; the others give a probability, "+
			"cut at the boundaries. Linear scores have coefficients. Trees and kernels bend, and have none.", kernel,
			see("Interval", explore.Interval), see("α-loss", explore.Alpha)),
		short("kernel", "Kernels", "The score is a sum over training rows, Σ a κ(x′, x) + b. Radial: κ = exp(−γ‖x − "+
			"x′‖²), rows count by how near they are. Polynomial: (1 + γ x·x′)^degree, all products up to the degree. Linear: "+
			"x·x′, the linear model by another way. Up to 1,000 rows the Gram matrix is used as it is, of the interval and "+
			"hinge losses up to 6,000; with more rows 500 landmarks span it (Nyström), and a note says so. The model file "+
			"holds rows of the data."),
		short("gamma", "γ of the kernel", "How quickly likeness fades with distance, on standardised predictors. Large γ: "+
			"each row speaks for itself, and the fit follows single rows. Small γ: nearly linear. By cross-validation γ and "+
			"λ are chosen together in two stages: γ from 2⁻¹² to 1 and C = 1/(λn) from 1 to 2¹² in steps of 8, then both "+
			"within a factor of 4 of the best.", kernel),
		short("kernel-solver", "Solver of a kernel",
			"Certified: stops when the duality gap proves how near the optimum is. PEGASOS: the steps of paper 001, one row "+
				"at a time, without an intercept; to watch how slowly its gap closes, not for numbers to keep.", kernel),
		short("penalty", "Penalty λ", "Half λ times the squared size of the weights is added to the mean loss. Large λ: "+
			"cautious, all rows nearly alike. Small λ: follows the training rows. Cross-validation takes the λ with the "+
			"lowest loss on held-out rows; within one standard error takes the largest that does about as well."),
		short("curves", "Columns that are curves",
			"A number enters a linear model as a straight line: each unit adds the same. With 3, 4 or 5 knots it enters as a "+
				"natural cubic spline: a smooth curve that bends at the knots and is straight beyond the outer ones. Knots "+
				"stand at fixed quantiles of the rows trained on, so nobody chooses them by the outcome. The curve shows what "+
				"the column adds relative to its median; the check by refits gives it a band. Each knot costs a parameter: take "+
				"few where events are few."),
		short("noise", "Noise on purpose", "Spoils training rows to see what a method withstands: flips a share of the "+
			"labels, at random, or those that lie near to or far beyond the border. Rows are judged on their clean labels, "+
			"and one seed flips the same rows for every method; a higher rate flips these and more."),
		short("roc", "Events found against false alarms",
			"The ROC curve: for each cut of the score, the share of the events above it against the share of the other rows "+
				"above it. The area is the chance that an event scores higher than another row. The dot is the cut in use."),
		short("calibration-curve", "Calibration",
			"Of the rows that were given 30\u00a0%, about 30\u00a0% should be events: then the curve follows the diagonal. "+
				"The probability is the one that the loss’s link recovers from the score, and the title names the link. The "+
				"dashed lines hold the curve with 95\u00a0%, point by point."),
		short("confusion", "Confusion matrix",
			"Rows counted by what they are and what they are called at the cut: one half, or the boundary nearest to it. "+
				"Found: the share of a class that is called so. Right when called: the share of those called so that are."),
		short("give-up", "How much each row still counts",
			"The give-up factor p^(t₂−t₁): a row’s pull on the fit against an ordinary likelihood. A row near 0 has been "+
				"given up: its label contradicts what the model knows. Flips on purpose should gather there.",
			see("The weight ξ", "xi")),
		short("convergence", "Convergence", "What the fit still had to gain at each iteration, on a scale of powers of "+
			"ten: the duality gap where one proves it, else the largest entry of the gradient. At 200 points at most."),
		short("starts", "Starts", "A loss that is not convex has several minima, and a fit ends in the one next to its "+
			"start. It starts from zero, from logistic regression, along losses that bend more and more, and at random; the "+
			"lowest is kept. Fifty random starts show how much the start matters."),
	}
}
