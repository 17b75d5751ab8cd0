// Package loss holds the losses of the five papers and their baselines, as one
// list: Families. A loss is one file here and one line there.
//
// Conventions, stated once: y is a class numbered from 0; s = ±1 the sign of a
// two-class label; f a score or a vector of potentials; z = s·f the margin. A
// slope is a derivative with respect to z, a gradient one with respect to f.
// At a kink any subgradient is right. Results are never NaN for finite input:
// what overflows is infinite. All losses are values that never change and may
// be shared between goroutines.
package loss

import "strconv"

// Margin is a two-class loss of the margin. It takes s because the interval
// surrogate differs between the classes; the others ignore it.
type Margin interface {
	Value(s, z float64) float64
	Slope(s, z float64) float64 // one subgradient at a kink
}

// Potential is a loss of k potentials, one for each class.
type Potential interface {
	Outputs() int
	Value(y int, f []float64) float64
	// Grad fills dst with a subgradient with respect to f and returns the value.
	Grad(dst []float64, y int, f []float64) float64
}

// Threshold is a loss of a score and k−1 thresholds between k ordered classes.
type Threshold interface {
	Value(y int, score float64, eta []float64) float64
	// Grad fills dst with the derivatives with respect to the thresholds and
	// returns the value and the derivative with respect to the score.
	Grad(dst []float64, y int, score float64, eta []float64) (value, slope float64)
}

// What a loss may offer beyond its value and slope. A margin loss:
type (
	// Curver has a second derivative; false at a kink of the slope.
	Curver interface {
		Curve(z float64) (float64, bool)
	}
	// Modeler is the loss of a model that names its own probability of the
	// labelled class.
	Modeler interface{ Probability(z float64) float64 }
	// Prober recovers the class probability from the margin by its link:
	// φ'(−z)/(φ'(z) + φ'(−z)). Cut is the inverse: the score at which the
	// positive class has probability pi (Theorem 2 of Kimes et al. 2016).
	Prober interface {
		ClassProbability(z float64) float64
		Cut(pi float64) float64
	}
	// Weigher has a weight factor: how much a row still counts.
	Weigher interface{ Importance(z float64) float64 }
	// Blocker evaluates whole blocks of margins.
	Blocker interface{ Block() BlockFunc }
)

// And a loss of potentials:
type (
	// Decider turns potentials into a class, or Abstain.
	Decider interface{ Decide(f []float64) int }
	// Smooth has a gradient everywhere. Softened goes from the softmax loss at
	// share 0 to the loss itself at 1: the way of a graduated start.
	Smooth interface {
		Potential
		Convex() bool // every minimum is the minimum
		Softened(share float64) Potential
	}
	// Classifier has probabilities of the classes. Probabilities are the
	// model's own; ClassProbabilities are link-corrected, false when the loss
	// cannot tell them.
	Classifier interface {
		Probabilities(dst, f []float64)
		ClassProbabilities(dst, f []float64) bool
	}
	// ClassWeigher has a weight factor: how much a row of class y still counts.
	ClassWeigher interface {
		Importance(y int, f []float64) float64
	}
	// Adversary is the value of a game. Adversary fills dst with q*, the
	// adversary's mixture of the k labels; Predict fills dst with p*, the
	// predictor's mixture of its Options.
	Adversary interface {
		Options() int
		Adversary(dst, f []float64)
		Predict(dst, f []float64)
	}
)

// Abstain is the decision not to name a class.
const Abstain = -1

func indexed(field string, j int) string { return field + "[" + strconv.Itoa(j) + "]" }
