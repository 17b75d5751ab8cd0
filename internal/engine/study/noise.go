package study

import (
	"context"
	"fmt"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/synth"
)

// cleanL2 is the λ of the logistic regression of the clean rows whose margins
// the noise by margin goes by: just enough to bound it on separable data.
const cleanL2 = 1e-4

// Spoil returns the rows with noise. The order in which rows are spoilt depends
// on seed and replicate alone, so that a rate spoils what every smaller one
// does. Of more than two classes a flipped row gets any other class, and a
// replaced one the features of a row of any other.
func Spoil(ctx context.Context, n synth.Noise, r Rows, seed uint64, replicate int) (Rows, error) {
	if n.Kind == synth.NoiseNone {
		return r, nil
	}
	rng := Random(seed, "noise", replicate)
	order, donor, event, most := make([]float64, len(r.Y)), make([]float64, len(r.Y)), make([]bool, len(r.Y)), 1
	for i, y := range r.Y {
		order[i], donor[i] = rng.Float64(), rng.Float64()
		event[i], most = y == 1, max(most, y)
	}
	var margin []float64
	if n.ByMargin() {
		var err error
		if margin, err = fit.CleanMargins(ctx, r.Data(), cleanL2); err != nil {
			return r, fmt.Errorf("fit clean rows: %w", err)
		}
	}
	hit := n.Rows(order, event, margin)
	if n.Replaces() {
		return replaced(r, hit, donor), nil
	}
	y := make([]int, len(r.Y))
	for i, c := range r.Y {
		if y[i] = c; hit[i] {
			y[i] = (c + 1 + int(donor[i]*float64(most))) % (most + 1)
		}
	}
	return Rows{X: r.X, Y: y}, nil
}

// replaced gives the hit rows the features of a row of another class.
func replaced(r Rows, hit []bool, donor []float64) Rows {
	d := r.X.Cols
	x := linear.Matrix{Rows: r.X.Rows, Cols: d, Data: append([]float64(nil), r.X.Data...)}
	others := map[int][]int{}
	for i, y := range r.Y {
		if !hit[i] {
			continue
		}
		if _, ok := others[y]; !ok {
			others[y] = nil
			for k, o := range r.Y {
				if o != y {
					others[y] = append(others[y], k)
				}
			}
		}
		if from := others[y]; len(from) > 0 {
			copy(x.Row(i), r.X.Row(from[int(donor[i]*float64(len(from)))]))
		}
	}
	return Rows{X: x, Y: r.Y}
}
