package loss

import (
	"math"

	"taper/internal/engine/tempered"
)

// BiTempered is the bi-tempered loss (Amid, Warmuth, Anil and Koren 2019, equation 5) of two classes as a
// function of the margin: the Bregman divergence with temperature T1 between the label and the
// probabilities of a model with temperature T2 whose activations are ±z/2,
//
//	−log_t1 p + (p^(2−t1) + p'^(2−t1) − 1)/(2−t1),  p' = 1 − p.
//
// Its first term alone is Tempered. The expected divergence is smallest where p equals the probability of
// the label, so p is the class probability without a link.
type BiTempered struct{ T1, T2 float64 }

func (l BiTempered) Value(_, z float64) float64 {
	own, other := Tempered(l).logs(z)
	return bregman(l.T1, own) + math.Exp((2-l.T1)*other)/(2-l.T1)
}

// bregman is −log_t p + (p^(2−t) − 1)/(2−t) as a function of u = log p: the integral of e^((1−t)s)·(1 −
// e^s) from u to 0.
func bregman(t, u float64) float64 {
	if u < -0.1 {
		return tempered.NegLog(t, u) + math.Expm1((2-t)*u)/(2-t)
	}
	// The two terms cancel near p = 1, where about ½u² remains. The series Σ c_k·u^k/k! with c_k =
	// (2−t)^(k−1) − (1−t)^(k−1) keeps full precision.
	a, b, term, sum := 1.0, 1.0, u, 0.0
	for k := 2.0; k < 16; k++ {
		a, b, term = a*(2-t), b*(1-t), term*u/k
		sum += (a - b) * term
	}
	return sum
}

// Slope is −p'·(p^−t1 + p'^−t1)·dp/dz with dp/dz = 1/(p^−t2 + p'^−t2).
func (l BiTempered) Slope(_, z float64) float64 {
	own, other := Tempered(l).logs(z)
	return -math.Exp(other + logSum(-l.T1*own, -l.T1*other) - logSum(-l.T2*own, -l.T2*other))
}

// logSum is log(e^a + e^b).
func logSum(a, b float64) float64 { return max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b))) }

// Curve is the derivative of Slope, with every product taken in logarithms: D = dp/dz, S = p^−t1 + p'^−t1
// and dD/dz = t2·D³·(p^(−t2−1) − p'^(−t2−1)).
func (l BiTempered) Curve(z float64) (float64, bool) {
	own, other := Tempered(l).logs(z)
	d, s := -logSum(-l.T2*own, -l.T2*other), logSum(-l.T1*own, -l.T1*other)
	return math.Exp(2*d-l.T1*own) + l.T1*math.Exp(2*d+other-(l.T1+1)*own) + (1-l.T1)*math.Exp(2*d-l.T1*other) +
		l.T2*math.Exp(3*d+s-l.T2*other) - l.T2*math.Exp(3*d+s+other-(l.T2+1)*own), true
}

func (l BiTempered) Probability(z float64) float64 { return Tempered(l).Probability(z) }

// ClassProbability is p itself, as in t-logistic regression, which is the case T1 = 1 of Tempered's link.
func (l BiTempered) ClassProbability(z float64) float64 { return l.model().ClassProbability(z) }
func (l BiTempered) Cut(pi float64) float64             { return l.model().Cut(pi) }
func (l BiTempered) LogOddsSlope(f float64) float64     { return l.model().LogOddsSlope(f) }
func (l BiTempered) model() temperedLink                { return temperedLink{Tempered{1, l.T2}} }

// Regime reports that the loss is convex exactly for t1 = t2, which within the paper's ranges t1 ≤ 1 ≤ t2
// means both are 1, and bounded for t1 < 1.
func (l BiTempered) Regime() Regime {
	r := Regime{QuasiConvex: true, Convex: l.T1 == l.T2, Bound: inf, GivesUp: -inf}
	if l.T1 < 1 {
		r.Bound = 1 / (1 - l.T1)
	}
	if !r.Convex {
		r.GivesUp = l.inflection()
	}
	return r
}

