package loss

import (
	"math"

	"taper/internal/engine/tempered"
)

// TemperedClasses is the two-temperature loss of k classes (Amid et al. 2019; docs/math.md,
// Two-temperature loss). T1 = T2 = 1 is softmax regression.
type TemperedClasses struct {
	T1, T2 float64
	K      int
}

func (l TemperedClasses) Outputs() int { return l.K }

func (l TemperedClasses) Value(y int, f []float64) float64 {
	return tempered.NegLog(l.T1, l.logOwn(y, f))
}

// logOwn returns log p_y.
func (l TemperedClasses) logOwn(y int, f []float64) float64 {
	top := -inf
	for _, v := range f {
		top = max(top, v)
	}
	return tempered.LogExp(l.T2, -((top - f[y]) + tempered.Gap(l.T2, f)))
}

// Grad fills dst with p_y^(t2−t1)·(q − e_y), where q is the escort distribution; 1 − q_y is the sum of
// the other entries. Where p_y = 0, outside the support, the gradient is 0.
func (l TemperedClasses) Grad(dst []float64, y int, f []float64) float64 {
	tempered.LogProbs(dst, l.T2, f)
	own := dst[y]
	scale := power(own, l.T2-l.T1)
	if math.IsInf(own, -1) {
		scale = 0
	}
	escort(dst, l.T2)
	dst[y] = 0
	rest := 0.0
	for j := range dst {
		rest += dst[j]
		dst[j] = times(scale, dst[j])
	}
	dst[y] = -times(scale, rest)
	return tempered.NegLog(l.T1, own)
}

// Importance returns the weight factor p_y^(t2−t1).
func (l TemperedClasses) Importance(y int, f []float64) float64 {
	return power(l.logOwn(y, f), l.T2-l.T1)
}

// times is a·b with 0·∞ = 0: outside the support the gradient is 0.
func times(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a * b
}

// escort replaces log p by p^t normalised over the support.
func escort(l []float64, t float64) {
	top, sum := -inf, 0.0
	for _, v := range l {
		top = max(top, v)
	}
	for j, v := range l {
		l[j] = 0
		if !math.IsInf(v, -1) {
			l[j] = math.Exp(t * (v - top))
		}
		sum += l[j]
	}
	for j := range l {
		l[j] /= sum
	}
}

func (l TemperedClasses) Probabilities(dst, f []float64) {
	tempered.LogProbs(dst, l.T2, f)
	for j, v := range dst {
		dst[j] = math.Exp(v)
	}
}

// ClassProbabilities fills dst with p^t1 normalised. For t1 = 0 only the largest class is determined.
func (l TemperedClasses) ClassProbabilities(dst, f []float64) bool {
	tempered.LogProbs(dst, l.T2, f)
	escort(dst, l.T1)
	return l.T1 > 0
}

// Convex is the same condition as with two classes (docs/math.md, Two-temperature loss).
func (l TemperedClasses) Convex() bool { return l.T1 >= l.T2 && l.T1 >= 1 }

// Softened interpolates both temperatures linearly.
func (l TemperedClasses) Softened(share float64) Potential {
	return TemperedClasses{T1: 1 + share*(l.T1-1), T2: 1 + share*(l.T2-1), K: l.K}
}

func (l TemperedClasses) Decide(f []float64) int { return Argmax(f) }

// Argmax returns the lowest index of the largest entry.
func Argmax(f []float64) int {
	at := 0
	for j, v := range f {
		if v > f[at] {
			at = j
		}
	}
	return at
}

var softmax = Family{
	ID: "softmax", Title: "Softmax", Kind: KindPotential,
	Source:    "baseline; the case t₁ = t₂ = 1",
	Formula:   `\log\textstyle\sum_j e^{f_j}-f_y`,
	Use:       "Multiclass probabilities on clean labels.",
	Link:      func(Values) Link { return Link{ID: LinkSoftmax, Formula: "Pₖ = exp(fₖ) / Σⱼ exp(fⱼ)"} },
	Potential: func(_ Values, k int) Potential { return TemperedClasses{1, 1, k} },
}

var temperedMulticlass = Family{
	ID: "tempered-multiclass", Title: "Two-temperature, multiclass", Kind: KindPotential,
	Source:  "Amid, Warmuth and Srinivasan 2019, equation (13)",
	Errata:  []string{"Amid 1", "Amid 3", "Amid 9", "Amid 12"},
	Formula: `-\log_{t_1}\exp_{t_2}\bigl(f_y-G_{t_2}(f)\bigr)`,
	Use:     "Multiclass data with mislabelled rows or outliers.",
	Params:  twoTemperature.Params,
	Cases:   twoTemperature.Cases,
	Link: func(Values) Link {
		return Link{ID: LinkEscort, Formula: "Pₖ ∝ exp(t₁ · log pₖ), p the model’s own probabilities"}
	},
	Potential: func(v Values, k int) Potential {
		return TemperedClasses{v.Number("t1"), v.Number("t2"), k}
	},
}
