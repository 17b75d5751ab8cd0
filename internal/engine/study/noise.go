package study

import (
	"context"
	"fmt"

	"taper/internal/engine/fit"
	"taper/internal/engine/synth"
)

// cleanL2 is the λ of the logistic regression on clean rows whose margins define margin-dependent noise:
// just enough to keep it finite on separable data.
const cleanL2 = 1e-4

// Corrupt returns the rows with noise. The order in which rows are corrupted depends only on seed and
// replicate, so the rows corrupted at one rate are among those corrupted at any larger rate. With more
// than two classes a flipped row gets any other class, and a row with replaced features those of a row of
// any other class.
func Corrupt(ctx context.Context, n synth.Noise, r Rows, seed uint64, replicate int) (Rows, error) {
	s, err := corrupt(ctx, n, r, seed, replicate)
	if err != nil {
		return r, err
	}
	return s.of(r), nil
}

// corrupted describes the noise of each row: its class, and the row from which its features come; nil
// means unchanged.
type corrupted struct{ class, features []int }

// of applies the noise to rows.
func (c corrupted) of(r Rows) Rows {
	if c.class != nil {
		r.Y = c.class
	}
	if c.features != nil {
		r.X = r.Pick(c.features).X
	}
	return r
}

// corrupt draws the noise of rows.
func corrupt(ctx context.Context, n synth.Noise, r Rows, seed uint64, replicate int) (c corrupted, err error) {
	if n.Kind == synth.NoiseNone {
		return c, nil
	}
	rng := Random(seed, "noise", replicate)
	order, donor, event, most := make([]float64, len(r.Y)), make([]float64, len(r.Y)), make([]bool, len(r.Y)), 1
	for i, y := range r.Y {
		order[i], donor[i] = rng.Float64(), rng.Float64()
		event[i], most = y == 1, max(most, y)
	}
	var margin []float64
	if n.ByMargin() {
		if margin, err = fit.CleanMargins(ctx, r.Data(), cleanL2); err != nil {
			return c, fmt.Errorf("fit clean rows: %w", err)
		}
	}
	hit := n.Rows(order, event, margin)
	if n.Replaces() {
		c.features = donors(r.Y, hit, donor)
		return c, nil
	}
	c.class = make([]int, len(r.Y))
	for i, y := range r.Y {
		if c.class[i] = y; hit[i] {
			c.class[i] = (y + 1 + int(donor[i]*float64(most))) % (most + 1)
		}
	}
	return c, nil
}

// donors returns for each row the row from which its features come: for a corrupted one, a row of another
// class.
func donors(class []int, hit []bool, donor []float64) []int {
	from := make([]int, len(class))
	others := map[int][]int{}
	for i, y := range class {
		if from[i] = i; !hit[i] {
			continue
		}
		if _, ok := others[y]; !ok {
			others[y] = nil
			for k, o := range class {
				if o != y {
					others[y] = append(others[y], k)
				}
			}
		}
		if all := others[y]; len(all) > 0 {
			from[i] = all[int(donor[i]*float64(len(all)))]
		}
	}
	return from
}
