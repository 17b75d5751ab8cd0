package linear

import (
	"math"

	"taper/internal/engine/pages"
	"taper/internal/engine/usererr"
)

// sample is a validated two-class training set.
type sample struct {
	x    Matrix
	side []uint8   // class of each row: 1 for y = +1, 0 for y = −1
	v    []float64 // weight of each row; they sum to 1
	mass [2]float64
}

// newSample panics on wrong shapes and returns a user error for invalid values.
func newSample(x Matrix, y, weights []float64) (sample, error) {
	if len(x.Data) != x.Rows*x.Cols || len(y) != x.Rows || weights != nil && len(weights) != x.Rows {
		panic("linear: shape mismatch")
	}
	if x.Cols == 0 {
		return sample{}, usererr.New(usererr.Invalid, "The design has no column. Choose at least one feature that varies.")
	}
	s := sample{x: x, side: pages.Make[uint8](x.Rows), v: pages.Make[float64](x.Rows)}
	for i, label := range y {
		if label != 1 && label != -1 {
			return s, usererr.New(usererr.Invalid, "Row %d has the label %v; labels are +1 and −1.", i+1, label)
		}
		s.side[i] = uint8(1 - math.Float64bits(label)>>63) // without a branch, which guesses wrong half of the time
	}
	if err := s.share(weights); err != nil {
		return s, err
	}
	neg, pos := 0.0, 0.0
	for i, v := range s.v {
		of := float64(s.side[i]) // a 0 leaves a sum as it is
		pos += float64(v * of)
		neg += float64(v * (1 - of))
	}
	s.mass = [2]float64{neg, pos}
	return s, s.check()
}

// share stores each row's share of the total weight.
func (s *sample) share(weights []float64) error {
	if weights == nil {
		even := 1 / float64(len(s.v))
		for i := range s.v {
			s.v[i] = even
		}
		return nil
	}
	total := 0.0
	for i, v := range weights {
		if !(v >= 0) || math.IsInf(v, 1) {
			return usererr.New(usererr.Invalid, "Row %d has the weight %v; weights are finite and not negative.", i+1, v)
		}
		total += v
	}
	if math.IsInf(total, 1) {
		return usererr.New(usererr.Invalid,
			"The weights of the rows add up to more than a number can hold. Divide them all "+
				"by the largest.")
	}
	for i, v := range weights {
		s.v[i] = v / total
	}
	return nil
}

// check returns an error if no score can be fitted.
func (s sample) check() error {
	rows := 0
	for _, v := range s.v {
		if v > 0 {
			rows++
		}
	}
	if rows == 0 {
		return usererr.New(usererr.Invalid, "No row is left to train on. Keep rows of both outcomes in the training set.")
	}
	for c, outcome := range [2]string{"with", "without"} {
		if !(s.mass[c] > 0) {
			return usererr.New(usererr.Invalid, "All %d training rows are %s the event, so there is nothing to separate. "+
				"Keep rows "+
				"of both outcomes in the training set.", rows, outcome)
		}
	}
	return nil
}

// largestCell is the largest absolute value whose products stay finite.
const largestCell = 1e100

// finite returns an error about the first cell that is NaN or too large.
func finite(x Matrix) error {
	for i, v := range x.Data {
		if !(v >= -largestCell && v <= largestCell) {
			return usererr.New(usererr.Invalid, "Row %d, column %d of the design holds %v; every value must be a finite "+
				"number of "+
				"at most %.0e.", i/x.Cols+1, i%x.Cols+1, v, largestCell)
		}
	}
	return nil
}

// finite is the same on all cores.
func (r *rows) finite() error {
	bad := make([]error, r.count)
	find := func(k int) {
		lo, hi := r.span(k)
		part := Matrix{Rows: hi - lo, Cols: r.x.Cols, Data: r.x.Data[lo*r.x.Cols : hi*r.x.Cols]}
		bad[k] = finite(part)
	}
	r.team.run(r.count, &find)
	for _, err := range bad {
		if err != nil {
			return finite(r.x) // with the row of the whole matrix
		}
	}
	return nil
}

// checkL2 requires λ > 0: without a penalty the loss has no minimum on separable data.
func checkL2(l2 float64) error {
	if !(l2 > 0) || math.IsInf(l2, 1) {
		return usererr.BadField("lambda", "must be a positive number (got %v); the penalty keeps the weights finite", l2)
	}
	return nil
}

// Shares validates a two-class training set like every fit of this package and returns each row's share
// of the total weight. y is ±1; nil weights mean 1.
func Shares(x Matrix, y, weights []float64) ([]float64, error) {
	set, err := newSample(x, y, weights)
	if err != nil {
		return nil, err
	}
	return set.v, finite(x)
}
