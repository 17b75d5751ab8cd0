package loss

// OrdinalPotentials fills f with the potentials of a score and thresholds,
// f_c = (c+1)·s + Σ_{l≥c} η_l: c and c+1 tie at s = η_c (docs/math.md §7.6).
func OrdinalPotentials(f []float64, score float64, eta []float64) {
	sum := 0.0
	for c := len(f) - 1; c >= 0; c-- {
		if c < len(eta) {
			sum += eta[c]
		}
		f[c] = float64(c+1)*score + sum
	}
}

// OrdinalBack takes a gradient with respect to those potentials back to the
// thresholds, into dst, and to the score.
func OrdinalBack(dst, grad []float64) (score float64) {
	sum := 0.0
	for c, g := range grad {
		score += g * float64(c+1)
		sum += g
		if c < len(dst) {
			dst[c] = sum
		}
	}
	return score
}
