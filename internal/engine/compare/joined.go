package compare

import "context"

// joined holds the runs, their test rows, and each run's pairing with the baseline.
type joined struct {
	runs    []Run
	base    int
	samples []sample
	pairs   []pair // empty for the baseline itself
}

func newJoined(runs []Run, base int) *joined {
	b := &joined{runs: runs, base: base, samples: make([]sample, len(runs)), pairs: make([]pair, len(runs))}
	for i, r := range runs {
		b.samples[i] = evaluationSample(r)
	}
	for i := range runs {
		if i != base {
			b.pairs[i] = b.join(i)
		}
	}
	return b
}

// measure computes the paired differences; each pair uses all cores. Runs evaluated on their training rows have none.
func (b *joined) measure(ctx context.Context) error {
	for i := range b.pairs {
		if BothOnTraining(b.baseline(), b.runs[i]) {
			continue
		}
		if err := b.pairs[i].measure(ctx, b.baseline().Spec.Seed); err != nil {
			return err
		}
	}
	return nil
}

// BothOnTraining reports whether two runs were evaluated on the rows that their models were trained on. An interval
// over these rows would take for a better model what is a closer fit.
func BothOnTraining(x, y Run) bool {
	on := func(r Run) bool { return r.Result != nil && !r.Result.RanksModels() }
	return on(x) && on(y)
}

// others calls f for every run except the baseline.
func (b *joined) others(f func(i int, r Run)) {
	for i, r := range b.runs {
		if i != b.base {
			f(i, r)
		}
	}
}

func (b *joined) baseline() Run { return b.runs[b.base] }

// join pairs run i with the baseline.
func (b *joined) join(i int) pair {
	x, y := b.baseline(), b.runs[i]
	switch {
	case x.SHA256 != y.SHA256:
		return pair{reason: otherData}
	case twoClasses(x) != twoClasses(y):
		return pair{reason: otherTask}
	case !sameEvent(x, y):
		return pair{reason: otherEvent}
	}
	return match(b.samples[b.base], b.samples[i])
}
