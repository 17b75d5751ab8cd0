package compare

import (
	"math"

	"taper/internal/engine/stat"
)

// Weights is a histogram of the final weight factors of a run's rows. It is empty for a loss
// without weights. Flips counts rows whose labels were corrupted.
type Weights struct {
	Run         string    `json:"run"`
	N           int       `json:"n"`
	Top         float64   `json:"top"`    // right edge of the last bin
	Shares      []float64 `json:"shares"` // proportion of rows per bin, of equal width from 0
	Median      *float64  `json:"median"`
	Below       float64   `json:"below_half"` // proportion of rows with weight below ½
	Flipped     int       `json:"flipped"`
	CleanMedian *float64  `json:"clean_median"`
	FlipMedian  *float64  `json:"flipped_median"`
}

const weightBins = 20

// weights counts the rows that have a weight. The axis ends at 1 unless a weight is larger.
func weights(r Run) Weights {
	w := Weights{Run: r.ID, Top: 1, Shares: []float64{}}
	var all, clean, flipped []float64
	for i := range r.Rows {
		v := r.Rows[i].Weight
		if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
			continue
		}
		all = append(all, *v)
		if r.Rows[i].Flipped {
			flipped = append(flipped, *v)
		} else {
			clean = append(clean, *v)
		}
		w.Top = max(w.Top, *v)
	}
	if w.N, w.Flipped = len(all), len(flipped); w.N == 0 {
		return w
	}
	w.Shares = make([]float64, weightBins)
	for _, v := range all {
		w.Shares[stat.BinAt(v/w.Top*weightBins, weightBins)] += 1 / float64(w.N)
		if v < 0.5 {
			w.Below += 1 / float64(w.N)
		}
	}
	w.Median, w.CleanMedian, w.FlipMedian = median(all), median(clean), median(flipped)
	return w
}

func median(x []float64) *float64 {
	if len(x) == 0 {
		return nil
	}
	m := stat.Median(x)
	return &m
}
