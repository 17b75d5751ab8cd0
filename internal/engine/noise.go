package engine

// noisy reports whether a position is noisy where it trains.
func (p *Prepared) noisy(at int) bool { return p.noise != nil && p.noise.rows[at] }

// labelOf is the class with which a position trains: a noisy one goes to
// another class, each as likely, the same whatever the rate.
func (p *Prepared) labelOf(at int) int {
	own := p.cohort.label[at]
	if !p.noisy(at) || p.noise.noise.Replaces() {
		return own
	}
	return OtherClass(own, p.cohort.classes(), p.noise.donor[at])
}

// OtherClass is the class that a flip makes of own: each of the others as likely
// for u uniform in [0, 1).
func OtherClass(own, classes int, u float64) int {
	other := int(u * float64(classes-1))
	if other >= own {
		other++
	}
	return other
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
	rows = pick(p.cohort.rows, at)
	if p.noise == nil || !p.noise.noise.Replaces() {
		return rows, false
	}
	of := make([][]int, p.cohort.classes()) // rows of the other classes
	for i, k := range at {
		for c := range of {
			if c != p.cohort.label[k] {
				of[c] = append(of[c], rows[i])
			}
		}
	}
	other := make([]int, len(rows))
	copy(other, rows)
	for i, k := range at {
		if from := of[p.cohort.label[k]]; p.noise.rows[k] && len(from) > 0 {
			other[i] = from[int(p.noise.donor[k]*float64(len(from)))]
			replaced = true
		}
	}
	return other, replaced
}
