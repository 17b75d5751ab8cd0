package playground

import "strings"

// preset is an example state offered as a link.
type preset struct{ ID, Title, About, URL string }

// classicAlpha and classicTempered are the demonstration of Sypherd et al. 2023 and Amid et al. 2019
// on Long and Servedio's four points.
const (
	classicAlpha    = "/playground?data=long-servedio-2d"
	classicTempered = "/playground?data=long-servedio-2d&b.method=tempered"
)

// presets lists them, the default state first. Tests check what their texts claim.
var presets = []preset{
	{"opening", "Flips far from the boundary",
		"Two moons, a fifth of the labels flipped, those farthest from the boundary: the kind of noise that hurts convex " +
			"losses most.", "/playground"},
	{"classic-alpha", "Long–Servedio: logistic and α = 4", "Four points, a fifth of the labels flipped at random.",
		classicAlpha},
	{"classic-tempered", "Long–Servedio: logistic and two-temperature", "The same points with t₁ = 0.6, t₂ = 1.6.",
		classicTempered},
	{"alternation", "Long–Servedio: t-logistic, ξ and θ in turn",
		"Step through the iterations: a ξ-step computes weights, a θ-step fits with these weights. The flipped points " +
			"lose weight until B finds the boundary.",
		"/playground?data=long-servedio-2d&settings=shared&b.method=t-logistic&b.solver=cmp"},
	{"chance", "Symmetric random flips",
		"Two Gaussians and linear scores, a fifth of the labels flipped at random: " +
			"accuracy hardly falls, but logistic regression finds fewer points of the rarer class.",
		"/playground?data=gmm&b.method=tempered"},
	{"bands", "Risk bands", "The interval surrogate and logistic regression where the probability is a step function.",
		"/playground?data=kimes-1.3&noise=none&rate=0&b.method=interval"},
	{"several", "Three classes", "Softmax and its two-temperature counterpart, a fifth of the labels flipped at random.",
		"/playground?data=blobs"},
	{"ordered", "Five ordered stripes", "Softmax and the adversarial absolute loss, which counts the distance in " +
		"classes.", "/playground?data=ordinal-stripes&noise=none&rate=0"},
	{"abstain", "Allowed to abstain", "Softmax always answers; the adversarial loss with abstention gives no answer in " +
		"the hatched region.", "/playground?data=blobs&b.method=al-abstain"},
	{"kernel", "Trees and a kernel", "AdaBoost.α and a hinge loss with an RBF kernel on two moons.",
		"/playground?noise=random&l2=0.001&kernel=rbf&gamma=1&a.method=boost&b.method=hinge"},
}

// notes are differences between the result shown and what a paper claims (docs/errata.md and the studies).
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
		all = append(all, "Sypherd et al. (2023), Theorem 1: for its four points, with a third of the labels flipped, a "+
			"perfect "+
			"minimiser exists only for α ≳ 1.45, is the global one only for α ≳ 1.95, and is reached from zero only "+
			"for α ≳ 2.95. Fits here start from the logistic solution.")
	}
	if st.Data == "long-servedio-2d" {
		all = append(all, "Every second copy of the four points is mirrored into the other class, so that a free "+
			"intercept cannot succeed by predicting one class only.")
	}
	if strings.HasPrefix(st.Data, "long-servedio") && has("boost") {
		all = append(all, "The gain of about 25\u00a0% that Sypherd et al. (2023) report for AdaBoost.α needs about 400 "+
			"stumps; at "+
			"100 it is 5 to 6 percentage points.")
	}
	if st.Data == "long-servedio" && has("t-logistic") {
		all = append(all, "At t = 1.9 the weights ξ form six groups, not the four reported by Ding and Vishwanathan (2010).")
	}
	return all
}
