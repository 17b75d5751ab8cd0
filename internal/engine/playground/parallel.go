package playground

import "taper/internal/engine/parallel"

// spans runs do on even parts of 0 … n−1, one per core, and waits.
func spans(n int, do func(lo, hi int)) {
	parts := max(1, min(parallel.Cores(), n/64))
	parallel.Each(parts, 0, func(_, p int) { do(p*n/parts, (p+1)*n/parts) })
}
