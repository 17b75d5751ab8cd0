// Package loss holds the losses of the five papers and their baselines in one list, Families. Each loss
// is one file and one line of that list.
//
// Conventions: y is a class, numbered from 0; s = ±1 is the sign of a two-class label; f is a score or a
// vector of potentials; z = s·f is the margin. A slope is a derivative with respect to z, a gradient with
// respect to f. At a kink any subgradient is valid. Results are never NaN for finite input; overflow
// gives ±Inf. All losses are immutable values and safe for concurrent use.
package loss

import "strconv"

// Margin is a two-class loss as a function of the margin. It takes s because the interval surrogate
// differs between the classes; other losses ignore it.
type Margin interface {
	Value(s, z float64) float64
	Slope(s, z float64) float64 // a subgradient at a kink
}

// Potential is a loss of k potentials, one per class.
type Potential interface {
	Outputs() int
	Value(y int, f []float64) float64
	// Grad fills dst with a subgradient with respect to f and returns the value.
	Grad(dst []float64, y int, f []float64) float64
}

// Threshold is a loss of one score and the k−1 thresholds between k ordered classes.
type Threshold interface {
	Value(y int, score float64, eta []float64) float64
	// Grad fills dst with the derivatives with respect to the thresholds. It returns the value and the
	// derivative with respect to the score.
	Grad(dst []float64, y int, score float64, eta []float64) (value, slope float64)
}

// Optional interfaces of a margin loss:
type (
	// Curver has a second derivative; ok is false at a kink of the slope.
	Curver interface {
		Curve(z float64) (float64, bool)
	}
	// Modeler is the loss of a probability model: Probability returns that of the labelled class.
	Modeler interface{ Probability(z float64) float64 }
	// Prober recovers the class probability from the margin by the link φ'(−z)/(φ'(z) + φ'(−z)). Cut is
	// its inverse: the score at which the positive class has probability pi (Kimes et al. 2016, Theorem
	// 2).
	Prober interface {
		ClassProbability(z float64) float64
		Cut(pi float64) float64
	}
	// Weigher has a weight factor: the weight of a row relative to a row with a large margin.
	Weigher interface{ Importance(z float64) float64 }
	// Blocker evaluates whole blocks of margins.
	Blocker interface{ Block() BlockFunc }
)

// Optional interfaces of a loss of potentials:
type (
	// Decider predicts a class from the potentials, or Abstain.
	Decider interface{ Decide(f []float64) int }
	// Smooth has a gradient everywhere. Softened returns the path of a graduated start, from the softmax
	// loss at share 0 to the loss itself at 1.
	Smooth interface {
		Potential
		Convex() bool // every local minimum is global
		Softened(share float64) Potential
	}
	// Classifier has probabilities of the classes. Probabilities fills in the model's own;
	// ClassProbabilities fills in the link-corrected ones, and returns false when the loss does not
	// determine them.
	Classifier interface {
		Probabilities(dst, f []float64)
		ClassProbabilities(dst, f []float64) bool
	}
	// ClassWeigher has a weight factor for a row of class y.
	ClassWeigher interface {
		Importance(y int, f []float64) float64
	}
	// Adversary is the value of a game. Adversary fills dst with q*, the adversary's mixture of the k
	// labels; Predict fills dst with p*, the predictor's mixture of its Options.
	Adversary interface {
		Options() int
		Adversary(dst, f []float64)
		Predict(dst, f []float64)
	}
)

// Abstain is the decision to predict no class.
const Abstain = -1

func indexed(field string, j int) string { return field + "[" + strconv.Itoa(j) + "]" }
