package help

import (
	"taper/internal/web/page/explore"
	"taper/web/templates"
)

// controlTopics are short topics about one control or chart each.
func controlTopics() []Topic {
	short := func(id, title, lead string, links ...templates.Link) Topic {
		return Topic{id, title, groupControls, templates.Help{Lead: lead, See: links}}
	}
	two, tl, al, iv, adv := see("Two-temperature", explore.TwoTemperature), see("t-logistic", explore.TLogistic),
		see("α-loss", explore.Alpha), see("Interval surrogate", explore.Interval), see("Adversarial", explore.Adversarial)
	return []Topic{
		short("t1", "t₁, the loss bound", "The temperature of the logarithm. Below 1 the loss of one row cannot exceed "+
			"1/(1 − t₁): at 0 the bound is 1, at 0.9 it is 10. The class probability is p̂ to the power t₁, "+
			"renormalised; at t₁ = 0 it cannot be recovered.", two),
		short("t2", "t₂, the tail", "The temperature of the exponential. Above 1 the probability decays as a power of "+
			"the margin instead of exponentially, so outliers are less surprising. An address may set values below 1: then p̂ "+
			"is exactly 0 beyond the margin −1/(1 − t₂), and the slope may grow without bound there.", two, tl),
		short("t", "t, the tail", "The shape of the likelihood and of its tail: 1 is logistic, 1.9 is close to Cauchy.", tl),
		short("alpha-slider", "α, robustness",
			"½ is the exponential loss, 1 logistic, ∞ the sigmoid loss. Above 1 the gradient decreases below z = "+
				"log(1 − 1/α): badly mislabelled rows have less influence. The scale is logarithmic; you can type any "+
				"positive number.", al),
		short("boundaries", "Boundaries π", "The probabilities at which the decision changes, for example below 25\u00a0% "+
			"home, above 75\u00a0% ward. Each has a slider and a field in per cent (30 is 30\u00a0%, 0.3 is 0.3\u00a0%); "+
			"neighbouring boundaries are at least one percentage point apart. The templates are common sets: hard (½), "+
			"reject (0.2 and 0.8, with “don’t know” between them), weighted (0.25: a missed event costs as much as three "+
			"false alarms).", iv, see("Risk bands", "strata")),
		short("metric", "Metric", "The cost of each answer for each true class; the cost matrix is shown at the right. "+
			"The adversarial loss is derived from it.", adv),
		short("cost", "Cost of abstaining", "“Don’t know” has this cost, a wrong class has cost 1. The predictor "+
			"abstains where every class has a higher expected cost. With two classes abstaining is rarely optimal above ½.",
			adv),
		short("true-class", "True class", "The class the example belongs to. For the ordinal metrics the contours depend "+
			"on it: the middle class is closer to both others.", adv),
		short("rival", "Comparison loss", "Another multiclass loss on the same axes. WW (Weston–Watkins) sums over all "+
			"classes within 1 of the true one, CS (Crammer–Singer) takes the strongest competing class, LLW "+
			"(Lee–Lin–Wahba) uses the scores of the other classes only.", adv),
		short("psi", "The point", "The score of a class minus that of the true class. Drag the point in a "+
			"chart, or move its sliders with the arrow keys.", adv),
		short("families", "Loss family", "Each family has its own sliders and charts. Pins and the comparison list belong "+
			"to the family; a copied link contains everything.", two, tl, al, iv, adv),
		short("views", "Show", "Other figures of the same paper: logₜ and expₜ, the risk over two weights, the "+
			"stationarity function B(x), one hundred points by band, the cost matrices."),
		short("compare-with", "Compare with", "Reference curves, each with its own dash: logistic is the usual choice, "+
			"exponential is the loss of boosting, hinge that of support vector machines. The 0–1 step is the target that "+
			"they approximate."),
		short("pins", "Pins", "A pin keeps the current curve on the chart while you change the parameters; four at most. "+
			"Pins are part of the address, so a copied link shows them."),
		short("loss", "Loss chart", "The loss of one example at margin z = y · f(x): z > 0 is correctly classified, z < 0 "+
			"misclassified. The axes do not move while you drag; the button with four corners fits them to the curve and back."),
		short("influence", "Influence", "The gradient magnitude |dℓ/dz|: how strongly one example influences the fit. A "+
			"loss is redescending if the gradient decreases below some margin: the more wrong an example, the less "+
			"influence it has."),
		short("probability", "Probability", "p̂ is the model’s own probability of the label. It is the risk only if the "+
			"loss is proper. The class probability, corrected by the link of the loss, is the risk wherever it can be "+
			"recovered. Bands, calibration and exports use the corrected one."),
		short("xi", "Weight ξ", "p̂ to the power t₂ − t₁: the factor with which a row counts in the gradient. "+
			"Logistic loss gives every row 1. Under a robust loss the weight is near 1 where the label agrees with the "+
			"model and near 0 where it contradicts the model. A row with small ξ deserves a second look.", two, tl),
		short("surrogate", "Surrogate chart", "The piecewise linear losses of the two classes. Circles are hinges; thin "+
			"dotted lines are the logistic loss whose tangents the pieces are.", iv),
		short("theory", "Target loss", "The loss of assigning a band, for each class: (2/K) times the sum of 1 − π over "+
			"the boundaries above, for an event, and of π over those below, for a non-event. The surrogate approximates "+
			"it.", iv),
		short("al", "Contours", "Lines of equal loss over the scores of the other classes relative to the true one. "+
			"Each straight part belongs to one set of labels in the adversary’s mixture.", adv),
		short("beside", "Contours of the comparison loss",
			"The same plane for the comparison loss. Where its lines are closer, it increases faster; where its 0 line "+
				"lies further out, it demands a larger margin than the metric needs.", adv),
		short("game", "The game", "The adversary’s mixture q* of labels and the predictor’s mixture p* of answers at "+
			"the point. The decision is the answer with the largest share.", adv),
		short("regime", "Regime", "Convex: one minimum, whatever the starting point. Quasi-convex: the loss decreases in "+
			"the margin everywhere, but a fit may end in a local minimum. Bounded: the loss of one row has an upper limit."),
		short("crosshair", "Crosshair", "One margin across all charts. Click or drag in a chart, or move the slider here; "+
			"the table shows every curve there."),
		short("where", "Position among related losses", "The two-temperature plane: t-logistic is its right edge, the "+
			"α-loss its lower edge, logistic the corner between them, the sigmoid loss the corner at the left.", two, al),
		short("readout", "Every curve at seven margins",
			"The loss, and in grey the gradient magnitude, at margins from −6 to 6; the last column is the upper bound of "+
				"the loss."),
		short("presets", "The papers’ figures",
			"Each link sets the explorer to one figure of a paper; you can change everything from there."),
		short("log", "Deformed logarithm", "logₜ, also known as the q-logarithm, at five temperatures and at the current "+
			"one. Below t = 1 it is finite at 0, which bounds the loss; at and above 1 it decreases without bound.", two, tl),
		short("exp", "Deformed exponential", "expₜ, the inverse. Above t = 1 its left tail is polynomial: probabilities "+
			"built on it decrease slowly and never reach 0. Below 1 it is exactly 0 from some point on.", two, tl),
		short("slope", "Stationarity function B(x)", "The joint gradient of N correctly labelled copies of a point and one "+
			"flipped copy at margin x, B(x) = N ℓ′(x) − ℓ′(−x). It is 0 at x = α log N; for larger α it "+
			"returns towards 0, so points of large margin lose their influence.", al),
		short("points", "Points", "Points in the plane with decision boundaries: one hundred observations of a Gaussian "+
			"mixture by the band of their true probability, or Long and Servedio’s four points with the line of each α.", iv,
			al),
		short("landscape", "Risk landscape",
			"The risk of a linear model with two weights on four points, with a share p of their labels flipped. A convex "+
				"loss has its only minimum where the two penalizers are misclassified. An α-loss with larger α has a correct "+
				"minimum too: for the four points of Sypherd et al. (p = 1/3, γ = 1/20) it exists for α ≳ 1.45, is the lowest "+
				"for α ≳ 1.95, and descent from θ = 0 reaches it only for α ≳ 2.95. Theorem 1 of the paper claims more.",
			al),
	}
}
