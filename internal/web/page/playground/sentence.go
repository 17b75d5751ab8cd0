package playground

import (
	"math"
	"slices"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/playground"
	"taper/internal/engine/stat"
	"taper/internal/engine/synth"
	"taper/internal/viz"
	"taper/internal/web/boundary"
)

// titleOf is the name of a model with its important settings.
func titleOf(m model, set playground.Setting) string {
	title := set.Method.Title()
	switch {
	case set.Method.Spec.Plain():
		title = "Logistic"
	case mustMethod(m.Method).banded():
		title = "Interval surrogate at " + boundary.Text(m.Pi)
	}
	switch {
	case set.Method.Spec.Kernelled():
		if k := set.Method.Spec.Kernel.Title(); !strings.Contains(title, k) {
			title += ", " + k
		}
	case m.Features == playground.Quadratic:
		title += ", quadratic features"
	case m.Features == playground.RBF:
		title += ", RBF features"
	}
	return title
}

// sentence is the summary of the page.
func (a *Answer) sentence(st state) string {
	b := a.bench
	done := phrase.Int(b.corruption.Count) + " of " + phrase.Int(b.corruption.TrainingCount)
	var text string
	switch {
	case st.Noise == synth.NoiseNone || b.corruption.Count == 0:
		text = "With no labels flipped"
	case st.Noise == synth.NoiseInstance:
		text = "With the features of " + done + " training points replaced"
	case st.Noise == synth.NoiseLargeMargin:
		text = "With " + done + " labels flipped (those farthest from the boundary)"
	case st.Noise == synth.NoiseSmallMargin:
		text = "With " + done + " labels flipped (those nearest to the boundary)"
	case st.Noise == synth.NoiseClass && st.Rate0 == 0:
		text = "With " + done + " labels flipped (all of class " + b.sample.Levels[1] + ")"
	default:
		text = "With " + done + " labels flipped"
	}
	m := a.Models.models()
	if !m[0].ok() || !m[1].ok() {
		for k := range m {
			if !m[k].ok() {
				return "Model " + string(rune('A'+k)) + " is not fitted. " + m[k].Error
			}
		}
	}
	return text + ", " + a.outcome(m)
}

// outcome compares the accuracies on clean points.
func (a *Answer) outcome(m [2]*modelView) string {
	x, y := shareOf(m[0].verdict.CleanAccuracy), shareOf(m[1].verdict.CleanAccuracy)
	if anyAbstains(m) {
		return m[1].answering("B") + "; " + m[0].answering("A") + "."
	}
	return accuracyNames[m[0].verdict.TestSet] + " is " + viz.Percent(y, 1) + phrase.NBSP + "% for B and " +
		viz.Percent(x, 1) + phrase.NBSP + "% for A."
}

// accuracyNames are what an accuracy is called by the points it is measured on.
var accuracyNames = map[playground.TestSet]string{
	playground.TestFresh:    "clean-test accuracy",
	playground.TestHeldOut:  "accuracy on held-out clean points",
	playground.TestTraining: "training accuracy on the true labels",
}

// score is the accuracy of a model with its name; of one that abstains, on the points it answers.
func (m *modelView) score() (accuracy, measure string) {
	v := m.verdict
	if v.Answered == v.Rows {
		return viz.Percent(shareOf(v.CleanAccuracy), 1) + phrase.NBSP + "%", accuracyNames[v.TestSet]
	}
	return viz.Percent(m.ofAnswers(), 1) + phrase.NBSP + "%", "accuracy on the " + viz.Percent(m.answered(), 1) +
		phrase.NBSP + "% answered"
}

// anyAbstains reports whether a model abstains on some points; then the accuracy over all points is not
// informative.
func anyAbstains(m [2]*modelView) bool {
	return slices.ContainsFunc(m[:], func(x *modelView) bool { return x.ok() && x.verdict.Answered < x.verdict.Rows })
}

// answering gives the coverage of a model on clean points, and its accuracy on the answered ones.
func (m *modelView) answering(letter string) string {
	v := m.verdict
	what := map[playground.TestSet]string{playground.TestFresh: "clean points",
		playground.TestHeldOut:  "held-out clean points",
		playground.TestTraining: "the points"}[v.TestSet]
	if v.Answered == 0 {
		return letter + " answers none of " + what
	}
	text := letter + " answers " + viz.Percent(m.answered(), 1) + phrase.NBSP + "% of " + what
	if v.Answered == v.Rows {
		text = letter + " answers all " + strings.TrimPrefix(what, "the ")
	}
	return text + " with " + viz.Percent(m.ofAnswers(), 1) + phrase.NBSP + "% accuracy"
}

func (m *modelView) answered() float64 { return float64(m.verdict.Answered) / float64(m.verdict.Rows) }

// ofAnswers is the accuracy among the answered points.
func (m *modelView) ofAnswers() float64 {
	if v := m.verdict.Classes.Accuracy; v != nil {
		return *v
	}
	return math.NaN()
}

func shareOf(e stat.Estimate) float64 {
	if e.Value == nil {
		return math.NaN()
	}
	return *e.Value
}
