package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// AUCDifference is the difference of the AUCs of two scores of the same rows.
type AUCDifference struct {
	A          Estimate `json:"a"`
	B          Estimate `json:"b"`
	Difference Estimate `json:"difference"` // a − b
	Z          *float64 `json:"z"`
	P          *float64 `json:"p_value"` // two-sided
}

// Untested returns the two areas with their intervals, and their difference without interval and test.
func (d AUCDifference) Untested() AUCDifference {
	return AUCDifference{A: d.A, B: d.B, Difference: d.Difference.alone()}
}

// CompareAUC returns the paired test of DeLong et al. (1988): the standard error of the difference is that of
// the mean difference of the rows' placements. There is no test when the placements do not vary, and no
// interval with fewer than two rows of a class.
func CompareAUC(a, b []float64, event []bool) AUCDifference {
	d := AUCDifference{A: estimate(AUC(a, event)), B: estimate(AUC(b, event))}
	if d.A.Value == nil || d.B.Value == nil {
		return d
	}
	diff := rowPlacements(a, event)
	floats.Sub(diff, rowPlacements(b, event))
	x, y := split(diff, event)
	value := *d.A.Value - *d.B.Value
	se := math.Sqrt(stat.Variance(x, nil)/float64(len(x)) + stat.Variance(y, nil)/float64(len(y)))
	d.Difference = normal(value, se)
	if se > 0 {
		z := value / se
		d.Z, d.P = &z, Finite(twoSided(z))
	}
	return d
}

// twoSided returns P(|N(0,1)| ≥ |z|).
func twoSided(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }

// rowPlacements returns, in the order of rows, for every event the share of non-events below it and for every
// non-event the share of events above it, ties counting ½.
func rowPlacements(score []float64, event []bool) []float64 {
	order := descending(score)
	events := float64(count(event))
	others := float64(len(event)) - events
	v := make([]float64, len(score))
	var above, passed float64 // events and non-events above the tie
	for i := 0; i < len(order); {
		j, tiedEvents := i, 0.0
		for ; j < len(order) && score[order[j]] == score[order[i]]; j++ {
			if event[order[j]] {
				tiedEvents++
			}
		}
		tiedOthers := float64(j-i) - tiedEvents
		for ; i < j; i++ {
			if row := order[i]; event[row] {
				v[row] = (others - passed - tiedOthers/2) / others
			} else {
				v[row] = (above + tiedEvents/2) / events
			}
		}
		above, passed = above+tiedEvents, passed+tiedOthers
	}
	return v
}
