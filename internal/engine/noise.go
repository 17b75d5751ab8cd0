package engine

import (
	"taper/internal/engine/resample"
	"taper/internal/engine/synth"
)

// noisy reports whether a position is noisy where it trains.
func (p *Prepared) noisy(at int) bool { return p.noise != nil && p.noise.rows[at] }

// labelOf is the class with which a position trains: a noisy one goes to
// another class, each as likely, the same whatever the rate.
func (p *Prepared) labelOf(at int) int {
	own := p.cohort.Label[at]
	if !p.noisy(at) || p.noise.noise.Replaces() {
		return own
	}
	return synth.OtherClass(own, p.cohort.Classes(), p.noise.donor[at])
}

// labelsOf are the classes with which the positions train.
func (p *Prepared) labelsOf(at []int) []int {
	y := make([]int, len(at))
	for i, k := range at {
		y[i] = p.labelOf(k)
	}
	return y
}

// features returns the table rows whose features the positions have while they
// train; replaced is false where they are their own. A donor is drawn from the
// other class within the same training rows, so that no judged row trains.
func (p *Prepared) features(at []int) (rows []int, replaced bool) {
	rows = resample.Pick(p.cohort.Rows, at)
	if p.noise == nil || !p.noise.noise.Replaces() {
		return rows, false
	}
	of := make([][]int, p.cohort.Classes()) // rows of the other classes
	for i, k := range at {
		for c := range of {
			if c != p.cohort.Label[k] {
				of[c] = append(of[c], rows[i])
			}
		}
	}
	other := make([]int, len(rows))
	copy(other, rows)
	for i, k := range at {
		if from := of[p.cohort.Label[k]]; p.noise.rows[k] && len(from) > 0 {
			other[i] = from[int(p.noise.donor[k]*float64(len(from)))]
			replaced = true
		}
	}
	return other, replaced
}
