package playground

// Steps is the number of steps that the scrubber walks through: those of a
// logistic start count too.
func (f *Fit) Steps() int {
	n := f.Iterations()
	for _, frame := range f.Frames {
		if frame.step != nil {
			n = max(n, frame.step.Iteration)
		}
	}
	return n
}