// inflection is the only margin at which the curvature changes its sign: at smaller margins the gradient
// decreases.
func (l BiTempered) inflection() float64 {
	bent := func(z float64) bool { c, _ := l.Curve(z); return c < 0 }
	lo, hi := -1.0, 1.0
	for !bent(lo) && lo > -1e12 {
		lo *= 2
	}
	for bent(hi) && hi < 1e12 {
		hi *= 2
	}
	for range 200 {
		if mid := (lo + hi) / 2; bent(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// BiTemperedClasses is the bi-tempered loss of k classes,
// −log_t1 p_y + (Σ p_j^(2−t1) − 1)/(2−t1).
type BiTemperedClasses struct {
	T1, T2 float64
	K      int
}

func (l BiTemperedClasses) Outputs() int { return l.K }

func (l BiTemperedClasses) Value(y int, f []float64) float64 {
	p := make([]float64, l.K)
	tempered.LogProbs(p, l.T2, f)
	return l.value(y, p)
}

// value computes the loss from the logarithms of the probabilities.
func (l BiTemperedClasses) value(y int, logp []float64) float64 {
	v := bregman(l.T1, logp[y])
	for j, u := range logp {
		if j != y {
			v += math.Exp((2-l.T1)*u) / (2 - l.T1)
		}
	}
	return v
}

// Grad fills dst with Σ_j (p_j − e_j)·p_j^(t2−t1)·(δ_ij − q_i), where q is the escort distribution.
func (l BiTemperedClasses) Grad(dst []float64, y int, f []float64) float64 {
	tempered.LogProbs(dst, l.T2, f)
	v := l.value(y, dst)
	q, pull, sum := make([]float64, l.K), make([]float64, l.K), 0.0
	copy(q, dst)
	escort(q, l.T2)
	// p_y − 1 is computed as minus the sum of the other probabilities: 1 − p_y would cancel near 1.
	others := 0.0
	for j, u := range dst {
		if j != y {
			others += math.Exp(u)
			pull[j] = math.Exp((l.T2 - l.T1 + 1) * u)
		}
	}
	pull[y] = -others * power(dst[y], l.T2-l.T1)
	for _, w := range pull {
		sum += w
	}
	for i := range dst {
		dst[i] = pull[i] - q[i]*sum
	}
	return v
}

func (l BiTemperedClasses) Probabilities(dst, f []float64) {
	TemperedClasses(l).Probabilities(dst, f)
}

func (l BiTemperedClasses) ClassProbabilities(dst, f []float64) bool {
	l.Probabilities(dst, f)
	return true
}

// Convex is true only for t1 = t2, as with two classes.
func (l BiTemperedClasses) Convex() bool { return l.T1 == l.T2 }

// Softened interpolates both temperatures linearly.
func (l BiTemperedClasses) Softened(share float64) Potential {
	return BiTemperedClasses{T1: 1 + share*(l.T1-1), T2: 1 + share*(l.T2-1), K: l.K}
}

func (l BiTemperedClasses) Decide(f []float64) int { return Argmax(f) }

var (
	biTempered = Family{
		ID: "bi-tempered", Title: "Bi-tempered", Kind: KindMargin, Explored: true,
		Source:  "Amid, Warmuth, Anil and Koren 2019, equation (5)",
		Formula: `-\log_{t_1}p+\tfrac{p^{2-t_1}+(1-p)^{2-t_1}-1}{2-t_1},\quad p=\exp_{t_2}\bigl(\tfrac z2-G_{t_2}(z)\bigr)`,
		Use: "Two temperatures like the two-temperature loss, and proper: the model’s own probability needs no " +
			"correction.",
		Params: []Param{
			biTemperature("t1", "t₁", lossBound, 0, 1, .8, "below 1 the loss is bounded by 1/(1 − t₁)"),
			biTemperature("t2", "t₂", tailHeaviness, 1, 2, 1.4, "above 1 the tails are heavy"),
		},
		Cases: []Case{
			{"the paper’s", "t1=0.8&t2=1.4"}, {"logistic", "t1=1&t2=1"}, {"heavy tails alone", "t1=1&t2=1.6"},
			{"bounded alone", "t1=0.5&t2=1"}, {"strong", "t1=0.2&t2=2"}, {"squared error", "t1=0&t2=1"},
			{"corner", "t1=0&t2=2"}, {"next to 1", "t1=0.999999999&t2=1.000000001"},
		},
		Link: func(v Values) Link {
			if v.Number("t2") == 1 {
				return scaled(1)
			}
			return Link{ID: LinkTempered, Formula: "P = p, the model’s own probability at temperature t₂"}
		},
		Margin: func(v Values) Margin { return BiTempered{v.Number("t1"), v.Number("t2")} },
		Soften: func(v Values) func(float64) Margin {
			l := BiTempered{v.Number("t1"), v.Number("t2")}
			if l.T1 == l.T2 {
				return nil
			}
			return func(share float64) Margin { return BiTempered{1 + share*(l.T1-1), 1 + share*(l.T2-1)} }
		},
	}
	biTemperedMulticlass = Family{
		ID: "bi-tempered-multiclass", Title: "Bi-tempered, multiclass", Kind: KindPotential,
		Source:  "Amid, Warmuth, Anil and Koren 2019, equation (5)",
		Formula: `-\log_{t_1}p_y+\tfrac{\sum_jp_j^{2-t_1}-1}{2-t_1},\quad p_j=\exp_{t_2}\bigl(f_j-G_{t_2}(f)\bigr)`,
		Use:     "Multiclass data with mislabelled rows or outliers; the model’s own probabilities are calibrated.",
		Params:  biTempered.Params,
		Cases:   biTempered.Cases,
		Link: func(Values) Link {
			return Link{ID: LinkTempered, Formula: "Pₖ = pₖ, the model’s own probabilities at temperature t₂"}
		},
		Potential: func(v Values, k int) Potential {
			return BiTemperedClasses{v.Number("t1"), v.Number("t2"), k}
		},
	}
)

func biTemperature(name, symbol, label string, lo, hi, standard float64, about string) Param {
	return Param{Name: name, Symbol: symbol, Label: label, Type: Number, Min: lo, Max: hi,
		SliderMin: lo, SliderMax: min(hi, 1.99),
		Step: .01, Default: Value{Number: standard}, Description: about}
}
