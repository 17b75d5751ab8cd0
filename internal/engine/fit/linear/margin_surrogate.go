package linear

import (
	"taper/internal/engine/loss"
	"taper/internal/engine/vector"
)

// surrogate evaluates a margin loss on slices of rows. Each block of rows has its own memory, so blocks
// can be evaluated concurrently. Surrogates of the same rows share that memory, since only one pass runs
// at a time.
type surrogate struct {
	eval   loss.BlockFunc
	convex bool
	memory []float64 // four slices per block of rows: classes, margins, values, slopes
}

func newSurrogate(l loss.Margin, r *rows) *surrogate {
	return (&surrogate{eval: loss.Block(l), convex: isConvex(l)}).over(r)
}

// over returns the same loss for other rows.
func (u *surrogate) over(r *rows) *surrogate {
	if r.memory == nil {
		r.memory = make([]float64, 4*slice*r.count)
	}
	return &surrogate{u.eval, u.convex, r.memory}
}

// slopes replaces the scores f of the rows from lo on, in block k, by the weighted derivatives of their
// losses. It returns the weighted sum of the losses, and asks the memory for what comes next.
func (u *surrogate) slopes(f []float64, set sample, lo, k int, next []float64, total *tally) (value float64) {
	values := u.values(f, set, lo, k, next)
	s, z, slopes, weights := u.part(0, k, len(f)), u.part(1, k, len(f)), u.part(3, k, len(f)), set.v[lo:][:len(f)]
	margin, slope := total.margin, total.slope
	for i, v := range weights {
		if v == 0 {
			f[i] = 0
			continue
		}
		value += v * values[i]
		f[i] = v * s[i] * slopes[i]
		slope += f[i]
		if z[i] < margin {
			margin = z[i]
		}
	}
	total.margin, total.slope = margin, slope
	return value
}

// few is the number of rows evaluated between two requests to the memory, of which a processor keeps only some.
const few = 16

// values returns the losses at the scores f of the rows from lo on, in block k, and asks the memory for what comes
// next.
func (u *surrogate) values(f []float64, set sample, lo, k int, next []float64) []float64 {
	s, z, values := u.part(0, k, len(f)), u.part(1, k, len(f)), u.part(2, k, len(f))
	for i, score := range f {
		s[i] = float64(2*int(set.side[lo+i]) - 1)
		z[i] = s[i] * score
	}
	slopes := u.part(3, k, len(f))
	for at := 0; at < len(f); at += few {
		end := min(at+few, len(f))
		u.eval(values[at:end], slopes[at:end], s[at:end], z[at:end])
		vector.Ask(next[at*len(next)/len(f) : end*len(next)/len(f)])
	}
	return values
}

// part is slice j of block k's memory.
func (u *surrogate) part(j, k, n int) []float64 { return u.memory[(4*k+j)*slice:][:n] }

// Ready returns the loss with its block form prepared for many fits: for some losses it is a table that
// takes longer to build than a small fit. Losses with a solver of their own do not use block forms and
// are returned unchanged.
func Ready(l loss.Margin) loss.Margin {
	if _, ok := l.(loss.Blocker); !ok {
		return l
	}
	if _, ok := l.(loss.Interval); ok {
		return l
	}
	return readied{l, loss.Block(l)}
}

// readied is a loss with a prepared block form.
type readied struct {
	loss.Margin
	block loss.BlockFunc
}

func (r readied) Block() loss.BlockFunc { return r.block }

func (r readied) Regime() loss.Regime {
	if known, ok := r.Margin.(loss.Regimer); ok {
		return known.Regime()
	}
	return loss.Regime{}
}

// isConvex reports whether the regime of a loss is convex.
func isConvex(l loss.Margin) bool {
	r, ok := l.(loss.Regimer)
	return ok && r.Regime().Convex
}
