package stat

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Optimism is a statistic before and after Harrell's bootstrap correction.
type Optimism struct {
	Apparent   *float64 `json:"apparent"`  // on the training rows
	Optimism   Estimate `json:"optimism"`  // normal interval of its mean over the replicates
	Corrected  Estimate `json:"corrected"` // apparent − optimism
	Replicates int      `json:"replicates"`
}

// CorrectedInterval names how the interval of a corrected value is computed.
const CorrectedInterval = "percentiles of the values of the refits on their own samples, shifted so that " +
	"their mean is the corrected value"

// CorrectOptimism takes a statistic of the model on its own training rows, and of every bootstrap model on its
// own sample and on the original rows: corrected = apparent − mean(own − original) (Harrell et al. 1996). Its
// interval consists of the percentiles of own, shifted so that their mean is the corrected value. Shifting by
// the optimism alone (Noma et al. 2021) would place the interval too high, sometimes without the estimate
// inside, because own is on average better than apparent. Replicates with a NaN in either do not count.
func CorrectOptimism(apparent float64, own, original []float64) Optimism {
	sameLength(len(own), len(original))
	var diff, kept []float64
	for i, v := range own {
		if d := v - original[i]; !math.IsNaN(d) {
			diff, kept = append(diff, d), append(kept, v)
		}
	}
	o := Optimism{Apparent: Finite(apparent), Optimism: Mean(diff), Replicates: len(diff)}
	if o.Optimism.Value != nil {
		corrected := apparent - stat.Mean(diff, nil)
		shift := stat.Mean(kept, nil) - corrected
		low, high := Percentiles(kept)
		o.Corrected = estimate(corrected, low-shift, high-shift)
	}
	return o
}

// Stability says how often rows change their band when the model is refitted.
type Stability struct {
	Changed []float64 `json:"changed"` // per row, the share of refits that place it in another band
	Mean    *float64  `json:"mean"`    // over all rows
	Above   []int     `json:"above"`   // rows whose share exceeds Limit
	Limit   float64   `json:"limit"`
}

// BandStability compares the bands of the rows with those of bootstrap refits
// (docs/clinical.md, Statistics).
func BandStability(band []int, refits [][]int, limit float64) Stability {
	s := Stability{Changed: make([]float64, len(band)), Limit: limit}
	for _, refit := range refits {
		sameLength(len(refit), len(band))
		for i, k := range refit {
			if k != band[i] {
				s.Changed[i]++
			}
		}
	}
	if len(refits) == 0 {
		return s
	}
	for i := range s.Changed {
		s.Changed[i] /= float64(len(refits))
		if s.Changed[i] > limit {
			s.Above = append(s.Above, i)
		}
	}
	s.Mean = Finite(stat.Mean(s.Changed, nil))
	return s
}
