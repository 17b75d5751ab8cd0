package loss

import (
	"math"

	"taper/internal/engine/odds"
	"taper/internal/engine/usererr"
)

// Interval holds the constants of the piecewise linear surrogate made of tangents of the logistic loss
// (Kimes et al. 2016, Proposition 1; docs/math.md, Interval classification). K boundaries define K+1
// bands, numbered 0…K from low to high risk.
type Interval struct {
	Pi    []float64 // K boundaries, ascending, inside (0, 1)
	Delta []float64 // K canonical cut-offs in score space: logit π_k
	A     []float64 // K intercepts, equal for both classes: the entropy H(π_k)
	Hinge []float64 // K+1 kinks in score space, ascending: h_0 … h_K
}

// MaxBoundaries is the largest K accepted.
const MaxBoundaries = 99

// NewInterval returns the constants for sorted boundaries, or a user error.
func NewInterval(pi []float64) (Interval, error) {
	if err := CheckBoundaries("boundaries", pi); err != nil {
		return Interval{}, err
	}
	k := len(pi)
	iv := Interval{
		Pi:    append([]float64(nil), pi...),
		Delta: make([]float64, k), A: make([]float64, k), Hinge: make([]float64, k+1),
	}
	for j, p := range pi {
		iv.Delta[j] = odds.Logit(p)
		iv.A[j] = -p*math.Log(p) - (1-p)*math.Log1p(-p)
	}
	iv.Hinge[0] = -iv.A[0] / pi[0]
	for j := 1; j < k; j++ {
		iv.Hinge[j] = iv.Delta[j] + chord(pi[j-1], pi[j])
	}
	iv.Hinge[k] = iv.A[k-1] / (1 - pi[k-1])
	return iv, nil
}

// chord returns (H(a)−H(b))/(b−a) − logit b. Written as a mean of two log1p terms it stays between the
// cut-offs when a and b nearly coincide, where the difference of the entropies cancels.
func chord(a, b float64) float64 {
	d := b - a
	return (a*math.Log1p(d/a) + (1-a)*math.Log1p(-d/(1-a))) / d
}

// CheckBoundaries returns an error about the first invalid boundary, named as an entry of field.
func CheckBoundaries(field string, pi []float64) error {
	if len(pi) == 0 || len(pi) > MaxBoundaries {
		return usererr.BadField(field, "must hold 1 to %d probabilities (got %d)", MaxBoundaries, len(pi))
	}
	for j, p := range pi {
		name := indexed(field, j)
		if !(p > 0 && p < 1) {
			return usererr.BadField(name, "must lie strictly between 0 and 1 (got %v)", p)
		}
		if j > 0 && p <= pi[j-1] {
			return usererr.BadField(name, "must be greater than %s (%v)", indexed(field, j-1), pi[j-1])
		}
	}
	return nil
}

// Band returns the band 0…K of a score: the number of cut-offs below it.
func (iv Interval) Band(f float64) int {
	j := 0
	for j < len(iv.Delta) && iv.Delta[j] < f {
		j++
	}
	return j
}

// BandOf returns the band 0…K of a probability, (π_j, π_{j+1}].
func (iv Interval) BandOf(p float64) int {
	j := 0
	for j < len(iv.Pi) && iv.Pi[j] < p {
		j++
	}
	return j
}

// Value returns φ^s(z) for the class s = ±1 at its margin z = s·f.
func (iv Interval) Value(s, z float64) float64 {
	v := 0.0
	for k, a := range iv.A {
		v = math.Max(v, a-iv.slope(s, k)*z)
	}
	return v
}

// Slope returns a subgradient of φ^s at z; at a kink, the flatter one.
func (iv Interval) Slope(s, z float64) float64 {
	v, g := 0.0, 0.0
	for k, a := range iv.A {
		b := iv.slope(s, k)
		if u := a - b*z; u > v || u == v && b < -g {
			v, g = u, -b
		}
	}
	return g
}

// slope returns −B_k, the slope of segment k of the class.
func (iv Interval) slope(s float64, k int) float64 {
	if s > 0 {
		return 1 - iv.Pi[k]
	}
	return iv.Pi[k]
}

// Theory returns the theoretical loss ℓ_π of predicting band j for the class
// s = ±1 (docs/math.md, Interval classification); its range is [0, 2).
func (iv Interval) Theory(s float64, j int) float64 {
	sum := 0.0
	for k, p := range iv.Pi {
		if s > 0 && k >= j {
			sum += 1 - p
		}
		if s < 0 && k < j {
			sum += p
		}
	}
	return 2 * sum / float64(len(iv.Pi))
}
