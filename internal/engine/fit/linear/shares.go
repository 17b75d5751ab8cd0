package linear

// Shares checks a two-class training set as every fit here does and returns
// each row's share of the total weight. y is ±1; nil weights are 1.
func Shares(x Matrix, y, weights []float64) ([]float64, error) {
	set, err := newSample(x, y, weights)
	if err != nil {
		return nil, err
	}
	return set.v, finite(x)
}
