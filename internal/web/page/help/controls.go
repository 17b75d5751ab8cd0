package help

import (
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// controlTopics are the short ones: one control or chart each.
func controlTopics() []Topic {
	short := func(id, title, lead string, links ...templates.Link) Topic {
		return Topic{id, title, groupControls, templates.Help{Lead: lead, See: links}}
	}
	two, tl, al, iv, adv := see("Two-temperature", explore.TwoTemperature), see("t-logistic", explore.TLogistic),
		see("α-loss", explore.Alpha), see("Interval", explore.Interval), see("Adversarial", explore.Adversarial)
	return []Topic{
		short("t1", "t1, the bound", "The temperature of the logarithm. Below 1 the loss of a single row cannot exceed "+
			"1/(1 − t1); at 0 it is capped at 1, at 0.9 at 10. The class probability is p̂ to the power t1, made to sum to "+
			"one; at t1 = 0 it cannot be recovered.", two),
		short("t2", "t2, the tail", "The temperature of the exponential. Above 1 the probability falls like a power of "+
			"the margin instead of exponentially, so far rows are less surprising. Links may bring values below 1: then p̂ "+
			"is exactly 0 beyond the margin −1/(1 − t2), and the slope may grow without bound there.", two, tl),
		short("t", "t, the tail", "Both the shape of the likelihood and of its tail: 1 is logistic, 1.9 nearly Cauchy.", tl),
		short("alpha-slider", "α, where it gives up",
			"½ is exponential, 1 logistic, ∞ the sigmoid loss. Above 1 a row left of z = log(1 − 1/α) pulls less the more "+
				"wrong it is. On a log scale; any positive number may be typed.", al),
		short("boundaries", "Boundaries π", "The probabilities at which decisions change: below 25\u00a0% home, above "+
			"75\u00a0% ward. Each has a slider and a field in per cent (30 is 30\u00a0%, 0.3 is 0.3\u00a0%); neighbours keep "+
			"one percentage point apart. The templates are common sets: hard (½), reject (.2 and .8 with “don’t know” "+
			"between), weighted (.25: a missed event costs three false alarms).", iv),
		short("metric", "Metric", "What an answer costs against the truth: the cost matrix is shown at the right. The "+
			"adversarial loss is made from it.", adv),
		short("cost", "Cost of abstaining", "“Don’t know” costs this much, a wrong class 1. The predictor abstains where "+
			"its best class is not sure enough. Above ½ abstaining seldom pays with two classes.", adv),
		short("true-class", "True class", "The class the example belongs to. For the ordinal metrics the picture depends "+
			"on it: the middle class is nearer to both others.", adv),
		short("rival", "Rival", "Another multiclass loss over the same axes. WW adds up all classes that come within 1 of "+
			"the true one, CS takes the nearest only, LLW looks at the other classes’ scores alone.", adv),
		short("psi", "The point", "ψ_j = f_j − f_y, how much class j scores above the true one. Drag the point in a "+
			"chart, or move its sliders with the arrow keys.", adv),
		short("families", "Loss family", "Each family has its own sliders and charts. Pins and the comparison list go "+
			"with the family; a copied link keeps everything.", two, tl, al, iv, adv),
		short("views", "Show", "Other figures of the same paper: logₜ and expₜ, the risk over two weights, the tilt B(x), "+
			"a hundred points by band, the cost matrices."),
		short("compare-with", "Compare with", "Reference curves in their own dash: logistic is the usual choice, "+
			"exponential that of boosting, hinge that of support vector machines, the 0–1 step what all of them stand in for."),
		short("pins", "Pins", "Keeps the present curve as a ghost while you steer on: four at most. Pins are part of the "+
			"address, so a copied link shows them."),
		short("loss", "Loss chart", "What one row costs at margin z = y · f(x): right of 0 it is classified right, left "+
			"of it wrong. The axes stay still while you drag; the corners button fits them to the curve and back."),
		short("influence", "Influence", "The slope |dℓ/dz|: how hard one row pulls on the fit. Where it falls towards the "+
			"left the loss gives up: beyond that margin a row pulls less the more wrong it is."),
		short("probability", "Probability", "p̂ is the model’s own probability of the label. Only for a proper loss is it "+
			"the risk; the class probability, corrected by the loss’s link, always is. Strata, calibration and exports use "+
			"the corrected one."),
		short("xi", "Weight ξ", "p̂ to the power t2 − t1, the factor by which a row’s pull is reduced against an ordinary "+
			"likelihood: 1 for rows the model expects, near 0 for rows it finds absurd. A row with a small ξ deserves a "+
			"second look.", two, tl),
		short("surrogate", "Surrogate chart", "The two classes’ piecewise linear losses. Circles are hinges; the thin "+
			"dotted lines are the logistic loss whose tangents the pieces are.", iv),
		short("theory", "Theoretical loss", "What naming a band costs each class: (2/K) times the sum of 1 − π over the "+
			"boundaries above, for an event, and of π over those below, for a non-event. The surrogate stands in for it.", iv),
		short("al", "Contours", "Lines of equal loss over the scores of the other classes relative to the true one. "+
			"Straight parts belong to one set of labels in the adversary’s mixture.", adv),
		short("beside", "The rival’s contours",
			"The same plane for the rival. Where its lines are closer the rival punishes harder; where its 0 line lies "+
				"further out it asks for more than the metric needs.", adv),
		short("game", "The game", "The adversary’s mixture q* of labels and the predictor’s mixture p* of answers at the "+
			"point. The decision is the likeliest answer.", adv),
		short("regime", "Regime", "Convex: one minimum, however a fit starts. Quasi-convex: falls at every margin, but a "+
			"fit may end in a poorer minimum. Bounded: no single row can cost more than the cap."),
		short("crosshair", "Crosshair", "One margin across all charts. Click or drag in a chart, or move the slider here; "+
			"the table reads every curve there."),
		short("where", "Where you are", "The two-temperature plane: t-logistic is its right edge, the α-loss its lower "+
			"one, logistic the corner between them, the sigmoid loss the corner at the left.", two, al),
		short("readout", "Every curve at seven margins",
			"The loss, and in grey the pull, at margins from −6 to 6; at the end the largest loss there is."),
		short("presets", "The papers’ figures",
			"Each link sets the explorer to one figure of a paper; everything can be steered from there."),
		short("log", "The bent logarithm", "logₜ at five temperatures and at the steered one. Below t = 1 it is finite at "+
			"0, which caps the loss; at and above 1 it falls without end.", two, tl),
		short("exp", "The bent exponential", "expₜ, the inverse. Above t = 1 its left tail is a power: probabilities made "+
			"of it are never surprised for good. Below 1 it is exactly 0 from some point on.", two, tl),
		short("slope", "The tilt B(x)", "What N right copies of a point and its flipped one do together at margin x, B(x) "+
			"= N ℓ′(x) − ℓ′(−x). It is 0 at x = α log N; for larger α it comes back towards 0, so far points stop pulling.", al),
		short("points", "Points", "Points in the plane with the lines that part them: a hundred rows of a Gaussian "+
			"mixture by the band of their true probability, or Long and Servedio’s four points with the line of each α.", iv,
			al),
		short("landscape", "The 2-D landscape",
			"The risk of a linear model with two weights on four points, a share p of whose labels is flipped. A convex loss "+
				"puts its only minimum where the two penalizers are on the wrong side. An α-loss with larger α has a good "+
				"minimum too: on the paper’s set (p = 1/3, γ = 1/20) from α ≈ 1.45 on; it is the lowest from ≈ 1.95, and a "+
				"descent from θ = 0 reaches it only from ≈ 2.95. The paper’s Theorem 1 promises more than that.", al),
	}
}
