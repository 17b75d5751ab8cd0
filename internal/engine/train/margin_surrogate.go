package train

import (
	"math"

	"taper/internal/engine/loss"
)

// surrogate is a loss of the margin, evaluated on a slice of rows at a time.
// Each block of rows has memory of its own, so blocks may run side by side.
type surrogate struct {
	eval   loss.BlockFunc
	memory []float64 // four slices a block of rows: classes, margins, values, slopes
}

func newSurrogate(eval loss.BlockFunc, r *rows) *surrogate {
	return &surrogate{eval, make([]float64, 4*slice*r.count)}
}

// slopes turns the scores f of the rows from lo on, in block k, into the
// weighted derivatives of their losses, and returns the weighted sum of the
// losses and the smallest margin.
func (u *surrogate) slopes(f []float64, set sample, lo, k int) (value, margin float64) {
	at := func(part int) []float64 { return u.memory[(4*k+part)*slice:][:len(f)] }
	s, z, values, slopes := at(0), at(1), at(2), at(3)
	for i, score := range f {
		s[i] = float64(2*int(set.side[lo+i]) - 1)
		z[i] = s[i] * score
	}
	u.eval(values, slopes, s, z)
	margin = math.Inf(1)
	for i := range f {
		v := set.v[lo+i]
		if v == 0 {
			f[i] = 0
			continue
		}
		value += v * values[i]
		f[i] = v * s[i] * slopes[i]
		margin = min(margin, z[i])
	}
	return value, margin
}
