package playground

import "strings"

// preset is a state worth seeing, by one link.
type preset struct{ ID, Title, About, URL string }

// classicAlpha and classicTempered are the demonstration of papers 003 and 000
// on Long and Servedio's four points.
const (
	classicAlpha    = "/playground?data=long-servedio-2d"
	classicTempered = "/playground?data=long-servedio-2d&b.method=tempered"
)

// presets lists them, the page's opening state first. Tests hold what they
// claim.
var presets = []preset{
	{"opening", "Flips far from the border",
		"Two moons, a fifth of the labels flipped where they are farthest from the border: the kind of noise that convex " +
			"losses mind most.", "/playground"},
	{"classic-alpha", "Long–Servedio: logistic and α = 4", "Four points, a fifth of the labels flipped at random.",
		classicAlpha},
	{"classic-tempered", "Long–Servedio: logistic and two-temperature", "The same points against t₁ = 0.6, t₂ = 1.6.",
		classicTempered},
	{"alternation", "Long–Servedio: t-logistic, ξ and θ in turn",
		"Step back through the rounds: a ξ-step weighs the points, a θ-step fits under these weights.",
		"/playground?data=long-servedio&n=600&b.method=t-logistic&b.solver=cmp"},
	{"chance", "Flips by chance alone", "Two Gaussians and linear scores: chance flips that spare no side hardly move " +
		"the border of either.", "/playground?data=gmm&b.method=tempered"},
	{"bands", "Probability bands", "The interval surrogate beside logistic regression on a step of probabilities.",
		"/playground?data=kimes-1.3&noise=none&rate=0&b.method=interval"},
	{"several", "Three classes", "Softmax and its two-temperature kin, a fifth of the labels flipped at random.",
		"/playground?data=blobs"},
	{"ordered", "Five ordered stripes", "Softmax and the adversarial absolute loss, judged by the distance in classes " +
		"too.", "/playground?data=ordinal-stripes&noise=none&rate=0"},
	{"abstain", "Leave to answer nothing", "Softmax always answers; the adversarial loss with abstention leaves the " +
		"hatched zone unanswered.", "/playground?data=blobs&b.method=al-abstain"},
	{"kernel", "Trees and a kernel", "AdaBoost.α beside a hinge with an RBF kernel on two moons.",
		"/playground?noise=random&a.method=boost&b.method=hinge&b.l2=0.001&b.kernel=rbf&b.gamma=1"},
}

// notes say where what is to be seen differs from what a paper claims
// (numbers of docs/errata.md and the studies).
func (st state) notes() []string {
	var all []string
	has := func(ids ...string) bool {
		for _, m := range st.Models {
			for _, id := range ids {
				if m.Method == id {
					return true
				}
			}
		}
		return false
	}
	if st.Data == "long-servedio-2d" && has("alpha") {
		all = append(all, "Paper 003, Theorem 1: on its own four points, with a third of the labels flipped, a perfect "+
			"minimum exists only from α ≈ 1.45, is the global one only from α ≈ 1.95, and is reached from zero only from α ≈ "+
			"2.95. Here fits start from the logistic one.")
	}
	if st.Data == "long-servedio-2d" {
		all = append(all, "Every other round of the four points is mirrored into the other class, so that a free "+
			"intercept cannot win by answering one class alone.")
	}
	if strings.HasPrefix(st.Data, "long-servedio") && has("boost") {
		all = append(all, "The gain of about 25\u00a0% that paper 003 reports for AdaBoost.α needs about 400 stumps; at "+
			"100 it is 5 to 6 points.")
	}
	if st.Data == "long-servedio" && has("t-logistic") {
		all = append(all, "At t = 1.9 the ξ of these points fall into six groups, not the four of paper 002.")
	}
	return all
}
