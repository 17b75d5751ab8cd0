package stat

import "slices"

// Bin counts predictions in (Lower, Upper]; the first bin includes 0.
type Bin struct {
	Lower  float64 `json:"lower"`
	Upper  float64 `json:"upper"`
	Events int     `json:"events"`
	Others int     `json:"others"`
}

// histogram counts p in equal bins over [0, 1]. Values outside are not counted.
func histogram(p []float64, event []bool, bins int) []Bin {
	sameLength(len(p), len(event))
	h := make([]Bin, bins)
	for k := range h {
		h[k].Lower, h[k].Upper = float64(k)/float64(bins), float64(k+1)/float64(bins)
	}
	for i, q := range p {
		if !(q >= 0 && q <= 1) {
			continue
		}
		k, _ := slices.BinarySearchFunc(h, q, func(b Bin, q float64) int {
			if b.Upper < q {
				return -1
			}
			return 1
		})
		if event[i] {
			h[k].Events++
		} else {
			h[k].Others++
		}
	}
	return h
}

// BinAt returns which of equal bins a place is in, measured in bins from the start of the first one. Places outside are
// in the first or the last bin, also where they are too large for an int.
func BinAt(place float64, bins int) int {
	switch {
	case !(place > 0):
		return 0
	case place >= float64(bins):
		return bins - 1
	}
	return int(place)
}
