package stat

import "math"

// Reclassification says in which band a second model places the rows of each band of a first one, separately
// for events and non-events. With three or more bands there is no overall NRI: it would give a move over any
// boundary the same weight (Kerr et al. 2014).
type Reclassification struct {
	Events BandChanges              `json:"events"`
	Others BandChanges              `json:"others"`
	Cells  [][]ReclassificationCell `json:"cells"` // [band of the first][band of the second]
	NRI    *Estimate                `json:"nri"`   // two bands only: net up of events minus net up of non-events
	Bands  int                      `json:"bands"`
}

// BandChanges counts the events, or the non-events, by their two bands.
type BandChanges struct {
	N      int      `json:"n"`
	Counts [][]int  `json:"counts"` // [band of the first][band of the second]
	Up     Estimate `json:"up"`     // share that moves to a higher band; Wilson
	Down   Estimate `json:"down"`
	Same   Estimate `json:"same"`
	Net    Estimate `json:"net_up"` // up − down; normal, Newcombe’s where all rows do the same
}

// ReclassificationCell describes the rows of one pair of bands.
type ReclassificationCell struct {
	N        int      `json:"n"`
	Events   int      `json:"events"`
	Observed Estimate `json:"observed"` // Wilson
}

// Reclassify compares the bands 0…bands−1 in which two models place the same rows.
func Reclassify(first, second []int, event []bool, bands int) Reclassification {
	sameLength(len(first), len(event))
	sameLength(len(second), len(event))
	r := Reclassification{Events: newBandChanges(bands), Others: newBandChanges(bands), Bands: bands}
	for i, e := range event {
		m := &r.Others
		if e {
			m = &r.Events
		}
		m.N++
		m.Counts[first[i]][second[i]]++
	}
	r.Events.settle()
	r.Others.settle()
	for j := range bands {
		row := make([]ReclassificationCell, bands)
		for k := range row {
			e := r.Events.Counts[j][k]
			n := e + r.Others.Counts[j][k]
			row[k] = ReclassificationCell{n, e, Proportion(e, n)}
		}
		r.Cells = append(r.Cells, row)
	}
	if e, o := r.Events.Net, r.Others.Net; bands == 2 && e.Value != nil && o.Value != nil {
		nri := difference(e, o).within(-2, 2)
		r.NRI = &nri
	}
	for _, m := range []*BandChanges{&r.Events, &r.Others} { // of few rows the normal interval goes beyond all shares
		m.Net = m.Net.within(-1, 1)
	}
	return r
}

// Untested returns the counts and shares without the intervals of those that move, which compare the models. The
// observed rates are of rows, and keep theirs.
func (r Reclassification) Untested() Reclassification {
	for _, m := range []*BandChanges{&r.Events, &r.Others} {
		m.Up, m.Down, m.Same, m.Net = m.Up.alone(), m.Down.alone(), m.Same.alone(), m.Net.alone()
	}
	if r.NRI != nil {
		nri := r.NRI.alone()
		r.NRI = &nri
	}
	return r
}

// newBandChanges returns empty tables.
func newBandChanges(bands int) (m BandChanges) {
	for range bands {
		m.Counts = append(m.Counts, make([]int, bands))
	}
	return m
}

// settle computes the shares from the counts. The standard error of the net share is √((u + d −
// (u−d)²)/n): a row counts 1, 0 or −1. Where all rows count the same it is 0, though other
// rows may count otherwise.
func (m *BandChanges) settle() {
	up, down := 0, 0
	for j, row := range m.Counts {
		for k, n := range row {
			switch {
			case k > j:
				up += n
			case k < j:
				down += n
			}
		}
	}
	m.Up, m.Down, m.Same = Proportion(up, m.N), Proportion(down, m.N), Proportion(m.N-up-down, m.N)
	if m.Alike() {
		m.Net = ProportionDifference(up, m.N, down, m.N)
		return
	}
	n := float64(m.N)
	net := float64(up-down) / n
	m.Net = normal(net, math.Sqrt(max(0, float64(up+down)/n-net*net)/n))
}

// NetInterval names the interval of Net.
func (m BandChanges) NetInterval() string {
	if m.Alike() {
		return "Newcombe"
	}
	return MeanInterval
}

// Alike reports whether all rows move up, all move down or all stay.
func (m BandChanges) Alike() bool {
	for _, share := range []Estimate{m.Up, m.Down, m.Same} {
		if share.Value != nil && *share.Value == 1 {
			return true
		}
	}
	return false
}
