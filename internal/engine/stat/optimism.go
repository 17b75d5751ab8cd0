package stat

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Optimism is a statistic before and after Harrell's bootstrap correction.
type Optimism struct {
	Apparent   *float64 `json:"apparent"`  // on the training rows
	Optimism   Estimate `json:"optimism"`  // its mean over the replicates, or their median
	Corrected  Estimate `json:"corrected"` // apparent − optimism
	Replicates int      `json:"replicates"`
	Median     bool     `json:"median,omitempty"` // the optimism is a median; false in bootstraps stored before it was
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
	return correct(apparent, own, original, Mean)
}

// CorrectOptimism corrects this statistic. A skewed one takes the median of own − original: the calibration slope of
// risks that hardly differ has no bound, so a few models with a large penalty would decide the mean (how widely the
// slopes of penalised models vary between samples: Van Calster et al. 2020). A pinned one gets no interval, because
// the refits show the bias of calibration elsewhere but not its variance. The lower limit of a loss, shifted, is still
// at least 0.
func (s Statistic) CorrectOptimism(apparent float64, own, original []float64) Optimism {
	middle := Mean
	if s.Skewed {
		middle = medianOf
	}
	o := correct(apparent, own, original, middle)
	o.Median = s.Skewed
	if s.Pinned {
		o.Corrected.Low, o.Corrected.High = nil, nil
	}
	if s.Loss() {
		o.Corrected = o.Corrected.AtLeast(0)
	}
	return o
}

func correct(apparent float64, own, original []float64, middle func([]float64) Estimate) Optimism {
	sameLength(len(own), len(original))
	var diff, kept []float64
	for i, v := range own {
		if d := v - original[i]; !math.IsNaN(d) {
			diff, kept = append(diff, d), append(kept, v)
		}
	}
	o := Optimism{Apparent: Finite(apparent), Optimism: middle(diff), Replicates: len(diff)}
	if o.Optimism.Value != nil {
		corrected := apparent - *o.Optimism.Value
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
