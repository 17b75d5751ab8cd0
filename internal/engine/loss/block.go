package loss

// BlockFunc fills values and slopes for the margins z of rows of the classes
// s = ±1. It allocates nothing, keeps nothing, and may run in several
// goroutines at once; a margin's result does not depend on its neighbours.
// Losses that do not differ between the classes ignore s, which may be nil.
type BlockFunc func(values, slopes, s, z []float64)

// Block returns the block form of a loss: its own, or one that calls it margin
// by margin. Own forms may prepare a table: ask once for a fit, not once for a
// block. They agree with the scalar forms to 1e-13 relative.
func Block(l Margin) BlockFunc {
	if b, ok := l.(Blocker); ok {
		return b.Block()
	}
	return func(values, slopes, s, z []float64) {
		class := 1.0
		for i, u := range z {
			if s != nil {
				class = s[i]
			}
			values[i], slopes[i] = l.Value(class, u), l.Slope(class, u)
		}
	}
}
