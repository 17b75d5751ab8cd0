package engine

import (
	"slices"

	"taper/internal/engine/stat"
)

// Stability is how often refits put a row into another band than the final
// model does.
type Stability struct {
	Limit    float64       `json:"limit"`    // share of refits above which a row is listed
	Mean     *float64      `json:"mean"`     // share of (row, refit) in another band
	Unstable int           `json:"unstable"` // rows above the limit
	Rows     int           `json:"rows"`     // trained on
	Bands    []BandStable  `json:"bands"`
	Listed   []UnstableRow `json:"listed"` // the least stable first, at most MostListed
}

// BandStable is the stability of the rows of one band.
type BandStable struct {
	N        int      `json:"n"`
	Changed  *float64 `json:"changed"`  // mean share of refits in another band
	Unstable int      `json:"unstable"` // rows above the limit
}

// UnstableRow is a row that many refits put elsewhere.
type UnstableRow struct {
	Row     int     `json:"row"` // 0-based data row
	Band    int     `json:"band"`
	Changed float64 `json:"changed"`
}

// MostListed bounds the rows that are listed by name.
const MostListed = 1000

// stability compares the bands of the refits with the model's.
func (w *Refits) stability(kept []*refit) Stability {
	bands := make([][]int, len(kept))
	for i, r := range kept {
		bands[i] = r.band
	}
	m := stat.BandStability(w.model.band, bands, UnstableShare)
	s := Stability{Limit: m.Limit, Mean: m.Mean, Unstable: len(m.Above), Rows: len(w.at),
		Bands: make([]BandStable, len(w.iv.Pi)+1), Listed: []UnstableRow{}}
	sums := make([]float64, len(s.Bands))
	for i, k := range w.model.band {
		s.Bands[k].N++
		sums[k] += m.Changed[i]
	}
	for k := range s.Bands {
		if n := s.Bands[k].N; n > 0 {
			s.Bands[k].Changed = defined(sums[k] / float64(n))
		}
	}
	slices.SortStableFunc(m.Above, func(a, b int) int {
		switch {
		case m.Changed[a] > m.Changed[b]:
			return -1
		case m.Changed[a] < m.Changed[b]:
			return 1
		}
		return 0
	})
	for _, i := range m.Above {
		s.Bands[w.model.band[i]].Unstable++
		if len(s.Listed) < MostListed {
			s.Listed = append(s.Listed, UnstableRow{w.p.cohort.rows[w.at[i]], w.model.band[i], m.Changed[i]})
		}
	}
	return s
}
